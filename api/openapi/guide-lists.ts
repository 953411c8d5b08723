// The guide's sections on lists: pages, filters, times, search, order, fields, values.

import { MAX_CHARGE } from '../contract/charge.ts';
import { envelope, MAX_LIST_VALUES, MAX_Q_CHARACTERS } from '../contract/contract.ts';
import type { List } from '../contract/list.ts';
import { ownFieldsOf, ownFilters, ownTitle } from '../contract/own-fields.ts';
import { QueryParser } from '../contract/query-parser.ts';
import { NUMBER_LENGTH } from '../contract/telephone.ts';
import { virtual_numbers } from '../contract/virtual-numbers.ts';
import { count, named } from '../contract/wording.ts';
import { EXAMPLE_URL } from './code-samples.ts';
import { fenced, lines } from './markdown.ts';

const numbers = virtual_numbers.path;

export function pages(max_page_size: number): string {
  const { page, page_size } = new QueryParser(virtual_numbers, max_page_size).ofString('');
  return lines(
    `A page has exactly ${Object.keys(envelope).length} members, always in this order:`,
    '',
    ...Object.entries(envelope).map(([name, meaning]) => `- \`${name}\`: ${meaning}`),
    '',
    `Ask for one with \`page\` (default ${page}) and \`page_size\` (1 to ${count(max_page_size)}, default ${page_size}). Past the last page, \`data\` is`,
    'empty and the totals are true.',
    '',
    `One item is at the path of its list and its \`id\`, such as \`${numbers}/${virtual_numbers.fields.id.example}\`, and looks as in \`data\`. An id that your`,
    'account does not have is a `404`.',
    '',
    'To read everything, take a file, or follow the `Link` header (RFC 8288): while there is a `rel="next"`, request its address unchanged,',
    'relative to that of the request where it begins with a slash.',
    'Its `cursor` makes the last page cost as little as the first, and nothing is skipped or repeated when items before it are added or',
    'removed. A cursor belongs to its filters, order, page size and account: with others it is refused as `invalid-cursor`. There are also',
    '`rel="first"`, `"prev"` and `"last"`. With filters of more than about 12,000 characters there are no links: compare `page` with',
    '`total_pages`, or send such filters as `QUERY`, which has `Next-Cursor`.',
  );
}

export const filters = lines(
  'Every parameter is optional. Different filters combine with AND, the values of one filter with OR. Repeat the name for several',
  'values: `ids=1&ids=2`. `ids[]=1&ids[]=2`, `ids[0]=1&ids[1]=2`, `ids=1,2` and any mix mean the same.',
  '',
  '- A comma separates values, percent-encoded or not. A value with a comma of its own needs brackets: `providers[]=Zed%2C%20Inc`.',
  `- A filter takes at most ${count(MAX_LIST_VALUES)} values. Empty ones are dropped; without any (\`ids=\`) the filter is off.`,
  '- Statuses, frequencies and providers are open sets: a value that nothing has is not an error, and matches nothing. `country_codes`',
  '  takes ISO 3166-1 codes alone.',
  '- `statuses_exclude=released` is everything but that: each list of values has its exclusion. Both may stand together.',
  '- `did_from` and `did_to` are the ends of a range: they match numbers of the same length.',
  '- `monthly_min` and `monthly_max` bound a charge, inclusive and as exact decimals; likewise for each other charge.',
  '- `dids` takes complete numbers, however they are written: `+44 20 7946 0018` and `0044 (0)20 7946 0018` find `+442079460018`.',
  '',
  'Nothing is silently ignored, clamped or widened: an unknown parameter, a value out of range or a parameter given twice is',
  'a `400` that names every fault, what is allowed, and often what you meant.',
);

export const times = lines(
  'Each time has four filters, such as `next_payment_after`, `_before`, `_from` and `_to`. `_after` and `_before` exclude their bound,',
  '`_from` and `_to` include it. An item without that time matches none: `has_next_payment=false` finds these, `true` the others; likewise',
  '`has_activation` and `has_spam_check`.',
  '',
  'They take a timestamp (RFC 3339, any offset, any number of fractional digits) or a date. **A date is that complete day in UTC**:',
  '`_from` and `_to` include the day, `_after` begins when it has ended, `_before` ends when it begins.',
  '',
  '| what falls due | ask |',
  '| --- | --- |',
  '| on 1 December | `next_payment_from=2026-12-01&next_payment_to=2026-12-01` |',
  '| in December | `next_payment_from=2026-12-01&next_payment_to=2026-12-31` |',
  '| before December, overdue included | `next_payment_before=2026-12-01` |',
  '| after December | `next_payment_after=2026-12-31` |',
  '| from half past nine in Berlin | `next_payment_from=2026-12-01T09:30:00%2B01:00` |',
  '',
  'Encode `+` as `%2B`; a space in its place is understood. Stored times are of microseconds, and a bound between two of them is compared',
  'exactly: `_from` and `_before` mean the later one, `_after` and `_to` the earlier one.',
);

