// Generators that others wrote, used as their documentation says: how each makes a client of the document,
// and a program that does eight jobs with it. Programs are texts, because what they import is not here.

export interface Generator {
  readonly name: string;
  /** Packages with their exact versions. */
  readonly packages: readonly string[];
  /** Whether they are installed apart, as another generator wants another version of one. */
  readonly isApart?: boolean;
  /** Files that its documentation has one write. */
  readonly files: Readonly<Record<string, string>>;
  /** The package whose command it is, the command, and its arguments. */
  readonly command: readonly [name: string, ...words: string[]];
  /** The jobs, after `BEFORE` and before `AFTER`. */
  readonly program: string;
}

/** What every program begins with. `read` is what a job has of a token. */
const BEFORE = `
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
declare const console: { log(text: string): void };
const { BASE = '', TOKEN = '', LIMITED = '' } = process.env;
const FILTERS = { country_codes: ['GB', 'DE'], is_spammed: false, statuses_exclude: ['blocked'] };
const authorization = (token: string) => ({ Authorization: \`Bearer \${token}\` });
`;

/** Prints what the jobs found. */
const AFTER = `
const ids: number[] = [];
for (let page = 1; ; page++) {
  const { data, total_pages } = await list({ page, page_size: 20, fields: ['id'] });
  for (const { id = 0 } of data) ids.push(id);
  if (page >= total_pages) break;
}
const [first, filtered, counted, empty, whole] = await Promise.all([
  list({ page_size: 3, sort_by: 'monthly', sort_order: 'desc' }),
  list({ ...FILTERS, page_size: 5 }),
  facets({ due_days: 7, charges: true }, TOKEN),
  changes({ since: 'now' }),
  changes({ page_size: 1000 }),
]);
const [limited] = (await list({ page_size: 1 }, LIMITED)).data;
console.log(JSON.stringify({
  list: [first.total, first.data.map(({ did, monthly }) => [did, monthly])],
  walk: ids,
  filters: [filtered.total, filtered.data.map(({ id }) => id)],
  facets: [counted.total, counted.sums.monthly, counted.facets['country_codes']?.values.map(({ value }) => value)],
  changes: [empty.data.length, empty.more, whole.data.map(({ item }) => item?.did)],
  file: (await file()).trim().split('\\n').map((line) => JSON.parse(line).id),
  error: await error(),
  limited: [limited?.did, limited?.monthly ?? null, (await facets({}, LIMITED)).sums.monthly ?? null],
}));
`;

export const programOf = ({ program }: Generator) => `${BEFORE}${program}${AFTER}`;

const OPENAPI_FETCH: Generator = {
  name: 'openapi-typescript with openapi-fetch',
  packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'],
  files: {},
  command: ['openapi-typescript', 'openapi.json', '--output', 'document.d.ts'],
  program: `
import createClient from 'openapi-fetch';
import type { paths } from './document.d.ts';
const api = createClient<paths>({ baseUrl: BASE, headers: authorization(TOKEN) });
type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? Q : never;
async function list(query: Query<'/api/v1/did/me'>, token = TOKEN) {
  const { data, error } = await api.GET('/api/v1/did/me', { params: { query }, headers: authorization(token) });
  if (data === undefined) throw new Error(error?.detail ?? 'no answer');
  return data;
}
async function facets(query: Query<'/api/v1/did/me/facets'>, token: string) {
  const { data, error } = await api.GET('/api/v1/did/me/facets', { params: { query }, headers: authorization(token) });
  if (data === undefined) throw new Error(error?.detail ?? 'no answer');
  return data;
}
async function changes(query: Query<'/api/v1/did/me/changes'>) {
  const { data, error } = await api.GET('/api/v1/did/me/changes', { params: { query } });
  if (data === undefined) throw new Error(error?.detail ?? 'no answer');
  return data;
}
async function file(): Promise<string> {
  const { data = '' } = await api.GET('/api/v1/did/me.ndjson', { params: { query: FILTERS }, parseAs: 'text' });
  return data;
}
async function error() {
  const { error, response } = await api.GET('/api/v1/did/me', { params: { query: { cursor: 'x' } } });
  return [response.status, error?.type, error?.errors?.[0]?.parameter];
}
`,
};

