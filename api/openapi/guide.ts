// The guide of the reference, with names and limits from the contract: docs/generated/api.md, /docs and
// /docs.md.

import { activity } from '../contract/activity.ts';
import { changesPath, MCP_PATH } from '../contract/addresses.ts';
import { lists } from '../contract/contract.ts';
import { facetsPath } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import { virtual_numbers } from '../contract/virtual-numbers.ts';
import { LISTED_ATTEMPTS, SHOWN_ATTEMPTS, WEBHOOKS_PATH, webhookPath } from '../contract/webhooks.ts';
import { accountSchema } from './account-schema.ts';
import { changesExample } from './change-schemas.ts';
import { codeSamples, EXAMPLE_URL, type SampleParameter } from './code-samples.ts';
import {
  activityText,
  browsers,
  currentness,
  errors,
  facets,
  files,
  type LimitRow,
  limits,
  longFilters,
  ranges,
} from './guide-answers.ts';
import {
  chosenFields,
  filters,
  ownFields,
  pages,
  search,
  sorting,
  times,
  values,
  WITHIN_VERSION,
} from './guide-lists.ts';
import { fenced, jsonExample, lines, sh } from './markdown.ts';
import { exampleOf } from './schemas.ts';

export interface Section {
  readonly title: string;
  /** Markdown without headings. */
  readonly text: string;
}

const everyList: readonly List[] = Object.values(lists);
/** The names of the languages in fenced code. */
const FENCES: Readonly<Record<string, string>> = { Shell: 'sh', TypeScript: 'ts', Python: 'python' };
const FIRST_REQUEST: readonly SampleParameter[] = [
  { name: 'country_codes', example: ['GB', 'DE'] },
  { name: 'page_size', example: 3 },
];

function about(name: string): string {
  const [list, ...others] = everyList as readonly [List, ...List[]];
  return lines(
    `${name} answers for the account that your API token belongs to:`,
    '',
    ...everyList.map((list) => `- **${list.title}**: ${list.about}`),
    '',
    'Everything is read-only. `HEAD` works wherever `GET` does. Answers are JSON in UTF-8 unless you ask for a file.',
    '',
    '| to see | ask |',
    '| --- | --- |',
    `| ${list.title.toLowerCase()}, page by page | \`GET ${list.path}\` |`,
    `| one of them | \`GET ${list.path}/{id}\` |`,
    `| all of them as a file | \`GET ${list.path}.csv\`, \`.ndjson\`, \`.xlsx\` |`,
    `| counts, charges, what falls due | \`GET ${facetsPath(list)}\` |`,
    `| what has changed | \`GET ${changesPath(list)}\` |`,
    ...others.map(({ title, path }) => `| ${title.toLowerCase()}: the same below | \`GET ${path}\` |`),
    `| what has happened | \`GET ${activity.path}\` |`,
    `| which webhooks receive it | \`GET ${WEBHOOKS_PATH}\` |`,
    '| whose token this is | `GET /api/v1/account` |',
    '| the accounts below yours | `GET /api/v1/accounts` |',
  );
}

const firstSteps = lines(
  'You need the address of the service and an **API token** of your account, which begins with `lc_`. The operator of the service, your',
  'provider, gives you both (and creates the token with `linecard-server token create --account ID`).',
  '',
  sh(`export LINECARD_URL=${EXAMPLE_URL}\nexport LINECARD_TOKEN=lc_…   # yours`),
  '',
  'Three numbers in the United Kingdom or in Germany:',
  '',
  codeSamples(virtual_numbers.path, FIRST_REQUEST, true)
    .map((sample) => fenced({ ...sample, lang: FENCES[sample.lang] ?? '' }))
    .join('\n\n'),
);

