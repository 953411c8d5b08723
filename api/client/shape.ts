// Checks that answers have the shape of their types, even where the server is not Linecard or is hostile.

import { lists } from '../contract/contract.ts';

type Check = (value: unknown) => boolean;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isCountOrNull: Check = (value) => value === null || isCount(value);
const isText: Check = (value) => typeof value === 'string';
const isTextOrNull: Check = (value) => value === null || isText(value);

/** Other members are allowed. */
const shaped =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(members).every(([name, holds]) => holds(value[name]));
const arrayOf =
  (holds: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(holds);
const recordOf =
  (holds: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(holds);

export const isPage = shaped({
  data: arrayOf(isObject),
  page: isCount,
  page_size: isCount,
  total: isCount,
  total_pages: isCount,
});

const isChange: Check = (change) => {
  if (!isObject(change) || !isCount(change['id'])) return false;
  const { id, item } = change;
  return item === null || (isObject(item) && (item['id'] ?? id) === id);
};

export const isChangesPage = shaped({
  data: arrayOf(isChange),
  since: (since) => isText(since) && since !== '',
  more: (more) => typeof more === 'boolean',
  total: isCount,
});

export const isWebhook = shaped({ id: isText, url: isText, status: isText, attempts: arrayOf(isObject) });
export const isWebhooks = shaped({ data: arrayOf(isWebhook) });

const isObjectIfAny: Check = (value = {}) => isObject(value);
const isActivityItem = shaped({
  id: isCount,
  label: (label = '') => isText(label),
  from: isObjectIfAny,
  to: isObjectIfAny,
});
const isActivityEntry = shaped({
  at: isText,
  list: isText,
  event: isText,
  count: isCount,
  ids: arrayOf(isCount),
  items: arrayOf(isActivityItem),
});
export const isActivity = shaped({ data: arrayOf(isActivityEntry), since: isText });

const isNumberIfAny: Check = (value = 0) => Number.isFinite(value);
const isPayments = shaped({ count: isCount, amount: isNumberIfAny, unknown: isNumberIfAny });

const isFacet = shaped({
  others: isCount,
  values: arrayOf(shaped({ count: isCount, value: (value) => ['string', 'boolean'].includes(typeof value) })),
});

export const isFacets = shaped({
  total: isCount,
  currency: (currency = null) => isTextOrNull(currency),
  sums: recordOf(Number.isFinite),
  due: recordOf(shaped({ count: isCount, monthly: isNumberIfAny })),
  overdue: (overdue) => overdue === undefined || isPayments(overdue),
  due_by_day: (days = []) => arrayOf(isPayments)(days),
  facets: recordOf(isFacet),
});

export const isAccount = shaped({
  id: isText,
  name: isText,
  currency: isTextOrNull,
  ...Object.fromEntries(Object.keys(lists).map((name) => [name, isCountOrNull])),
  updated_at: isText,
  token: shaped({ id: isText, name: isText, expires_at: isTextOrNull }),
});