const HEY_API: Generator = {
  name: 'hey-api with zod',
  packages: ['@hey-api/openapi-ts@0.95.0', 'zod@4.6.7'],
  files: {
    'openapi-ts.config.mjs': `export default {
  input: './openapi.json',
  output: { path: './client', importFileExtension: '.ts' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', 'zod', { name: '@hey-api/sdk', validator: true }],
};
`,
  },
  command: ['openapi-ts', '-f', 'openapi-ts.config.mjs'],
  program: `
import { client } from './client/client.gen.ts';
import type { ChangesOfVirtualNumbersData, FacetsOfVirtualNumbersData, ListVirtualNumbersData } from './client/index.ts';
import { changesOfVirtualNumbers, exportVirtualNumbersNdjson, facetsOfVirtualNumbers, listVirtualNumbers } from './client/index.ts';
client.setConfig({ baseUrl: BASE, headers: authorization(TOKEN) });
async function list(query: ListVirtualNumbersData['query'], token = TOKEN) {
  return (await listVirtualNumbers({ query, headers: authorization(token), throwOnError: true })).data;
}
async function facets(query: FacetsOfVirtualNumbersData['query'], token: string) {
  return (await facetsOfVirtualNumbers({ query, headers: authorization(token), throwOnError: true })).data;
}
async function changes(query: ChangesOfVirtualNumbersData['query']) {
  return (await changesOfVirtualNumbers({ query, throwOnError: true })).data;
}
async function file(): Promise<string> {
  return (await exportVirtualNumbersNdjson({ query: FILTERS, parseAs: 'text', throwOnError: true })).data;
}
async function error() {
  const { error, response } = await listVirtualNumbers({ query: { cursor: 'x' } });
  return [response?.status, error?.type, error?.errors?.[0]?.parameter];
}
`,
};

/** Its fetch has relative addresses, so a program gives it the base, as a page of the same origin has it. */
const ORVAL: Generator = {
  name: 'orval',
  packages: ['orval@7.13.2'],
  files: {},
  command: ['orval', '--input', './openapi.json', '--output', './client.ts', '--client', 'fetch'],
  program: `
import type { ChangesOfVirtualNumbersParams, FacetsOfVirtualNumbersParams, ListVirtualNumbersParams } from './client.ts';
import { changesOfVirtualNumbers, exportVirtualNumbersNdjson, facetsOfVirtualNumbers, listVirtualNumbers } from './client.ts';
const { fetch } = globalThis;
globalThis.fetch = (path, init) => fetch(\`\${BASE}\${path}\`, init);
const headers = authorization(TOKEN);
async function list(query: ListVirtualNumbersParams, token = TOKEN) {
  const answer = await listVirtualNumbers(query, { headers: authorization(token) });
  if (answer.status !== 200) throw new Error(\`\${answer.status}\`);
  return answer.data;
}
async function facets(query: FacetsOfVirtualNumbersParams, token: string) {
  const answer = await facetsOfVirtualNumbers(query, { headers: authorization(token) });
  if (answer.status !== 200) throw new Error(\`\${answer.status}\`);
  return answer.data;
}
async function changes(query: ChangesOfVirtualNumbersParams) {
  const answer = await changesOfVirtualNumbers(query, { headers });
  if (answer.status !== 200) throw new Error(\`\${answer.status}\`);
  return answer.data;
}
async function file(): Promise<string> {
  const answer = await exportVirtualNumbersNdjson(FILTERS, { headers });
  if (answer.status !== 200) throw new Error(\`\${answer.status}\`);
  return answer.stream.text();
}
async function error() {
  const answer = await listVirtualNumbers({ cursor: 'x' }, { headers });
  return answer.status === 400 ? [answer.status, answer.data.type, answer.data.errors?.[0]?.parameter] : [];
}
`,
};

