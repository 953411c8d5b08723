// The prose of the reference: how to send a request and how to read the answer. Names and limits in it come
// from the contract; it is the introduction of the OpenAPI document, of docs/api.md and of /docs.

import { MAX_CHARGE } from '../contract/charge.ts';
import {
  envelope,
  lists,
  MAX_BODY_LIST_VALUES,
  MAX_LIST_VALUES,
  MAX_Q_CHARACTERS,
  virtual_numbers,
} from '../contract/contract.ts';
import { DUE_DAYS, facetFilters, facetsPath, MAX_FACET_VALUES } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import { PROBLEM_TYPE, problems } from '../contract/problems.ts';
import { QueryParser } from '../contract/query-parser.ts';
import { count, named } from '../contract/wording.ts';

export interface Section {
  readonly title: string;
  /** Markdown: paragraphs, lists, tables and fenced code, without headings. */
  readonly text: string;
}

const everyList: readonly List[] = Object.values(lists);

function lines(...parts: string[]): string {
  return parts.join('\n');
}

function about(): string {
  return lines(
    'Linecard answers for the account that your API token belongs to, and for no other:',
    '',
    ...everyList.map((list) => `- **${list.title}**, \`GET ${list.path}\`: ${list.about}`),
    '',
    'Each is a read-only list; all are filtered, searched, sorted and paged in the same way. `HEAD` works wherever `GET`',
    'does. Pages are JSON in UTF-8; a list can also be had whole, as CSV or NDJSON.',
    '',
    '```sh',
    'curl -H "Authorization: Bearer $LINECARD_TOKEN" \\',
    `  "$LINECARD_URL${virtual_numbers.path}?country_codes=GB&is_spammed=true"`,
    '```',
  );
}

const authentication = lines(
  'Send your API token in the `Authorization` header, as `Authorization: Bearer lc_…` or bare, as `Authorization: lc_…`:',
  'both mean the same. The token decides which account you see; no parameter does. Without a good token the answer is',
  '`401`, whose `detail` says whether the token is missing, malformed (a character is wrong or lost: look at how it was',
  'copied) or not valid (unknown, expired or revoked: ask for a new one).',
);

function pages(max_page_size: number): string {
  const { page, page_size } = new QueryParser(virtual_numbers, max_page_size).ofString('');
  return lines(
    `A page has exactly ${Object.keys(envelope).length} members, always in this order:`,
    '',
    ...Object.entries(envelope).map(([name, meaning]) => `- \`${name}\`: ${meaning}`),
    '',
    `Ask for one with \`page\` (from 1, default ${page}) and \`page_size\` (1 to ${count(max_page_size)}, default ${page_size}). A page past the`,
    'last one is not an error: `data` is empty and the totals are true.',
    '',
    'To read everything, follow the `Link` header (RFC 8288) instead of counting pages: as long as there is a `rel="next"`,',
    'ask for its address as it stands. It carries a `cursor`, so that the last page costs as little as the first, and',
    'nothing is skipped or repeated when items before it come or go. A cursor belongs to its filters, order, page size and',
    'account: with others it is refused as `invalid-cursor`. `rel="first"`, `"prev"` and `"last"` are there where they exist.',
  );
}

const filters = lines(
  'Every parameter is optional. Different filters combine with AND, the values inside one list with OR. A list is written by',
  'repeating its name: `ids=1&ids=2`. The other spellings in use are read as well: `ids[]=1&ids[]=2`, `ids[0]=1&ids[1]=2`,',
  '`ids=1,2`, and any mix of them.',
  '',
  '- In the plain spelling a comma separates values, percent-encoded or not. A value that has a comma of its own is asked',
  '  for with brackets: `providers[]=Zed%2C%20Inc`.',
  `- A list takes at most ${count(MAX_LIST_VALUES)} values. Empty values are dropped; an empty list (\`ids=\`) switches the filter off.`,
  '- Statuses, frequencies and providers are open sets: new values may appear at any time. Asking for one that nothing has is',
  '  not an error; it matches nothing.',
  '- `…_after` and `…_before` a time are both exclusive, `…_from` and `…_to` both include it. An item that has no such time',
  '  matches none of them. A plain date stands for its whole day in UTC: `next_payment_from=2026-11-23&next_payment_to=2026-11-23`',
  '  is what falls due on that day.',
  '',
  'Nothing is silently ignored, clamped or widened: an unknown parameter, a value out of range or a parameter given twice is',
  'a `400` that names every fault at once, what is allowed, and often what you meant.',
);

function search(): string {
  const places = everyList.map((list) => `${named(list.search, 'or')} (${list.title.toLowerCase()})`);
  return lines(
    `\`q\` finds items that contain the text in ${places.join(', ')}: at most ${MAX_Q_CHARACTERS} characters, white space around it is`,
    'trimmed. Both sides are compared after Unicode NFKC and lower-casing, so `VPN` finds `vpn`. There are no wildcards: `%`,',
    '`_`, `*` and `\\` are ordinary characters.',
    '',
    'A `q` that looks like a telephone number (digits, spaces and `+ - ( ) . /`) also finds numbers by their digits. What comes',
    'after a `+` or `00` is how the number begins: `+44 (0)20 7946` and `0044 20 7946` find `+442079460018`, and no number of',
    'another country. Without them the digits may stand anywhere, and a leading `0` of five digits or more need not be there:',
    '`020 7946 0018` and `7946 0018` find it too. A leading `00` of the stored number and a bracketed `(0)`, there or in `q`,',
    'do not count. `dids` asks for whole numbers in the same way.',
  );
}

