// What a page of changes costs beside a page of the list, on both stores: each a hundred items, over 32
// connections, with nothing cached between requests. `node bench/changes.ts [seconds] [rounds] [items]`

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
import { FOLDER } from './deployment.ts';
import { PATH } from './jobs.ts';
import { load, loadAtHand, type Request, type Round } from './load.ts';
import { Running } from './running.ts';
import { count, median } from './table.ts';

const ACCOUNTS = 40;
const NUMBERS = 1_000;
const ITEMS = Number(process.argv[4] ?? 100);
const PORT = 8_191;
const MAIN = 'server/main.ts';

const [SECONDS, ROUNDS] = [Number(process.argv[2] ?? 3), Number(process.argv[3] ?? 3)];
const [ROW] = hardRows.virtual_numbers as unknown as [ModelRow];
const FILTER = `statuses=${encodeURIComponent(String(ROW['status']))}`;

interface Customer {
  readonly token: string;
  /** From before the last hundred items changed, all and those that match; and from now. */
  readonly before: string;
  readonly beforeWith: string;
  readonly now: string;
}

/** What is requested, page for page: of the list, and of changes. */
const PAGES: Readonly<Record<string, (one: Customer) => string>> = {
  [`a page of ${ITEMS} items of the list`]: () => `${PATH}?page_size=${ITEMS}`,
  [`a page of ${ITEMS} changes`]: ({ before }) => `${PATH}/changes?page_size=${ITEMS}&since=${before}`,
  [`the first ${ITEMS} items of a copy`]: () => `${PATH}/changes?page_size=${ITEMS}`,
  'no changes': ({ now }) => `${PATH}/changes?since=${now}`,
  [`a page of ${ITEMS} items with a filter`]: () => `${PATH}?page_size=${ITEMS}&${FILTER}`,
  [`a page of ${ITEMS} changes with a filter`]: ({ beforeWith }) =>
    `${PATH}/changes?page_size=${ITEMS}&since=${beforeWith}&${FILTER}`,
};

const accountOf = (i: number) => `copy-${i}`;

function rowsOf(comment: string, numbers: number): ModelRow[] {
  return Array.from({ length: ACCOUNTS * numbers }, (_, i) => {
    const [account, number] = [Math.floor(i / numbers), i % numbers];
    return { ...ROW, account_id: accountOf(account), id: account * NUMBERS + number + 1, comment };
  });
}

async function customersOf(store: Store, url: string): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let i = 0; i < ACCOUNTS; i++) {
    await createAccount(store, accountOf(i));
    const token = (await createToken(store, accountOf(i), 'bench'))?.token ?? '';
    customers.push({ token, before: '', beforeWith: '', now: '' });
  }
  const since = async ({ token }: Customer, filter = '') => {
    const headers = { authorization: token };
    const answer = await fetch(`${url}${PATH}/changes?since=now&${filter}`, { headers });
    return ((await answer.json()) as { since: string }).since;
  };
  const before = await Promise.all(customers.map((one) => since(one)));
  const beforeWith = await Promise.all(customers.map((one) => since(one, FILTER)));
  await setImmediate();
  await putRows(store, 'virtual_numbers', rowsOf('changed', ITEMS));
  return Promise.all(
    customers.map(async (one, i) => ({
      token: one.token,
      before: before[i] ?? '',
      beforeWith: beforeWith[i] ?? '',
      now: await since(one),
    })),
  );
}

mkdirSync(FOLDER, { recursive: true });
const lines: string[] = [];
for (const kind of stores) {
  const database = await kind.make();
  const store = await openStore(database.url, 'write');
  await putRows(store, 'virtual_numbers', rowsOf('', NUMBERS));
  const words = [
    'serve',
    '--port',
    String(PORT),
    '--rate-limit',
    '0',
    '--cache',
    '0',
    '--log-level',
    'error',
  ];
  const server = await Running.start(PORT, [MAIN, ...words, '--database-url', database.url]);
  const customers = await customersOf(store, server.url);
  const rounds = new Map<string, Round[]>(Object.keys(PAGES).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, pathOf] of Object.entries(PAGES)) {
      const requests: Request[] = customers.map((one) => ({
        path: pathOf(one),
        headers: { authorization: one.token },
      }));
      rounds.get(name)?.push(await load(loadAtHand(), server, requests, SECONDS));
    }
  }
  for (const [name, all] of rounds) {
    const failed = all.reduce((sum, one) => sum + one.failed, 0);
    if (failed > 0) throw new Error(`${name}: ${failed} requests failed.`);
    const rate = count(Math.round(median(all.map((one) => one.rate))));
    const processor = Math.round(median(all.map((one) => one.processor)));
    lines.push(`| ${kind.name} | ${name} | ${rate} | ${processor} |`);
    console.log(lines.at(-1));
  }
  await server.stop();
  await store.close();
  await database.remove();
}
console.log(
  `\n| store | page | requests a second | microseconds of the server's processor |\n| --- | --- | ---: | ---: |\n${lines.join('\n')}`,
);
await (await PostgresServer.shared()).stop();
