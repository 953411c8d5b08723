// The contract read a second time: what each list must answer, computed naively from all rows in plain
// TypeScript. Written from the text of docs/generated/api.md alone, so it lists again what
// api/contract/contract.ts lists, and imports nothing else, or a misreading there would be repeated here.
// test/repository/model.test.ts compares the two lists.

/**
 * A stored item as the contract tells it: charges as decimal texts without noise, timestamps in the one form.
 */
export interface ModelRow {
  readonly id: number;
  readonly account_id: string;
  readonly [field: string]: string | number | boolean | null;
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Codes that the platform knows and ISO 3166-1 does not assign, except XK: reserved, groups, private use. */
const NOT_ASSIGNED = /^(?:AA|AC|CP|CQ|DG|EA|EU|EZ|IC|Q[M-Z]|TA|UN|X[^K]|ZZ)$/;

function isCountry(text: string): boolean {
  // A withdrawn code is an alias of another.
  const isCurrent = () => Intl.getCanonicalLocales(`und-${text}`)[0] === `und-${text}`;
  return /^[A-Z]{2}$/.test(text) && !NOT_ASSIGNED.test(text) && regions.of(text) !== undefined && isCurrent();
}

type Kind = 'integer' | 'text' | 'timestamp' | 'charge' | 'flag';
type ListTest = 'ids' | 'texts' | 'codes' | 'numbers';
type Test =
  | ListTest
  | `not ${ListTest}`
  | 'flag'
  | 'set'
  | 'after'
  | 'before'
  | 'from'
  | 'to'
  | 'min'
  | 'max'
  | 'first'
  | 'last';

const LIST_TESTS: readonly string[] = ['ids', 'texts', 'codes', 'numbers'] satisfies ListTest[];
/** What values a filter of a list takes, or of an exclusion; `undefined` for any other. */
export const listTestOf = (test: string): ListTest | undefined =>
  LIST_TESTS.find((one) => one === test.replace(/^not /, '')) as ListTest | undefined;

export interface ModelList {
  readonly name: 'virtual_numbers' | 'additional_services';
  readonly path: string;
  /** What is returned, in order. */
  readonly fields: Readonly<Record<string, Kind>>;
  /** What a row has that no answer carries. */
  readonly hidden: Readonly<Record<string, Kind>>;
  /** Only rows with these values of hidden fields are listed. */
  readonly only: Readonly<Record<string, string>>;
  readonly filters: Readonly<Record<string, readonly [Test, field: string]>>;
  readonly search: readonly string[];
  /**
   * The field in which a search that looks like a telephone number also finds its digits, if there is one.
   */
  readonly digits?: string;
  readonly sorts: Readonly<Record<string, string>>;
}

/** Filters, and for each list of values the one that excludes them. */
const withExclusions = (filters: ModelList['filters']): ModelList['filters'] => ({
  ...filters,
  ...Object.fromEntries(
    Object.entries(filters).flatMap(([name, [test, field]]) =>
      LIST_TESTS.includes(test) ? [[`${name}_exclude`, [`not ${test}` as Test, field] as const]] : [],
    ),
  ),
});

/** The two bounds of a charge. */
const boundsOf = (...fields: readonly string[]): ModelList['filters'] =>
  Object.fromEntries(
    fields.flatMap((field) => [
      [`${field}_min`, ['min', field] as const],
      [`${field}_max`, ['max', field] as const],
    ]),
  );

/** The four filters of a time. */
const timesOf = (name: string, field: string): ModelList['filters'] => ({
  [`${name}_after`]: ['after', field],
  [`${name}_before`]: ['before', field],
  [`${name}_from`]: ['from', field],
  [`${name}_to`]: ['to', field],
});

/** Sort keys that are called like their fields. */
const byName = (...fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, field]));

