// A real replica that dies, hangs and is promoted, round after round, while customers ask. What they read of
// one that lags is in test/postgres/replicas.long.test.ts.

import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../server/store/open.ts';
import { ACCOUNTS, hardRows } from '../kit/hard-rows.ts';
import { PostgresReplica } from '../kit/postgres-replica.ts';
import { PostgresServer } from '../kit/postgres-server.ts';
import { load, openService, type Service } from '../kit/service.ts';
import { DATABASE_TIMEOUT, whileAsking } from '../kit/under-trouble.ts';
import { type Drill, ofSize, Tally } from './drill.ts';

const ROUNDS = { short: 1, long: 2, full: 4 };
const LAG_MS = 500;
/** Reads go elsewhere within it. */
const ELSEWHERE_MS = 1_000;
/** No request waits for that: each goes elsewhere by itself. */
const OUT_WITHIN_MS = 2_000;
const BACK_WITHIN_MS = 10_000;
/** Keeps what a replica that was down for a while still needs. */
const LONG_LOG = ['-c', 'wal_keep_size=512MB'];

async function makePair() {
  const primary = await PostgresServer.start(LONG_LOG);
  const replica = await PostgresReplica.of(primary, LONG_LOG);
  const database = await primary.makeDatabase();
  const operator = await openStore(database.url, 'write');
  await load(operator, 'virtual_numbers', hardRows.virtual_numbers);
  await operator.close();
  await replica.catchUp(primary);
  const replicaUrl = Object.assign(new URL(database.url), { port: new URL(replica.url).port }).href;
  const kind = {
    name: 'with a replica',
    share: 1,
    make: async () => ({ url: database.url, remove: async () => {} }),
  };
  const reach = { database_timeout: DATABASE_TIMEOUT, replica_url: [replicaUrl], replica_lag: LAG_MS };
  const service = await openService(kind, { accounts: ACCOUNTS, cacheBytes: 0, indexBytes: 0, reach });
  return {
    primary,
    replica,
    service,
    replicaUrl,
    async close() {
      await service.close();
      await replica.remove();
      await primary.stop();
    },
  };
}

type Pair = Awaited<ReturnType<typeof makePair>>;

const isInRotation = ({ log }: Service) =>
  log.findLast((line) => line.startsWith('replica '))?.includes('reason') === false;

async function untilRotation(service: Service, isIn: boolean): Promise<number> {
  const begin = performance.now();
  while (isInRotation(service) !== isIn && performance.now() < begin + BACK_WITHIN_MS) await sleep(10);
  return performance.now() - begin;
}

/** What happens to the replica, and how it is well again. */
const TROUBLES: Readonly<Record<string, (pair: Pair) => Promise<() => Promise<void>>>> = {
  async stopped({ replica }) {
    await replica.end('SIGINT');
    return () => replica.start();
  },
  async 'killed (kill -9)'({ replica }) {
    await replica.end('SIGKILL');
    return () => replica.start();
  },
  async 'hung (SIGSTOP)'({ replica }) {
    await replica.freeze();
    return async () => replica.thaw();
  },
};

/** Asks as customers do while something happens; each answer is right and within a second. */
async function amid(service: Service, tally: Tally, work: () => Promise<void>): Promise<void> {
  const { seen } = await whileAsking(service, work, { pauseMs: 2 });
  for (const { status, ms, fault } of seen) {
    const isGood = status === 200 && ms <= ELSEWHERE_MS;
    tally.add(fault ?? (isGood ? undefined : `${status} after ${Math.round(ms)} ms`));
  }
}

export const drill: Drill = {
  name: 'replicas',
  proves: [
    'A replica that dies, hangs or is promoted fails no request: within a second lists are read elsewhere, and from this replica again once it is healthy.',
    'Nothing imported into a promoted replica is ever read.',
  ],
  short: 'test/postgres/replicas.long.test.ts',

  async run(size, report) {
    const pair = await makePair();
    const { replica, service, replicaUrl } = pair;
    try {
      const results = [];
      const rotation = new Tally();
      for (const [what, doBreak] of Object.entries(TROUBLES)) {
        const tally = new Tally();
        for (let round = 0; round < ofSize(ROUNDS, size); round++) {
          await untilRotation(service, true);
          await amid(service, tally, async () => {
            const fix = await doBreak(pair);
            const outMs = await untilRotation(service, false);
            rotation.add(outMs < OUT_WITHIN_MS ? undefined : `out of rotation after ${Math.round(outMs)} ms`);
            await sleep(300);
            await fix();
            const backMs = await untilRotation(service, true);
            rotation.add(backMs < BACK_WITHIN_MS ? undefined : 'it did not come back');
          });
        }
        report(what);
        results.push(tally.result(`requests while it is ${what}`, `${ofSize(ROUNDS, size)} times`));
      }
      await untilRotation(service, true);
      const promoted = new Tally();
      await amid(service, promoted, async () => {
        await replica.promote();
        const other = await openStore(replicaUrl, 'write');
        const comment = 'of the promoted one';
        await load(
          other,
          'virtual_numbers',
          hardRows.virtual_numbers.map((row) => ({ ...row, comment })),
        );
        await other.close();
        const outMs = await untilRotation(service, false);
        rotation.add(outMs < OUT_WITHIN_MS ? undefined : `out of rotation after ${Math.round(outMs)} ms`);
        await sleep(500);
      });
      return [
        ...results,
        promoted.result('requests while it is promoted and imported into'),
        rotation.result('times out of rotation, and back'),
      ];
    } finally {
      await pair.close();
    }
  },
};
