// Whether an answer has the shape that its types promise. What a program reads as a number is one, also where
// the server is no Linecard, or a hostile one.

type Members = Readonly<Record<string, unknown>>;

/** An object, as items are. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || isText(value);

function areAll(value: unknown, holds: (member: unknown) => boolean): boolean {
  return isObject(value) && Object.values(value).every(holds);
}

const isDue = (due: unknown) => isObject(due) && isCount(due['count']) && Number.isFinite(due['monthly']);

function isFacet(facet: unknown): boolean {
  if (!isObject(facet) || !isCount(facet['others']) || !Array.isArray(facet['values'])) return false;
  return facet['values'].every(
    (one: unknown) =>
      isObject(one) && isCount(one['count']) && ['string', 'boolean'].includes(typeof one['value']),
  );
}

export function isPage(body: unknown): boolean {
  if (!isObject(body)) return false;
  const { data, page, page_size, total, total_pages } = body;
  return Array.isArray(data) && data.every(isObject) && [page, page_size, total, total_pages].every(isCount);
}

const isChange = (change: unknown) => {
  if (!isObject(change) || !isCount(change['id'])) return false;
  const { id, item } = change;
  return item === null || (isObject(item) && (item['id'] ?? id) === id);
};

export function isChangesPage(body: unknown): boolean {
  if (!isObject(body)) return false;
  const { data, since, more, total } = body;
  const isToken = isText(since) && since !== '';
  return (
    Array.isArray(data) && data.every(isChange) && isToken && typeof more === 'boolean' && isCount(total)
  );
}

export function isFacets(body: unknown): boolean {
  if (!isObject(body)) return false;
  const { total, currency = null, sums, due, facets } = body;
  if (!isCount(total) || !isTextOrNull(currency)) return false;
  return areAll(sums, Number.isFinite) && areAll(due, isDue) && areAll(facets, isFacet);
}

export function isAccount(body: unknown): boolean {
  if (!isObject(body) || !isObject(body['token'])) return false;
  const { id, name, currency, virtual_numbers, additional_services, updated_at, token } = body;
  return (
    [id, name, token['id'], token['name']].every(isText) &&
    [currency, updated_at, token['expires_at']].every(isTextOrNull) &&
    [virtual_numbers, additional_services].every(isCount)
  );
}
