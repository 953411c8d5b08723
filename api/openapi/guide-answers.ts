// The guide's sections on files, facets, long filters, caching, errors, limits and browsers.

import {
  ACTIVITY_EVENTS,
  ACTIVITY_FILTERS,
  activity,
  activityItem,
  MAX_ACTIVITY_IDS,
  SHOWN_IDS,
} from '../contract/activity.ts';
import { additional_services } from '../contract/additional-services.ts';
import { MAX_BODY_LIST_VALUES, MAX_BODY_VALUES } from '../contract/contract.ts';
import { DUE_DAYS, facetFilters, facetsPath, MAX_DUE_DAYS, MAX_FACET_VALUES } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import { PROBLEM_TYPE, problems } from '../contract/problems.ts';
import { MAX_RANGE_DIGITS, rangesFilePath, rangesPath } from '../contract/ranges.ts';
import { virtual_numbers } from '../contract/virtual-numbers.ts';
import { count, named } from '../contract/wording.ts';
import { EXAMPLE_URL } from './code-samples.ts';
import { facetsExample } from './facet-schemas.ts';
import { fenced, jsonExample, lines, sh } from './markdown.ts';

const numbers = virtual_numbers.path;
const TOKEN = '-H "Authorization: Bearer $LINECARD_TOKEN"';

export const files = lines(
  'The path of a list with `.csv`, `.ndjson` or `.xlsx` appended returns *every* match in the requested order, from one snapshot;',
  '`X-Total-Count` says how many items there are. It takes the filters, `q`, `fields` and order of the list.',
  '',
  sh(
    `curl --retry 5 ${TOKEN} -o due.xlsx \\\n  "${EXAMPLE_URL}${numbers}.xlsx?next_payment_to=2026-12-31&sort_by=next_payment_at"`,
  ),
  '',
  '- **XLSX** has phone numbers as text, with their `+`; times as dates (UTC, cut to the second); charges as numbers; no formula. More',
  '  than 1,048,575 items do not fit a sheet and are refused. `headings=en` (`de`, `es`, `fr`, `pt-BR`) makes it for people: headings in',
  '  that language, charges in the currency of the account, and their sums below the last row.',
  '- **CSV** is RFC 4180 with a header row: columns in the order of the fields, `null` as an empty cell. A text that a spreadsheet',
  "  would run as a formula (any number of `'`, then one of `= + - @`, a full-width one of these, a tab or a line break) has one `'`",
  '  in front; a phone number (`did`) never has. A cell with `;` or a tab is quoted, for spreadsheets that separate cells by these.',
  '- **NDJSON** is one item to a line, exactly as in `data`.',
  '',
  'The path of the list itself returns the same with `Accept: text/csv`, `application/x-ndjson` or',
  '`application/vnd.openxmlformats-officedocument.spreadsheetml.sheet`. `Accept-Encoding: gzip` compresses files, and JSON of 16 kB and',
  'more.',
);

export const ranges = lines(
  'Ranges are the virtual numbers as forms of porting, SBCs and PBXs take them. They take the filters and `q` of the list.',
  '',
  sh(`curl --retry 5 ${TOKEN} "${EXAMPLE_URL}${rangesPath(virtual_numbers)}?statuses=active"`),
  '',
  '```json',
  '{"data":[{"from":"+442079460000","to":"+442079460099","count":100,"country_code":"GB","monthly":225}],"page":1,"page_size":10,"total":1,"total_pages":1}',
  '```',
  '',
  '- A range is a longest run of numbers whose digits (without a leading `00` and a bracketed `(0)`) have the same length and follow each',
  '  other without a gap. `from` and `to` are the `did` of its first and last item. `count` is the number of items: a number that is on',
  '  the account twice counts twice. `country_code` is `null` where its numbers have several. `monthly` is the exact sum.',
  `- An item whose number has more than ${MAX_RANGE_DIGITS} digits, or none, is a range of its own.`,
  '- They come by number of digits, then by digits, on numbered pages: `page` and `page_size`, with `Link`. There is no `sort_by`,',
  '  `fields` or `cursor`. Several pages are of one state of the account if their `ETag` is the same.',
  `- \`split_by\` (${named(virtual_numbers.splits)}): a new range also begins where one of these changes. Ranges have these members then.`,
  '- `min_count=10`: only ranges of at least 10 items. `total` counts these alone.',
  `- \`GET ${rangesFilePath(virtual_numbers)}\` has all of them as CSV, from one snapshot.`,
);

