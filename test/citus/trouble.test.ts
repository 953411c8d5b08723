// A cluster of Citus in trouble while customers ask and an operator imports: a worker that is killed and
// comes back, one that hangs, shards that move. TEST_CITUS_ROUNDS says how often; the nodes must be on this
// machine.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../server/store/open.ts';
import { CITUS_URL, CitusWorker, makeCitusDatabase, NO_CITUS, nodesOf, urlOn } from '../kit/citus-server.ts';
import { ACCOUNTS, hardRows } from '../kit/hard-rows.ts';
import { query } from '../kit/postgres-server.ts';
import { numberRow } from '../kit/rows.ts';
import { load, openService, type Service } from '../kit/service.ts';
import type { Database } from '../kit/templates.ts';
import { askOnce, DATABASE_TIMEOUT, whileAsking } from '../kit/under-trouble.ts';

const ROUNDS = Number(process.env['TEST_CITUS_ROUNDS'] ?? 1);
/** Longer than a request may wait for the database. */
const TROUBLE_MS = 3_000;
/** Between imports, so that shards can move. */
const PAUSE_MS = 150;
/** How long after it the trouble may still be felt: one look at the node, on a busy machine. */
const AFTERMATH_MS = 2_000;
/** The account that is imported again and again; nobody else reads it. */
const CHANGING = 'CHANGING';

describe('a cluster of Citus in trouble', { skip: CITUS_URL === undefined ? NO_CITUS : false }, () => {
  let database: Database;
  let service: Service;
  before(async () => {
    database = await makeCitusDatabase('alone');
    const kind = { name: 'Citus', share: 1, make: async () => database };
    const reach = { database_timeout: DATABASE_TIMEOUT };
    service = await openService(kind, {
      accounts: ACCOUNTS,
      rows: hardRows,
      cacheBytes: 0,
      indexBytes: 0,
      reach,
    });
  });
  after(async () => service.close());

  /** The accounts whose rows are on a node. */
  async function accountsOn(port: number): Promise<Set<string>> {
    const rows = await query(
      database.url,
      `select id from accounts join pg_dist_placement as placement
         on placement.shardid = get_shard_id_for_distribution_column('accounts', id)
       join pg_dist_node using (groupid) where nodeport = $1`,
      port,
    );
    return new Set(rows.map(({ id }) => String(id)));
  }

  /** Asks all the time while something happens, after each account was asked once. */
  async function asking(trouble: () => Promise<void>) {
    for (const account_id of ACCOUNTS) assert.equal((await askOnce(service, account_id)).fault, undefined);
    return whileAsking(service, trouble, { pauseMs: 2, afterMs: AFTERMATH_MS + 500 });
  }

  const TROUBLES: Readonly<Record<string, (worker: CitusWorker) => Promise<void>>> = {
    async 'is killed and started again'(worker) {
      worker.kill();
      await sleep(TROUBLE_MS);
      await worker.start();
    },
    async 'hangs and goes on'(worker) {
      worker.hang();
      await sleep(TROUBLE_MS);
      worker.goOn();
    },
  };

  for (const [what, trouble] of Object.entries(TROUBLES)) {
    test(`a worker that ${what} fails its own accounts alone, and only meanwhile`, async (context) => {
      const workers = (await nodesOf(database.url)).filter(({ isCoordinator }) => !isCoordinator);
      for (let round = 0; round < ROUNDS; round++) {
        const node = workers[round % workers.length] as (typeof workers)[number];
        const own = await accountsOn(node.port);
        const worker = await CitusWorker.at(urlOn(database.url, node));
        const { seen, from, to } = await asking(() => trouble(worker));
        assert.deepEqual(
          seen.filter(({ fault }) => fault !== undefined),
          [],
        );
        const refused = seen.filter(({ status }) => status !== 200);
        assert.notEqual(refused.length, 0, 'nobody has noticed');
        assert.deepEqual(
          refused.filter(({ account_id }) => !own.has(account_id)),
          [],
          'accounts of another node',
        );
        const early = refused.filter(({ at, ms }) => at + ms < from || at > to + AFTERMATH_MS);
        assert.deepEqual(early, [], `before or after ${to - from} ms of trouble`);
        const elsewhere = seen.filter(({ account_id }) => !own.has(account_id)).length;
        context.diagnostic(
          `${seen.length} requests, ${elsewhere} of other nodes all 200, ${refused.length} refused`,
        );
      }
    });
  }

  test('shards move, and are rebalanced, while customers ask and an import follows the other', async (context) => {
    const operator = await openStore(database.url, 'write');
    const workers = (await nodesOf(database.url)).filter(({ isCoordinator }) => !isCoordinator);
    const [first, second] = workers;
    assert.ok(first && second);
    let imports = 0;
    let moves = 0;
    let isMoving = true;
    const importing = async () => {
      while (isMoving) {
        const comment = String(imports);
        const rows = Array.from({ length: 20 }, (_, i) => numberRow(CHANGING, 1_000_000 + i, { comment }));
        await load(operator, 'virtual_numbers', rows);
        imports += 1;
        await sleep(PAUSE_MS);
      }
    };
    // Neither waits for the other by itself: an import does, and Citus tries its own moves again later.
    const untilFree = async (text: string, ...values: unknown[]) => {
      const isBusy = (error: unknown) => String(error).includes('could not acquire the lock');
      while (
        await query(database.url, text, ...values).then(
          () => false,
          (error: unknown) => isBusy(error) || Promise.reject(error as Error),
        )
      )
        await sleep(20);
    };
    const move = async (shard: unknown, from: typeof first, to: typeof first) => {
      const text = 'select citus_move_shard_placement($1, $2, $3, $4, $5)';
      await untilFree(text, shard, from.host, from.port, to.host, to.port);
      moves += 1;
    };
    const isOn = (port: number) =>
      query(
        database.url,
        `select shardid from pg_dist_shard join pg_dist_placement using (shardid)
         join pg_dist_node using (groupid)
         where logicalrelid = 'accounts'::regclass and nodeport = $1`,
        port,
      );
    // As an operator does: Citus moves back what one node has too much of, a group of shards at a time.
    const rebalance = async () => {
      await untilFree('select citus_rebalance_start()');
      await query(database.url, 'select citus_rebalance_wait()');
      const back = await isOn(first.port);
      assert.notEqual(back.length, 0, 'nothing was moved');
      moves += back.length;
    };
    const { seen } = await asking(async () => {
      const writer = importing();
      try {
        for (let round = 0; round < ROUNDS; round++) {
          const shards = await isOn(first.port);
          for (const { shardid } of shards) await move(shardid, first, second);
          await rebalance();
        }
      } finally {
        isMoving = false;
        await writer;
        await operator.close();
      }
    });
    assert.deepEqual(
      seen.filter(({ status, fault }) => status !== 200 || fault !== undefined),
      [],
    );
    assert.ok(imports > 0 && moves > 0);
    const [changed] = await query(
      database.url,
      `select count(*)::int as rows, sequence::int as sequence from virtual_numbers join accounts on accounts.id = account_id
       where account_id = '${CHANGING}' group by sequence`,
    );
    assert.deepEqual(changed, { rows: 20, sequence: imports });
    context.diagnostic(`${seen.length} requests, all 200; ${imports} imports; ${moves} moves of shards`);
  });
});
