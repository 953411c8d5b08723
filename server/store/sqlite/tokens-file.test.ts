// The tokens of the embedded store in a file of their own: where they come from, and what is refused.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { everyInstant } from '../../../test/kit/killed.ts';
import { createAccount, deleteAccount, listAccounts } from '../access/accounts.ts';
import { findCaller } from '../access/callers.ts';
import { createToken, listTokens, revokeToken, type Token } from '../access/tokens.ts';
import { schemaSteps } from '../migrations.ts';
import { openStore } from '../open.ts';
import { StoreRefused, StoreUnavailable } from '../store-errors.ts';
import { tables } from '../tables.ts';

/** The last step at which tokens were in the database itself. */
const OLD_STEP = 3;
const OLD_TOKENS = ['first', 'second', 'third'];
const APPLICATION_ID = 0x4c4e4344;
const WINDOWS = process.platform === 'win32';

describe('the tokens of the embedded store', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'linecard-tokens-file-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const databaseIn = (name: string) => {
    const inside = mkdtempSync(join(folder, name));
    const path = join(inside, 'linecard.db');
    return { inside, path, url: `sqlite:${path}` };
  };

  /** A database as an older Linecard left it. */
  function makeOld(path: string): void {
    const database = new DatabaseSync(path);
    database.exec('pragma journal_mode = wal');
    for (const step of schemaSteps('sqlite').slice(0, OLD_STEP)) database.exec(step);
    database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${OLD_STEP};
      insert into accounts (id, name, created_at, revision) values ('acme', '', '2026-01-01', 'r')`);
    const insert = database.prepare(
      "insert into tokens values (?, ?, 'acme', 'old', '2026-01-01', null, ?, '2026-02-02')",
    );
    for (const [i, id] of OLD_TOKENS.entries())
      insert.run(`hash of ${id}`, id, i === 0 ? '2026-03-03' : null);
    database.close();
  }

  async function tokensOf(url: string): Promise<Token[]> {
    const store = await openStore(url, 'write');
    const tokens = await listTokens(store, 'customer');
    await store.close();
    return tokens;
  }

  const tablesOf = (path: string) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const found = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
    database.close();
    return found.map(({ name }) => name);
  };

  test('of an older database move into their file, with all that is known of them', async () => {
    const { path, url } = databaseIn('old');
    makeOld(path);
    const moved = await tokensOf(url);
    assert.deepEqual(
      moved.map(({ id, revoked_at, last_used_at }) => [id, revoked_at, last_used_at]),
      OLD_TOKENS.map((id, i) => [id, i === 0 ? '2026-03-03' : null, '2026-02-02']),
    );
    assert.ok(tablesOf(`${path}-tokens`).includes('tokens'));
    assert.ok(!tablesOf(path).includes('tokens'));
    assert.equal(statSync(`${path}-tokens`).mode, statSync(path).mode, 'for the same users as before');
    assert.deepEqual(await tokensOf(url), moved);
  });

  test('that move while the process is killed, at any instant, are all there the next time', async () => {
    const { inside, path, url } = databaseIn('killed');
    makeOld(path);
    const copies = await everyInstant(inside, () => tokensOf(url));
    const expected = await tokensOf(url);
    assert.equal(expected.length, OLD_TOKENS.length);
    const states = new Set<string>();
    for (const copy of copies) {
      const there = join(copy, 'linecard.db');
      const where = [tablesOf(there).includes('tokens'), existsSync(`${there}-tokens`)];
      assert.ok(where[0] || where[1], 'they are in one of the two files');
      states.add(String(where));
      assert.deepEqual(await tokensOf(`sqlite:${there}`), expected, copy);
      assert.deepEqual(
        readdirSync(copy).filter((name) => name.includes('.part')),
        [],
      );
    }
    assert.deepEqual([...states], ['true,false', 'true,true', 'false,true']);
  });

  test('that were put into a database again count, and not those that were next to it', async () => {
    const { path, url } = databaseIn('again');
    makeOld(path);
    await tokensOf(url);
    const newer = await openStore(url, 'write');
    await revokeToken(newer, 'second');
    await newer.close();
    rmSync(path);
    makeOld(path);
    writeFileSync(`${path}-tokens-wal`, 'a log of the file that is replaced');
    await assert.rejects(openStore(url, 'read'), /run linecard-server migrate/);
    const tokens = await tokensOf(url);
    assert.equal(tokens.find(({ id }) => id === 'second')?.revoked_at, null);
  });

  test('are not created again where their file, or the database next to it, is missing or something else', async () => {
    const { path, url } = databaseIn('gone');
    makeOld(path);
    await tokensOf(url);
    const tokens = readFileSync(`${path}-tokens`);
    const mustRefuse = async (...says: RegExp[]) => {
      for (const purpose of ['read', 'write', 'change', 'note'] as const) {
        await assert.rejects(openStore(url, purpose), (error) => {
          assert.ok(error instanceof StoreRefused, String(error));
          for (const words of says) assert.match(error.message, words, purpose);
          return true;
        });
      }
    };
    rmSync(`${path}-tokens`);
    await mustRefuse(/linecard\.db-tokens is missing/, /Bring it back/, /restore/);
    assert.equal(existsSync(`${path}-tokens`), false);
    await assert.rejects(openStore(url, 'write', { create: false }), StoreRefused);
    const begun = await openStore(url, 'write', { create: true });
    assert.deepEqual(await listTokens(begun, 'customer'), []);
    assert.equal((await listAccounts(begun)).length, 1);
    await begun.close();
    writeFileSync(`${path}-tokens`, 'Dear Sir or Madam, '.repeat(500));
    await mustRefuse(/linecard\.db-tokens is not a SQLite database/);
    writeFileSync(`${path}-tokens`, tokens.subarray(0, tokens.length - 4_096));
    await mustRefuse(/linecard\.db-tokens is damaged/, /backup/);
    writeFileSync(`${path}-tokens`, tokens);
    rmSync(path);
    await assert.rejects(
      openStore(url, 'write'),
      /linecard\.db is missing, but .*linecard\.db-tokens is there/,
    );
    assert.deepEqual(readFileSync(`${path}-tokens`), tokens);
    makeOld(path);
    rmSync(`${path}-tokens`);
    writeFileSync(`${path}-tokens`, 'Dear Sir or Madam, '.repeat(500));
    await assert.rejects(
      openStore(url, 'write'),
      /linecard\.db-tokens is in the way.*not a file of Linecard/,
    );
  });

  test('and the database wait for none but their own writer', async () => {
    const { path, url } = databaseIn('locks');
    const store = await openStore(url, 'write');
    await createAccount(store, 'acme');
    const noter = await openStore(url, 'note');
    const load = await (await openStore(url, 'write')).load(tables.virtual_numbers);
    const made = await createToken(noter, 'acme', 'beside an import');
    assert.ok(made && (await findCaller(noter, made.token)));
    await assert.rejects(createAccount(noter, 'other'), StoreUnavailable);
    await load.rollback();
    const writer = new DatabaseSync(`${path}-tokens`);
    writer.exec('begin immediate');
    await assert.rejects(createToken(noter, 'acme', 'beside another'), StoreUnavailable);
    assert.equal(await createAccount(noter, 'other'), true);
    writer.close();
    await Promise.all([store.close(), noter.close()]);
  });

  test('go with their account, or neither goes', async () => {
    const { inside, url } = databaseIn('delete');
    const store = await openStore(url, 'write');
    for (const id of ['acme', 'other']) {
      await createAccount(store, id);
      await createToken(store, id, '');
    }
    const holder = await openStore(url, 'write');
    const load = await holder.load(tables.virtual_numbers);
    const hasty = await openStore(url, 'note');
    await assert.rejects(deleteAccount(hasty, 'acme'), StoreUnavailable);
    assert.equal(
      (await listTokens(store, 'customer', 'acme')).length,
      1,
      'an import was in the way, and nothing is gone',
    );
    await load.rollback();
    await Promise.all([holder.close(), hasty.close()]);

    const copies = await everyInstant(inside, () => deleteAccount(store, 'acme'));
    await setImmediate();
    assert.deepEqual(
      (await listTokens(store, 'customer')).map(({ account_id }) => account_id),
      ['other'],
    );
    await store.close();
    const states = new Set<string>();
    for (const copy of copies) {
      const left = await openStore(`sqlite:${join(copy, 'linecard.db')}`, 'write');
      const accounts = (await listAccounts(left)).map(({ id }) => id);
      const tokens = (await listTokens(left, 'customer')).map(({ account_id }) => account_id);
      await left.close();
      assert.ok(
        accounts.includes('acme') || !tokens.includes('acme'),
        'no token is left of an account that is gone',
      );
      states.add(`${accounts} ${tokens}`);
    }
    assert.deepEqual([...states], ['acme,other acme,other', 'acme,other other']);
  });

  test('go with their account also where one is made while it is deleted', async (context) => {
    const { url } = databaseIn('meanwhile');
    const [store, other] = [await openStore(url, 'write'), await openStore(url, 'change')];
    await createAccount(store, 'acme');
    let made: ReturnType<typeof createToken> | undefined;
    const { mock } = context.mock.method(DatabaseSync.prototype, 'close', function (this: DatabaseSync) {
      mock.restore();
      this.close();
      made ??= createToken(other, 'acme', 'meanwhile');
    });
    assert.equal(await deleteAccount(store, 'acme'), true);
    assert.ok(await made, 'one was made in between');
    assert.deepEqual(await listTokens(other, 'customer'), []);
    await Promise.all([store.close(), other.close()]);
  });

  test('are in files that their owner alone can read, whatever the mask of the process', {
    skip: WINDOWS,
  }, async () => {
    const { inside } = databaseIn('modes');
    const before = process.umask(0);
    try {
      const path = join(inside, 'deep', 'er', 'linecard.db');
      const store = await openStore(`sqlite:${path}`, 'write');
      await createAccount(store, 'acme');
      await createToken(store, 'acme', '');
      const reader = await openStore(`sqlite:${path}`, 'read');
      const files = readdirSync(join(path, '..')).sort();
      assert.deepEqual(
        files,
        ['', '-reserve', '-shm', '-tokens', '-tokens-shm', '-tokens-wal', '-wal'].map(
          (end) => `linecard.db${end}`,
        ),
      );
      for (const name of files) assert.equal(statSync(join(path, '..', name)).mode & 0o777, 0o600, name);
      for (const up of ['..', '../..']) assert.equal(statSync(join(path, up)).mode & 0o777, 0o700, up);
      await Promise.all([store.close(), reader.close()]);
    } finally {
      process.umask(before);
    }
  });
});
