// Parameter names of other APIs that people try, with Linecard's names for them.

import type { List } from './list.ts';
import { hasNegativeMark, wordsOf } from './qualifiers.ts';
import { nearest } from './suggestion.ts';
import { named } from './wording.ts';

const LONGEST = 64;

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
];

const BEFORE = new Set(['filter', 'filters', 'where']);
const AFTER = new Set(['eq', 'equals', 'in', 'any']);

/** `price`, `max_price`, `monthly_from`; `activation_from` means a time. */
const PRICE =
  /^(?:(?:min|max)_)?(?:(?:price|cost|fee|charge|amount|monthly|incoming)s?(?:_[a-z_]+)?|activation)(?:_(?:min|max))?$/;

const PARAMETERS_FOR = new Map<string, string[]>();
for (const [parameter, tried] of Object.entries(TRIED)) {
  for (const name of tried.split(' ')) {
    PARAMETERS_FOR.set(name, [...(PARAMETERS_FOR.get(name) ?? []), parameter]);
  }
}

const INSTEAD_OF = new Map(
  ELSEWHERE.flatMap(([tried, instead]) => tried.split(' ').map((name) => [name, instead] as const)),
);

/** Known names that an unknown one may mean: by other APIs' names, else the nearest. */
export function namesMeant(name: string, known: readonly string[]): string[] {
  if (hasNegativeMark(name)) return [];
  const said = plain(name);
  const tried = (PARAMETERS_FOR.get(said) ?? []).filter((one) => known.includes(one));
  if (tried.length > 0) return tried;
  const near = nearest(said, known);
  return near === undefined ? [] : [near];
}

/** Advice about a tried name that no parameter has. */
export function hintFor(list: List, name: string, known: readonly string[]): string | undefined {
  const instead = INSTEAD_OF.get(plain(name));
  if (instead !== undefined) return instead(list);
  if (PRICE.test(plain(name)))
    return 'There is no filter by price: sort by it (`sort_by=monthly`), and take the items that you want.';
  const meant = namesMeant(name, known);
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
