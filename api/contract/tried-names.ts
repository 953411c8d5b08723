// Parameter names of other APIs that people try, with Linecard's names for them.

import { type ChargeTest, EXCLUSION, type List } from './list.ts';
import { hasNegativeMark, saidBy, wordsOf } from './qualifiers.ts';
import { nearest } from './suggestion.ts';
import { named } from './wording.ts';

const LONGEST = 64;
const SET = 'has_';
/** Letters more or fewer of a time whose name has a slip. */
const SLIPS = 2;
/** Words for a time that there is or is not. */
const TIMES_SET: Readonly<Record<string, string>> = {
  activated: 'activation',
  spam_checked: 'spam_check',
  payment: 'next_payment',
  due: 'next_payment',
  due_date: 'next_payment',
  payment_date: 'next_payment',
};

/** Parameter to tried names. Only parameters of the list are suggested. */
const TRIED: Readonly<Record<string, string>> = {
  page_size:
    'limit per_page perpage size count rows take max max_results results top page_limit items_per_page',
  page: 'offset skip start page_number pagenumber p',
  cursor: 'page_token next next_token starting_after continuation token_next',
  q: 'search query text term keyword keywords contains find s name',
  sort_by: 'sort order_by orderby sorting sortby',
  sort_order: 'order direction dir sort_dir sort_direction sort_type ascending descending asc desc reverse',
  fields: 'select columns field only include attributes properties',
  dids: 'number numbers phone phones phone_number phone_numbers msisdn e164 did tel telephone',
  country_codes: 'country countries iso region',
  statuses: 'type state',
  subscription_statuses: 'type state subscription',
  frequencies: 'billing_period billing period interval',
  providers: 'carrier operator vendor supplier',
  is_spammed: 'spam spammed flagged is_flagged',
  is_active_spam_check: 'spam_check spam_checked',
  activated_from: 'from since start_date date_from',
  activated_to: 'to until end_date date_to',
  next_payment_after: 'due_after',
  next_payment_before: 'due_before',
  next_payment_from: 'from due_from',
  next_payment_to: 'to due_to due_by',
  created_from: 'from since',
  created_to: 'to until',
};

/** Tried names without an equivalent, and what to do instead. */
const ELSEWHERE: readonly (readonly [tried: string, instead: (list: List) => string])[] = [
  [
    'format output export download as accept csv xlsx',
    ({ path }) => `A file has an address of its own: ${path}.csv, .ndjson or .xlsx.`,
  ],
  [
    'token api_token api_key apikey key access_token auth authorization',
    () => 'The API token belongs in the Authorization header.',
  ],
  [
    'account account_id accountid customer customer_id tenant',
    () => 'The account is that of the API token, and no other can be requested.',
  ],
  [
    'filter filters where filter_by expression odata',
    ({ filters }) =>
      `Each filter is a parameter of its own, such as ${filters['statuses'] ? 'statuses' : 'frequencies'}=…, and all must hold.`,
  ],
  [
    'as_of at_time snapshot version',
    ({ path }) => `A list is of now; ${path}/changes says what has changed since an answer.`,
  ],
  ['group_by groupby group aggregate', ({ path }) => `Counts and sums of each value are at ${path}/facets.`],
  ['tags tag labels', ({ search }) => `Items have no tags: \`q\` finds a text in ${named(search, 'or')}.`],
];

const BEFORE = new Set(['filter', 'filters', 'where']);
const AFTER = new Set(['eq', 'equals', 'in', 'any']);

/** Words for a charge, and the charge. `activation_from` means a time. */
const PRICES: Readonly<Record<string, readonly string[]>> = {
  monthly: 'price cost fee charge amount prices costs fees charges monthly amount_subscription'.split(' '),
  activation: 'activation setup amount_one_time one_time'.split(' '),
  incoming: 'incoming'.split(' '),
};
const PRICE_BOUNDS: Readonly<Record<ChargeTest, string>> = {
  min: 'min minimum from gt gte ge above over after since',
  max: 'max maximum to lt lte le below under before until upto',
};
const OF_TIMES = new Set('from after since to before until'.split(' '));
const FLAGGED = new Set(['false', '0', 'no']);
const NULLS = new Set(['null', 'none', 'nil', '']);

const PARAMETERS_FOR = new Map<string, string[]>();
for (const [parameter, tried] of Object.entries(TRIED)) {
  for (const name of tried.split(' ')) {
    PARAMETERS_FOR.set(name, [...(PARAMETERS_FOR.get(name) ?? []), parameter]);
  }
}

const INSTEAD_OF = new Map(
  ELSEWHERE.flatMap(([tried, instead]) => tried.split(' ').map((name) => [name, instead] as const)),
);

/** A known name that an unknown one may mean, and the value that says the same, if the name says it. */
export interface Meant {
  readonly name: string;
  readonly value?: boolean;
}

