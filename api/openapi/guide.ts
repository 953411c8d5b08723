// The guide of the reference, with names and limits from the contract. It is the introduction of the OpenAPI
// document, docs/api.md and /docs.

import { changesPath } from '../contract/addresses.ts';
import { lists, virtual_numbers } from '../contract/contract.ts';
import { facetsPath } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import { codeSamples, EXAMPLE_URL, type SampleParameter } from './code-samples.ts';
import {
  account,
  browsers,
  currentness,
  errors,
  facets,
  files,
  type LimitRow,
  limits,
  longFilters,
} from './guide-answers.ts';
import { chosenFields, filters, pages, search, sorting, times, values } from './guide-lists.ts';
import { fenced, lines } from './markdown.ts';

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

function about(): string {
  const rows = everyList.flatMap((list) => [
    `| ${list.title.toLowerCase()}, page by page | \`GET ${list.path}\` |`,
    `| one of them | \`GET ${list.path}/{id}\` |`,
    `| all of them as a file | \`GET ${list.path}.csv\`, \`.ndjson\`, \`.xlsx\` |`,
    `| counts, charges, what falls due | \`GET ${facetsPath(list)}\` |`,
    `| what has changed | \`GET ${changesPath(list)}\` |`,
  ]);
  return lines(
    'Linecard answers for the account that your API token belongs to, and for no other:',
    '',
    ...everyList.map((list) => `- **${list.title}**: ${list.about}`),
    '',
    'Everything is read-only. Both lists are filtered, searched, sorted and paged in the same way. `HEAD` works wherever `GET`',
    'does; answers are JSON in UTF-8 unless you ask for a file.',
    '',
    '| to see | ask |',
    '| --- | --- |',
    ...rows,
    '| whose token this is | `GET /api/v1/account` |',
  );
}

const firstSteps = lines(
  'You need two things: the address of the service and an **API token**, a text that begins with `lc_`. A token comes from the',
  'operator of the service, who makes it for your account with `linecard-server token create --account ID`; it is shown once. On a',
  'machine of your own, `npm start` in the repository prints tokens of sample accounts to try.',
  '',
  fenced({
    lang: 'sh',
    source: `export LINECARD_URL=${EXAMPLE_URL}\nexport LINECARD_TOKEN=lc_…   # yours`,
  }),
  '',
  'Three numbers in the United Kingdom or in Germany:',
  '',
  codeSamples(virtual_numbers.path, FIRST_REQUEST, true)
    .map((sample) => fenced({ ...sample, lang: FENCES[sample.lang] ?? '' }))
    .join('\n\n'),
);

const programs = lines(
  'Beside plain HTTP there are three ways in, and each speaks the words of this reference:',
  '',
  '- **`@linecard/client`**, for TypeScript and JavaScript in Node.js, Bun, Deno and browsers: typed, no dependencies. It walks lists,',
  '  retries as the answers ask it to, and sends long filters as `QUERY` by itself. `npm install @linecard/client`',
  '- **`linecard`**, for the command line and scripts: tables, files, times such as `--next-payment "this week"`, completions.',
  '  `npm install --global linecard`, then `linecard login`',
  '- **`linecard mcp`**, for agents: a Model Context Protocol server with tools that can only read. It answers for the token that it',
  '  is given, so give an agent one of its own.',
  '',
  fenced({
    lang: 'json',
    source: JSON.stringify(
      {
        mcpServers: {
          linecard: {
            command: 'linecard',
            args: ['mcp'],
            env: { LINECARD_URL: EXAMPLE_URL, LINECARD_TOKEN: 'lc_…' },
          },
        },
      },
      null,
      2,
    ),
  }),
  '',
  'From a checkout of the repository the same packages are installed as its README says. Generators of clients for other languages',
  'read `/openapi.json`. For a language model there are `/llms.txt` and this reference as Markdown at `/docs.md`.',
);

const CURL = 'curl -H "Authorization: Bearer $LINECARD_TOKEN"';

const changes = lines(
  'A copy of a list is brought up to date with what has changed since, not by reading everything again. The first request has no',
  'token, and the whole list comes; each answer has the token for the next:',
  '',
  fenced({
    lang: 'sh',
    source: [
      `${CURL} "${EXAMPLE_URL}${changesPath(virtual_numbers)}?page_size=1000"`,
      `${CURL} "${EXAMPLE_URL}${changesPath(virtual_numbers)}?page_size=1000&since=…"   # the since of the answer before`,
    ].join('\n'),
  }),
  '',
  fenced({
    lang: 'json',
    source:
      '{"data":[{"id":48151,"item":{"id":48151,"did":"+442079460018","…":"…"}},{"id":48152,"item":null}],"since":"…","more":false,"total":46}',
  }),
  '',
  '- `item` is the item as it is now, byte for byte as in the list. `null` says that this list, with these filters, does not have it:',
  '  remove it from the copy if it is there. Applying a change twice does no harm.',
  '- While `more` is `true`, ask again at once. Where it is `false`, a copy that has applied everything **equals the list** as of this',
  '  answer, and holds `total` items: count them. The copy and its token belong together: make both durable in one step.',
  '- Filters, `q` and `fields` are those of the list. A token goes with the filters that it was made for; sorting and page numbers',
  '  have no place here and are refused.',
  '- `since=now` gives a token alone, for a program that wants only what comes from here on.',
  '- With `Accept: application/x-ndjson` everything up to now comes in one stream, a change to a line. The last line is',
  '  `{"since":"…","total":46}`; a stream without it was cut off, and nothing of it may stay in the copy.',
  '- `Prefer: wait=25` waits for changes where there are none yet, at most 55 seconds. When the time is over, `data` is empty.',
  '- Pages and files of a list carry a `Link` with `rel="monitor"`: it leads to the changes from there on, so that an ordinary export',
  '  goes on as a copy. Of a list walked by `next` take that of the **last** page. An answer to `QUERY` has none: take a token with',
  '  `since=now` and the same filters before the export.',
  '- `410` `changes-gone` says that what has changed since can no longer be reported: start again without a token. The token is older',
  '  than the changes that are retained (30 days, unless the operator chose otherwise), the list was rebuilt at once, or the database was',
  '  restored from a backup.',
  '',
  'All of this is done by `client.virtualNumbers.sync` of `@linecard/client`, with four functions that write to your own database, and by',
  '`linecard virtual-numbers sync FILE`, with a file. `--watch` and `client.virtualNumbers.follow` go on, and see each change as it comes.',
);

/** In reading order, with the deployment's limits. */
export function guide(max_page_size: number, limitRows: readonly LimitRow[]): Section[] {
  return [
    { title: 'What it answers', text: about() },
    { title: 'First steps', text: firstSteps },
    { title: 'Clients, command line and agents', text: programs },
    { title: 'Account and authentication', text: account },
    { title: 'Pages', text: pages(max_page_size) },
    { title: 'Filters', text: filters },
    { title: 'Times', text: times },
    { title: 'Search', text: search() },
    { title: 'Sorting', text: sorting },
    { title: 'Choosing fields', text: chosenFields },
    { title: 'Values', text: values },
    { title: 'Files', text: files },
    { title: 'Facets', text: facets() },
    { title: 'Long filters', text: longFilters },
    { title: 'Staying up to date', text: currentness },
    { title: 'Changes', text: changes },
    { title: 'Errors', text: errors() },
    { title: 'Limits', text: limits(limitRows) },
    { title: 'From a browser', text: browsers },
  ];
}