const sorting = lines(
  '`sort_by` names a field or one of its other names; `sort_order` is `asc` (the default) or `desc`. Text compares by its',
  'folded form, as in the search, charges by value, `false` before `true`. `null` comes last in both directions. Ties are',
  'broken by `id` in the direction of the sort, so the order is total: a walk over the pages neither skips nor repeats.',
);

const values = lines(
  '**Timestamps** leave as `YYYY-MM-DDThh:mm:ss.ffffffZ`: UTC, always six fractional digits, so that their order as text is',
  'their order in time. Many date types keep only three of the six digits: keep the text where that matters. Parameters take',
  'any RFC 3339 timestamp with up to six fractional digits, for example `2026-11-20T09:30:00+01:00`, or a plain date for a whole day.',
  'Encode `+` as `%2B`, though a `+` that arrives as a space is understood.',
  '',
  `**Charges** are decimals with at most six fractional digits, at most ${count(MAX_CHARGE)} either side of zero, written as JSON`,
  'numbers without noise: `2.25`, `0.0059`, `3`. They are exact. To keep them so, read them as decimals or as whole',
  'millionths before you add them up; a sum of binary fractions drifts.',
  '',
  '**Identifiers** are integers of up to 2^53 - 1: a 32-bit integer is too small for them.',
  '',
  '**Open sets** (`status`, `subscription_status`, `frequency`) list their known values; write your program so that it bears',
  'others.',
);

const exports = lines(
  'The address of a list with `Accept: text/csv` or `Accept: application/x-ndjson` gives *every* match in the order asked',
  'for, from one moment, in one stream; `X-Total-Count` says how many items will come. `page`, `page_size` and `cursor` have no',
  'place there and are refused. Ask for `Accept-Encoding: gzip` where the line is thin.',
  '',
  '- NDJSON is one item to a line, exactly as in `data`.',
  '- CSV is RFC 4180 with a header row: columns in the order of the fields, `null` as an empty cell. A text that a spreadsheet',
  "  would run as a formula has one `'` in front; the number itself (`did`) never has.",
  '',
  '```sh',
  'curl --compressed -H "Authorization: Bearer $LINECARD_TOKEN" -H "Accept: text/csv" \\',
  `  -o numbers.csv "$LINECARD_URL${virtual_numbers.path}?sort_by=country"`,
  '```',
);

function facets(): string {
  const counted = everyList.map(
    (list) => `- ${list.title}, \`GET ${facetsPath(list)}\`: ${named(facetFilters(list))}.`,
  );
  return lines(
    'Beside each list stand its facets: which values there are to filter by and how many items each would give, what all',
    'matches cost together, and what falls due in the next days. They take the filters and `q` of the list. Each facet is',
    'counted without its own filter and with all others, so that a choice can be changed as well as narrowed.',
    '',
    ...counted,
    '',
    `A facet has the ${MAX_FACET_VALUES} most frequent values; \`others\` counts the items of the rest. \`due\` looks`,
    `${DUE_DAYS.join(' and ')} days ahead, overdue included. Sums are exact.`,
  );
}

const long_filters = lines(
  'Filters that are too long for an address go into the body of a `QUERY` (RFC 10008) on the path of the list: the same',
  'parameters as one JSON object, lists as arrays, integers and flags as such, and the same answers. A list takes up to',
  `${count(MAX_BODY_LIST_VALUES)} values there. The links of such an answer only say what to put into the next body: \`cursor\` and \`page_size\`.`,
  '',
  '```sh',
  'curl -X QUERY -H "Authorization: Bearer $LINECARD_TOKEN" -H "Content-Type: application/json" \\',
  `  -d '{"ids": [48151, 48152], "page_size": 100}' "$LINECARD_URL${virtual_numbers.path}"`,
  '```',
);

const conditional = lines(
  'Every page and every export carries an `ETag`. Send it back as `If-None-Match`, and the answer is `304` without a body for as long as',
  'nothing of your account has changed. `Cache-Control: private, no-cache` lets your own cache keep a page, as long as it',
  'asks before it uses it.',
);

function errors(): string {
  const rows = Object.entries(problems).map(
    ([code, { status, about: meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`,
  );
  return lines(
    'Every error, from every address, is `application/problem+json` (RFC 9457). Tell errors apart by `type`, which is',
    `\`${PROBLEM_TYPE}\` and one of these codes; \`title\` and \`detail\` are for people. \`request_id\` is also in the \`X-Request-Id\``,
    'header: name it when you ask for help.',
    '',
    '| status | code | when |',
    '| --- | --- | --- |',
    ...rows,
  );
}

const limits = lines(
  'A token has a number of requests a minute. `RateLimit-Policy` says how many, `RateLimit` how many are left and when they',
  'come back: `"default";r=599;t=60` is 599 more within 60 seconds. Over it the answer is `429` with `Retry-After` in seconds.',
  'After `429` and `503` wait as long as `Retry-After` says, then try again; `500`, `502` and `504` may be tried again after a',
  'pause that doubles each time. All operations are safe to repeat.',
);

/** The sections in reading order, for a deployment whose largest page is `max_page_size`. */
export function guide(max_page_size: number): Section[] {
  return [
    { title: 'What it answers', text: about() },
    { title: 'Authentication', text: authentication },
    { title: 'Pages', text: pages(max_page_size) },
    { title: 'Filters', text: filters },
    { title: 'Search', text: search() },
    { title: 'Sorting', text: sorting },
    { title: 'Values', text: values },
    { title: 'Everything at once', text: exports },
    { title: 'Facets', text: facets() },
    { title: 'Long filters', text: long_filters },
    { title: 'Conditional requests', text: conditional },
    { title: 'Errors', text: errors() },
    { title: 'Limits', text: limits },
  ];
}
