// What only a PostgreSQL database can be or do: of another program, of another encoding, out of reach,
// migrated by several processes at once; and what an import does when its connection breaks or a row is
// refused.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_OWN_FIELDS } from '@linecard/client/contract/own-fields';
import { QueryParser } from '@linecard/client/contract/query-parser';
import { Client } from 'pg';
import { createAccount, listAccounts } from '../../server/store/access/accounts.ts';
import { findCaller } from '../../server/store/access/callers.ts';
import { createToken, revokeToken, succeedToken } from '../../server/store/access/tokens.ts';
import { schemaSteps } from '../../server/store/migrations.ts';
import { openStore } from '../../server/store/open.ts';
import { OWN_TEXT, slotColumns } from '../../server/store/own-columns.ts';
import { statement } from '../../server/store/sql.ts';
import type { Store } from '../../server/store/store.ts';
import { StoreEmpty, StoreRefused, StoreUnavailable } from '../../server/store/store-errors.ts';
import { type Stored, storedColumns, tables } from '../../server/store/tables.ts';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { PostgresServer, query, urlWith } from '../kit/postgres-server.ts';
import { answerFrom, questionOf } from '../kit/questions.ts';
import { numberRow } from '../kit/rows.ts';
import { load } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const table = tables.virtual_numbers;
/** The columns for the values of own fields. */
const SLOTS = [...Array.from({ length: MAX_OWN_FIELDS }, (_, i) => slotColumns(i + 1)).flat(), ...OWN_TEXT];

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});

async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const database = await server.makeDatabase();
  try {
    await work(database.url);
  } finally {
    await database.remove();
  }
}

/** Refused with words that help, and without the password. */
async function mustRefuse(
  url: string,
  kind: typeof StoreEmpty | typeof StoreRefused | typeof StoreUnavailable,
  ...words: RegExp[]
) {
  await assert.rejects(openStore(url, 'read', { timeoutMs: 2_000 }), (error: Error) => {
    assert.ok(error instanceof kind, `${error.name}: ${error.message}`);
    for (const word of words) assert.match(error.message, word);
    const { password } = new URL(url);
    assert.ok(password === '' || !error.message.includes(password));
    return true;
  });
}

test('a statement that names a table that no step has made is wrong itself, one that was dropped is not there', () =>
  withDatabase(async (url) => {
    const store = await openStore(url, 'write');
    try {
      const reading = (text: string) => Promise.resolve(store.read({ text, values: [] }));
      for (const text of ['select id from tokens_of_nobody', 'select nobody from accounts'])
        await assert.rejects(reading(text), (error: Error) => !(error instanceof StoreUnavailable));
      await store.write(statement('drop table webhook_events'));
      await assert.rejects(reading('select id from webhook_events'), (error: Error) => {
        assert.ok(error instanceof StoreUnavailable);
        return /A table is not there any more/.test(error.message);
      });
    } finally {
      await store.close();
    }
  }));

describe('a PostgreSQL database is refused, with the way out', () => {
  test('when it is empty and may not be changed', () =>
    withDatabase(async (url) => mustRefuse(url, StoreEmpty, /migrate/)));

  test('when the password is wrong', () =>
    mustRefuse(
      urlWith(server.url, { user: 'unknown', password: 'not-the-one' }),
      StoreRefused,
      /password|let/,
    ));

  test('when there is no database of that name', () =>
    mustRefuse(urlWith(server.url, { database: 'not_there' }), StoreRefused, /not_there/, /createdb/));

  test('when nothing listens there', () =>
    mustRefuse('postgres://somebody:secret@127.0.0.1:1/linecard', StoreUnavailable, /ECONNREFUSED/));

  test('when the URL is not well-formed', async () => {
    await assert.rejects(openStore('postgres://a:se cret/@:x', 'read'), (error: Error) => {
      assert.ok(error instanceof StoreRefused && !error.message.includes('se cret'), error.message);
      return true;
    });
  });

  test('when its text is not UTF-8', async () => {
    await query(server.url, `create database linecard_latin template template0 encoding 'LATIN1' locale 'C'`);
    try {
      await mustRefuse(urlWith(server.url, { database: 'linecard_latin' }), StoreRefused, /LATIN1/, /UTF8/);
    } finally {
      await query(server.url, 'drop database linecard_latin with (force)');
    }
  });

  test('when a newer Linecard wrote it', () =>
    withDatabase(async (url) => {
      await (await openStore(url, 'write')).close();
      await query(url, `update deployment set value = '99' where name = 'schema_step'`);
      await mustRefuse(url, StoreRefused, /step 99/, /newer/);
      await assert.rejects(openStore(url, 'write'), /newer/);
    }));

  test('when it was upgraded after the program had opened it, for an import', () =>
    withDatabase(async (url) => {
      const store = await openStore(url, 'write');
      try {
        const upgrade = `update deployment set value = (value::int + 1)::text where name = 'schema_step'`;
        await query(url, upgrade);
        for (const begin of [() => store.load(table), () => store.beginImport()])
          await assert.rejects(
            begin,
            (error) => error instanceof StoreRefused && /newer/.test(error.message),
          );
        await query(url, upgrade.replace('+', '-'));
        await (await store.beginImport()).rollback();
      } finally {
        await store.close();
      }
    }));

  for (const [title, made] of [
    ['a table of the same name', 'create table accounts (id int)'],
    ['a deployment of its own', 'create table deployment (name int)'],
  ] as const) {
    test(`when another program has ${title}`, () =>
      withDatabase(async (url) => {
        await query(url, made);
        await assert.rejects(openStore(url, 'write'), (error) => error instanceof StoreRefused);
        const left = await query(
          url,
          `select relname from pg_class where relnamespace = 'public'::regnamespace`,
        );
        assert.equal(left.length, 1, 'it is left as it was');
      }));
  }
});

