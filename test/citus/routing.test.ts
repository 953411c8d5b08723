// On Citus a customer's request is of one shard: whatever statement is made for one, the plan of the database
// goes to a single shard and joins nothing that is elsewhere.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { ReachedAccounts } from '../../server/http/reached-account.ts';
import * as facets from '../../server/lists/facets-statements.ts';
import { dayRange } from '../../server/lists/payments.ts';
import * as ranges from '../../server/lists/ranges.ts';
import { findLine, listedStatement } from '../../server/store/access/account-tree.ts';
import { createAccount, MAX_ACCOUNT_LEVELS } from '../../server/store/access/accounts.ts';
import { findCaller } from '../../server/store/access/callers.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import type { Condition } from '../../server/store/conditions.ts';
import { citus } from '../../server/store/dialects.ts';
import * as heads from '../../server/store/lists/heads.ts';
import * as activity from '../../server/store/log/activity.ts';
import * as changes from '../../server/store/log/change-log.ts';
import { openStore } from '../../server/store/open.ts';
import { Placements } from '../../server/store/postgres/nodes/placements.ts';
import type { Shard } from '../../server/store/postgres/nodes/shard.ts';
import type { AnyStatement, Plan, Selection } from '../../server/store/sql.ts';
import * as sql from '../../server/store/sql.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { move } from '../kit/account-tree.ts';
import { CITUS_URL, makeCitusDatabase, NO_CITUS, urlOn } from '../kit/citus-server.ts';
import { answerFrom, questionOf } from '../kit/questions.ts';
import { numberRow } from '../kit/rows.ts';
import { load } from '../kit/service.ts';
import type { Database } from '../kit/templates.ts';

const OWNER = 'C1';

const WHERE: readonly Condition[] = [
  { column: 'country_code', test: 'any', type: 'text', value: ['GB', 'US'] },
  { column: 'id', test: 'any', type: 'bigint', value: [1, 2] },
  { column: 'next_payment_at', test: 'after', value: '2026' },
  {
    either: [
      { column: 'did_folded', test: 'contains', value: '44' },
      { column: 'did_digits', test: 'begins', value: '44' },
    ],
  },
];
const whole: Selection = { account_id: OWNER, list: 'virtual_numbers', where: [], whole: true };
const some: Selection = { ...whole, where: WHERE, whole: false };
const byDate = { column: 'next_payment_at', nullable: true, descending: true };
const plan: Plan = { ...some, order: byDate, limit: 10, offset: 20 };
const DAYS = dayRange(Date.parse('2026-11-23'), 2, new Map([['monthly', 1]]));
const numbers = {
  all: some,
  each: [],
  until: ['2026-11-23'],
  days: undefined,
  hasCharges: false,
  currency: null,
};

const RANGES = { table: tables.virtual_numbers, selection: whole, splits: [], minCount: 1 };

/** Every statement that is made for a request, by the function that makes it. */
const CASES: Readonly<Record<string, readonly AnyStatement[]>> = {
  rowsStatement: [
    sql.rowsStatement(citus, plan),
    sql.rowsStatement(citus, { ...plan, after: { key: '2026', id: 7 } }),
    sql.rowsStatement(citus, { ...plan, after: { key: null, id: 7 } }),
    sql.rowsStatement(citus, { ...whole, order: { column: 'id', nullable: false, descending: false } }),
  ],
  rowsByIdStatement: [
    sql.rowsByIdStatement(citus, whole, [1, 2], 'id'),
    sql.rowsByIdStatement(citus, whole, [1, 2], 'did_folded'),
  ],
  columnsStatement: [sql.columnsStatement(citus, some, ['did_folded', 'monthly'])],
  rangesStatement: [
    ranges.rangesStatement(citus, RANGES),
    ranges.rangesStatement(citus, { ...RANGES, selection: some, splits: ['provider', 'status'] }, 'item'),
  ],
  keyStatement: [sql.keyStatement(citus, plan, 7)],
  revisionStatement: [heads.revisionStatement(OWNER), heads.revisionStatement(OWNER, 1)],
  headStatement: [heads.headStatement(citus, whole), heads.headStatement(citus, some, 1)],
  changesHeadStatement: [
    heads.changesHeadStatement(citus, whole, 1),
    heads.changesHeadStatement(citus, some, 1),
  ],
  changesStatement: [changes.changesStatement(citus, some, { after: [0, 0], limit: 10 })],
  currencyStatement: [facets.currencyStatement(OWNER)],
  sumsStatement: [facets.sumsStatement(citus, { ...numbers, summed: ['activation', 'monthly', 'incoming'] })],
  facetStatement: [
    facets.facetStatement(citus, { column: 'country_code', selection: some }, false),
    facets.facetStatement(citus, { column: 'country_code', selection: some }, true),
  ],
  paymentsStatement: [facets.paymentsStatement(citus, some, DAYS)],
  activityHeadStatement: [activity.activityHeadStatement(OWNER, ['virtual_numbers'])],
  activityStatement: [undefined, [1, 2]].map((ids) =>
    activity.activityStatement(citus, OWNER, tables.virtual_numbers, ['added', 'spam_flagged'], {
      upTo: 9,
      imports: 10,
      times: [{ column: 'ended_at', test: 'from', value: '2026' }],
      ids,
      shown: 20,
    }),
  ),
  removedLabelsStatement: [activity.removedLabelsStatement(citus, OWNER, 'virtual_numbers', [1, 2])],
  replacedStatement: [activity.replacedStatement(OWNER)],
  knownStatement: [true, false].map((isKnown) =>
    activity.knownStatement(citus, OWNER, ['virtual_numbers'], isKnown),
  ),
};

