// The long form of a test in test/postgres/faults.test.ts: 200,000 requests over four connections to
// PostgreSQL, a third of them given up, while statements are cancelled and run out of time and connections
// are ended. No client may see the rows of another account or hang. `node bench/aborts.ts
// [requests]`

import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNTS, hardRows } from '../test/kit/hard-rows.ts';
import { askImpatiently, backendsOf, disturbUntil, PATH, pages } from '../test/kit/impatience.ts';
import { PostgresServer } from '../test/kit/postgres-server.ts';
import { openService } from '../test/kit/service.ts';
import { count } from './table.ts';

const REQUESTS = 200_000;
const REPORTED_EVERY = 20_000;
const CONNECTIONS = 4;
const TIMEOUT_MILLISECONDS = 1_900;
/** One disturbance in so many is a lock that statements wait for until their time is over. */
const LOCK_EVERY = 40;
const AFTERMATH_MILLISECONDS = 500;

const requests = Number(process.argv[2] ?? REQUESTS);
if (!Number.isSafeInteger(requests) || requests < 1)
  throw new Error('Usage: node bench/aborts.ts [requests]');

const begin = performance.now();
const seconds = () => Math.round((performance.now() - begin) / 1_000);
const server = await PostgresServer.start();
const kind = { name: 'a server of its own', share: 1, make: async () => server.makeDatabase() };
const service = await openService(kind, {
  accounts: ACCOUNTS,
  rows: hardRows,
  cacheBytes: 0,
  reach: { database_timeout: TIMEOUT_MILLISECONDS, database_connections: CONNECTIONS },
});
try {
  const asking = askImpatiently(service, requests, (sent) => {
    if (sent % REPORTED_EVERY === 0) console.error(`${count(sent)} requests, ${seconds()} s`);
  });
  const troubles = await disturbUntil(asking, service.database_url, { lock_every: LOCK_EVERY });
  const { statuses, slowestMs } = await asking;
  await sleep(AFTERMATH_MILLISECONDS);
  for (const account_id of ACCOUNTS) {
    const { status, body } = await service.ask(account_id, PATH);
    if (status !== 200 || body !== pages.get(account_id))
      throw new Error(`${account_id} gets ${status}: ${body}`);
  }
  const tally = [...statuses].map(([status, n]) => `${count(n)} ${status ?? 'given up or cut'}`);
  const { cancelled, terminated, locked } = troubles;
  console.log(
    `${count(requests)} requests, ${seconds()} s: ${tally.join(', ')}; the slowest took ${count(slowestMs)} ms.`,
  );
  console.log(
    `Meanwhile ${cancelled} statements cancelled, ${terminated} connections ended, ${locked} locks of 1.5 s.`,
  );
  const open = (await backendsOf(service.database_url)).length;
  console.log(`No answer was another's. Afterwards every account is answered, over ${open} connections.`);
} finally {
  await service.close();
  await server.stop();
}