// biome-ignore format: a table
export const virtual_numbers: ModelList = {
  name: 'virtual_numbers',
  path: '/api/v1/did/me',
  fields: {
    id: 'integer', did: 'text', comment: 'text', country: 'text', country_code: 'text', provider: 'text', status: 'text',
    subscription_status: 'text', frequency: 'text', activation: 'charge', monthly: 'charge', incoming: 'charge',
    created_at: 'timestamp', activated_at: 'timestamp', next_payment_at: 'timestamp', is_active_spam_check: 'flag',
    is_spammed: 'flag', spam_checked_at: 'timestamp',
  },
  hidden: {},
  only: {},
  filters: withExclusions({
    ids: ['ids', 'id'],
    frequencies: ['texts', 'frequency'],
    subscription_statuses: ['texts', 'subscription_status'],
    statuses: ['texts', 'status'],
    country_codes: ['codes', 'country_code'],
    providers: ['texts', 'provider'],
    is_spammed: ['flag', 'is_spammed'],
    is_active_spam_check: ['flag', 'is_active_spam_check'],
    dids: ['numbers', 'did'],
    did_from: ['first', 'did'],
    did_to: ['last', 'did'],
    ...timesOf('activated', 'activated_at'),
    ...timesOf('next_payment', 'next_payment_at'),
    ...timesOf('created', 'created_at'),
    ...timesOf('spam_checked', 'spam_checked_at'),
    has_activation: ['set', 'activated_at'],
    has_next_payment: ['set', 'next_payment_at'],
    has_spam_check: ['set', 'spam_checked_at'],
    ...boundsOf('activation', 'monthly', 'incoming'),
  }),
  search: ['did', 'comment'],
  digits: 'did',
  sorts: {
    ...byName(
      'id', 'did', 'status', 'country', 'country_code', 'provider', 'frequency', 'next_payment_at', 'activated_at',
      'activation', 'monthly', 'comment', 'spam_checked_at', 'subscription_status', 'created_at', 'is_spammed',
      'is_active_spam_check', 'incoming',
    ),
    _default: 'id', amount_one_time: 'activation', amount_subscription: 'monthly', billing_period: 'frequency',
    is_spam: 'is_spammed',
  },
};

// biome-ignore format: a table
export const additional_services: ModelList = {
  name: 'additional_services',
  path: '/api/v1/services/additional',
  fields: {
    id: 'integer', title: 'text', comment: 'text', frequency: 'text', activation: 'charge', monthly: 'charge',
    activated_at: 'timestamp', next_payment_at: 'timestamp', subscription_status: 'text',
  },
  hidden: { category: 'text', service_name: 'text' },
  only: { category: 'additional' },
  filters: withExclusions({
    ids: ['ids', 'id'],
    frequencies: ['texts', 'frequency'],
    subscription_statuses: ['texts', 'subscription_status'],
    ...timesOf('activated', 'activated_at'),
    ...timesOf('next_payment', 'next_payment_at'),
    has_activation: ['set', 'activated_at'],
    has_next_payment: ['set', 'next_payment_at'],
    ...boundsOf('activation', 'monthly'),
  }),
  search: ['title', 'comment'],
  sorts: {
    ...byName(
      'id', 'service_name', 'title', 'comment', 'frequency', 'next_payment_at', 'activated_at', 'activation', 'monthly',
      'subscription_status',
    ),
    _default: 'id', billing_period: 'frequency', status: 'subscription_status', amount_one_time: 'activation',
    amount_subscription: 'monthly',
  },
};

export const modelLists: readonly ModelList[] = [virtual_numbers, additional_services];

const LARGEST_INTEGER = 9_007_199_254_740_991n;
const LARGEST_PAGE = 1_000n;
const MOST_VALUES = 1_000;
const LONGEST_Q = 200;
const MOST_REMEMBERED = 10_000;

/** A page that the contract promises, or the parameters that an error must name. */
export type Expected =
  | {
      readonly status: 200;
      readonly body: string;
      readonly ids: readonly number[];
      readonly page: number;
      readonly page_size: number;
      readonly total: number;
      readonly total_pages: number;
      /** The relations of `Link`, with the page that each must lead to. */
      readonly links: ReadonlyMap<string, number>;
    }
  | { readonly status: 400; readonly parameters: ReadonlySet<string> };

/** A parameter as it was read: its values, and whether anything was wrong with it. */
interface ReadParameter {
  readonly name: string;
  readonly texts: string[];
  readonly many: boolean;
}

/**
 * The same function, which remembers what it gave: rows and queries at random are made of few different
 * texts.
 */
function remembering<T>(of: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size === MOST_REMEMBERED) known.clear();
    const made = of(text);
    known.set(text, made);
    return made;
  };
}

const UTF_8 = new TextEncoder();

