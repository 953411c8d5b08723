// Sample requests for the shell, TypeScript, Python and the `linecard` command, for the OpenAPI document and
// the guide.

import { accounts } from '../contract/accounts.ts';
import { activity } from '../contract/activity.ts';
import { ACCOUNT_PATH, changesPath } from '../contract/addresses.ts';
import { lists } from '../contract/contract.ts';
import { facetsPath } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import { rangesFilePath, rangesPath } from '../contract/ranges.ts';
import { EXAMPLE_WEBHOOK_ID, WEBHOOKS_PATH, webhookPath } from '../contract/webhooks.ts';
import type { Parameter } from './page-parameters.ts';

/** The deployment in every example; /docs shows its own address instead. */
export const EXAMPLE_URL = 'https://linecard.example.com';

/** The `x-codeSamples` extension. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

export type SampleParameter = Pick<Parameter, 'name' | 'example'>;

/** The same request with the client and with the command. */
interface Spoken {
  /** Including the arguments before the parameters. */
  readonly call: string;
  readonly before: readonly string[];
  readonly use: string;
  readonly command: string;
}

const camelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
const dashed = (name: string) => name.replaceAll('_', '-');

const spoken = (call: string, use: string, command: string, ...before: string[]): Spoken => ({
  call: `client.${call}`,
  before,
  use,
  command: `linecard ${command}`,
});
const log = (what: string) => `console.log(${what});`;
const RANGES_USE = log('answer.data, answer.total');

function spokenOfList(list: List, path: string): Spoken | undefined {
  const client = camelCase(list.name);
  const words = dashed(list.name);
  const rest = path.slice(list.path.length);
  const format = /^\.(\w+)$/.exec(rest)?.[1];
  if (rest === '') return spoken(`${client}.list`, log('answer.data, answer.total'), `${words} list`);
  if (path === facetsPath(list)) {
    const use = log('answer.total, answer.sums.monthly, answer.due[7]');
    return spoken(`${client}.facets`, use, `${words} facets`);
  }
  if (path === rangesPath(list)) return spoken(`${client}.ranges`, RANGES_USE, `${words} ranges`);
  if (path === rangesFilePath(list))
    return spoken(`${client}.ranges`, RANGES_USE, `${words} ranges --output csv`);
  if (path === changesPath(list)) {
    const use = log('answer.data, answer.since, answer.more');
    return spoken(`${client}.changes`, use, `${words} sync my-${words}.ndjson`);
  }
  if (format !== undefined) {
    const file = `${words}.${format}`;
    const use = `await writeFile('${file}', answer.bytes());`;
    return spoken(`${client}.export`, use, `${words} export --file ${file}`);
  }
  const id = /^\/(\d+)$/.exec(rest)?.[1];
  return id === undefined ? undefined : spoken(`${client}.get`, log('answer'), `${words} get ${id}`, id);
}

function spokenOf(path: string): Spoken | undefined {
  switch (path) {
    case ACCOUNT_PATH:
      return spoken('account', log('answer'), 'whoami');
    case accounts.path:
      return spoken('accounts', log('answer.data, answer.total'), 'accounts list');
    case activity.path:
      return spoken('activity', log('answer.data, answer.since'), 'activity');
    case WEBHOOKS_PATH:
      return spoken('webhooks', log('answer'), 'webhooks');
    case webhookPath(EXAMPLE_WEBHOOK_ID):
      return spoken(
        'webhook',
        log('answer.attempts'),
        `webhooks ${EXAMPLE_WEBHOOK_ID}`,
        `'${EXAMPLE_WEBHOOK_ID}'`,
      );
    default: {
      const list = Object.values(lists).find((one) => path.startsWith(one.path));
      return list === undefined ? undefined : spokenOfList(list, path);
    }
  }
}

/** As a value in a query string. */
const texts = ({ example }: SampleParameter) => [example].flat().map(String);