/** `monthly_gte`, `min_price` -> `monthly_min`; `price` -> both bounds. */
function chargeBounds(words: readonly string[], known: readonly string[]): string[] {
  for (const [charge, names] of Object.entries(PRICES)) {
    const sides = Object.entries(PRICE_BOUNDS).filter(([side, bounds]) => {
      const isBound = (word = '') =>
        bounds.split(' ').includes(word) && !(charge === 'activation' && OF_TIMES.has(word));
      const stems = [
        isBound(words.at(-1)) ? words.slice(0, -1) : [],
        isBound(words[0]) ? words.slice(1) : [],
      ];
      return (
        stems.some((stem) => names.includes(stem.join('_'))) ||
        (names.includes(words.join('_')) && known.includes(`${charge}_${side}`))
      );
    });
    const meant = sides.map(([side]) => `${charge}_${side}`).filter((name) => known.includes(name));
    if (meant.length > 0) return meant;
  }
  return [];
}

/** `not_statuses` -> `statuses_exclude`, where values can be excluded. */
function exclusionsMeant(subject: string, known: readonly string[]): string[] {
  return namesMeant(
    subject,
    known.filter((name) => !name.endsWith(EXCLUSION)),
  )
    .map((name) => name + EXCLUSION)
    .filter((name) => known.includes(name));
}

/** `next_payment_at`, `payment` -> `has_next_payment`. */
function setsMeant(subject: readonly string[], known: readonly string[]): string[] {
  const stems = known.flatMap((name) => (name.startsWith(SET) ? name.slice(SET.length) : []));
  const words = subject.at(-1) === 'at' ? subject.slice(0, -1) : subject;
  const plain = words.join('_');
  const stem = TIMES_SET[plain] ?? nearest(plain, stems) ?? '';
  const isNear = Math.abs(stem.length - plain.length) <= SLIPS || plain in TIMES_SET;
  return stems.includes(stem) && isNear ? [SET + stem] : [];
}

/** Never one that means the opposite: the value says which it is. */
function asksIfSet(name: string, known: readonly string[], value: string | undefined): Meant[] {
  const { subject, isEmpty, isSet, isNegated } = saidBy(name);
  const isNull = value !== undefined && NULLS.has(value);
  const isOf = setsMeant(subject, known);
  if (!(isEmpty || isSet || isNegated || isNull)) return [];
  // `next_payment_at=null` is as `next_payment_is_null`; `next_payment_is_null=false` as its opposite.
  const isFlipped = value !== undefined && FLAGGED.has(value);
  const wanted = isNull ? isNegated : isSet;
  return isOf.map((one) => ({ name: one, value: wanted !== isFlipped }));
}

/**
 * Known names that an unknown one may mean: by other APIs' names, else the nearest.
 * @param value what it was given, if that is known
 */
export function meantBy(name: string, known: readonly string[], value?: string): Meant[] {
  if (name.length > LONGEST) return [];
  const sets = asksIfSet(name, known, value);
  if (sets.length > 0) return sets;
  const { subject, isNegated } = saidBy(name);
  const words = wordsOf(plain(name));
  if (isNegated) return exclusionsMeant(subject.join('_'), known).map((one) => ({ name: one }));
  const charges = chargeBounds(words, known);
  return (charges.length > 0 ? charges : namesMeant(name, known)).map((one) => ({ name: one }));
}

function namesMeant(name: string, known: readonly string[]): string[] {
  if (hasNegativeMark(name)) return [];
  const said = plain(name);
  const tried = (PARAMETERS_FOR.get(said) ?? []).filter((one) => known.includes(one));
  if (tried.length > 0) return tried;
  const near = nearest(said, known);
  return near === undefined ? [] : [near];
}

const written = ({ name, value }: Meant) => (value === undefined ? name : `${name}=${value}`);

/**
 * Advice about a name that no parameter has.
 * @param value what it was given
 */
export function hintFor(
  list: List,
  name: string,
  known: readonly string[],
  value?: string,
): string | undefined {
  const said = plain(name) || wordsOf(name).join('_');
  const instead = INSTEAD_OF.get(said);
  if (instead !== undefined) return instead(list);
  const meant = meantBy(name, known, value).map(written);
  return meant.length === 0 ? undefined : `Did you mean ${named(meant, 'or')}?`;
}

/** Without the words of other APIs that change nothing: `filter[status]`, `status__in`. */
function plain(name: string): string {
  if (name.length > LONGEST) return '';
  const words = wordsOf(name);
  const [from, to] = [
    BEFORE.has(words[0] ?? '') ? 1 : 0,
    AFTER.has(words.at(-1) ?? '') ? words.length - 1 : words.length,
  ];
  return (from < to ? words.slice(from, to) : words).join('_');
}
