// The commands of accounts with parents, of accounts in bulk, and of a token for each account of a file.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createAccount, deleteAccount, listAccounts } from '../../server/store/access/accounts.ts';
import { findCaller } from '../../server/store/access/callers.ts';
import { NO_LIMITS } from '../../server/store/access/token-scopes.ts';
import { createToken, listTokens } from '../../server/store/access/tokens.ts';
import { TokensLoad } from '../../server/store/access/tokens-load.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { insertWebhook } from '../../server/store/webhooks/webhook-changes.ts';
import { listWebhooks } from '../../server/store/webhooks/webhooks.ts';
import { readAudit } from '../kit/audit-log.ts';
import { killPrograms, Operator, runProgram } from '../kit/program.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { deleteEverything } from '../kit/stored-items.ts';
import type { Database } from '../kit/templates.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const DAY = 86_400_000;
const KEY = Buffer.alloc(32, 1).toString('base64');
/** What turns the rest of a line round. */
const MARKS = '\u202e\u2066\u2069';
const folder = temporaryFolder();
after(killPrograms);

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

for (const kind of stores) {
  describe(`commands of accounts, on ${kind.name}`, () => {
    let database: Database;
    let store: Store;
    let operator: Operator;

    before(async () => {
      database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
      operator = new Operator(database.url);
    });
    after(async () => {
      await store.close();
      await database.remove();
    });

    const parents = async () =>
      (await listAccounts(store)).map(({ id, name, parent_id }) => `${id} ${name} ${parent_id ?? '-'}`);

    /** A command that is refused: its last message, with what is special to the machine taken off. */
    async function refused(status: number, ...words: string[]): Promise<string> {
      const ended = await operator.run(...words);
      assert.equal(ended.status, status, ended.err);
      return ended.err.replaceAll(`${folder}/`, '').trim().replace('linecard-server: ', '');
    }

    test('put one account below another, and refuse loops, a ninth level and what others are below', async () => {
      await operator.command('account', 'create', 'R1', '--name', 'Reseller');
      await operator.command('account', 'create', 'C1', '--parent', 'R1', '--name', 'One');
      assert.deepEqual(await parents(), ['C1 One R1', 'R1 Reseller -']);
      assert.match(
        await operator.mustDo('account', 'list'),
        /^ID +NAME +CURRENCY +PARENT_ID .*\nC1 +One +- +R1 /,
      );
      assert.equal(
        await refused(1, 'account', 'update', 'R1', '--parent', 'C1'),
        '--parent C1: makes a loop: "R1" below "C1" below "R1". No account can be below itself: correct one of them.',
      );
      assert.match(
        await refused(1, 'account', 'create', 'C2', '--parent', 'R9'),
        /^--parent R9: there is no account "R9"/,
      );
      assert.match(
        await refused(1, 'account', 'create', 'C1', '--parent', 'R1'),
        /The account C1 already exists/,
      );
      assert.match(await refused(1, 'account', 'update', 'C9', '--parent', 'R1'), /There is no account C9/);
      assert.equal(
        await refused(1, 'account', 'delete', 'R1', '--yes'),
        'Below R1 there is C1. Delete what is below it first, or move it: linecard-server account update C1 --parent none',
      );
      const chain = Array.from({ length: 6 }, (_, i) => `L${i},${i === 0 ? 'C1' : `L${i - 1}`}\n`).join('');
      await operator.command('import', 'accounts', file('chain.csv', `account_id,parent_id\n${chain}`));
      assert.match(
        await refused(1, 'account', 'create', 'L6', '--parent', 'L5'),
        /^--parent L5: puts an account below the 8 levels that there can be: "L6" below "L5"/,
      );
      await operator.command('account', 'update', 'C1', '--parent', 'none', '--name', 'Two');
      assert.ok((await parents()).includes('C1 Two -'));
      await operator.command('account', 'delete', 'R1', '--yes');
    });

    test('delete nothing of one that another was put below since it was confirmed', async () => {
      await createAccount(store, 'R2');
      await createToken(store, 'R2', 'back office');
      const scope = { name: '', url: 'https://crm.example.com/', format: 'json', charges: true } as const;
      const subscribed = { ...scope, lists: null, events: ['added'], fields: null } as const;
      await insertWebhook(store, 'R2', subscribed, 1, { origin: 'command', actor: 'me' });
      await operator.command('account', 'create', 'C3', '--parent', 'R2');
      const events = async () => (await readAudit(store, { account_id: 'R2' })).map(({ event }) => event);
      const before = await events();
      assert.equal(await deleteAccount(store, 'R2'), false);
      assert.equal((await listTokens(store, 'customer', 'R2')).length, 1, 'its token is there');
      assert.equal((await listWebhooks(store, ['R2'])).length, 1, 'its webhook is there');
      assert.deepEqual(await events(), before);
      await operator.command('account', 'delete', 'C3', '--yes');
      assert.equal(await deleteAccount(store, 'R2'), true);
      assert.deepEqual(await listTokens(store, 'customer', 'R2'), []);
      assert.deepEqual(await listWebhooks(store, ['R2']), []);
    });

    test('import them with a summary, and refuse the options of lists', async () => {
      await deleteEverything(store);
      const ids = file('ids.csv', 'account_id\nA\nB\n');
      const { out, err } = await operator.command('import', 'accounts', '--json', ids);
      assert.partialDeepStrictEqual(JSON.parse(out), {
        list: 'accounts',
        rows: 2,
        inserted: 2,
        unchanged: 0,
      });
      assert.match(err, /^Accounts: 2 rows read, 2 inserted, 0 updated, 0 unchanged \(\d+\.\d s\)\.\n$/);
      const tried = await operator.command(
        'import',
        'accounts',
        '--dry-run',
        file('b.csv', 'account_id,disabled\nB,true\n'),
      );
      assert.match(tried.out, /^ACCOUNT_ID +INSERTED +UPDATED +DISABLED +ENABLED\nB +0 +1 +1 +0\n$/);
      for (const options of [
        ['--replace'],
        ['--replace-all'],
        ['--update'],
        ['--max-removed', '5'],
        ['--max-moved', '5'],
        ['--account', 'A'],
      ])
        assert.equal(
          await refused(2, 'import', 'accounts', ...options, ids),
          `${options[0]} is about the items of a list. An import of accounts creates and changes the accounts that it names, and deletes none.`,
        );
      assert.match(
        await refused(2, 'pull', 'accounts', '--update'),
        /^--update is about the items of a list\./,
      );
    });

    test('take files of accounts from a watched folder, whatever the mode of its lists is', async () => {
      await deleteEverything(store);
      const drop = join(folder, `drop-${kind.name}`);
      mkdirSync(drop);
      const watching = operator.start('import', '--watch', drop, '--replace');
      await watching.says(/Watching .* for virtual-numbers-\*, additional-services-\* and accounts-\*/);
      writeFileSync(join(drop, 'accounts-1.csv.part'), 'account_id,name\nA,x\n');
      renameSync(join(drop, 'accounts-1.csv.part'), join(drop, 'accounts-1.csv'));
      await until('it is done', () => existsSync(join(drop, 'done', 'accounts-1.csv')));
      assert.deepEqual(await parents(), ['A x -']);
      watching.child.kill('SIGTERM');
      await watching.ended;
    });

    test('create a token for each account of a file, or none', async () => {
      await deleteEverything(store);
      for (const id of ['C1', 'C,2', 'Ü']) await createAccount(store, id);
      const accounts = file('t.csv', 'account_id,name\nC1,own\n"C,2",\nÜ,\n');
      const words = ['token', 'create', '--accounts'];
      const csv = await operator.mustDo(...words, accounts, '--name', 'bulk', '--expires-in', '90d');
      const [head, ...lines] = csv.split('\n');
      assert.equal(head, 'account_id,token_id,token');
      const made = lines.map(
        (line) => /^(?<account>C1|"C,2"|Ü),(?<id>\w{12}),(?<token>lc_\w{42})$/.exec(line)?.groups,
      );
      assert.deepEqual(
        made.map((one) => one?.['account']),
        ['C1', '"C,2"', 'Ü'],
      );
      const tokens = await listTokens(store, 'customer');
      assert.deepEqual(
        tokens.map(({ account_id, name }) => `${account_id} ${name}`),
        ['C,2 bulk', 'C1 own', 'Ü bulk'],
      );
      for (const { expires_at } of tokens) assert.ok(Date.parse(expires_at ?? '') > Date.now() + 89 * DAY);
      assert.equal((await findCaller(store, made[1]?.['token'] ?? ''))?.account_id, 'C,2');
      const faulty = file(
        'f.ndjson',
        '{"account_id":"C1"}\n{"account_id":"none"}\n{"account_id":"C1"}\n{"name":"x"}\n',
      );
      assert.equal(
        await refused(1, ...words, faulty),
        [
          'f.ndjson:2: account_id: there is no account "none". Create it first, or correct the id.',
          'f.ndjson:3: account_id: "C1" is there twice; it was first given at f.ndjson:1.',
          'f.ndjson:4: account_id: is required, but is missing.',
          '3 faults. No token was created.',
        ].join('\n'),
      );
      assert.match(
        await refused(2, ...words, accounts, '--account', 'C1'),
        /leave out --account and --operator/,
      );
      assert.match(await refused(1, ...words, 'none.csv'), /^none\.csv: There is no such file/);
      const load = await TokensLoad.begin(store);
      await load.add(
        ['C1', 'C,2', 'Ü'].map((id) => [id, null]),
        [1, 2, 3],
      );
      // Meanwhile others are waited for by nobody, and what they delete is missed.
      await deleteAccount(store, 'Ü');
      await assert.rejects(
        load.create({ ...NO_LIMITS, expires_at: undefined }, ''),
        /An account was deleted in the meantime\. No token was created/,
      );
      await load.rollback();
      assert.equal((await listTokens(store, 'customer')).length, 2);
      const piped = await runProgram([...words, '-', '--format', 'ndjson', '--output', 'ndjson'], {
        env: { LINECARD_DATABASE_URL: database.url },
        input: '{"account_id":"C1"}\n',
      });
      assert.deepEqual(Object.keys(JSON.parse(piped.out)), ['account_id', 'token_id', 'token']);
    });

    test('say so where there is no such account, and show no mark of direction of a name', async () => {
      await deleteEverything(store);
      for (const words of [['token', 'list'], ['webhook', 'list'], ['audit']])
        assert.match(await refused(1, ...words, '--account', 'nobody'), /^There is no account "?nobody"?/);
      const name = `a${MARKS}`;
      await operator.command('account', 'create', name, '--name', name);
      await operator.command('token', 'create', '--account', name, '--name', name);
      await operator.command('token', 'create', '--operator', '--account', name, '--name', name);
      const hook = await new Operator(database.url, { LINECARD_SIGNING_KEY: KEY }).command(
        ...['webhook', 'create', '--account', name, '--url', 'https://crm.example.com/', '--name', name],
      );
      const [, id = ''] = /Created webhook (\w+)/.exec(hook.err) ?? [];
      for (const words of [
        ['account', 'list'],
        ['token', 'list'],
        ['token', 'list', '--operator'],
        ['webhook', 'list'],
        ['webhook', 'show', id],
        ['audit'],
        ['account', 'disable', name],
        ['webhook', 'pause', id],
      ]) {
        const { out, err } = await operator.run(...words);
        assert.match(out + err, /a\ufffd{3}/, words.join(' '));
        assert.doesNotMatch(out + err, /[\u202a-\u202e\u2066-\u2069]/, words.join(' '));
      }
    });

    test('create two thousand tokens, each of them another', async () => {
      await deleteEverything(store);
      const ids = Array.from({ length: 2_000 }, (_, i) => `C${i}`);
      const many = file('many.csv', `account_id\n${ids.join('\n')}\n`);
      await operator.command('import', 'accounts', many);
      const [, ...lines] = (await operator.mustDo('token', 'create', '--accounts', many)).split('\n');
      const created = lines.map((line) => line.split(','));
      assert.deepEqual(
        created.map(([account_id]) => account_id),
        ids,
      );
      assert.equal(new Set(created.map(([, , token]) => token)).size, ids.length);
      assert.equal((await findCaller(store, created[1_999]?.[2] ?? ''))?.account_id, 'C1999');
      // The audit log has all of it, in order, however much there is.
      const made = ['import', ...ids.map(() => 'account created'), ...ids.map(() => 'token created')];
      const log = (await readAudit(store, {})).slice(-made.length);
      assert.deepEqual(
        log.map(({ event }) => event),
        made,
      );
    });
  });
}