test('a disk of the database that is full is named', () =>
  withDatabase(async (url) => {
    const store = await openStore(url, 'write');
    const text = `do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`;
    await assert.rejects(store.write({ text, values: [] }), (error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(error.message, /The disk of the database is full \(.*extend.*\)\. Nothing was changed\.$/);
      return true;
    });
    await store.close();
  }));

test('an import and a snapshot outlast what the database limits sessions to', () =>
  withDatabase(async (url) => {
    const limits = ['statement', 'lock', 'idle_in_transaction_session', 'transaction'];
    // PostgreSQL before 17 has no limit on transactions.
    const known = await query(
      url,
      'select name from pg_settings where name = any($1)',
      limits.map((one) => `${one}_timeout`),
    );
    for (const { name } of known)
      await query(url, `alter database ${new URL(url).pathname.slice(1)} set ${name} = '200ms'`);
    const store = await openStore(url, 'write');
    const run = await store.load(table);
    await sleep(400);
    await run.commit();
    const snapshot = await store.snapshot();
    await snapshot.read(statement('select 1'));
    await sleep(400);
    assert.deepEqual(await snapshot.read(statement('select 2')), [[[2]]]);
    await snapshot.close();
    await store.close();
  }));

test('a database without a connection left is one that runs', () =>
  withDatabase(async (url) => {
    await (await openStore(url, 'write')).close();
    const role = `linecard_many_${randomBytes(4).toString('hex')}`;
    await query(url, `create role ${role} login password 'one' connection limit 0`);
    try {
      const many = urlWith(url, { user: role, password: 'one' });
      await mustRefuse(many, StoreUnavailable, /no connection left .*limit, or .*--database-connections/);
    } finally {
      await query(url, `drop role ${role}`);
    }
  }));