/** Its own fetch reads every answer as JSON, so the file has one that reads text. */
const KUBB: Generator = {
  name: 'kubb',
  packages: ['cli', 'core', 'plugin-client', 'plugin-oas', 'plugin-ts'].map((one) => `@kubb/${one}@4.39.3`),
  files: {
    'kubb.config.mjs': `import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
export default defineConfig({
  root: '.',
  input: { path: './openapi.json' },
  output: { path: './client', extension: { '.ts': '.ts' }, format: false },
  plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: 'fetch', dataReturnType: 'full' })],
});
`,
  },
  command: ['kubb', 'generate', '--config', 'kubb.config.mjs'],
  program: `
import { type Client, setConfig } from '@kubb/plugin-client/clients/fetch';
import type { ChangesOfVirtualNumbersQueryParams, FacetsOfVirtualNumbersQueryParams, ListVirtualNumbersQueryParams } from './client/index.ts';
import { changesOfVirtualNumbers, exportVirtualNumbersNdjson, facetsOfVirtualNumbers, listVirtualNumbers } from './client/index.ts';
setConfig({ baseURL: BASE, headers: authorization(TOKEN) });
async function list(query: ListVirtualNumbersQueryParams, token = TOKEN) {
  return (await listVirtualNumbers(query, {}, { headers: authorization(token) })).data;
}
async function facets(query: FacetsOfVirtualNumbersQueryParams, token: string) {
  return (await facetsOfVirtualNumbers(query, {}, { headers: authorization(token) })).data;
}
async function changes(query: ChangesOfVirtualNumbersQueryParams) {
  return (await changesOfVirtualNumbers(query)).data;
}
const asText: Client = async ({ url, params, headers }) => {
  const query = new URLSearchParams(Object.entries(params ?? {}).map(([name, value]) => [name, String(value)]));
  const answer = await fetch(\`\${BASE}\${url}?\${query}\`, { headers: headers as Record<string, string> });
  return { data: (await answer.text()) as never, status: answer.status, statusText: '', headers: answer.headers };
};
async function file(): Promise<string> {
  const { data } = await exportVirtualNumbersNdjson(FILTERS, {}, { headers: authorization(TOKEN), client: asText });
  return data;
}
async function error() {
  const { status, data } = await listVirtualNumbers({ cursor: 'x' });
  const problem = data as { type?: string; errors?: { parameter: string }[] };
  return [status, problem.type, problem.errors?.[0]?.parameter];
}
`,
};

/** Its types of a path with thirty parameters are too deep for the compiler, so the program has its own. */
const ZODIOS: Generator = {
  name: 'openapi-zod-client with zodios',
  packages: ['openapi-zod-client@1.18.3', '@zodios/core@10.9.6', 'axios@1.21.1', 'zod@3.25.76'],
  isApart: true,
  files: {},
  command: ['openapi-zod-client', './openapi.json', '--output', './client.ts'],
  program: `
import { createApiClient } from './client.ts';
type Item = { id?: number; did?: string; monthly?: number };
type Facets = { total: number; sums: Item; facets: Record<string, { values: { value: string }[] }> };
type Answer = { data: (Item & { item?: Item })[]; more: boolean; total: number; total_pages: number } & Facets;
type Act = (request: { queries?: object; headers: object }) => Promise<unknown>;
const options = { axiosConfig: { paramsSerializer: { indexes: null } } };
const api = createApiClient(BASE, options) as unknown as Record<string, Act>;
const ask = async (act: string, queries: object, token = TOKEN) =>
  api[act]!({ queries, headers: authorization(token) });
const list = async (query: object, token = TOKEN) => (await ask('list_virtual_numbers', query, token)) as Answer;
const facets = async (query: object, token: string) => (await ask('facets_of_virtual_numbers', query, token)) as Answer;
const changes = async (query: object) => (await ask('changes_of_virtual_numbers', query)) as Answer;
const file = async () => (await ask('export_virtual_numbers_ndjson', FILTERS)) as string;
const error = () =>
  list({ cursor: 'x' }).catch(({ response: { status, data } }) => [status, data.type, data.errors?.[0]?.parameter]);
`,
};

export const generators: readonly Generator[] = [OPENAPI_FETCH, HEY_API, ORVAL, KUBB, ZODIOS];

/** Validates requests and answers between a client and the service. */
export const PRISM = '@stoplight/prism-cli@5.14.2';
