// On Citus an account is read from the tables of its shard, on the node that has it; a shard that moves takes
// its readers along, whatever it leaves behind.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { postgres } from '../../server/store/dialects.ts';
import { openStore } from '../../server/store/open.ts';
import { type Placement, Placements } from '../../server/store/postgres/nodes/placements.ts';
import { Shard, ShardMoved } from '../../server/store/postgres/nodes/shard.ts';
import { type AnyStatement, rowsStatement, statement } from '../../server/store/sql.ts';
import type { Store } from '../../server/store/store.ts';
import { CITUS_URL, makeCitusDatabase, NO_CITUS, nodesOf, urlOn } from '../kit/citus-server.ts';
import { query } from '../kit/postgres-server.ts';
import { numberRow } from '../kit/rows.ts';
import { load } from '../kit/service.ts';
import type { Database } from '../kit/templates.ts';

const ACCOUNT = 'C1';
const OWNER = { kind: 'account_id', value: ACCOUNT } as const;
const byId = { column: 'id', nullable: false, descending: false };
const PAGE = rowsStatement(postgres, {
  account_id: ACCOUNT,
  list: 'virtual_numbers',
  where: [],
  whole: true,
  order: byId,
  limit: 10,
});

describe('the tables of a shard', () => {
  const shard = new Shard('7', '{"accounts": 7, "virtual_numbers": 23}');

  test('are named where a statement names those of the deployment, and keep the names that it uses', () => {
    const [own] = shard.own(
      [
        statement(
          'select accounts.id from accounts join virtual_numbers as list on list.id = 1 join tokens on true',
        ),
      ],
      OWNER,
    );
    assert.equal(
      own?.text,
      'select accounts.id from accounts_7 as accounts join virtual_numbers_23 as list on list.id = 1 join tokens on true',
    );
  });

  test('are believed where the node says that it has them, and nowhere else', () => {
    assert.deepEqual(shard.rowsOf([[['a']], [[1]]]), [[['a']]]);
    assert.throws(() => shard.rowsOf([[['a']], [[0]]]), ShardMoved);
    assert.throws(() => shard.rowsOf([[['a']], []]), ShardMoved);
  });
});

describe('a shard of Citus', { skip: CITUS_URL === undefined ? NO_CITUS : false }, () => {
  let database: Database;
  let operator: Store;
  let reader: Store;
  before(async () => {
    database = await makeCitusDatabase();
    operator = await openStore(database.url, 'write');
    await change('first');
    reader = await openStore(database.url, 'read', { timeoutMs: 10_000 });
  });
  after(async () => {
    await reader?.close();
    await operator?.close();
    await database?.remove();
  });

  const change = (comment: string) => load(operator, 'virtual_numbers', [numberRow(ACCOUNT, 1, { comment })]);
  const placement = async () =>
    (await new Placements(async (one) => (await operator.read(one))[0]).lookUp(ACCOUNT)) as Placement;
  const comments = async (statements: readonly AnyStatement[] = [PAGE]) => {
    const [rows = []] = await reader.read(...statements);
    return rows.map(([item]) => JSON.parse(String(item)).comment);
  };
  /** Moves the shard of the account to the other worker, and leaves its tables behind. */
  async function move(): Promise<Placement> {
    const { node } = await placement();
    const [other] = (await nodesOf(database.url)).filter(
      ({ port, isCoordinator }) => !isCoordinator && port !== node.port,
    );
    await query(
      database.url,
      `select citus_move_shard_placement(get_shard_id_for_distribution_column('accounts', $1::text), $2, $3, $4, $5, 'block_writes')`,
      ACCOUNT,
      node.host,
      node.port,
      other?.host,
      other?.port,
    );
    return placement();
  }

  test('is read by its own names, which no planner of the cluster sees', async () => {
    const { node, shard } = await placement();
    const [own] = shard.own([PAGE as AnyStatement], OWNER);
    const plan = await query(
      urlOn(database.url, node),
      `explain ${(own?.text ?? '').replace('$1', `'${ACCOUNT}'`)}`,
    );
    assert.doesNotMatch(JSON.stringify(plan), /Citus/);
    assert.match(JSON.stringify(plan), /virtual_numbers_\d+/);
    assert.deepEqual(await comments(), ['first']);
  });

  test('that has moved is read where it is at once, although its tables are still where they were', async () => {
    const { node, shard } = await placement();
    assert.deepEqual(await comments(), ['first']);
    const moved = await move();
    assert.notEqual(moved.node.port, node.port);
    await change('after the move');
    const [own] = shard.own([PAGE as AnyStatement], OWNER);
    const [left] = await query(
      urlOn(database.url, node),
      'select to_regclass($1) is not null as is_there',
      /virtual_numbers_\d+/.exec(own?.text ?? '')?.[0],
    );
    assert.deepEqual(left, { is_there: true });
    assert.deepEqual(await comments(), ['after the move']);
  });

  test('that has moved and left nothing behind is read where it is at once', async () => {
    assert.deepEqual(await comments(), ['after the move']);
    await move();
    await query(database.url, 'call citus_cleanup_orphaned_resources()');
    await change('once more');
    assert.deepEqual(await comments(), ['once more']);
  });

  test('is read with others in one round trip, and the others do not suffer from its move', async () => {
    await move();
    const all = await Promise.all(Array.from({ length: 20 }, () => comments()));
    assert.deepEqual(
      all,
      all.map(() => ['once more']),
    );
  });
});
