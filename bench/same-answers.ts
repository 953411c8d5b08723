// The long form of test/api/same-answers.test.ts: 50,000 queries at random, which the model, SQLite,
// PostgreSQL, in the C locale, in another and behind row security, and Citus where TEST_CITUS_URL names it,
// must answer byte for byte alike. `node bench/same-answers.ts [queries]`

import { Copies } from '../test/kit/copies.ts';
import { modelLists } from '../test/kit/model.ts';
import { PostgresServer } from '../test/kit/postgres-server.ts';
import { count } from './table.ts';

const QUERIES = 50_000;
const REPORTED_EVERY = 5_000;

const queries = Number(process.argv[2] ?? QUERIES);
if (!Number.isSafeInteger(queries) || queries < modelLists.length) {
  throw new Error('Usage: node bench/same-answers.ts [queries]');
}
const begin = performance.now();
const seconds = () => Math.round((performance.now() - begin) / 1_000);
const statuses = new Map<number, number>();
let sent = 0;

const copies = await Copies.open();
try {
  for (const list of modelLists) {
    await copies.mustAnswerAlike(list, Math.floor(queries / modelLists.length), (status) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      sent += 1;
      if (sent % REPORTED_EVERY === 0) console.error(`${count(sent)} queries, ${seconds()} s`);
    });
  }
} finally {
  await copies.close();
  await (await PostgresServer.shared()).stop();
}
const tally = [...statuses].map(([status, n]) => `${count(n)} answered ${status}`).join(', ');
console.log(`${count(sent)} queries at random, ${seconds()} s: one answer each (${tally}).`);
