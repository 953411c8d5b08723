// The embedded store's file: its schema, what is refused and left as it is, and what writers and readers wait
// for.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { MAX_OWN_FIELDS } from '@linecard/client/contract/own-fields';
import { createAccount, insertAccount, listAccounts } from '../access/accounts.ts';
import { schemaSteps } from '../migrations.ts';
import { openStore } from '../open.ts';
import { OWN_TEXT, slotColumns } from '../own-columns.ts';
import { columnsStatement, rowsByIdStatement, rowsStatement, sql } from '../sql.ts';
import type { Purpose } from '../store.ts';
import { ForeignRows, StoreRefused, StoreUnavailable } from '../store-errors.ts';
import { storedColumns, storedRow, tables } from '../tables.ts';
import { DATABASE, migrate, schemaStep } from './migrate.ts';

const PURPOSES: readonly Purpose[] = ['read', 'write', 'note'];
const APPLICATION_ID = 0x4c4e4344;
const MIGRATORS = 6;
const PAGE_BYTES = 8_192;
/** The last byte of the schema format number in the header (SQLite's file format, 1.3). */
const FORMAT_BYTE = 47;
const BY_ID = { column: 'id', nullable: false, descending: false };
/** The columns for the values of own fields. */
const SLOTS = [...Array.from({ length: MAX_OWN_FIELDS }, (_, i) => slotColumns(i + 1)).flat(), ...OWN_TEXT];
const WHOLE = { list: 'virtual_numbers', where: [], whole: true };