const programs = lines(
  'You can use plain HTTP, or one of these, which have the names of this reference:',
  '',
  '- **`@linecard/client`** for TypeScript and JavaScript: typed, no dependencies. It walks lists, retries as the answers say, and sends',
  '  long filters as `QUERY`. `npm install @linecard/client`',
  '- **`linecard`** for the command line: tables, files, times such as `--next-payment "this week"`.',
  '  `npm install --global linecard`, then `linecard login`',
  `- **\`${EXAMPLE_URL}${MCP_PATH}\`** for agents: tools of the Model Context Protocol (2025-03-26 to 2026-07-28) that can only read, with`,
  '  an access token or an API token, unless the operator turned it off.',
  '- **`linecard mcp`** for agents that start a command: the same tools. Give each agent a token of its own.',
  '',
  jsonExample({
    mcpServers: {
      linecard: {
        command: 'linecard',
        args: ['mcp'],
        env: { LINECARD_URL: EXAMPLE_URL, LINECARD_TOKEN: 'lc_…' },
      },
    },
  }),
  '',
  'Generators of clients for other languages read `/openapi.json`. Language models read `/llms.txt`, and this reference as Markdown at',
  '`/docs.md`.',
);

const CURL = 'curl --retry 5 -H "Authorization: Bearer $LINECARD_TOKEN"';

const changes = lines(
  'A copy of a list is updated with what has changed. The first request has no token, and returns the complete list; each answer has',
  'the token for the next request:',
  '',
  sh(
    lines(
      `${CURL} "${EXAMPLE_URL}${changesPath(virtual_numbers)}?fields=did,status"`,
      `${CURL} "${EXAMPLE_URL}${changesPath(virtual_numbers)}?fields=did,status&since=…"   # the since of the answer before`,
    ),
  ),
  '',
  jsonExample(changesExample({ did: '+442079460018', status: 'active' })),
  '',
  '- `item` is the item as it is now, byte for byte as in the list. `null`: the list, with these filters, does not have it; remove it',
  '  from the copy if it is there. Applying a change twice does no harm.',
  '- While `more` is `true`, send the next request immediately. When it is `false`, a copy that has applied everything **equals the list**',
  '  as of this answer, and holds `total` items: count them. Store the copy and its token in one step.',
  '- Filters, `q` and `fields` are those of the list; a token belongs to them. Sorting and page numbers are refused.',
  '- `since=now` returns only a token, for a program that needs only later changes.',
  '- With `Accept: application/x-ndjson` all changes come in one stream, one a line. The last line is `{"since":"…","total":46}`;',
  '  use nothing of a stream without it.',
  '- `Prefer: wait=25` waits for changes if there are none yet, at most 55 seconds; then `data` is empty.',
  '- Pages and files of a list have a `Link` with `rel="monitor"`, which leads to the changes since then: an export can be the start of a',
  '  copy. Of a list walked by `next`, take that of the **last** page; where that has none, start again. An answer to `QUERY` has none:',
  '  take a token with `since=now` and the same filters before the export.',
  '- `410` `changes-gone`: start again without a token. It is older than the changes that are stored (30 days, unless the operator chose',
  '  otherwise; of a list that changes much, about as many as it has items, and at least 1,000), the list was rebuilt or got',
  '  other fields (where you began with `since=now` within 30 seconds of that, once more), or the database was restored from a backup.',
  '',
  '`client.virtualNumbers.sync` of `@linecard/client` does this with four functions that write to your database, and',
  '`linecard virtual-numbers sync FILE` with a file. `--watch` and `client.virtualNumbers.follow` continue with each change.',
);

const account = lines(
  'Send your API token as `Authorization: Bearer lc_…`, or bare as `Authorization: lc_…`. It decides which account you see; no parameter',
  'does. Without a valid token the answer is `401`, whose `detail` says whether the token is missing, malformed (a character is wrong or',
  'lost: copy it again) or not valid (unknown, expired or revoked: ask for a new one).',
  '',
  '`GET /api/v1/account` says whose token it is, how many items each list has, and when anything last changed:',
  '',
  jsonExample(exampleOf(accountSchema)),
  '',
  'A token can have limits, as `token` says: one list only, no charges, or some networks. What it may not see is `403` `forbidden`.',
  'Without charges, `activation`, `monthly` and `incoming` are in no item, file or change, facets have counts alone, and `currency` is',
  '`null`; `fields`, `sort_by`, `charges` and bounds of charges such as `monthly_min`, which need them, are refused.',
  '',
  'Where the operator has connected an identity provider, its access tokens (JWTs) are accepted in the same header:',
  '`GET /.well-known/oauth-protected-resource`, and `WWW-Authenticate` of a `401`, say where to sign in and which scopes there are',
  '(RFC 9728). A claim of the token names the account, or several: then `Linecard-Account` says which one, and `GET /api/v1/accounts` lists',
  'them. A `401` says which check failed; a `403` with `error="insufficient_scope"` names the scope that is needed. `503`: the keys of the',
  'provider could not be fetched yet. `token.name` is then the client, and `token.expires_at` the end of the access token.',
  '',
  'Programs that only know user names and passwords (Excel, Power BI, Grafana, `curl -u`) send the token as either of them, and',
  'leave the other empty.',
);