/** With what `due_days` adds: what is overdue, and due on that day, is what is due within seven days. */
const FACETS_ANSWER = {
  ...facetsExample(additional_services),
  overdue: { count: 2, amount: 4.5, unknown: 0 },
  due_by_day: [{ day: '2026-12-04', count: 5, amount: 11.25, unknown: 0 }],
};

export function facets(lists: readonly List[]): string {
  const counted = lists.map(
    (list) => `- ${list.title}, \`GET ${facetsPath(list)}\`: ${named(facetFilters(list))}.`,
  );
  return lines(
    'Facets are the values to filter by with how many items each would return, what all matches cost together, and what falls due next.',
    'They take the filters and `q` of the list.',
    '',
    ...counted,
    '',
    jsonExample(FACETS_ANSWER),
    '',
    'A facet has the name of the filter that takes its values, and is counted without that filter and its exclusion, and with all others. It',
    `has the ${MAX_FACET_VALUES} most frequent values; \`others\` counts the items of the rest. \`sums\` are exact, over all matches whatever their status;`,
    `\`incoming\` is a rate and is not summed. \`due\` counts what falls due within ${DUE_DAYS.join(' and ')} days from now, overdue included.`,
    '',
    `\`overdue\` and \`due_by_day\` come with \`due_days=84\` (at most ${MAX_DUE_DAYS}): what is paid when, by days in UTC from today on.`,
    'Every payment of these days is in `due_by_day`: the `next_payment_at` of each item, and its repetitions each time the months that its',
    '`frequency` covers have passed, on the same day of the month or on its last (31 January, 28 February, 31 March). `overdue` has what was',
    'due before today, each item once; its repetitions from today on are payments of their days. `due` above counts items.',
    '',
    'An `amount` is `monthly` times the months that a `frequency` covers, in upper or lower case, which the operator decides;',
    '`unknown` counts the items of other frequencies once each, which are in no amount. `charges=true` adds to each value of a facet the',
    'exact sum of `monthly` of its items.',
  );
}

export const longFilters = lines(
  'Filters that are too long for a URL go into the body of a `QUERY` (RFC 10008) on the path of a list, its facets, files or changes. It',
  'is as safe to repeat as `GET`, and has the same answers. OpenAPI 3.1 does not know the method:',
  '',
  sh(
    [
      `curl --retry 5 -X QUERY ${TOKEN} -H "Content-Type: application/json" \\`,
      `  -d '{"ids": [48151, 48152], "is_spammed": false, "page_size": 100}' "${EXAMPLE_URL}${numbers}"`,
    ].join('\n'),
  ),
  '',
  '| part | rule |',
  '| --- | --- |',
  '| body | one JSON object of the same parameters, `application/json` (else `415`), at most 1 MiB (else `413`) |',
  `| lists | arrays, with up to ${count(MAX_BODY_LIST_VALUES)} values, ${count(MAX_BODY_VALUES)} in all: \`"country_codes": ["GB", "DE"]\` |`,
  '| integers and flags | as such: `"page_size": 100`, `"is_spammed": true` |',
  '| texts and times | as texts: `"q": "+44 20"`, `"next_payment_to": "2026-12-31"` |',
  '| query string | none |',
  '| next page | `Next-Cursor` of the answer is the `cursor` of the next body, with the same filters; the last page has none |',
);