describe('the embedded store', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'linecard-sqlite-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const at = (name: string) => join(folder, name);
  const urlOf = (path: string) => `sqlite:${path}`;

  /**
   * What a database holds: its file, and its log where anything is in it. SQLite may leave empty ones behind.
   */
  function contents(path: string): (string | undefined)[] {
    return [path, `${path}-wal`].map((file) =>
      existsSync(file) && statSync(file).isFile() && statSync(file).size > 0
        ? createHash('sha256').update(readFileSync(file)).digest('hex')
        : undefined,
    );
  }

  async function mustRefuse(path: string, purposes: readonly Purpose[], ...says: RegExp[]): Promise<void> {
    for (const purpose of purposes) {
      const were = contents(path);
      await assert.rejects(openStore(urlOf(path), purpose), (error) => {
        assert.ok(error instanceof StoreRefused, `${purpose}: ${error}`);
        for (const words of says) assert.match(error.message, words, purpose);
        return true;
      });
      assert.deepEqual(contents(path), were, `${purpose}: a file was touched`);
    }
  }

  async function makeDatabase(name: string): Promise<string> {
    const store = await openStore(urlOf(at(name)), 'write');
    await createAccount(store, 'acme', { name: 'Acme' });
    await store.close();
    return at(name);
  }

  describe('has a schema', () => {
    test('with the columns that rows are stored by, and no other', async () => {
      const database = new DatabaseSync(await makeDatabase('columns.db'));
      for (const table of Object.values(tables)) {
        const columns = database.prepare(`select name from pragma_table_info('${table.name}')`).all();
        assert.deepEqual(
          columns.map(({ name }) => String(name)).sort(),
          [...storedColumns(table), ...SLOTS].sort(),
        );
        const [strict] = database
          .prepare(`select strict from pragma_table_list where name = '${table.name}'`)
          .all();
        assert.equal(strict?.['strict'], 1, 'a column takes what it says and nothing else');
      }
      database.close();
    });

    test('whose steps are numbered without a gap, and are all taken', async () => {
      const schema = new URL('../schema/', import.meta.url);
      const files = readdirSync(schema).sort();
      for (const [i, name] of files.entries()) {
        assert.match(name, new RegExp(`^${String(i + 1).padStart(3, '0')}-[a-z0-9-]+\\.sql$`));
        const [head, ...sections] = readFileSync(new URL(name, schema), 'utf8').split(/^-- for: /m);
        assert.match(head ?? '', /^(--.*\n|\n)*$/, `${name}: a statement is for no schema`);
        for (const section of sections)
          assert.match(section, /^(sqlite|sqlite-tokens|postgres)(, (sqlite-tokens|postgres))*\n/, name);
      }
      assert.equal(schemaSteps('sqlite').length, files.length);
      const database = new DatabaseSync(await makeDatabase('steps.db'));
      assert.equal(database.prepare('pragma user_version').get()?.['user_version'], files.length);
      assert.equal(database.prepare('pragma application_id').get()?.['application_id'], APPLICATION_ID);
      assert.equal(database.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok');
      assert.equal(database.prepare('pragma journal_mode').get()?.['journal_mode'], 'wal');
      database.close();
    });

    test('that is made in an empty file and in a folder that is not there yet', async () => {
      writeFileSync(at('empty.db'), '');
      const deep = join(folder, 'not', 'there', 'yet.db');
      for (const path of [at('empty.db'), deep]) {
        const store = await openStore(urlOf(path), 'write');
        assert.deepEqual(await listAccounts(store), []);
        await store.close();
      }
    });

    test('that is made once, and then not touched', async () => {
      const path = await makeDatabase('again.db');
      const key = async () => {
        const store = await openStore(urlOf(path), 'write');
        const [[row]] = await store.read(sql`select value from deployment where name = ${'cursor_key'}`);
        assert.deepEqual(
          (await listAccounts(store)).map(({ id }) => id),
          ['acme'],
        );
        await store.close();
        return row?.[0];
      };
      assert.equal(await key(), await key());
      assert.notEqual(await key(), undefined);
    });

    test('with a key for cursors that no other deployment has', async () => {
      const keys = await Promise.all(
        ['key-1.db', 'key-2.db'].map(async (name) => {
          const database = new DatabaseSync(await makeDatabase(name));
          const key = database.prepare("select value from deployment where name = 'cursor_key'").get()?.[
            'value'
          ];
          database.close();
          return String(key);
        }),
      );
      assert.notEqual(keys[0], keys[1]);
      assert.match(String(keys[0]), /^[0-9a-f]{64}$/);
    });

    test('that several processes make at once, one after another', async () => {
      const url = urlOf(at('at-once.db'));
      const code = `
        const { workerData, parentPort } = require('node:worker_threads');
        import(workerData.module).then(async ({ openStore }) => {
          const store = await openStore(workerData.url, 'write');
          await store.close();
          parentPort.postMessage('done');
        });`;
      const workerData = { module: new URL('../open.ts', import.meta.url).href, url };
      await Promise.all(
        Array.from({ length: MIGRATORS }, () => {
          const { promise, resolve, reject } = Promise.withResolvers<void>();
          const worker = new Worker(code, { eval: true, workerData });
          worker.once('message', () => resolve());
          worker.once('error', reject);
          return promise;
        }),
      );
      const store = await openStore(url, 'read');
      assert.deepEqual(await listAccounts(store), []);
      await store.close();
    });
  });

  describe('waits while another process makes the file', () => {
    const path = () => at('being-made.db');

    /** A connection on which something happens before each attempt to give the file a log. */
    function withAttempts(timeout: number, before: (attempt: number) => void): DatabaseSync {
      const database = new DatabaseSync(path(), { timeout });
      const exec = database.exec.bind(database);
      let attempts = 0;
      database.exec = (text) => {
        if (text === 'pragma journal_mode = wal') before(++attempts);
        exec(text);
      };
      return database;
    }

    test('and has a lock that SQLite waits for no time-out to get', () => {
      using other = new DatabaseSync(path());
      using own = withAttempts(60_000, (attempt) => {
        if (attempt === 1) other.exec('begin immediate');
        if (attempt === 3) other.exec('rollback');
      });
      migrate(own, path(), DATABASE);
      assert.equal(schemaStep(other, path(), DATABASE), schemaSteps('sqlite').length);
    });

    test('but not for ever', () => {
      rmSync(path());
      using other = new DatabaseSync(path());
      other.exec('begin immediate');
      using own = withAttempts(20, () => {});
      assert.throws(() => migrate(own, path(), DATABASE), { errstr: 'database is locked' });
    });
  });

  test('does not refuse what another process makes while it looks', () => {
    for (const looks of [0, 1, 2]) {
      const path = at(`while-looking-${looks}.db`);
      const [own, other] = [new DatabaseSync(path), new DatabaseSync(path)];
      let left = looks;
      const prepare: DatabaseSync['prepare'] = (text) => {
        if (left === 0) migrate(other, path, DATABASE);
        left -= 1;
        return own.prepare(text);
      };
      assert.doesNotThrow(() => schemaStep({ prepare } as DatabaseSync, path, DATABASE));
      for (const one of [own, other]) one.close();
    }
  });

  describe('refuses, says why, and leaves as it is', () => {
    test('a file that is not there, unless it is to be written', async () => {
      await mustRefuse(at('missing.db'), ['read', 'note'], /no database at .*missing\.db/i);
      assert.equal(existsSync(at('missing.db')), false);
    });

    test('a file that is gone while its log is still there', async () => {
      writeFileSync(at('gone.db-wal'), 'what was written last');
      await mustRefuse(at('gone.db'), ['write'], /gone\.db is missing.*gone\.db-wal/, /back/i);
      assert.equal(existsSync(at('gone.db')), false);
    });

    test('a file that is no database', async () => {
      writeFileSync(at('letter.db'), 'Dear Sir or Madam, '.repeat(500));
      await mustRefuse(
        at('letter.db'),
        PURPOSES,
        /letter\.db is not a SQLite database/,
        /backup|another file/,
      );
    });

    test('a database of another program', async () => {
      const database = new DatabaseSync(at('other.db'));
      database.exec("create table songs (title text); insert into songs values ('Hello')");
      database.close();
      await mustRefuse(
        at('other.db'),
        PURPOSES,
        /other\.db is a SQLite database of another program/,
        /another file/,
      );
    });

    test('a database of another program that has marked it as its own', async () => {
      const database = new DatabaseSync(at('marked.db'));
      database.exec(
        'pragma application_id = 252006673; pragma user_version = 1; create table songs (title text)',
      );
      database.close();
      await mustRefuse(at('marked.db'), PURPOSES, /another program/);
    });

    test('a schema that is newer than the program', async () => {
      const path = await makeDatabase('newer.db');
      const database = new DatabaseSync(path);
      database.exec(
        `pragma user_version = ${schemaSteps('sqlite').length + 1}; pragma wal_checkpoint(truncate)`,
      );
      database.close();
      await mustRefuse(path, PURPOSES, /newer/i, /version|backup/);
    });

    test('a schema that became newer after the program had opened it, for an import', async () => {
      const path = await makeDatabase('upgraded.db');
      const store = await openStore(`sqlite:${path}`, 'write');
      const other = new DatabaseSync(path);
      const step = schemaSteps('sqlite').length;
      other.exec(`pragma user_version = ${step + 1}`);
      for (const begin of [() => store.load(tables.virtual_numbers), () => store.beginImport()])
        await assert.rejects(begin, (error) => error instanceof StoreRefused && /newer/.test(error.message));
      other.exec(`pragma user_version = ${step}`);
      other.close();
      await (await store.beginImport()).rollback();
      await store.close();
    });

    test('a schema that is older than the program, where it may not be brought up to date', async () => {
      const older = new DatabaseSync(at('older.db'));
      older.exec(
        `${schemaSteps('sqlite')[0]}; pragma application_id = ${0x4c4e4344}; pragma user_version = 1`,
      );
      older.close();
      await mustRefuse(at('older.db'), ['read', 'change', 'note'], /not up to date/, /migrate/);
    });

    test('a file with nothing in it, where none may be made', async () => {
      writeFileSync(at('nothing.db'), '');
      await mustRefuse(at('nothing.db'), ['read', 'change', 'note'], /nothing\.db is empty/, /make one/);
    });

    test('a database of which only the first part is left', async () => {
      const path = await makeDatabase('whole.db');
      const { size } = statSync(path);
      for (const [i, bytes] of [
        size - 8_192,
        size - 100,
        Math.floor(size / 2),
        16_384,
        8_192,
        4_096,
        100,
        20,
      ].entries()) {
        const part = at(`part-${i}.db`);
        copyFileSync(path, part);
        truncateSync(part, bytes);
        await mustRefuse(part, PURPOSES, /part-\d\.db (?:is damaged|is not a SQLite database)/, /backup/);
      }
    });

    test('a database whose header has a format that SQLite does not know', async () => {
      const path = await makeDatabase('format.db');
      const bytes = readFileSync(path);
      bytes[FORMAT_BYTE] = 0xe1;
      writeFileSync(path, bytes);
      await mustRefuse(path, PURPOSES, /format\.db is damaged/, /backup/);
    });

    test('a database whose schema is overwritten', async () => {
      const path = await makeDatabase('scratched.db');
      const bytes = readFileSync(path);
      bytes.fill(0xa5, 100, 8_192);
      writeFileSync(path, bytes);
      await mustRefuse(path, PURPOSES, /scratched\.db is damaged/, /backup/);
    });

    test('a folder, and a path through a file', async () => {
      mkdirSync(at('folder.db'));
      writeFileSync(at('file'), '');
      await mustRefuse(at('folder.db'), PURPOSES, /folder\.db/);
      await mustRefuse(join(at('file'), 'below.db'), PURPOSES, /below\.db|file/);
    });

    test('a URL that names no file', async () => {
      for (const url of [
        'sqlite:',
        'sqlite::memory:',
        '',
        'linecard.db',
        'mysql://x',
        '/data/linecard.db',
        'SQLITE:x',
      ]) {
        await assert.rejects(
          openStore(url, 'write'),
          (error) => error instanceof StoreRefused && /sqlite:/.test(error.message),
          url,
        );
      }
      assert.equal(existsSync('linecard.db'), false);
    });
  });

  describe('shares its file', () => {
    test('readers go on while a writer holds the lock, and a store opened to note does not wait', async () => {
      const path = await makeDatabase('shared.db');
      const writer = new DatabaseSync(path);
      const reader = await openStore(urlOf(path), 'read');
      const noter = await openStore(urlOf(path), 'note');
      writer.exec("begin immediate; update accounts set name = 'New'");
      assert.deepEqual(
        (await listAccounts(reader)).map(({ name }) => name),
        ['Acme'],
      );
      await assert.rejects(
        noter.write({ text: "update accounts set name = 'Note'", values: [] }),
        StoreUnavailable,
      );
      writer.exec('commit');
      await noter.write({ text: "update accounts set name = name || '!'", values: [] });
      writer.close();
      await setImmediate();
      assert.deepEqual(
        (await listAccounts(reader)).map(({ name }) => name),
        ['New!'],
      );
      await Promise.all([reader.close(), noter.close()]);
    });

    test('a store that is opened to read writes nothing', async () => {
      const path = await makeDatabase('readers.db');
      const reader = await openStore(urlOf(path), 'read');
      await assert.rejects(createAccount(reader, 'intruder'));
      assert.deepEqual(
        (await listAccounts(reader)).map(({ id }) => id),
        ['acme'],
      );
      await reader.close();
    });

    test('when one of several statements fails, none changes anything', async () => {
      const path = await makeDatabase('batch.db');
      const store = await openStore(urlOf(path), 'write');
      const good = sql`insert into accounts (id, name, created_at, revision) values (${'b'}, ${''}, ${''}, ${''})`;
      await assert.rejects(store.write(good, sql`insert into nothing values (${1})`));
      assert.deepEqual(
        (await listAccounts(store)).map(({ id }) => id),
        ['acme'],
      );
      await store.write(good);
      assert.deepEqual(
        (await listAccounts(store)).map(({ id }) => id),
        ['acme', 'b'],
      );
      await store.close();
    });

    test('an error that ends a transaction by itself is reported as it is', async () => {
      const path = await makeDatabase('full.db');
      const database = new DatabaseSync(path);
      database.exec(`create trigger full before insert on accounts begin
        select raise(rollback, 'database or disk is full'); end`);
      database.close();
      const store = await openStore(urlOf(path), 'write');
      await assert.rejects(createAccount(store, 'other', { name: 'Other' }), /disk is full/);
      assert.deepEqual(
        (await listAccounts(store)).map(({ id }) => id),
        ['acme'],
      );
      await store.close();
    });

    test('a page that cannot be read fails the reads that need it, and no other', async () => {
      const path = at('damaged-amid.db');
      const writer = await openStore(urlOf(path), 'write');
      await writer.write(
        ...Array.from({ length: 2_000 }, (_, i) => insertAccount(`customer-${i}`, { name: 'x'.repeat(100) })),
      );
      await writer.close();
      const file = readFileSync(path);
      const last = file.lastIndexOf(`customer-1990`);
      file.fill(0xa5, last - (last % 8_192), last - (last % 8_192) + 8_192);
      writeFileSync(path, file);
      const store = await openStore(urlOf(path), 'read');
      for (let i = 0; i < 3; i++) {
        await assert.rejects(
          async () => listAccounts(store),
          (error) => error instanceof StoreUnavailable && /malformed.*restore/.test(error.message),
        );
        await setImmediate();
        const [[row]] = await store.read({ text: 'select count(*) from deployment', values: [] });
        assert.deepEqual(row, [1]);
        await setImmediate();
      }
      await store.close();
    });

    test('a column whose name is damaged fails the reads that need it, with the way out', async () => {
      const path = at('damaged-name.db');
      await (await openStore(urlOf(path), 'write')).close();
      const bytes = readFileSync(path);
      const name = 'disabled_at';
      assert.ok(bytes.includes(name));
      writeFileSync(path, bytes.toString('latin1').replaceAll(name, 'disabled_ax'), 'latin1');
      const store = await openStore(urlOf(path), 'read');
      assert.throws(
        () => store.read({ text: `select ${name} from accounts`, values: [] }),
        (error) => error instanceof StoreUnavailable && /linecard-server restore/.test(error.message),
      );
      assert.deepEqual(await store.read({ text: 'select id from accounts', values: [] }), [[]]);
      await store.close();
    });

    test('a statement that names what no step has made is wrong itself, and no backup helps', async () => {
      for (const purpose of ['write', 'read'] as const) {
        const store = await openStore(urlOf(at('mistaken.db')), purpose);
        for (const text of [
          'select none from accounts',
          'select id from nowhere',
          'select accounts.none from accounts',
          'select none from tokens',
        ])
          assert.throws(
            () => store.read({ text, values: [] }),
            (error) => !(error instanceof StoreUnavailable) && /no such/.test((error as Error).message),
            text,
          );
        await store.close();
      }
    });

    test('an index that leads to a row of another account gives out nothing of it', async () => {
      const path = at('damaged-index.db');
      const writer = await openStore(urlOf(path), 'write');
      const table = tables.virtual_numbers;
      await writer.write(...['acme', 'globex'].map((id) => insertAccount(id)));
      const load = await writer.load(table);
      const empty = Object.entries(table.list.fields).map(([name, { kind }]) => [
        name,
        kind === 'text' || kind === 'timestamp' ? '' : 0,
      ]);
      const rowOf = (account_id: string, id: number) =>
        storedRow(table, account_id, { ...Object.fromEntries(empty), id });
      const rows = [1, 2, 3].map((id) => rowOf('globex', id));
      await load.add([...rows, rowOf('acme', 4)], [1, 2, 3, 4]);
      await load.commit();
      await writer.close();
      const database = new DatabaseSync(path, { readOnly: true });
      const [{ rootpage }] = database
        .prepare(`select rootpage from sqlite_schema where name = 'virtual_numbers_by_account'`)
        .all() as [{ rootpage: number }];
      database.close();
      // The entry of the last row of globex, its account and its id, leads to that of acme instead.
      const file = readFileSync(path);
      const entry = file.indexOf('globex\u0003', (rootpage - 1) * PAGE_BYTES);
      file.writeUInt8(4, entry + 'globex'.length);
      writeFileSync(path, file);

      const store = await openStore(urlOf(path), 'read');
      const order = { column: 'did_folded', nullable: false, descending: true };
      const isGuarded = (error: unknown) => error instanceof ForeignRows && /restore/.test(error.message);
      for (const of of [
        (account_id: string) => columnsStatement(store.dialect, { ...WHOLE, account_id }, ['did_digits']),
        (account_id: string) => rowsStatement(store.dialect, { ...WHOLE, account_id, order: BY_ID }),
        (account_id: string) => rowsStatement(store.dialect, { ...WHOLE, account_id, order }),
        (account_id: string) => rowsByIdStatement(store.dialect, { ...WHOLE, account_id }, [2, 4], 'id'),
      ]) {
        assert.throws(() => store.read(of('globex')), isGuarded);
        assert.equal((await store.read(of('acme')))[0].length, 1);
        const snapshot = await store.snapshot();
        await assert.rejects(Array.fromAsync(snapshot.rows(of('globex'))), isGuarded);
        await snapshot.close();
      }
      await store.close();
    });

    test('its state is another one after each commit of another connection, and only then', async () => {
      const url = urlOf(at('moving.db'));
      const writer = await openStore(url, 'write');
      const reader = await openStore(url, 'read');
      const state = async () => {
        await setImmediate();
        return reader.state?.();
      };
      const seen = [await state()];
      assert.equal(await state(), seen[0]);
      for (const id of ['a', 'b', 'c']) {
        await createAccount(writer, id);
        seen.push(await state());
        assert.equal(await state(), seen.at(-1));
      }
      assert.equal(new Set(seen).size, 4);
      await reader.close();
      await writer.close();
    });

    test('all that is read at once is of one snapshot, and the next iteration of the event loop sees what came since', async () => {
      const path = await makeDatabase('snapshot.db');
      const [reader, writer] = [await openStore(urlOf(path), 'read'), await openStore(urlOf(path), 'write')];
      const count = { text: 'select count(*) from accounts', values: [] };
      for (let accounts = 1; accounts < 20; accounts++) {
        const [one, other] = await reader.read(count, count);
        assert.deepEqual([one, other], [[[accounts]], [[accounts]]]);
        await createAccount(writer, `account-${accounts}`);
        await setImmediate();
      }
      await Promise.all([reader.close(), writer.close()]);
    });

    test('of a thread, which takes requests from a queue, every read sees what came since the one before', async () => {
      const path = await makeDatabase('queue.db');
      const reader = await openStore(urlOf(path), 'read', { sharesSnapshots: false });
      const writer = await openStore(urlOf(path), 'write');
      const count = { text: 'select count(*) from accounts', values: [] };
      for (let accounts = 1; accounts < 20; accounts++) {
        const [one, other] = await reader.read(count, count);
        assert.deepEqual([one, other], [[[accounts]], [[accounts]]]);
        await createAccount(writer, `account-${accounts}`);
      }
      await Promise.all([reader.close(), writer.close()]);
    });
  });

  test('statements that are of no more use are closed, and not left to the collector', async (context) => {
    const store = await openStore(urlOf(at('statements.db')), 'write');
    const snapshot = await store.snapshot();
    const close = context.mock.method(StatementSync.prototype, 'close');
    const different = 1_000;
    for (let i = 0; i < different; i++) {
      const statement = { text: `select ${i} from deployment`, values: [] };
      assert.equal((await store.read(statement))[0][0]?.[0], i);
      assert.equal((await snapshot.read(statement))[0][0]?.[0], i);
      for await (const rows of snapshot.rows(statement)) assert.equal(rows[0]?.[0], i);
    }
    // Those of a snapshot at once, and of the store all but what it has cached.
    assert.ok(close.mock.callCount() > 2.5 * different, `${close.mock.callCount()} were closed`);
    await snapshot.close();
    await store.close();
  });
});