/** Strict percent-decoding into bytes and strict UTF-8; a `+` is a space, as forms write it. */
function percentDecoded(text: string): string | undefined {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === '+') bytes.push(0x20);
    else if (character >= '\u0080') bytes.push(...UTF_8.encode(character));
    else if (character !== '%') bytes.push(character.charCodeAt(0));
    else {
      const digits = text.slice(i + 1, i + 3);
      if (!/^[0-9A-Fa-f]{2}$/.test(digits)) return undefined;
      bytes.push(Number.parseInt(digits, 16));
      i += 2;
    }
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(new Uint8Array(bytes));
  } catch {
    return undefined;
  }
}

function hasControlCharacter(text: string): boolean {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0).some(
    (point) => point < 0x20 || (point >= 0x7f && point < 0xa0),
  );
}

function integerUpTo(text: string, max: bigint): number | undefined {
  if (!/^[1-9][0-9]*$/.test(text) || BigInt(text) > max) return undefined;
  return Number(text);
}

/** What the one form can write: four digits for the year, in UTC. */
const FIRST_INSTANT = Temporal.Instant.from('+000000-01-01T00:00:00Z').epochNanoseconds;
const LAST_INSTANT = Temporal.Instant.from('+009999-12-31T23:59:59.999999999Z').epochNanoseconds;

/** An RFC 3339 timestamp in nanoseconds since 1970; leap seconds are none of the model's business. */
const nanoseconds = remembering((text: string): bigint | undefined => {
  const form =
    /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,9})?([Zz]|[-+ ][0-9]{2}:[0-9]{2})$/;
  const parts = form.exec(text);
  if (parts === null) return undefined;
  const [, date = '', time = '', fraction = '', zone = ''] = parts;
  if (time.endsWith(':60')) return undefined;
  const offset = zone.toUpperCase().replace(' ', '+');
  try {
    // With a sign and six digits Temporal takes every year, 0000 too.
    const instant = Temporal.Instant.from(`+00${date}T${time}${fraction}${offset}`).epochNanoseconds;
    return instant < FIRST_INSTANT || instant > LAST_INSTANT ? undefined : instant;
  } catch {
    return undefined;
  }
});

const microseconds = (text: string) => {
  const instant = nanoseconds(text);
  return instant === undefined ? undefined : instant / 1_000n;
};

/** The first and the last microsecond of a day in UTC, which `YYYY-MM-DD` names; leap seconds as above. */
const daySpan = remembering((text: string): readonly [first: bigint, last: bigint] | undefined => {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return undefined;
  const [first, last] = ['00:00:00Z', '23:59:59.999999Z'].map((time) => nanoseconds(`${text}T${time}`));
  return first === undefined || last === undefined ? undefined : [first, last];
});

/** Whether a time is on that side of what a query names: of a timestamp, or of a whole day. */
function isOnSide(test: 'after' | 'before' | 'from' | 'to', value: string, named: string): boolean {
  const at = nanoseconds(value);
  const timestamp = nanoseconds(named);
  const [first, last] = daySpan(named) ?? [timestamp, timestamp];
  if (at === undefined || first === undefined || last === undefined)
    throw new Error('The model was given a row or a query without a time.');
  if (test === 'after') return at > last;
  if (test === 'before') return at < first;
  return test === 'from' ? at >= first : at <= last;
}

/** What a query string says, or the names of all that is wrong with it. */
class ParsedQuery {
  readonly faults = new Set<string>();
  readonly #list: ModelList;
  readonly #given = new Map<string, ReadParameter>();

