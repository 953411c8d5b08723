// `copy`: everything of one store is in another, or no request is served from it.

import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { ACCOUNT_COLUMNS, createAccount, disableAccount } from '../../server/store/access/accounts.ts';
import { DELETED_ACCOUNTS } from '../../server/store/access/deleted-accounts.ts';
import { recordUse } from '../../server/store/access/token-uses.ts';
import { createOperatorToken, createToken, revokeToken } from '../../server/store/access/tokens.ts';
import { CopyRefused, copyStore } from '../../server/store/copy.ts';
import { COPYING, cursorKey, setDeploymentValue } from '../../server/store/deployment.ts';
import { advance, rememberDelivery } from '../../server/store/imports/feeds.ts';
import { RUNS_TABLE, startedRun, writeRun } from '../../server/store/imports/import-runs.ts';
import { FIELD_EVENTS, OWN_FIELDS, readDeclared } from '../../server/store/lists/own-fields.ts';
import { AUDIT_TABLES } from '../../server/store/log/audit.ts';
import { openStore } from '../../server/store/open.ts';
import { statement } from '../../server/store/sql.ts';
import type { Store } from '../../server/store/store.ts';
import { storedColumns, tables, tableWith } from '../../server/store/tables.ts';
import { WEBHOOK_EVENT_COLUMNS } from '../../server/store/webhooks/webhook-records.ts';
import { ATTEMPT_COLUMNS, WEBHOOK_COLUMNS } from '../../server/store/webhooks/webhooks.ts';
import { hardRows } from '../kit/hard-rows.ts';
import { declareField, removeField, updateNumbers } from '../kit/own-fields.ts';
import { PostgresServer } from '../kit/postgres-server.ts';
import { mustRun, runProgram, startProgram } from '../kit/program.ts';
import { load, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const UNFINISHED = /has not come to its end. Wait for it, or run linecard-server copy again/;

/** All that a store holds, but what it holds of itself, by table. */
const COLUMNS: Readonly<Record<string, string>> = {
  deployment: `name, value from deployment where name not in ('schema_step', 'distributed_by')`,
  accounts: `${ACCOUNT_COLUMNS.join(', ')}, revision, sequence, virtual_numbers, additional_services from accounts`,
  tokens: 'id, hash, account_id, name, created_at, expires_at, revoked_at, last_used_at from tokens',
  operator_tokens:
    'hash, id, name, accounts, created_at, expires_at, revoked_at, last_used_at from operator_tokens',
  webhooks: `${WEBHOOK_COLUMNS.join(', ')} from webhooks`,
  webhook_attempts: `${ATTEMPT_COLUMNS.join(', ')} from webhook_attempts`,
  webhook_events: `${WEBHOOK_EVENT_COLUMNS.join(', ')} from webhook_events`,
  feeds: 'id, name, sequence, committed_at from feeds',
  deliveries: 'id, committed_at, summary from deliveries',
  ...Object.fromEntries(
    [...AUDIT_TABLES, RUNS_TABLE, OWN_FIELDS, FIELD_EVENTS, DELETED_ACCOUNTS].map(({ name, columns }) => [
      name,
      `${columns.join(', ')} from ${name}`,
    ]),
  ),
  revisions: 'account_id, sequence, revision, ended_at from revisions',
  change_logs: 'account_id, list, newest, entries, pruned, rebuilt, filled from change_logs',
  virtual_numbers_changes: 'account_id, sequence, id from virtual_numbers_changes',
  additional_services_changes: 'account_id, sequence, id from additional_services_changes',
  virtual_numbers: `${storedColumns(tables.virtual_numbers).join(', ')} from virtual_numbers`,
  additional_services: `${storedColumns(tables.additional_services).join(', ')} from additional_services`,
};

/** The rows of each table, in an order that has nothing to do with where they stand. */
async function contents(store: Store) {
  const numbers = tableWith('virtual_numbers', (await readDeclared(store)).virtual_numbers);
  const virtual_numbers = `${storedColumns(numbers).join(', ')} from virtual_numbers`;
  const all = Object.values({ ...COLUMNS, virtual_numbers });
  const tables = await store.read(...all.map((what) => statement(`select ${what}`)));
  return tables.map((rows) => rows.map((row) => JSON.stringify(row)).toSorted());
}

for (const fromKind of stores) {
  for (const toKind of stores) {
    describe(`a copy from ${fromKind.name} to ${toKind.name}`, () => {
      const databases: { url: string; remove(): Promise<void> }[] = [];
      let from: Store;
      let fromUrl: string;
      before(async () => {
        const database = await fromKind.make();
        databases.push(database);
        fromUrl = database.url;
        from = await openStore(fromUrl, 'write');
        await load(from, 'virtual_numbers', hardRows.virtual_numbers);
        await load(from, 'additional_services', hardRows.additional_services);
        // What has changed is copied as well.
        const changed = hardRows.virtual_numbers.slice(0, 30).map((row) => ({ ...row, comment: 'changed' }));
        await load(from, 'virtual_numbers', changed);
        const own = { x_site: 'Zürich', x_cost: 1.5, x_last_call: '2026-05-05T12:00:00.000001Z' };
        const kinds = { x_site: 'text', x_gone: 'text', x_cost: 'charge', x_last_call: 'timestamp' };
        for (const [name, type] of Object.entries(kinds)) await declareField(from, { name, kind: type });
        const some = hardRows.virtual_numbers.slice(0, 20);
        await updateNumbers(
          from,
          some.map(({ account_id, id }) => ({ account_id, id, x_gone: 'x', ...own })),
        );
        await removeField(from, 'x_gone');
        await createAccount(from, 'empty', { name: 'Nothing yet', currency: 'EUR' });
        await disableAccount(from, 'empty');
        const used = await createToken(from, 'acme', 'used', Date.now() + 1e9);
        const revoked = await createToken(from, 'empty', 'revoked');
        await recordUse(from, 'customer', new Map([[used?.id ?? '', Date.now()]]));
        await revokeToken(from, revoked?.id ?? '');
        await createOperatorToken(from, { name: 'feed', accounts: ['acme', 'empty'] });
        const run = { list: 'virtual_numbers', feed: 'nightly', mode: 'insert' };
        await writeRun(from, startedRun({ ...run, origin: 'command', actor: 'a@b', source: 'f' }));
        await from.write(
          advance({ name: 'billing', accounts: undefined }, 7),
          rememberDelivery('delivered', '{}'),
        );
      });
      after(async () => {
        await from.close();
        for (const database of databases) await database.remove();
      });

      async function target(): Promise<{ url: string; store: Store }> {
        const database = await toKind.make();
        databases.push(database);
        return { url: database.url, store: await openStore(database.url, 'write') };
      }

      test('is the same, key by key and revision by revision', async () => {
        const { store } = await target();
        const steps: string[] = [];
        const sums = await copyStore(from, store, ({ doing, part }) => steps.push(`${doing} ${part}`));
        assert.deepEqual(await contents(store), await contents(from));
        assert.equal(sums.find(({ name }) => name === 'virtual_numbers_changes')?.rows, 50);
        assert.equal(await cursorKey(store), await cursorKey(from));
        assert.deepEqual(new Set(sums.map(({ name }) => name)), new Set(Object.keys(COLUMNS)));
        assert.ok(steps.includes('copying virtual_numbers') && steps.includes('comparing accounts'));
        await store.close();
      });

      test('is refused where there is anything', async () => {
        const { store } = await target();
        await createAccount(store, 'mine');
        await assert.rejects(
          copyStore(from, store, () => {}),
          (error) => error instanceof CopyRefused && /accounts \(1\)/.test(error.message),
        );
        assert.equal((await contents(store))[1]?.length, 1);
        await store.close();
      });

      test('that breaks off serves no request, takes no other command, and is done again', async () => {
        const { url, store } = await target();
        const broken = new Error('broken off');
        const breaking = copyStore(from, store, ({ part }) => {
          if (part === 'accounts') throw broken;
        });
        await assert.rejects(breaking, broken);
        for (const purpose of ['read', 'write', 'change', 'note'] as const)
          await assert.rejects(openStore(url, purpose), UNFINISHED, purpose);
        // What has gone from the source meanwhile must not stay behind.
        await store.write({ text: `update virtual_numbers set item = 'other'`, values: [] });
        await copyStore(from, store, () => {});
        assert.deepEqual(await contents(store), await contents(from));
        await store.close();
        await (await openStore(url, 'read')).close();
      });

      test('that differs from its source in the end is reported, and serves no request', async () => {
        const { url, store } = await target();
        const meddled = new Proxy(store, {
          get(_, name) {
            const member: unknown = Reflect.get(store, name);
            if (name === 'snapshot') {
              return async () => {
                await store.write({ text: `update tokens set name = 'other'`, values: [] });
                return store.snapshot();
              };
            }
            return typeof member === 'function' ? member.bind(store) : member;
          },
        });
        await assert.rejects(
          copyStore(from, meddled, () => {}),
          (error) => error instanceof CopyRefused && /: tokens\./.test(error.message),
        );
        await assert.rejects(openStore(url, 'read'), UNFINISHED);
        await store.close();
      });

      test('does not take the mark of another away that was begun behind it', async () => {
        const { url, store } = await target();
        // Between what was copied last and the end of the mark.
        const write: Store['write'] = async (...statements) => {
          const isEnd = statements[0]?.text.startsWith('delete from deployment');
          if (isEnd) await store.write(setDeploymentValue(COPYING, 'another'));
          return store.write(...statements);
        };
        const raced = new Proxy(store, {
          get(whole, name) {
            if (name === 'write') return write;
            const value: unknown = Reflect.get(whole, name, whole);
            return typeof value === 'function' ? value.bind(whole) : value;
          },
        });
        const first = copyStore(from, raced, () => {});
        await assert.rejects(first, /Another copy into the target was begun meanwhile/);
        await assert.rejects(openStore(url, 'read'), UNFINISHED);
        await store.close();
      });

      test('can be tried first', async () => {
        const { url, store } = await target();
        await store.close();
        const words = ['copy', '--from', fromUrl, '--to', url, '--dry-run', '--json'];
        const tried = await mustRun(words);
        const found = JSON.parse(tried.out) as { name: string; rows: number }[];
        assert.equal(
          found.find(({ name }) => name === 'virtual_numbers')?.rows,
          hardRows.virtual_numbers.length,
        );
        const again = await openStore(url, 'read');
        assert.deepEqual((await contents(again)).slice(1).flat(), []);
        await again.close();
      });
    });
  }
}

/** Leaves a database as a copy into it leaves it that is killed. */
async function makeUnfinished(url: string): Promise<void> {
  const store = await openStore(url, 'write');
  await store.write(setDeploymentValue(COPYING, '2026-11-22T00:00:00.000000Z'));
  await store.close();
}

describe('a database whose copy was killed', () => {
  for (const kind of stores) {
    test(`is refused by every command but copy, which does it again, on ${kind.name}`, async () => {
      const [source, target] = [await kind.make(), await kind.make()];
      await mustRun(['account', 'create', 'acme', '--database-url', source.url]);
      await makeUnfinished(target.url);
      const commands = [
        ['account', 'create', 'between'],
        ['account', 'list'],
        ['token', 'create', '--operator', '--name', 'between'],
        ['import', 'virtual-numbers', '-', '--format', 'csv'],
        ['migrate'],
        ['audit'],
      ];
      for (const words of commands) {
        const { status, err } = await runProgram([...words, '--database-url', target.url]);
        assert.equal(status, 1, words.join(' '));
        assert.match(err, UNFINISHED, words.join(' '));
      }
      const doctor = await runProgram(['doctor', '--database-url', target.url]);
      assert.equal(doctor.status, 1);
      assert.match(doctor.out, /^wrong +database +A copy into this database was begun/m);
      await mustRun(['copy', '--from', source.url, '--to', target.url]);
      const { out } = await mustRun(['account', 'list', '--json', '--database-url', target.url]);
      assert.deepEqual(
        (JSON.parse(out) as { id: string }[]).map(({ id }) => id),
        ['acme'],
      );
      for (const database of [source, target]) await database.remove();
    });
  }

  test('is no source: its mark would be lost', async () => {
    const folder = temporaryFolder();
    const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
    await makeUnfinished(`sqlite:${from}`);
    const { status, err } = await runProgram(['copy', '--from', `sqlite:${from}`, '--to', `sqlite:${to}`]);
    assert.equal(status, 1);
    assert.match(err, /--from: A copy into this database was begun/);
    assert.equal(existsSync(to), false);
  });

  test('is not backed up, and no backup of one is brought back', async () => {
    const folder = temporaryFolder();
    const [path, file] = [join(folder, 'target.db'), join(folder, 'target.backup')];
    const words = ['--database-url', `sqlite:${path}`];
    await mustRun(['migrate', ...words]);
    await mustRun(['backup', file, ...words]);
    const database = new DatabaseSync(file);
    database.exec(`insert into deployment values ('${COPYING}', '2026-11-22T00:00:00.000000Z')`);
    database.close();
    const restored = await runProgram(['restore', file, '--yes', ...words]);
    assert.equal(restored.status, 1);
    assert.match(restored.err, UNFINISHED);
    await mustRun(['account', 'list', ...words]);
    await makeUnfinished(`sqlite:${path}`);
    const { status, err } = await runProgram(['backup', `${file}2`, ...words]);
    assert.equal(status, 1);
    assert.match(err, UNFINISHED);
    assert.equal(existsSync(`${file}2`), false);
  });
});

test('a trial makes no file', async () => {
  const folder = temporaryFolder();
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
  const statusOf = async (...words: string[]) => (await runProgram(words)).status;
  assert.equal(await statusOf('migrate', '--database-url', `sqlite:${from}`), 0);
  assert.equal(await statusOf('copy', '--from', `sqlite:${from}`, '--to', `sqlite:${to}`, '--dry-run'), 0);
  assert.equal(existsSync(to), false);
  // A file with nothing in it is as good as none.
  writeFileSync(to, '');
  assert.equal(await statusOf('copy', '--from', `sqlite:${from}`, '--to', `sqlite:${to}`, '--dry-run'), 0);
  assert.equal(statSync(to).size, 0);
  assert.equal(await statusOf('copy', '--from', `sqlite:${from}`), 2);
});

test('a source that is not there is named as what it is, with no advice on how to make it', async () => {
  const folder = temporaryFolder();
  const words = ['copy', '--from', 'sqlite:nope.db', '--to', 'sqlite:to.db'];
  const { status, err } = await runProgram(words, { cwd: folder });
  assert.equal(status, 1);
  assert.equal(err, 'linecard-server: --from: There is no database at nope.db.\n');
  const other = ['copy', '--from', 'sqlite:other.db', '--to', 'sqlite:to.db'];
  writeFileSync(join(folder, 'other.db'), 'Dear Sir or Madam, '.repeat(1_000));
  const refused = await runProgram(other, { cwd: folder });
  assert.match(refused.err, /--from: other\.db is not .* name another file with --from\./);
  assert.equal(existsSync(join(folder, 'to.db')), false);
});

test('a copy that is stopped with Ctrl-C says that the target is not complete, and can be done again', async () => {
  const server = await PostgresServer.shared();
  const database = await server.makeDatabase();
  const from = `sqlite:${join(temporaryFolder(), 'from.db')}`;
  await mustRun(['account', 'create', 'acme', '--database-url', from]);
  await mustRun(['migrate', '--database-url', database.url]);
  const words = ['copy', '--from', from, '--to', database.url];
  // Holds the copy where it writes accounts.
  const holder = new Client(database.url);
  await holder.connect();
  await holder.query('begin; lock table accounts in share mode');
  const copy = startProgram(words, { input: '' });
  await until('the copy waits', async () => {
    const { rows } = await holder.query(
      'select from pg_locks join pg_database on pg_database.oid = database where not granted and datname = current_database()',
    );
    return rows.length > 0 || undefined;
  });
  copy.child.kill('SIGINT');
  await holder.query('commit');
  await holder.end();
  const { status, err } = await copy.ended;
  assert.equal(status, 1);
  assert.match(err, /Stopped\. The target is incomplete .* run linecard-server copy again\./);
  await assert.rejects(openStore(database.url, 'read'), UNFINISHED);
  await mustRun(words);
  await (await openStore(database.url, 'read')).close();
  await database.remove();
});