const accounts = lines(
  'A token with the reach `tree` also reads the accounts below its own, at any level: a reseller its customers, and theirs. Name the',
  'account in the header `Linecard-Account`, percent-encoded as UTF-8, on any address under `/api/v1`:',
  '',
  sh(`${CURL} -H "Linecard-Account: harbour-dental" \\\n  "${EXAMPLE_URL}${virtual_numbers.path}"`),
  '',
  '`GET /api/v1/accounts` lists the accounts directly below yours, or below that of the header, a page at a time, with how many items and',
  'accounts each has; `q` is in the id or the name.',
  '',
  'The answer repeats the header, and everything in it is of that account: items, counts, currency, `ETag`, cursors and tokens of changes,',
  'which no other account takes. An account that is not below yours, is disabled or does not exist is `403` `forbidden`, all in the same',
  'words. Limits of the token hold for every account; its requests a minute are counted together.',
  '',
  'A token of the operator that may read (`reach` is `operator`) must name the account; without the header, `GET /api/v1/accounts` lists all',
  'accounts that it is for, and any other address is `403`.',
);

const webhooks = lines(
  'A webhook sends what happens to a program of yours, by a signed `POST` (Standard Webhooks) within seconds of an import: the events of',
  'the section before, and `payments_due` once a day, if payments of the next 7 days are due. The operator creates the endpoint',
  `and gives you its secret. \`GET ${WEBHOOKS_PATH}\` says which endpoints the account has, what each subscribes to, its \`status\`, since`,
  `when it fails (\`failing_since\`), and its last ${LISTED_ATTEMPTS} \`attempts\`; \`GET ${webhookPath()}\` says the last ${SHOWN_ATTEMPTS} of one.`,
  '',
  'What the token may not see is left out: endpoints of other lists alone, their attempts, and `charges_changed`.',
);

/** In reading order, with the deployment's limits. */
export function guide(
  max_page_size: number,
  limitRows: readonly LimitRow[],
  name = 'Linecard',
  withOwn: readonly List[] = everyList,
): Section[] {
  const own = ownFields(withOwn);
  return [
    { title: 'What it answers', text: about(name) },
    { title: 'First steps', text: firstSteps },
    { title: 'Clients, command line and agents', text: programs },
    { title: 'Account and authentication', text: account },
    { title: 'Pages', text: pages(max_page_size) },
    { title: 'Filters', text: filters },
    { title: 'Times', text: times },
    { title: 'Search', text: search(withOwn) },
    { title: 'Sorting', text: sorting },
    { title: 'Choosing fields', text: chosenFields },
    { title: 'Values', text: values },
    ...(own === '' ? [] : [{ title: 'Fields of this deployment', text: own }]),
    { title: 'Files', text: files },
    { title: 'Facets', text: facets(withOwn) },
    { title: 'Ranges', text: ranges },
    { title: 'Long filters', text: longFilters },
    { title: 'Staying up to date', text: currentness },
    { title: 'Changes', text: changes },
    { title: 'What has happened', text: activityText },
    { title: 'Webhooks', text: webhooks },
    { title: 'Accounts below accounts', text: accounts },
    { title: 'Errors', text: errors() },
    { title: 'Limits', text: limits(limitRows) },
    { title: 'What may change', text: WITHIN_VERSION },
    { title: 'From a browser', text: browsers },
  ];
}