  /** `outOfPlace` names parameters that have no meaning here. */
  constructor(list: ModelList, query: string, outOfPlace: readonly string[] = []) {
    this.#list = list;
    for (const pair of query.split('&')) if (pair !== '') this.#take(pair);
    for (const { name, texts, many } of this.#given.values()) {
      if (!many && texts.length > 1) this.faults.add(name);
      if (many && texts.length > MOST_VALUES) this.faults.add(name);
      for (const text of texts) if (!this.#isFit(name, text)) this.faults.add(name);
      if (outOfPlace.includes(name)) this.faults.add(name);
    }
    const [first, last] = ['did_from', 'did_to'].map((name) => {
      const text = this.#given.get(name)?.texts.find((one) => this.#isFit(name, one));
      return text === undefined ? undefined : comparedDigits(typedNumber(text)).length;
    });
    if (first !== undefined && last !== undefined && first !== last) this.faults.add('did_to');
  }

  /** The same as a JSON object: lists as arrays, integers and flags as such. */
  json(): Record<string, unknown> {
    const members = [...this.#given.values()].map(({ name, texts, many }) => {
      const test = this.#list.filters[name]?.[0];
      const values = texts.map((text) => {
        if (listTestOf(test ?? '') === 'ids' || name === 'page' || name === 'page_size') return Number(text);
        if (test === 'min' || test === 'max') return Number(text);
        return test === 'flag' || test === 'set' ? text === 'true' : text;
      });
      return [name, many ? values : values[0]] as const;
    });
    return Object.fromEntries(members);
  }

  /** The values of a list filter that is on. */
  texts(name: string): readonly string[] {
    return this.#given.get(name)?.texts ?? [];
  }

  text(name: string): string | undefined {
    return this.texts(name)[0];
  }

  #take(pair: string): void {
    const equals = pair.indexOf('=');
    const rawName = equals < 0 ? pair : pair.slice(0, equals);
    const spelled = percentDecoded(rawName);
    if (spelled === undefined) return void this.faults.add(rawName);
    const inBrackets = /^(.*)\[([0-9]*)\]$/s.exec(spelled);
    const name = inBrackets?.[1] ?? spelled;
    const test = Object.hasOwn(this.#list.filters, name) ? this.#list.filters[name]?.[0] : undefined;
    const single = ['q', 'sort_by', 'sort_order', 'page', 'page_size', 'cursor'].includes(name);
    if (test === undefined && !single && name !== 'fields') return void this.faults.add(spelled);
    const many = listTestOf(test ?? '') !== undefined || name === 'fields';
    if (inBrackets !== null && !many) return void this.faults.add(name);
    const value = percentDecoded(equals < 0 ? '' : pair.slice(equals + 1));
    if (value === undefined || hasControlCharacter(value)) return void this.faults.add(name);
    const given = this.#given.get(name) ?? { name, texts: [], many };
    this.#given.set(name, given);
    if (!many) given.texts.push(value);
    else if (inBrackets !== null) given.texts.push(...(value === '' ? [] : [value]));
    else given.texts.push(...value.split(',').filter((text) => text !== ''));
  }

  #isFit(name: string, text: string): boolean {
    switch (name) {
      case 'q':
        return Array.from(text.trim()).length <= LONGEST_Q;
      case 'sort_by':
        return Object.keys(this.#list.sorts).includes(text);
      case 'sort_order':
        return text === 'asc' || text === 'desc';
      case 'page':
        return integerUpTo(text, LARGEST_INTEGER) !== undefined;
      case 'page_size':
        return integerUpTo(text, LARGEST_PAGE) !== undefined;
      case 'cursor':
        return text !== '';
      case 'fields':
        return Object.hasOwn(this.#list.fields, text);
    }
    const test = this.#list.filters[name]?.[0];
    switch (test && (listTestOf(test) ?? (test as Exclude<Test, `not ${ListTest}`>))) {
      case 'ids':
        return integerUpTo(text, LARGEST_INTEGER) !== undefined;
      case 'codes':
        return isCountry(text);
      case 'flag':
      case 'set':
        return text === 'true' || text === 'false';
      case 'min':
      case 'max':
        return isCharge(text);
      case 'after':
      case 'before':
      case 'from':
      case 'to':
        return nanoseconds(text) !== undefined || daySpan(text) !== undefined;
      case 'numbers':
        return isTelephoneNumber(typedNumber(text));
      case 'first':
      case 'last':
        return isNumberBound(text);
      case 'texts':
      case undefined:
        return true;
    }
  }
}

/** Unicode NFKC, then lower case, character by character, with one small sigma; and in NFKC again. */
const folded = remembering((text: string) =>
  Array.from(text.normalize('NFKC'), (one) => (one === 'ς' ? 'σ' : one.toLowerCase()))
    .join('')
    .normalize('NFKC'),
);

function onlyDigits(text: string): string {
  return Array.from(text)
    .filter((character) => character >= '0' && character <= '9')
    .join('');
}

/** A text without its first bracketed trunk zero. */
function withoutTrunkZero(text: string): string {
  const at = text.indexOf('(0)');
  return at < 0 ? text : text.slice(0, at) + text.slice(at + 3);
}

const withoutPrefix = (digits: string) => (digits.startsWith('00') ? digits.slice(2) : digits);

/** A charge as a query takes it: at most six digits after a point, at most 10^9 either side of zero. */
function isCharge(text: string): boolean {
  if (!/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]{1,6})?$/.test(text)) return false;
  const size = millionths(text.replace('-', ''));
  return size <= 1_000_000_000_000_000n;
}