/** A store that notes what it is asked to read. */
function noting(store: Store, into: AnyStatement[]): Store {
  return {
    dialect: store.dialect,
    read: (...statements: AnyStatement[]) => {
      into.push(...statements);
      return store.read(...statements);
    },
  } as unknown as Store;
}

describe('a request on Citus', { skip: CITUS_URL === undefined ? NO_CITUS : false }, () => {
  let database: Database;
  let store: Store;
  let client: Client;
  let shard: Shard;
  /** A connection to the node that has it. */
  let node: Client;
  before(async () => {
    database = await makeCitusDatabase();
    store = await openStore(database.url, 'write');
    const rows = Array.from({ length: 40 }, (_, i) => numberRow(`C${i % 8}`, i + 1));
    await load(store, 'virtual_numbers', rows);
    client = new Client(database.url);
    await client.connect();
    const placement = await new Placements(async (one) => (await store.read(one))[0]).lookUp(OWNER);
    assert.ok(placement);
    shard = placement.shard;
    node = new Client(urlOn(database.url, placement.node));
    await node.connect();
  });
  after(async () => {
    await client.end();
    await node.end();
    await store.close();
    await database.remove();
  });

  async function planOf({ text, values }: AnyStatement, on = client): Promise<string> {
    const bound = values.map((value) => (Array.isArray(value) ? [...value] : value));
    const { rows } = await on.query({
      text: `explain (costs off) ${text}`,
      values: bound,
      rowMode: 'array',
    });
    return rows.flat().join('\n');
  }

  /** On the node of the account, by the names of its shard: a plan of PostgreSQL alone. */
  async function mustNeedNoPlanner(statement: AnyStatement): Promise<void> {
    for (const own of shard.own([statement], { kind: 'account_id', value: OWNER })) {
      assert.doesNotMatch(await planOf(own, node), /Citus/, own.text);
    }
  }

  async function mustBeOfOneShard(statement: AnyStatement): Promise<void> {
    const said = await planOf(statement);
    assert.deepEqual(said.match(/Task Count: .*/g), ['Task Count: 1'], `${statement.text}\n${said}`);
    assert.doesNotMatch(said, /Distributed Subplan|MapMerge/, statement.text);
  }

  test('what this test takes for the plan of many shards is one', async () => {
    const said = await planOf({ text: 'select count(*) from virtual_numbers', values: [] });
    assert.match(said, /Task Count: [2-9]/);
  });

  test('no statement that is made for requests is missing here', () => {
    const made = [sql, heads, changes, facets, ranges, activity].flatMap((file) => Object.keys(file));
    assert.deepEqual(
      made.filter((name) => name.endsWith('Statement')).toSorted(),
      Object.keys(CASES).toSorted(),
    );
  });

  for (const [name, statements] of Object.entries(CASES)) {
    test(`${name} makes statements of one shard`, async () => {
      for (const statement of statements) {
        await mustBeOfOneShard(statement);
        await mustNeedNoPlanner(statement);
      }
    });
  }

  test('the look-up of a caller reads one row of one node, and then one shard; so does an account', async () => {
    const made = await createToken(store, OWNER, 'test');
    const statements: AnyStatement[] = [];
    const caller = await findCaller(noting(store, statements), made?.token ?? '');
    assert.ok(caller);
    assert.equal(caller.account_id, OWNER);
    const question = { ...questionOf('account', undefined, OWNER), owner: caller };
    await answerFrom(noting(store, statements), question);
    assert.equal(statements.length, 4);
    for (const statement of statements) await mustBeOfOneShard(statement);
  });

  test('an account that a header names is found by one read of one shard for each level, shared by concurrent requests', async () => {
    const line = Array.from({ length: MAX_ACCOUNT_LEVELS }, (_, level) => `level ${level}`);
    for (const [level, id] of line.entries()) {
      await createAccount(store, id);
      if (level > 0) await move(store, id, line[level - 1] ?? null);
    }
    const lowest = line.at(-1) ?? '';
    const statements: AnyStatement[] = [];
    const found = await findLine(noting(store, statements), lowest);
    assert.deepEqual(found?.above, line.slice(0, -1).toReversed());
    assert.equal(statements.length, MAX_ACCOUNT_LEVELS);
    for (const statement of statements) await mustBeOfOneShard(statement);
    await mustBeOfOneShard(listedStatement(lowest));
    const made = await createToken(store, line[0] ?? '', 'test', undefined, { reach: 'tree' });
    const caller = await findCaller(store, made?.token ?? '');
    assert.ok(caller);
    const reads: AnyStatement[] = [];
    const reached = new ReachedAccounts(noting(store, reads), true);
    const readers = [1, 2, 3].map(() => reached.reader(caller, encodeURIComponent(lowest)));
    for (const reader of readers) assert.equal((await reader).account_id, lowest);
    assert.equal(reads.length, MAX_ACCOUNT_LEVELS);
  });
});