describe('the schema of a PostgreSQL database', () => {
  test('says what a role lacks that may not make it or bring it up to date, or a URL whose schema is not there', () =>
    withDatabase(async (url) => {
      const role = `linecard_low_${randomBytes(4).toString('hex')}`;
      await query(url, `create role ${role} login password 'low'`);
      await query(url, 'revoke create on schema public from public');
      const low = urlWith(url, { user: role, password: 'low' });
      const nowhere = new URL(url);
      nowhere.searchParams.set('options', '-c search_path=nowhere');
      try {
        await assert.rejects(
          openStore(nowhere.href, 'write'),
          /no schema .*Make it first: create schema NAME\.$/,
        );
        await assert.rejects(
          openStore(low, 'write'),
          /may make no tables .*alter database NAME owner to ROLE\.$/,
        );
        await (await openStore(url, 'write')).close();
        await query(url, `update deployment set value = '9' where name = 'schema_step'`);
        await query(url, `grant select on deployment to ${role}`);
        await assert.rejects(openStore(low, 'write'), /not up to date.*: run linecard-server migrate with/);
      } finally {
        await query(url, `drop owned by ${role}`);
        await query(url, `drop role ${role}`);
      }
    }));

  test('is made once, however many try at the same time', () =>
    withDatabase(async (url) => {
      const opened = await Promise.all([1, 2, 3, 4].map(() => openStore(url, 'write')));
      for (const store of opened) await store.close();
      const [step] = await query(url, `select value from deployment where name = 'schema_step'`);
      assert.equal(step?.['value'], String(schemaSteps('postgres').length));
    }));

  test('may be any that the URL names', () =>
    withDatabase(async (url) => {
      await query(url, 'create schema elsewhere');
      const there = new URL(url);
      there.searchParams.set('options', '-c search_path=elsewhere');
      const store = await openStore(there.href, 'write');
      await createAccount(store, 'C1');
      assert.equal((await listAccounts(store)).length, 1);
      await store.close();
      const [row] = await query(url, 'select count(*)::int as count from elsewhere.accounts');
      assert.equal(row?.['count'], 1);
    }));

  // A plan for any values would compare every row with each of the values: 200,000 with 10,000.
  test('plans for its values what has many of them, and caches the plan of what has few', () =>
    withDatabase(async (url) => {
      const store = await openStore(url, 'write', { connections: 1 });
      try {
        await load(store, 'virtual_numbers', hardRows.virtual_numbers);
        const parser = new QueryParser(table.list);
        const planned = async (values: number) => {
          const providers = Array.from({ length: values }, (_, i) => `Carrier ${i}`);
          const query = parser.ofJson(JSON.stringify({ providers }));
          const question = questionOf('page', table.name, LARGE_ACCOUNT, { query });
          // PostgreSQL plans for the values five times before it may keep a plan.
          for (let i = 0; i < 8; i++) await answerFrom(store, question);
          const [[[cached] = []]] = await store.read({
            text: 'select count(*) from pg_prepared_statements where statement like $1',
            values: ['%provider = any%'],
          });
          return cached;
        };
        assert.equal(await planned(21), 0);
        assert.equal(await planned(20), 2);
      } finally {
        await store.close();
      }
    }));

  test('has the columns that are derived from the lists, and compares all text by code points', () =>
    withDatabase(async (url) => {
      await (await openStore(url, 'write')).close();
      const columns = await query(
        url,
        `select table_name, column_name, data_type, collation_name from information_schema.columns
         where table_schema = 'public'`,
      );
      for (const { name, list } of Object.values(tables)) {
        const stored = storedColumns(tables[list.name as keyof typeof tables]);
        const columnsHere = columns.filter(({ table_name }) => table_name === name);
        assert.deepEqual(
          columnsHere.map(({ column_name }) => String(column_name)).sort(),
          [...stored, ...SLOTS].sort(),
        );
      }
      const text = columns.filter(({ data_type }) => data_type === 'text');
      assert.ok(text.every(({ collation_name }) => collation_name === 'C'));
    }));
});

test('the rows of a customer lie together after the first import, whatever the order of its file', () =>
  withDatabase(async (url) => {
    const store = await openStore(url, 'write');
    const rows = Array.from({ length: 300 }, (_, i) => numberRow(`C${(i * 7) % 5}`, i + 1));
    await load(store, 'virtual_numbers', rows);
    await store.close();
    const stored = await query(url, 'select account_id from virtual_numbers order by ctid');
    const owners = stored.map(({ account_id }) => String(account_id));
    assert.deepEqual(owners, owners.toSorted());
  }));

test('many slow reads of one account leave those of another nearly alone', () =>
  withDatabase(async (url) => {
    await (await openStore(url, 'write')).close();
    const store = await openStore(url, 'read', { connections: 4, batchReads: 8 });
    const read = async (account: string) => {
      await store.read({
        text: `select $1::text, pg_sleep($2)::text`,
        values: [account, account === 'acme' ? 0.02 : 0],
        owner: { kind: 'account_id', value: account },
      });
    };
    // All connections are open, so that none of what follows waits for one to be made.
    await Promise.all(Array.from({ length: 32 }, (_, i) => read(`other-${i}`)));
    const READS = 80;
    let done = 0;
    const reads = Array.from({ length: READS }, async () => {
      await read('acme');
      done += 1;
    });
    await read('globex');
    // All round trips but one may be on their way, some with the most reads that share one.
    assert.ok(done <= 16, `${done} of ${READS} came first`);
    await Promise.all(reads);
    await store.close();
  }));

test('a read has one processor of the database, behind a pooler too, unless its URL says otherwise', () =>
  withDatabase(async (url) => {
    await (await openStore(url, 'write')).close();
    const workersOf = async (to: string, pooler: 'none' | 'transaction') => {
      const store = await openStore(to, 'read', { pooler });
      const [rows] = await store.read({
        text: `select current_setting('max_parallel_workers_per_gather')`,
        values: [],
      });
      await store.close();
      return rows;
    };
    for (const pooler of ['none', 'transaction'] as const)
      assert.deepEqual(await workersOf(url, pooler), [['0']]);
    const two = `${url}?options=-c%20max_parallel_workers_per_gather%3D2`;
    assert.deepEqual(await workersOf(two, 'none'), [['2']]);
  }));