/** What no written number has, once it is folded. */
const OTHER_SIGNS = /[^0-9 +\-()./]/;

/** The digits that a number is compared by, however it is written. */
export const comparedDigits = remembering((number: string) =>
  withoutPrefix(onlyDigits(withoutTrunkZero(folded(number)))),
);

/** A number as it was typed, from one that was pasted. */
function typedNumber(text: string): string {
  const visible = text.replaceAll(/\p{Format}/gu, '');
  const plain = folded(visible)
    .trim()
    .replace(/\p{Dash_Punctuation}|\u2212/gu, '-');
  return plain.replace(/^tel:\s*/, '');
}

/** Whether a text has digits to compare, and does not look like something else that has digits. */
function isNumberBound(text: string): boolean {
  const typed = typedNumber(text);
  return text.length <= 100 && !OTHER_SIGNS.test(typed) && comparedDigits(typed) !== '';
}

function isTelephoneNumber(typed: string): boolean {
  const compared = comparedDigits(typed);
  if (compared === '' || compared.length > 15 || /^[0-9.,]+e[+ ]?[0-9]+$/.test(typed)) return false;
  const parts = typed.split(/[-./]/);
  const areDigits = parts.every((part) => /^[0-9]+$/.test(part));
  const sizes = parts.map((part) => part.length).join();
  const isDate = areDigits && (sizes === '4,2,2' || sizes === '2,2,4');
  const isDecimal = areDigits && parts.length === 2 && typed.includes('.');
  const isAddress = areDigits && parts.length === 4 && typed.split('.').every((part) => Number(part) < 256);
  return !isDate && !isDecimal && !isAddress;
}

/** Whether a search that looks like a number finds one by its digits. */
function isFoundByDigits(number: string, q: string): boolean {
  const needle = typedNumber(q);
  if (!/[0-9]/.test(needle) || OTHER_SIGNS.test(needle)) return false;
  const digits = onlyDigits(withoutTrunkZero(needle));
  const here = comparedDigits(number);
  if (needle.startsWith('+') || digits.startsWith('00')) {
    const rest = withoutPrefix(digits);
    return rest !== '' && here.startsWith(rest);
  }
  if (digits === '') return false;
  const national = digits.startsWith('0') && digits.length >= 5;
  return here.includes(digits) || (national && here.includes(digits.slice(1)));
}

function isFound(list: ModelList, row: ModelRow, q: string): boolean {
  const needle = folded(q);
  if (list.search.some((field) => folded(String(row[field])).includes(needle))) return true;
  return list.digits !== undefined && isFoundByDigits(String(row[list.digits]), q);
}

function isWanted(list: ModelList, row: ModelRow, parsed: ParsedQuery, without?: string): boolean {
  if (Object.entries(list.only).some(([field, value]) => row[field] !== value)) return false;
  for (const [name, [test, field]] of Object.entries(list.filters)) {
    const texts = parsed.texts(name);
    const [text] = texts;
    if (text === undefined || name === without || name === `${without}_exclude`) continue;
    const value = row[field];
    if (test === 'after' || test === 'before' || test === 'from' || test === 'to') {
      if (value === null || !isOnSide(test, String(value), text)) return false;
    } else if (test === 'set') {
      if ((value !== null) !== (text === 'true')) return false;
    } else if (test === 'min' || test === 'max') {
      const [charge, limit] = [millionths(String(value)), millionths(text)];
      if (test === 'min' ? charge < limit : charge > limit) return false;
    } else if (test === 'first' || test === 'last') {
      const [here, limit] = [comparedDigits(String(value)), comparedDigits(typedNumber(text))];
      if (here.length !== limit.length || (test === 'first' ? here < limit : here > limit)) return false;
    } else {
      const isAmong =
        listTestOf(test) === 'numbers'
          ? texts.map((one) => comparedDigits(typedNumber(one))).includes(comparedDigits(String(value)))
          : texts.includes(String(value));
      if (isAmong === test.startsWith('not ')) return false;
    }
  }
  const q = parsed.text('q')?.trim() ?? '';
  return q === '' || isFound(list, row, q);
}