export const currentness = lines(
  'Answers about an account have an `ETag`. Send it back as `If-None-Match`, and the answer is `304` without a body while nothing on',
  'your account has changed.',
  '',
  '**To wait for a change** instead of polling, add `Prefer: wait=25` (RFC 7240; seconds, at most 55): the answer comes as soon as',
  'anything on the account changes, or is `304` when the time is over.',
  '',
  sh(`curl -i ${TOKEN} \\\n  -H 'If-None-Match: "…"' -H "Prefer: wait=25" "${EXAMPLE_URL}${numbers}"`),
  '',
  'It works on lists, items, facets, changes, activity and the account. Let your client wait longer than the server: 35 seconds for',
  '`wait=25`. A token may have 10 such requests waiting for an account; one more is answered immediately.',
);

export const activityText = lines(
  `\`GET ${activity.path}\` says what happened to the items of the account, newest first: one entry for each import, list and event.`,
  '',
  sh(
    `curl ${TOKEN} \\\n  "${EXAMPLE_URL}${activity.path}?events=spam_flagged,charges_changed&from=2026-11-01"`,
  ),
  '',
  fenced({
    lang: 'json',
    source:
      '{"data":[{"at":"2026-11-21T03:12:45.120000Z","list":"virtual_numbers","event":"charges_changed","count":1,"ids":[48151],"items":[{"id":48151,"label":"+442079460018","from":{"monthly":2.25},"to":{"monthly":2.75}}]}],"since":"2026-10-25T02:00:04.118420Z"}',
  }),
  '',
  '| event | when |',
  '| --- | --- |',
  ...Object.entries(ACTIVITY_EVENTS).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
  '',
  '| parameter | meaning |',
  '| --- | --- |',
  ...Object.entries(ACTIVITY_FILTERS).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
  '| `page_size`, `cursor` | As of a list. |',
  '',
  '| member of `items` | meaning |',
  '| --- | --- |',
  ...Object.entries(activityItem).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
  '',
  `An entry has the first ${SHOWN_IDS} ids; with \`ids\`, at most ${MAX_ACTIVITY_IDS}, all of these that it happened to. \`Link\` with \`rel="next"\``,
  'leads to earlier entries. An item that moves is `removed` from one account and `added` to another. Everything after `since` is known:',
  'entries are stored for 30 days, unless the operator chose otherwise; of a list that changes much, about as many as it has items, and',
  'at least 1,000. One that was replaced has none from before. The history of one number is `lists=virtual_numbers&ids=48151`.',
);

export function errors(): string {
  const rows = Object.entries(problems).map(
    ([code, { status, about: meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`,
  );
  return lines(
    'Every error is `application/problem+json` (RFC 9457). Distinguish errors by `type`, which is',
    `\`${PROBLEM_TYPE}\` and one of these codes; \`title\` and \`detail\` are for people. \`request_id\` is also in the \`X-Request-Id\``,
    'header: quote it when you ask for help. `Link` with `rel="help"` leads to the meaning of a problem, in `/docs`.',
    '',
    '| status | code | when |',
    '| --- | --- | --- |',
    ...rows,
  );
}

/** A limit of a deployment: what is limited, how much, and what happens beyond it. */
export type LimitRow = readonly [what: string, maximum: string, beyond: string];

export function limits(rows: readonly LimitRow[]): string {
  return lines(
    '`RateLimit-Policy` says how many requests a minute a token has, `RateLimit` how many are left: `"default";r=599;t=60` is 599 more',
    'within 60 seconds. After `429` and `503` wait as long as `Retry-After` says, in seconds, then retry; after `500`, `502` and `504` retry',
    'after a pause that doubles each time. All operations are safe to repeat. Read each answer to its end, or close the connection.',
    ...(rows.length === 0 ? [] : ['', '| limit | at most | beyond it |', '| --- | --- | --- |']),
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  );
}

export const browsers = lines(
  'A page of another origin can call the API if the operator allows its origin (`--cors-origin`). It sends the token as any caller does,',
  'without cookies, and can read every header that this reference names. Any script in a page can read its token: ask the user for it,',
  'keep it in memory, and never build it in.',
);
