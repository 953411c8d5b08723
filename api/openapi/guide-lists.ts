// The guide's sections on lists: pages, filters, times, search, order, fields, values.

import { MAX_CHARGE } from '../contract/charge.ts';
import { envelope, lists, MAX_LIST_VALUES, MAX_Q_CHARACTERS, virtual_numbers } from '../contract/contract.ts';
import type { List } from '../contract/list.ts';
import { QueryParser } from '../contract/query-parser.ts';
import { count, named } from '../contract/wording.ts';
import { EXAMPLE_URL } from './code-samples.ts';
import { fenced, lines } from './markdown.ts';

const everyList: readonly List[] = Object.values(lists);
const numbers = virtual_numbers.path;

export function pages(max_page_size: number): string {
  const { page, page_size } = new QueryParser(virtual_numbers, max_page_size).ofString('');
  return lines(
    `A page has exactly ${Object.keys(envelope).length} members, always in this order:`,
    '',
    ...Object.entries(envelope).map(([name, meaning]) => `- \`${name}\`: ${meaning}`),
    '',
    `Ask for one with \`page\` (from 1, default ${page}) and \`page_size\` (1 to ${count(max_page_size)}, default ${page_size}). A page past the`,
    'last one is not an error: `data` is empty and the totals are true.',
    '',
    'To read everything, take a file, or follow the `Link` header (RFC 8288) instead of counting pages: while there is a',
    '`rel="next"`, request its address unchanged. It has a `cursor`, so that the last page costs as little as the first, and nothing',
    'is skipped or repeated when items before it are added or removed. A cursor belongs to its filters, order, page size and account:',
    'with others it is refused as `invalid-cursor`. `rel="first"`, `"prev"` and `"last"` are there where they exist. With filters of more',
    'than about 12,000 characters the headers have no links, not even `next`: compare `page` with `total_pages`, or send such filters as',
    '`QUERY`, which has `Next-Cursor`.',
  );
}

export const filters = lines(
  'Every parameter is optional. Different filters combine with AND, the values inside one list with OR. A list is written by',
  'repeating its name: `ids=1&ids=2`. Other common spellings are read as well: `ids[]=1&ids[]=2`, `ids[0]=1&ids[1]=2`,',
  '`ids=1,2`, and any mix of them.',
  '',
  '- In the plain spelling a comma separates values, percent-encoded or not. A value that has a comma of its own is written',
  '  with brackets: `providers[]=Zed%2C%20Inc`.',
  `- A list takes at most ${count(MAX_LIST_VALUES)} values. Empty values are dropped; an empty list (\`ids=\`) switches the filter off.`,
  '- Statuses, frequencies and providers are open sets: new values may appear at any time. Asking for one that nothing has is',
  '  not an error; it matches nothing.',
  '- `dids` takes whole numbers, however they are written: `+44 20 7946 0018` and `0044 (0)20 7946 0018` find `+442079460018`.',
  '',
  'Nothing is silently ignored, clamped or widened: an unknown parameter, a value out of range or a parameter given twice is',
  'a `400` that names every fault, what is allowed, and often what you meant.',
);

export const times = lines(
  'Each time of an item has four filters, such as `next_payment_after`, `next_payment_before`, `next_payment_from` and',
  '`next_payment_to`. `_after` and `_before` exclude their bound, `_from` and `_to` include it. An item without that time',
  'matches none of them.',
  '',
  'They take a timestamp (RFC 3339, any offset, up to six fractional digits) or a date. **A date is that complete day in UTC**:',
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
  'Encode `+` as `%2B`; a `+` that arrives as a space is understood, too.',
);

export function search(): string {
  const places = everyList.map((list) => `${named(list.search, 'or')} (${list.title.toLowerCase()})`);
  return lines(
    `\`q\` finds items that contain the text in ${places.join(', ')}: at most ${MAX_Q_CHARACTERS} characters, white space around it is`,
    'trimmed. Both sides are compared after Unicode NFKC and lower-casing, so `VPN` finds `vpn`. There are no wildcards: `%`,',
    '`_`, `*` and `\\` are ordinary characters.',
    '',
    'A `q` of digits, spaces and `+ - ( ) . /` also finds numbers by their digits, as people write them:',
    '',
    '| written | finds numbers whose digits |',
    '| --- | --- |',
    '| `+44 (0)20 7946`, `0044 20 7946` | *begin* with `44207946`: a `+` or `00` in front is where the country begins |',
    '| `020 7946 0018` | contain `02079460018` or `2079460018`: the `0` of a national number may be missing |',
    '| `7946 0018`, anything else | contain `79460018` |',
    '',
    'In a query string a `+` is written `%2B`. `(0)` is removed before anything is compared. A pasted number may start with `tel:` and',
    'contain any dash and invisible characters such as direction marks; `dids` ignores them as well.',
  );
}

export const sorting = lines(
  '`sort_by` names a field or one of its other names; `sort_order` is `asc` (the default) or `desc`. Text compares by its',
  'folded form, as in the search, charges by value, `false` before `true`. `null` comes last in both directions. Ties are',
  'broken by `id` in the direction of the sort, so the order is total: a walk over the pages neither skips nor repeats.',
);

export const chosenFields = lines(
  '`fields` is a list of field names: items carry only these, in their usual order, and a file has only these columns. It works',
  'on lists, files and one item.',
  '',
  fenced({
    lang: 'console',
    source: [
      `$ curl -H "Authorization: Bearer $LINECARD_TOKEN" "${EXAMPLE_URL}${numbers}?fields=did,monthly&page_size=1"`,
      '{"data":[{"did":"+441174960000","monthly":1.2}],"page":1,"page_size":1,"total":46,"total_pages":46}',
    ].join('\n'),
  }),
);

export const values = lines(
  '**Timestamps** are `YYYY-MM-DDThh:mm:ss.ffffffZ`: UTC, always six fractional digits, so that their order as text is their order in',
  'time. Many date types have only three of the six digits: store the text where that matters.',
  '',
  `**Charges** are decimals with at most six fractional digits, at most ${count(MAX_CHARGE)} either side of zero, written as JSON`,
  'numbers: `2.25`, `0.0059`, `3`. They are exact. Read them as decimals or as integers of millionths before you add them; sums of',
  'binary fractions are inexact. All charges of an account are in one **currency**, which `GET /api/v1/account` and facets name: an',
  'ISO 4217 code such as `EUR`, or `null` where the operator has set none.',
  '',
  '**Identifiers** are integers of up to 2^53 - 1: a 32-bit integer is too small for them.',
  '',
  '**Open sets** (`status`, `subscription_status`, `frequency`) list their known values; your program must accept',
  'others.',
);