const codePoints = remembering((text: string) =>
  Array.from(text, (character) => character.codePointAt(0) ?? 0),
);

function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [codePoints(a), codePoints(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** A charge in millionths. */
export const millionths = remembering((charge: string): bigint => {
  const [whole = '', fraction = ''] = charge.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(6, '0'));
  return charge.startsWith('-') ? -size : size;
});

type Value = ModelRow[string] | undefined;

/** Neither is null. */
function compareValues(kind: Kind, a: Value, b: Value): number {
  switch (kind) {
    case 'text':
      return compareCodePoints(folded(String(a)), folded(String(b)));
    case 'timestamp':
      return Number((microseconds(String(a)) ?? 0n) - (microseconds(String(b)) ?? 0n));
    case 'charge':
      return Number(millionths(String(a)) - millionths(String(b)));
    case 'integer':
    case 'flag':
      return Number(a) - Number(b);
  }
}

function sorted(
  list: ModelList,
  rows: readonly ModelRow[],
  sort_by: string,
  descending: boolean,
): ModelRow[] {
  const field = list.sorts[sort_by] as string;
  const kind = (list.fields[field] ?? list.hidden[field]) as Kind;
  const direction = descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [a[field], b[field]];
    if (left === null && right !== null) return 1;
    if (left !== null && right === null) return -1;
    const difference = left === null ? 0 : compareValues(kind, left, right);
    return direction * (difference === 0 ? a.id - b.id : difference);
  });
}

/** The fields that a query chooses, in their order; all where it chooses none. */
function fieldsOf(list: ModelList, parsed: ParsedQuery): [string, Kind][] {
  const chosen = parsed.texts('fields');
  return Object.entries(list.fields).filter(([field]) => chosen.length === 0 || chosen.includes(field));
}

function itemText(fields: readonly [string, Kind][], row: ModelRow): string {
  const members = fields.map(([field, kind]) => {
    const value = row[field];
    return `"${field}":${kind === 'charge' ? String(value) : JSON.stringify(value)}`;
  });
  return `{${members.join(',')}}`;
}

function linksOf(page: number, total_pages: number): Map<string, number> {
  const links = new Map([['first', 1]]);
  if (page > 1) links.set('prev', Math.max(1, Math.min(page - 1, total_pages)));
  if (page < total_pages) links.set('next', page + 1);
  if (total_pages > 0) links.set('last', total_pages);
  return links;
}

const PAGING = ['page', 'page_size', 'cursor'];
const FACETS_AT_MOST = 100;
const DUE_DAYS = [7, 30];
const MICROSECONDS_A_DAY = 86_400_000_000n;

/** A number of millionths as a decimal without noise. */
function decimal(count: bigint): string {
  const digits = String(count < 0n ? -count : count).padStart(7, '0');
  const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '');
  return count < 0n ? `-${text}` : text;
}

function sumOf(rows: readonly ModelRow[], field: string): string {
  return decimal(rows.reduce((sum, row) => sum + millionths(String(row[field])), 0n));
}

const MONTHS = new Map([
  ['monthly', 1n],
  ['quarterly', 3n],
  ['semiannually', 6n],
  ['half_yearly', 6n],
  ['yearly', 12n],
  ['annually', 12n],
  ['annual', 12n],
]);
const monthsOf = (frequency: unknown) => MONTHS.get(folded(String(frequency)));

interface CalendarDay {
  readonly text: string;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly lastOfMonth: number;
}

const calendarDay = (date: Temporal.PlainDate): CalendarDay => ({
  text: date.toString(),
  year: date.year,
  month: date.month,
  day: date.day,
  lastOfMonth: date.daysInMonth,
});

/** The day in UTC of a time in the one form. */
const dayOf = remembering((time: string) => calendarDay(Temporal.PlainDate.from(`+00${time.slice(0, 10)}`)));

