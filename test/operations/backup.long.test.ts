// The embedded store backed up and brought back: whole, while it is in use, whatever is in the way and
// whenever the process is killed.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs, {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { runBackup, runRestore } from '../../server/commands/backup.ts';
import { withStore } from '../../server/commands/command.ts';
import { WrongUsage } from '../../server/errors.ts';
import { createAccount, updateAccount } from '../../server/store/access/accounts.ts';
import { findCaller } from '../../server/store/access/callers.ts';
import { createToken, listTokens, revokeToken } from '../../server/store/access/tokens.ts';
import { type Sum, sumUp } from '../../server/store/copy.ts';
import { countValues, declarationsOf } from '../../server/store/lists/own-fields.ts';
import { schemaSteps } from '../../server/store/migrations.ts';
import { openStore } from '../../server/store/open.ts';
import { backUp } from '../../server/store/sqlite/backup.ts';
import { restore } from '../../server/store/sqlite/restore.ts';
import type { Store } from '../../server/store/store.ts';
import { StoreRefused, StoreUnavailable } from '../../server/store/store-errors.ts';
import { everyInstant } from '../kit/killed.ts';
import type { ModelRow } from '../kit/model.ts';
import { declareField, updateNumbers } from '../kit/own-fields.ts';
import { Operator } from '../kit/program.ts';
import { numberRow } from '../kit/rows.ts';
import { load } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const ROWS = 200;
/** Enough that a backup of them takes several looks. */
const MANY_ROWS = 3_000;
const LONG = 'x'.repeat(1_500);
const OLD_STEP = 3;
const APPLICATION_ID = 0x4c4e4344;
const WINDOWS = process.platform === 'win32';

const rowsNamed = (comment: string, count = ROWS): ModelRow[] =>
  Array.from({ length: count }, (_, i) => numberRow('acme', i + 1, { comment }));