export function search(lists: readonly List[]): string {
  const places = lists.map((list) => `${named(list.search, 'or')} (${list.title.toLowerCase()})`);
  return lines(
    `\`q\`, at most ${MAX_Q_CHARACTERS} characters, finds items that contain the text in ${places.join(', ')}. Both sides are compared after`,
    'Unicode NFKC and lower-casing, with `Σ`, `σ` and `ς` as one letter: `VPN` finds `vpn`, and `ΟΔΟΣ` finds `οδοσα`. There are no',
    'wildcards: `%`, `_`, `*` and `\\` are ordinary characters.',
    '',
    'A `q` of digits, spaces and `+ - ( ) . /` also finds numbers by their digits, as people write them:',
    '',
    '| written | finds numbers whose digits |',
    '| --- | --- |',
    '| `+44 (0)20 7946`, `0044 20 7946` | *begin* with `44207946`: a `+` or `00` in front is where the country begins |',
    '| `020 7946 0018` | contain `02079460018` or `2079460018`: the `0` of a national number may be missing |',
    '| `7946 0018`, anything else | contain `79460018` |',
    '',
    '`(0)` is removed before anything is compared. `q` and `dids` ignore `tel:` in front, any dash, and invisible characters such as',
    'direction marks. `dids` refuses what is no telephone number, and says what it looks like: a decimal, a date, a range, more than one',
    `number, more than ${NUMBER_LENGTH.max} digits.`,
  );
}

export const sorting = lines(
  '`sort_by` names a field or one of its other names; `sort_order` is `asc` (the default) or `desc`. Text compares as in the search,',
  'charges by value, `false` before `true`. `null` comes last in both directions. Ties are broken by `id` in the direction of the sort.',
);

export const chosenFields = lines(
  '`fields` names fields: items of lists, of files and single ones carry only these, in their usual order.',
  '',
  fenced({
    lang: 'console',
    source: [
      `$ curl -H "Authorization: Bearer $LINECARD_TOKEN" "${EXAMPLE_URL}${numbers}?fields=did,monthly&page_size=1"`,
      '{"data":[{"did":"+441174960000","monthly":1.2}],"page":1,"page_size":1,"total":46,"total_pages":46}',
    ].join('\n'),
  }),
);

/** What a program must be ready for. */
export const WITHIN_VERSION =
  'Within `v1` nothing is renamed, removed or given another meaning. Operations, parameters, members of objects, values of open sets, events, problem types and headers may be added: ignore those that you do not know.';

export const values = lines(
  '**Timestamps** are `YYYY-MM-DDThh:mm:ss.ffffffZ`: UTC, always six fractional digits, so that they sort as text. Many date types have',
  'only three of the six digits: store the text where that matters.',
  '',
  `**Charges** are exact decimals with at most six fractional digits, at most ${count(MAX_CHARGE)} either side of zero, as JSON numbers:`,
  '`2.25`, `0.0059`, `3`. Read them as decimals or as integers of millionths before you add them. All charges of an account are in one',
  '**currency**, which `GET /api/v1/account` and facets name: an ISO 4217 code such as `EUR`, or `null` where the operator has set none.',
  '',
  '**Identifiers** are integers of up to 2^53 - 1, too large for 32 bits.',
  '',
  '**Open sets** (`status`, `subscription_status`, `frequency`) list their known values; your program must accept others.',
);

/** What the operator has declared, list by list; empty where there is nothing. */
export function ownFields(lists: readonly List[]): string {
  const rows = lists.flatMap((list) =>
    ownFieldsOf(list).map((own) => {
      const filters = ownFilters(own)
        .map((name) => `\`${name}\``)
        .join(' ');
      const title = ownTitle(own).replaceAll('|', '\\|');
      return `| \`${own.name}\` | ${list.title.toLowerCase()} | ${title} | ${own.kind} | ${filters} |`;
    }),
  );
  if (rows.length === 0) return '';
  return lines(
    'The operator of this service has added fields to its lists. They are in items, files and changes after the others, `sort_by` takes them,',
    'and `fields` names them. The OpenAPI document has the same facts as `x-linecard-field`.',
    '',
    '| field | list | title | kind | filters |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  );
}