/** The nth day after 1 January 1970. */
const dayAfter1970 = remembering((n: string) =>
  calendarDay(Temporal.PlainDate.from('1970-01-01').add({ days: Number(n) })),
);

/** Whether an item is paid on a day: when it is due, and each time its months have passed since then. */
function isPaidOn(on: CalendarDay, due: CalendarDay, months: bigint | undefined): boolean {
  const passed = (on.year - due.year) * 12 + on.month - due.month;
  if (passed === 0) return on.day === due.day;
  if (passed < 0 || months === undefined) return false;
  return passed % Number(months) === 0 && on.day === Math.min(due.day, on.lastOfMonth);
}

/** Whether an item is paid on a day, written `YYYY-MM-DD`. */
export function isPaid(item: Pick<ModelRow, 'frequency' | 'next_payment_at'>, day: string): boolean {
  const { next_payment_at: at, frequency } = item;
  return at !== null && isPaidOn(dayOf(day), dayOf(String(at)), monthsOf(frequency));
}

/** What is overdue, and what is paid on each of `due_days` days, one day after the other. */
function paymentsOf(rows: readonly ModelRow[], now: bigint, due_days: number) {
  const due = rows.flatMap((row) => {
    const at = row['next_payment_at'];
    return at === null ? [] : [{ row, day: dayOf(String(at)), months: monthsOf(row['frequency']) }];
  });
  const amountOf = (some: typeof due) => ({
    count: String(some.length),
    amount: decimal(
      some.reduce((sum, { row, months = 0n }) => sum + millionths(String(row['monthly'])) * months, 0n),
    ),
    unknown: String(some.filter(({ months }) => months === undefined).length),
  });
  const today = Number(now / MICROSECONDS_A_DAY);
  const days = Array.from({ length: due_days }, (_, i) => dayAfter1970(String(today + i)));
  const [{ text: first } = { text: '' }] = days;
  return {
    overdue: amountOf(due.filter(({ row }) => String(row['next_payment_at']) < first)),
    due_by_day: days.flatMap((on) => {
      const paid = due.filter(({ day, months }) => isPaidOn(on, day, months));
      return paid.length === 0 ? [] : [{ day: on.text, ...amountOf(paid) }];
    }),
  };
}

/** A text cell that a spreadsheet would run gets a `'` in front. */
function cellOf(field: string, kind: Kind, value: Value): string {
  const text = value === null ? '' : String(value);
  if (field === 'did' && /^\+?\d+$/.test(text)) return text;
  return kind === 'text' && /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}

/** A whole list, or the parameters that an error must name. */
type Whole<T> =
  | ({ readonly status: 200 } & T)
  | { readonly status: 400; readonly parameters: ReadonlySet<string> };

/** All rows of a deployment, and what each account must see of them. */
export class Model {
  readonly rows: { [N in ModelList['name']]: ModelRow[] };
  /** Of the charges, by account. */
  readonly currencies = new Map<string, string>();

  constructor(rows: { [N in ModelList['name']]: readonly ModelRow[] }) {
    this.rows = {
      virtual_numbers: [...rows.virtual_numbers],
      additional_services: [...rows.additional_services],
    };
  }

  /**
   * What the list must answer to the account; `query` is what follows the `?`, without a cursor, and
   * `at` is the page that a link of it leads to.
   */
  expect(list: ModelList, account_id: string, query: string, at?: number): Expected {
    const parsed = new ParsedQuery(list, query);
    if (parsed.faults.size > 0) return { status: 400, parameters: parsed.faults };
    const wanted = this.#wanted(list, account_id, parsed);
    const inOrder = sorted(
      list,
      wanted,
      parsed.text('sort_by') ?? '_default',
      parsed.text('sort_order') === 'desc',
    );
    const page = at ?? Number(parsed.text('page') ?? 1);
    const page_size = Number(parsed.text('page_size') ?? 10);
    const total = inOrder.length;
    const total_pages = Math.ceil(total / page_size);
    const data = page > total_pages ? [] : inOrder.slice((page - 1) * page_size, page * page_size);
    const fields = fieldsOf(list, parsed);
    const items = data.map((row) => itemText(fields, row));
    const body = `{"data":[${items.join(',')}],"page":${page},"page_size":${page_size},"total":${total},"total_pages":${total_pages}}`;
    const ids = data.map(({ id }) => id);
    return { status: 200, body, ids, page, page_size, total, total_pages, links: linksOf(page, total_pages) };
  }