describe('a backup of the embedded store', () => {
  const folder = temporaryFolder();

  const newPath = (name: string) => join(mkdtempSync(join(folder, name)), 'linecard.db');
  const urlOf = (path: string) => `sqlite:${path}`;

  function on<T>(path: string, work: (store: Store) => Promise<T>): Promise<T> {
    return withStore({ database_url: urlOf(path), database_pooler: 'none' }, work);
  }

  /** All that is in a database, part by part. */
  const sums = (path: string): Promise<Sum[]> => on(path, (store) => sumUp(store, 'reading', () => {}));

  /** A database with an account, a token and rows of this name; returns the token. */
  async function makeDatabase(path: string, name: string, count = ROWS): Promise<string> {
    return on(path, async (store) => {
      await createAccount(store, 'acme', { name });
      await load(store, 'virtual_numbers', rowsNamed(count === ROWS ? name : LONG, count));
      return String((await createToken(store, 'acme', name))?.token);
    });
  }

  async function backUpOf(path: string): Promise<string> {
    const file = `${newPath('backup')}.backup`;
    await backUp(path, file, () => {});
    return file;
  }

  /** What is in a folder, byte for byte. */
  const contents = (path: string) =>
    readdirSync(join(path, '..'))
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(path, '..', name)))
          .digest('hex'),
      ]);

  test('brings back everything, tokens, own fields and revisions too, in one file that its owner alone can read', async () => {
    const path = newPath('whole');
    const token = await makeDatabase(path, 'whole');
    await on(path, async (store) => {
      const other = await createToken(store, 'acme', 'revoked');
      await revokeToken(store, String(other?.id));
      await declareField(store, { name: 'x_site', kind: 'text' });
      await updateNumbers(store, [{ account_id: 'acme', id: 1, x_site: 'Zürich' }]);
    });
    const file = await backUpOf(path);
    assert.deepEqual(readdirSync(join(file, '..')), [file.split('/').at(-1)]);
    if (!WINDOWS) assert.equal(statSync(file).mode & 0o777, 0o600);
    const restored = join(folder, 'elsewhere', 'deep', 'linecard.db');
    const { rows, bytes } = restore(file, restored);
    assert.deepEqual(rows, { accounts: 1, tokens: 2, virtual_numbers: ROWS, additional_services: 0 });
    assert.ok(bytes > 100_000);
    assert.deepEqual(await sums(restored), await sums(path));
    const caller = await on(restored, async (store) => findCaller(store, token));
    assert.equal(caller?.account_id, 'acme');
    const [site] = await on(restored, (store) => declarationsOf(store, 'virtual_numbers'));
    assert.ok(site?.name === 'x_site');
    assert.equal(await on(restored, (store) => countValues(store, 'virtual_numbers', site)), 1);
    for (const name of readdirSync(join(restored, '..')))
      if (!WINDOWS) assert.equal(statSync(join(restored, '..', name)).mode & 0o777, 0o600, name);
  });

  test('is of one instant, though the database is written to all the time', async () => {
    const path = newPath('busy');
    await makeDatabase(path, 'busy', MANY_ROWS);
    const before = await sums(path);
    const writer = await openStore(urlOf(path), 'write');
    const file = `${path}.backup`;
    let looks = 0;
    await backUp(path, file, () => {
      looks += 1;
      void updateAccount(writer, 'acme', { name: `changed ${looks}` });
      void createToken(writer, 'acme', `made ${looks}`);
    });
    assert.ok(looks > 1, 'it was written to in the middle');
    assert.equal((await listTokens(writer, 'customer')).length, looks + 1);
    await writer.close();
    const restored = newPath('instant');
    restore(file, restored);
    assert.deepEqual(await sums(restored), before);
  });

  test('replaces a database and what is left of its log, and nothing is of both', async () => {
    const [path, busy] = [newPath('replaced'), newPath('mixed')];
    await makeDatabase(path, 'first');
    const file = await backUpOf(path);
    const before = await sums(path);
    // As a process leaves it that is killed: with all that it wrote last in its logs.
    const store = await openStore(urlOf(path), 'write');
    await load(store, 'virtual_numbers', rowsNamed('second'));
    for (let i = 0; i < 20; i++) await createToken(store, 'acme', 'second');
    for (const end of ['', '-tokens', '-tokens-wal', '-wal']) copyFileSync(path + end, busy + end);
    await store.close();
    assert.ok(statSync(`${busy}-tokens-wal`).size > 0);
    restore(file, busy);
    assert.deepEqual(await sums(busy), before);
    // The same where the database cannot even be opened, so that nobody could put its log into it.
    writeFileSync(busy, 'Dear Sir or Madam, '.repeat(1_000));
    writeFileSync(`${busy}-tokens`, 'Dear Sir or Madam, '.repeat(1_000));
    for (const end of ['-tokens-wal', '-wal']) writeFileSync(busy + end, 'an old log');
    restore(file, busy);
    assert.deepEqual(await sums(busy), before);
  });

  test('is brought back whole or not at all, at whatever instant the process is killed', async () => {
    const path = newPath('killed');
    await makeDatabase(path, 'first');
    const file = await backUpOf(path);
    const [restored] = [await sums(path)];
    await on(path, async (store) => {
      await load(store, 'virtual_numbers', rowsNamed('second'));
      await createToken(store, 'acme', 'second');
    });
    const old = await sums(path);
    const copies = await everyInstant(join(path, '..'), () => restore(file, path));
    assert.deepEqual(await sums(path), restored);
    const states: string[] = [];
    for (const copy of copies) {
      const left = await sums(join(copy, 'linecard.db'));
      const isOld = JSON.stringify(left) === JSON.stringify(old);
      if (!isOld) assert.deepEqual(left, restored, copy);
      const state = isOld ? 'old' : 'new';
      if (states.at(-1) !== state) states.push(state);
    }
    assert.deepEqual(states, ['old', 'new']);
  });

  test('that is in place, but for its tokens, says so, and the next start does the rest', async () => {
    const path = newPath('unfinished');
    await makeDatabase(path, 'unfinished');
    const file = await backUpOf(path);
    const before = await sums(path);
    mkdirSync(`${path}-tokens.part`);
    assert.throws(() => restore(file, path), /linecard\.db is restored, but its tokens .*the next start/);
    rmdirSync(`${path}-tokens.part`);
    await assert.rejects(openStore(urlOf(path), 'read'), /run linecard-server migrate/);
    assert.deepEqual(await sums(path), before);
  });

  test('is written whole or not at all, and does not touch the one before', async () => {
    const path = newPath('written');
    await makeDatabase(path, 'first');
    const file = join(newPath('before'), '..', 'linecard.backup');
    await backUp(path, file, () => {});
    const first = await sums(path);
    await on(path, (store) => load(store, 'virtual_numbers', rowsNamed('second')));
    const second = await sums(path);
    const copies = await everyInstant(join(file, '..'), () => backUp(path, file, () => {}));
    for (const copy of copies) {
      const restored = newPath('restored');
      restore(join(copy, 'linecard.backup'), restored);
      const found = JSON.stringify(await sums(restored));
      assert.ok(
        [first, second].some((sum) => JSON.stringify(sum) === found),
        copy,
      );
    }
    assert.deepEqual(readdirSync(join(file, '..')), ['linecard.backup']);
  });

  test('is not brought back over a database that is in use, which is left as it is', async () => {
    const path = newPath('used');
    await makeDatabase(path, 'used');
    const file = await backUpOf(path);
    for (const purpose of ['read', 'write'] as const) {
      const store = await openStore(urlOf(path), purpose);
      const is = contents(path);
      assert.throws(
        () => restore(file, path),
        (error) => {
          assert.ok(error instanceof StoreUnavailable);
          assert.match(error.message, /linecard\.db is in use\. Stop the service/);
          return true;
        },
      );
      assert.deepEqual(contents(path), is);
      await store.close();
    }
    const tokens = new DatabaseSync(`${path}-tokens`);
    tokens.exec('begin; select * from tokens');
    assert.throws(() => restore(file, path), /linecard\.db-tokens is in use/);
    tokens.close();
    const before = await sums(path);
    restore(file, path);
    assert.deepEqual(await sums(path), before);
  });

  test('that is none, or is damaged, or of a newer program, is refused, and nothing is changed', async () => {
    const path = newPath('refusing');
    await makeDatabase(path, 'refusing');
    const good = await backUpOf(path);
    const { size } = statSync(good);
    const bad = join(newPath('bad'), '..', 'bad');
    const is = contents(path);
    const mustRefuse = (says: RegExp, make: () => void) => {
      copyFileSync(good, bad);
      make();
      const file = readFileSync(bad);
      assert.throws(
        () => restore(bad, path),
        (error) => {
          assert.ok(error instanceof StoreRefused, String(error));
          assert.match(error.message, says);
          return true;
        },
      );
      assert.deepEqual(contents(path), is);
      assert.deepEqual(readFileSync(bad), file);
    };
    const change = (sql: string) => () => {
      const database = new DatabaseSync(bad);
      database.exec(sql);
      database.close();
    };
    for (const bytes of [0, 50, 4_096, 8_192, Math.floor(size / 2), size - 100])
      mustRefuse(/bad is (?:not a backup|damaged)/, () => truncateSync(bad, bytes));
    mustRefuse(/bad is not a backup/, () => writeFileSync(bad, 'Dear Sir or Madam, '.repeat(500)));
    mustRefuse(/bad is not a backup/, change('pragma application_id = 7'));
    mustRefuse(/bad has schema step 99.*newer Linecard/, change('pragma user_version = 99'));
    mustRefuse(/bad is a database without its tokens/, change('drop table tokens'));
    mustRefuse(/bad (?:is damaged|is not a backup)/, () => {
      const bytes = readFileSync(bad);
      const page = bytes.lastIndexOf('acme') - (bytes.lastIndexOf('acme') % 8_192);
      writeFileSync(bad, bytes.fill(0xa5, page, page + 8_192));
    });
    // Four digits of a telephone number, which SQLite has no reason to doubt. The text of the item has them
    // alone: an index of random hashes may have the same digits, and SQLite finds a change of an index.
    for (const place of [1, 9]) {
      mustRefuse(/bad is damaged: its checksum/, () => {
        const bytes = readFileSync(bad);
        const number = bytes.lastIndexOf('"did":"+4420') + '"did":"'.length;
        assert.match(bytes.toString('latin1', number, number + 13), /^\+442070000\d{3}$/);
        bytes.write('9999', number + place);
        writeFileSync(bad, bytes);
      });
    }
    mustRefuse(/bad is damaged: its checksum/, () => {
      const bytes = readFileSync(bad);
      bytes.write(bytes.at(-1) === 48 ? '1' : '0', size - 1);
      writeFileSync(bad, bytes);
    });
    mustRefuse(/bad is damaged: it ends within its checksum/, () => truncateSync(bad, size - 1));
    mustRefuse(/bad has a log next to it/, () => writeFileSync(`${bad}-wal`, 'a log'));
    assert.throws(() => restore(join(folder, 'nowhere'), path), /There is no file .*nowhere/);
    await assert.rejects(openStore(urlOf(good), 'write'), /is a backup.*linecard-server restore/);
  });

  test('that may not be read, or whose folder may not be written to, says what to do', async (t) => {
    const [path, file] = [newPath('rights'), join(folder, 'rights.backup')];
    await makeDatabase(path, 'before');
    await backUp(path, file, () => {});
    const refusing = (name: 'openSync' | 'copyFileSync', code: string, at: string) => {
      const original = fs[name] as (...words: unknown[]) => unknown;
      t.mock.method(fs, name, (place: string, ...words: unknown[]) => {
        if (place === at) throw Object.assign(new Error(`${code}: no`), { code, path: place });
        return original(place, ...words);
      });
      syncBuiltinESMExports();
    };
    const refused = (says: RegExp) => {
      assert.throws(
        () => restore(file, path),
        (error) => error instanceof StoreRefused && says.test(error.message),
      );
      t.mock.restoreAll();
      syncBuiltinESMExports();
    };
    refusing('openSync', 'EROFS', `${path}.restoring`);
    refused(
      /rights\S+ cannot be written to \(EROFS: no\): mount it for writing, or name .*Nothing was changed\.$/,
    );
    refusing('openSync', 'EACCES', `${path}.restoring`);
    refused(
      /cannot be written to .*: restore as the user that owns it, or name another file with --database-url/,
    );
    refusing('copyFileSync', 'EACCES', file);
    refused(/rights\.backup cannot be read .*: restore as a user that may read it\. Nothing was changed\.$/);
    assert.ok(restore(file, path).bytes > 0);
  });

  test('of an older program, or made by SQLite of such a one, is brought up to date as it comes back', async () => {
    const path = newPath('old');
    const old = new DatabaseSync(path);
    for (const step of schemaSteps('sqlite').slice(0, OLD_STEP)) old.exec(step);
    old.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${OLD_STEP};
      insert into accounts (id, name, created_at, revision) values ('acme', '', '', 'r');
      insert into tokens values ('hash', 'id', 'acme', 'old', '', null, null, null)`);
    old.close();
    const file = await backUpOf(path);
    for (const from of [file, path]) {
      const restored = newPath('older');
      restore(from, restored);
      const [token] = await on(restored, (store) => listTokens(store, 'customer'));
      assert.deepEqual([token?.id, token?.name], ['id', 'old']);
    }
  });

  test('of what is damaged is not made, and one that cannot be written says so', async () => {
    const path = newPath('damaged');
    await makeDatabase(path, 'damaged');
    const file = `${path}.backup`;
    await assert.rejects(
      backUp(path, join(folder, 'no', 'such', 'folder'), () => {}),
      (error) => error instanceof StoreRefused && /folder cannot be written/.test(error.message),
    );
    const bytes = readFileSync(path);
    const page = bytes.lastIndexOf('acme') - (bytes.lastIndexOf('acme') % 8_192);
    writeFileSync(path, bytes.fill(0xa5, page, page + 8_192));
    await assert.rejects(
      backUp(path, file, () => {}),
      /linecard\.db is damaged/,
    );
    assert.equal(existsSync(file), false);
    assert.equal(existsSync(`${file}.part`), false);
    await assert.rejects(
      backUp(join(folder, 'missing'), file, () => {}),
      /There is no database at/,
    );
  });

  test('goes to what a link leads to, and comes back there: the link stays', { skip: WINDOWS }, async () => {
    const [real, path, file] = [newPath('real'), newPath('link'), `${newPath('linked')}.backup`];
    symlinkSync(real, path);
    await makeDatabase(path, 'first');
    // Its tokens are next to the link, and may be one, too.
    const tokens = `${newPath('tokens')}-tokens`;
    renameSync(`${path}-tokens`, tokens);
    symlinkSync(tokens, `${path}-tokens`);
    const before = await sums(path);
    symlinkSync(join(newPath('elsewhere'), '..', 'a.backup'), file);
    for (let i = 0; i < 2; i++) await backUp(path, file, () => {});
    assert.ok(lstatSync(file).isSymbolicLink());
    await on(path, async (store) => {
      await load(store, 'virtual_numbers', rowsNamed('second'));
      await createToken(store, 'acme', 'second');
    });
    restore(file, path);
    assert.deepEqual(await sums(path), before);
    for (const link of [path, `${path}-tokens`]) assert.ok(lstatSync(link).isSymbolicLink(), link);
    assert.deepEqual(readdirSync(join(path, '..')), [
      'linecard.db',
      'linecard.db-reserve',
      'linecard.db-tokens',
    ]);
    assert.deepEqual(readdirSync(join(real, '..')), ['linecard.db']);
  });

  test('replaces no pipe, no folder and no file of the database, under whatever name', async () => {
    const path = newPath('special');
    await makeDatabase(path, 'special');
    const other = join(path, '..', 'other');
    const settings = { database_url: urlOf(path), yes: true, json: false };
    const mustRefuse = async (file: string, says: RegExp) => {
      const { ino } = lstatSync(file);
      const refused = (error: unknown) => error instanceof WrongUsage && says.test(error.message);
      await assert.rejects(runBackup(file, settings), refused, file);
      assert.equal(lstatSync(file).ino, ino);
    };
    await mustRefuse(join(path, '..'), /is a folder or a device, not a file/);
    await assert.rejects(runBackup('-', settings), /to a file, not to standard output/);
    assert.throws(() => restore(join(path, '..'), other), /is a folder or a device, not a file/);
    for (const file of [path, `${path}-tokens`]) {
      await mustRefuse(file, /is a file of the database itself/);
      if (WINDOWS) continue;
      symlinkSync(file, other);
      await mustRefuse(other, /other is a file of the database itself/);
      rmSync(other);
    }
    if (WINDOWS) return;
    execFileSync('mkfifo', [other]);
    await mustRefuse(other, /other is a folder or a device, not a file/);
    const file = await backUpOf(path);
    assert.throws(() => restore(file, other), /other is a device or a pipe, not a file/);
    assert.ok(lstatSync(other).isFIFO());
    // A name that begins like that of the database is not one of its files.
    for (let i = 0; i < 2; i++) await runBackup(`${path}.backup`, settings);
  });

  test('is made and brought back by a command, which asks before it replaces anything', async () => {
    const path = newPath('command');
    await makeDatabase(path, 'command');
    const operator = new Operator(urlOf(path));
    const file = join(path, '..', 'copy.backup');
    const made = await operator.run('backup', file, '--json');
    assert.equal(made.status, 0, made.err);
    const { bytes, ...result } = JSON.parse(made.out);
    assert.equal(bytes, statSync(file).size);
    assert.deepEqual(result, {
      file,
      database: path,
      accounts: 1,
      tokens: 1,
      virtual_numbers: ROWS,
      additional_services: 0,
    });
    assert.match(
      made.err,
      /^Backed up \S+linecard\.db to \S+copy\.backup: 1 account, 1 token, 200 virtual numbers/,
    );
    const settings = { database_url: urlOf(path), yes: false, json: false };
    for (const run of [runBackup, runRestore])
      await assert.rejects(run(file, settings), /needs confirmation.*--yes/);
    const restored = await operator.run('restore', file, '--yes');
    assert.equal(restored.status, 0, restored.err);
    assert.match(restored.err, /^Restored \S+linecard\.db from/);
    const ways = [
      [
        'postgres://owner:secret@db.example:5433/linecard',
        runBackup,
        /pg_dump --format=custom --file=x postgres:\/\/owner@db\.example:5433\/linecard$/,
      ],
      [
        'postgres://owner@db.example:5433/linecard?password=secret',
        runRestore,
        /pg_restore .*--dbname=postgres:\/\/owner@db\.example:5433\/linecard x$/,
      ],
    ] as const;
    for (const [database_url, run, says] of ways) {
      await assert.rejects(run('x', { ...settings, database_url }), (error) => {
        assert.ok(error instanceof WrongUsage);
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    }
  });
});
