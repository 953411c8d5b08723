// The prose of the reference: how to send a request and how to read the answer. Names and limits in it come
// from the contract; it is the introduction of the OpenAPI document, of docs/generated/api.md and of /docs.

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
import { changes } from './guide-changes.ts';
import { chosenFields, filters, pages, search, sorting, times, values } from './guide-lists.ts';
import { fenced, lines } from './markdown.ts';

export interface Section {
  readonly title: string;
  /** Markdown: paragraphs, lists, tables and fenced code, without headings. */
  readonly text: string;
}

const everyList: readonly List[] = Object.values(lists);
/** What GitHub and others call the languages of the samples. */
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

/** The sections in reading order, for a deployment with its largest page and its limits. */
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