test('tokens are made, succeeded and revoked while an import holds all that it is to commit', () =>
  withDatabase(async (url) => {
    const store = await openStore(url, 'write');
    const operator = await openStore(url, 'change');
    await load(store, 'virtual_numbers', hardRows.virtual_numbers.slice(0, 50));
    const run = await store.load(table);
    await run.prepare({ removeOthers: 'all' });
    // What waited for the import would wait for ever: it is committed after it.
    const made = await createToken(operator, 'acme', 'meanwhile');
    const next = await succeedToken(operator, made?.id ?? '');
    assert.equal(await revokeToken(operator, made?.id ?? ''), 'revoked');
    await run.commit();
    assert.deepEqual(await operator.read({ text: 'select id from virtual_numbers', values: [] }), [[]]);
    assert.equal((await findCaller(operator, next?.token ?? ''))?.account_id, 'acme');
    await operator.close();
    await store.close();
  }));

test('changes that lock the same rows in opposite orders are made, one after the other', () =>
  withDatabase(async (url) => {
    const store = await openStore(url, 'write');
    const accounts = ['acme', 'globex'];
    for (const id of accounts) await createAccount(store, id);
    const rename = (id: string) => ({
      text: `update accounts set name = name || '+' where id = $1`,
      values: [id],
    });
    // Each goes on when both have locked their first row.
    const gate = new Client(url);
    await gate.connect();
    await gate.query('select pg_advisory_lock(1)');
    const pass = { text: 'select pg_advisory_xact_lock_shared(1)::text', values: [] };
    const changes = [accounts, accounts.toReversed()].map(([first = '', second = '']) =>
      store.write(rename(first), pass, rename(second)),
    );
    const waiting = `select count(*) as n from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and locktype = 'advisory' and not granted`;
    await until('both have a row', async () => Number((await query(url, waiting))[0]?.['n']) === 2);
    await gate.end();
    await Promise.all(changes);
    const [names] = await store.read({ text: `select name from accounts order by id`, values: [] });
    assert.deepEqual(names, [['++'], ['++']]);
    const counted = 'select deadlocks from pg_stat_database where datname = current_database()';
    await until(
      'a deadlock is counted',
      async () => Number((await query(url, counted))[0]?.['deadlocks']) > 0,
    );
    await store.close();
  }));

