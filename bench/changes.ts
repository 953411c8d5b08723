// Compares a page of changes with a page of the list on every store: 100 items each, without caches.
// `node bench/changes.ts [seconds] [rounds] [items]`

import { mkdirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createAccount } from '../server/store/accounts.ts';
import { openStore } from '../server/store/open.ts';
import type { Store } from '../server/store/store.ts';
import { createToken } from '../server/store/tokens.ts';
import { hardRows } from '../test/kit/hard-rows.ts';
import type { ModelRow } from '../test/kit/model.ts';
import { PostgresServer } from '../test/kit/postgres-server.ts';
import { load as putRows, stores } from '../test/kit/service.ts';
import type { BenchAccount } from './data.ts';
import { FOLDER } from './deployment.ts';
import { type Job, PATH } from './jobs.ts';
import { fastestLoad } from './load.ts';
import { type Entrant, measureRounds } from './rounds.ts';
import { startLinecard } from './systems.ts';
import { jobsTable } from './table.ts';

const ACCOUNTS = 40;
const NUMBERS = 1_000;
const [SECONDS = 3, ROUNDS = 3, ITEMS = 100] = process.argv.slice(2).map(Number);
const [ROW] = hardRows.virtual_numbers as unknown as [ModelRow];
const FILTER = `statuses=${encodeURIComponent(String(ROW['status']))}`;

interface Customer {
  /** Change tokens from before a page of items changed, for all items and for the filter; and from now. */
  readonly before: string;
  readonly beforeWith: string;
  readonly now: string;
}

const PAGES: Readonly<Record<string, (one: Customer) => string>> = {
  [`a page of ${ITEMS} items of the list`]: () => `${PATH}?page_size=${ITEMS}`,
  [`a page of ${ITEMS} changes`]: ({ before }) => `${PATH}/changes?page_size=${ITEMS}&since=${before}`,
  [`the first ${ITEMS} items of a copy`]: () => `${PATH}/changes?page_size=${ITEMS}`,
  'no changes': ({ now }) => `${PATH}/changes?since=${now}`,
  [`a page of ${ITEMS} items with a filter`]: () => `${PATH}?page_size=${ITEMS}&${FILTER}`,
  [`a page of ${ITEMS} changes with a filter`]: ({ beforeWith }) =>
    `${PATH}/changes?page_size=${ITEMS}&since=${beforeWith}&${FILTER}`,
};

const customers = new Map<string, Customer>();

const jobs = Object.entries(PAGES).map(
  ([name, pageOf]): Job => ({
    name,
    about: name,
    kind: 'small',
    status: 200,
    path: (_, { id }) => pageOf(customers.get(id) as Customer),
  }),
);

const accountsOf = (store: string) =>
  Array.from({ length: ACCOUNTS }, (_, i): BenchAccount => {
    return { id: `${store}-${i}`, kind: 'small', first: i * NUMBERS + 1, numbers: NUMBERS };
  });

const rowsOf = (accounts: readonly BenchAccount[], comment: string, numbers: number): ModelRow[] =>
  accounts.flatMap(({ id: account_id, first }) =>
    Array.from({ length: numbers }, (_, i) => ({ ...ROW, account_id, id: first + i, comment })),
  );

async function makeCustomers(
  store: Store,
  accounts: readonly BenchAccount[],
  url: string,
): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  for (const { id } of accounts) {
    await createAccount(store, id);
    tokens.set(id, (await createToken(store, id, 'bench'))?.token ?? '');
  }
  const since = async (id: string, filter = '') => {
    const headers = { authorization: tokens.get(id) ?? '' };
    const answer = await fetch(`${url}${PATH}/changes?since=now&${filter}`, { headers });
    return ((await answer.json()) as { since: string }).since;
  };
  const before = new Map<string, Omit<Customer, 'now'>>();
  for (const { id } of accounts)
    before.set(id, { before: await since(id), beforeWith: await since(id, FILTER) });
  await setImmediate();
  await putRows(store, 'virtual_numbers', rowsOf(accounts, 'changed', ITEMS));
  for (const [id, tokensBefore] of before) customers.set(id, { ...tokensBefore, now: await since(id) });
  return tokens;
}

mkdirSync(FOLDER, { recursive: true });
const entrants: Entrant[] = [];
const closing: (() => Promise<void>)[] = [];
for (const kind of stores) {
  const database = await kind.make();
  const store = await openStore(database.url, 'write');
  const accounts = accountsOf(kind.name);
  await putRows(store, 'virtual_numbers', rowsOf(accounts, '', NUMBERS));
  const server = await startLinecard(database.url, { words: ['--cache', '0', '--log-level', 'error'] });
  const tokens = await makeCustomers(store, accounts, server.url);
  const deployment = { accounts, tokens, database_url: database.url };
  entrants.push({ name: kind.name, server, deployment, etags: new Map(), asks: () => true });
  closing.push(
    () => server.stop(),
    () => store.close(),
    () => database.remove(),
  );
}
const terms = { jobs, rounds: ROUNDS, seconds: SECONDS, load: fastestLoad() };
console.log(jobsTable(await measureRounds(entrants, terms), []));
for (const close of closing) await close();
await (await PostgresServer.shared()).stop();