function curl(path: string, parameters: readonly SampleParameter[], needsToken: boolean): CodeSample {
  const options = needsToken ? ['-H "Authorization: Bearer $LINECARD_TOKEN"'] : [];
  options.push(
    ...parameters.flatMap((one) => texts(one).map((text) => `--data-urlencode "${one.name}=${text}"`)),
  );
  const file = /\/(\w+)\.(csv|ndjson|xlsx)$/.exec(path);
  if (file !== null) options.push(`-o ${dashed(file[1] as string)}.${file[2]}`);
  const get = parameters.length === 0 ? '' : '--get ';
  return {
    lang: 'Shell',
    label: 'curl',
    source: [`curl --retry 5 ${get}"${EXAMPLE_URL}${path}"`, ...options].join(' \\\n  '),
  };
}

function typescript({ call, before, use }: Spoken, parameters: readonly SampleParameter[], path: string) {
  const format = /\.(\w+)$/.exec(path)?.[1];
  const value = (example: unknown) => JSON.stringify(example).replaceAll('"', "'").replaceAll(',', ', ');
  const query = parameters.map(({ name, example }) => `${name}: ${value(example)}`).join(', ');
  const all = [...before];
  if (query !== '') all.push(`{ ${query} }`);
  if (format !== undefined) all.push(...(query === '' ? ['{}'] : []), `{ format: '${format}' }`);
  const source = [
    ...(format === undefined ? [] : ["import { writeFile } from 'node:fs/promises';"]),
    "import { env } from 'node:process';",
    "import { Client } from '@linecard/client';",
    '',
    `const client = new Client({ url: '${EXAMPLE_URL}', token: env.LINECARD_TOKEN ?? '' });`,
    `const answer = await ${call}(${all.join(', ')});`,
    use,
  ];
  return { lang: 'TypeScript', label: 'TypeScript', source: source.join('\n') };
}

function python(path: string, parameters: readonly SampleParameter[]): CodeSample {
  const params = parameters.map(({ name, example }) => {
    // Python's `True` would be rejected.
    const value = JSON.stringify(typeof example === 'boolean' ? String(example) : example);
    return `"${name}": ${value.replaceAll(',', ', ')}`;
  });
  const format = /\.(\w+)$/.exec(path)?.[1];
  const use =
    format === undefined ? 'print(answer.json())' : `open("answer.${format}", "wb").write(answer.content)`;
  const source = [
    'import os, requests',
    '',
    `url = "${EXAMPLE_URL}${path}"`,
    'headers = {"Authorization": "Bearer " + os.environ["LINECARD_TOKEN"]}',
    ...(params.length === 0 ? [] : [`params = {${params.join(', ')}}`]),
    'session = requests.Session()',
    'session.mount(url, requests.adapters.HTTPAdapter(max_retries=5))  # after 429 and 503, as Retry-After says',
    `answer = session.get(url, ${params.length === 0 ? '' : 'params=params, '}headers=headers, timeout=30)`,
    'answer.raise_for_status()',
    use,
  ];
  return { lang: 'Python', label: 'Python', source: source.join('\n') };
}

function command({ command: words }: Spoken, parameters: readonly SampleParameter[]): CodeSample {
  const options = parameters.map((one) => `--${dashed(one.name)} ${texts(one).join(',')}`);
  return { lang: 'Shell', label: 'Command line', source: [words, ...options].join(' \\\n  ') };
}

export function codeSamples(
  template: string,
  parameters: readonly SampleParameter[] = [],
  needsToken = false,
): CodeSample[] {
  const id = template === webhookPath() ? EXAMPLE_WEBHOOK_ID : lists.virtual_numbers.fields.id.example;
  const path = template.replace('{id}', String(id));
  const said = spokenOf(path);
  if (said === undefined) return [curl(path, parameters, needsToken)];
  return [
    curl(path, parameters, needsToken),
    // The client has ranges as pages, and no file of them.
    typescript(said, parameters, said.use === RANGES_USE ? '' : path),
    python(path, parameters),
    command(said, parameters),
  ];
}

/** A query with a list, an order and a page. */
export function sampleParameters(parameters: readonly Parameter[]): SampleParameter[] {
  const list = parameters.find(({ example }) => Array.isArray(example) && example.length > 1);
  return parameters.filter((one) => one === list || one.group === 'order' || one.name === 'page_size');
}