describe('an import into PostgreSQL', () => {
  let database: { url: string; remove(): Promise<void> };
  let store: Store;
  const beforeImport = hardRows.virtual_numbers.slice(0, 50);
  const rows: (readonly Stored[])[] = [];

  before(async () => {
    database = await server.makeDatabase();
    store = await openStore(database.url, 'write');
    await load(store, 'virtual_numbers', beforeImport);
    const text = `select ${storedColumns(table).join(', ')} from ${table.name}`;
    rows.push(...(await store.read({ text, values: [] }))[0]);
  });
  after(async () => {
    await store.close();
    await database.remove();
  });

  const everything = async () =>
    store.read(
      { text: `select id, item from ${table.name} order by id`, values: [] },
      { text: 'select id, revision, virtual_numbers from accounts order by id', values: [] },
    );

  /** Rows that would change every account. */
  const changed = () => rows.map((row) => row.with(-1, '{}'));

  /** Nothing of it is there, and the next import works. */
  async function mustLeaveAsItWas(broken: () => Promise<void>) {
    const was = await everything();
    await broken();
    assert.deepEqual(await everything(), was);
    await load(store, 'virtual_numbers', beforeImport);
    assert.deepEqual(await everything(), was);
  }

  const importers = async () =>
    query(
      database.url,
      `select pid from pg_stat_activity where datname = current_database()
       and (state like 'idle in transaction%' or query like 'copy import_rows%')`,
    );

  test('whose connection is killed amid the rows', () =>
    mustLeaveAsItWas(async () => {
      const run = await store.load(table);
      await run.add(changed(), [...rows.keys()]);
      for (const { pid } of await importers())
        await query(database.url, 'select pg_terminate_backend($1)', pid);
      await assert.rejects(run.commit(), (error) => error instanceof StoreUnavailable);
      await run.rollback();
    }));

  test('whose connection is lost before it reads anything', () =>
    mustLeaveAsItWas(async () => {
      const run = await store.load(table);
      for (const { pid } of await importers())
        await query(database.url, 'select pg_terminate_backend($1)', pid);
      await sleep(200);
      await assert.rejects(run.commit(), /^StoreUnavailable: .* cannot be reached: the connection was lost$/);
      await run.rollback();
    }));

  test('whose backend is killed while it is written, upon which the server restarts', async () => {
    const own = await PostgresServer.start();
    try {
      const ownDatabase = await own.makeDatabase();
      const { url } = ownDatabase;
      const other = await openStore(url, 'write');
      await load(other, 'virtual_numbers', beforeImport);
      const text = `select count(*), sum(length(item)) from ${table.name}`;
      const was = await other.read({ text, values: [] });
      const run = await other.load(table);
      await run.add(changed(), [...rows.keys()]);
      const [importer] = await query(
        url,
        `select pid from pg_stat_activity where query like 'copy import_rows%'`,
      );
      process.kill(Number(importer?.['pid']), 'SIGKILL');
      await assert.rejects(run.commit(), (error) => error instanceof StoreUnavailable);
      await run.rollback();
      // The server restarts once it has noticed, and ends every other connection then.
      await query(url, 'select pg_sleep(2)').catch(() => []);
      while ((await query(url, 'select 1').catch(() => [])).length === 0);
      assert.deepEqual(await other.read({ text, values: [] }), was);
      await load(other, 'virtual_numbers', beforeImport);
      await other.close();
      await ownDatabase.remove();
    } finally {
      await own.stop();
    }
  });

  test('that PostgreSQL does not take as text', () =>
    mustLeaveAsItWas(async () => {
      const run = await store.load(table);
      const nul = rows.map((row, i) => (i === 3 ? row.with(-1, 'a\0b') : row));
      await assert.rejects(async () => {
        await run.add(nul, [...rows.keys()]);
        await run.commit();
      }, /PostgreSQL refused/);
      await run.rollback();
    }));

  test('with a row that the table does not take', () =>
    mustLeaveAsItWas(async () => {
      const run = await store.load(table);
      const did = storedColumns(table).indexOf('did_folded');
      const withoutDid = changed().map((row, i) => (i === 3 ? row.with(did, null) : row));
      await run.add(withoutDid, [...rows.keys()]);
      await assert.rejects(run.commit(), /PostgreSQL refused.*23502/);
      await run.rollback();
    }));

  test('shows the old list until it is committed', async () => {
    const was = await everything();
    const run = await store.load(table);
    await run.add(changed(), [...rows.keys()]);
    assert.deepEqual(await everything(), was);
    await run.commit();
    assert.notDeepEqual(await everything(), was);
    await load(store, 'virtual_numbers', beforeImport);
  });

  test('may move a row between accounts, and renews the revision of both', async () => {
    const [first, second, third] = beforeImport.map(({ account_id }) => account_id);
    const revisions = async () =>
      new Map(
        (await store.read({ text: 'select id, revision from accounts', values: [] }))[0].map(([id, r]) => [
          id,
          r,
        ]),
      );
    const beforeMove = await revisions();
    const other = [first, second, third].find((id) => id !== first) as string;
    const moved = { ...(beforeImport[0] as (typeof beforeImport)[number]), account_id: other };
    await load(store, 'virtual_numbers', [moved]);
    const afterMove = await revisions();
    const renewed = [...afterMove.keys()].filter((id) => afterMove.get(id) !== beforeMove.get(id));
    assert.deepEqual(new Set(renewed), new Set([first, other]));
    const [counted] = await store.read({
      text: `select id, virtual_numbers, (select count(*) from virtual_numbers where account_id = accounts.id) from accounts`,
      values: [],
    });
    for (const [id, total, rows] of counted) assert.equal(total, rows, String(id));
  });
});

/** As a statement of an account that takes a while; each row begins with its owner. */
const slowRead = (account: string, token?: string) => ({
  text: 'select $1::text, 1 from pg_sleep(0.1)',
  values: [account],
  owner: { kind: 'account_id', value: account } as const,
  token,
});

test('slow reads of one token over many accounts hold a quarter of the connections while others read', () =>
  withDatabase(async (url) => {
    await (await openStore(url, 'write')).close();
    const store = await openStore(url, 'read', { connections: 8 });
    try {
      await store.read(slowRead('account of another'));
      let isOver = false;
      const reads = Array.from({ length: 12 }, async (_, i) => store.read(slowRead(`below-${i}`, 'tree')));
      const all = Promise.all(reads).finally(() => {
        isOver = true;
      });
      let most = 0;
      await until('all are read', () => {
        most = Math.max(most, store.figures?.().busy ?? 0);
        return isOver;
      });
      await all;
      assert.equal(most, 2);
    } finally {
      await store.close();
    }
  }));