  /** What a QUERY of the same parameters carries; `undefined` where they are at fault. */
  json(list: ModelList, query: string): string | undefined {
    const parsed = new ParsedQuery(list, query);
    return parsed.faults.size > 0 ? undefined : JSON.stringify(parsed.json());
  }

  /** What an export must hold: one JSON text an item, and the same as cells. */
  expectAll(
    list: ModelList,
    account_id: string,
    query: string,
  ): Whole<{ items: string[]; cells: string[][] }> {
    const parsed = new ParsedQuery(list, query, PAGING);
    if (parsed.faults.size > 0) return { status: 400, parameters: parsed.faults };
    const rows = sorted(
      list,
      this.#wanted(list, account_id, parsed),
      parsed.text('sort_by') ?? '_default',
      parsed.text('sort_order') === 'desc',
    );
    const fields = fieldsOf(list, parsed);
    const cells = rows.map((row) => fields.map(([field, kind]) => cellOf(field, kind, row[field])));
    return {
      status: 200,
      items: rows.map((row) => itemText(fields, row)),
      cells: [fields.map(([field]) => field), ...cells],
    };
  }

  /**
   * What the facets must be, with every number as its text; `now` is in microseconds since 1970. `query` is
   * without `due_days` and `charges`.
   */
  expectFacets(
    list: ModelList,
    account_id: string,
    query: string,
    now: bigint,
    { due_days, charges: hasCharges = false }: { due_days?: number; charges?: boolean } = {},
  ): Whole<{ facets: unknown }> {
    const outOfPlace = [...PAGING, 'sort_by', 'sort_order', 'fields'];
    const parsed = new ParsedQuery(list, query, outOfPlace);
    if (parsed.faults.size > 0) return { status: 400, parameters: parsed.faults };
    const rows = this.#wanted(list, account_id, parsed);
    // What incoming traffic costs is a rate: it adds up to nothing.
    const charges = Object.keys(list.fields).filter(
      (field) => list.fields[field] === 'charge' && field !== 'incoming',
    );
    const due = DUE_DAYS.map((days) => {
      const limit = now + BigInt(days) * MICROSECONDS_A_DAY;
      const some = rows.filter(
        ({ next_payment_at: at }) => at !== null && (microseconds(String(at)) ?? 0n) <= limit,
      );
      return [days, { count: String(some.length), monthly: sumOf(some, 'monthly') }];
    });
    const named = Object.entries(list.filters).filter(([, [test]]) =>
      ['texts', 'codes', 'flag'].includes(test),
    );
    const facets = named.map(([name, [, field]]) => {
      const others = this.#wanted(list, account_id, parsed, name);
      const counts = Map.groupBy(others, (row) => row[field]);
      const values = [...counts].map(([value, some]) => ({
        value,
        count: some.length,
        ...(hasCharges ? { monthly: sumOf(some, 'monthly') } : {}),
      }));
      values.sort((a, b) => b.count - a.count || compareCodePoints(String(a.value), String(b.value)));
      const rest = values.slice(FACETS_AT_MOST).reduce((sum, { count }) => sum + count, 0);
      const shown = values
        .slice(0, FACETS_AT_MOST)
        .map(({ count, ...one }) => ({ ...one, count: String(count) }));
      return [name, { values: shown, others: String(rest) }];
    });
    const sums = charges.map((field) => [field, sumOf(rows, field)]);
    const all = {
      total: String(rows.length),
      currency: this.currencies.get(account_id) ?? null,
      sums: Object.fromEntries(sums),
      due: Object.fromEntries(due),
      facets: Object.fromEntries(facets),
      ...(due_days === undefined ? {} : paymentsOf(rows, now, due_days)),
    };
    return { status: 200, facets: all };
  }

  /** The rows that a query matches, of the account alone; `without` names a filter that is off. */
  #wanted(list: ModelList, account_id: string, parsed: ParsedQuery, without?: string): ModelRow[] {
    const mine = this.rows[list.name].filter((row) => row.account_id === account_id);
    return mine.filter((row) => isWanted(list, row, parsed, without));
  }
}
