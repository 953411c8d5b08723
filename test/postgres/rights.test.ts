// The role that serves: what it may, what it may not, and, with row security, what it sees; and what is left
// for an administrator where the operator's own role may not grant it all.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { QueryParser } from '../../api/contract/query-parser.ts';
import { everyStatement } from '../../server/store/access/account-tree.ts';
import { createAccount } from '../../server/store/access/accounts.ts';
import { findCaller, readingCallerOf } from '../../server/store/access/callers.ts';
import { Readings } from '../../server/store/access/token-readings.ts';
import { recordUse } from '../../server/store/access/token-uses.ts';
import {
  createOperatorToken,
  createToken,
  listTokens,
  revokeToken,
} from '../../server/store/access/tokens.ts';
import { listsWith, readDeclared } from '../../server/store/lists/own-fields.ts';
import { readRevisions } from '../../server/store/lists/revisions.ts';
import { openStore } from '../../server/store/open.ts';
import { securing } from '../../server/store/postgres/policies.ts';
import { NEEDED_RIGHTS } from '../../server/store/postgres/rights.ts';
import { StoreRefused } from '../../server/store/store-errors.ts';
import { insertWebhook, replayWebhook } from '../../server/store/webhooks/webhook-changes.ts';
import { recordAttempt } from '../../server/store/webhooks/webhook-records.ts';
import { findWebhook, readDeliverers, recordDeliverer } from '../../server/store/webhooks/webhooks.ts';
import { hardRows } from '../kit/hard-rows.ts';
import { withoutNewerSteps } from '../kit/older-databases.ts';
import { declareField, updateNumbers } from '../kit/own-fields.ts';
import { PostgresServer, query, urlWith } from '../kit/postgres-server.ts';
import { runProgram } from '../kit/program.ts';
import { answerFrom, questionOf, textOf } from '../kit/questions.ts';
import { load } from '../kit/service.ts';

const NAME = randomBytes(4).toString('hex');
const [OWNER, SERVING, ADMIN] = [`owner_${NAME}`, `serving_${NAME}`, `creator_${NAME}`];
const DELIVER = `deliver_${NAME}`;
/** Of the same kinds, such as while one takes the place of the other. */
const [SECOND, SECOND_DELIVER] = [`second_${NAME}`, `second_deliver_${NAME}`];
const PASSWORD = 'none-of-your-business';

describe('the role that serves', () => {
  let adminUrl: string;
  let ownerUrl: string;
  let servingUrl: string;
  let remove: () => Promise<void>;
  before(async () => {
    const server = await PostgresServer.shared();
    const database = await server.makeDatabase();
    remove = () => database.remove();
    adminUrl = database.url;
    ownerUrl = urlWith(database.url, { user: OWNER, password: PASSWORD });
    servingUrl = urlWith(database.url, { user: SERVING, password: PASSWORD });
    await query(adminUrl, `create role ${OWNER} login password '${PASSWORD}'`);
    await query(adminUrl, `grant create on schema public to ${OWNER}`);
  });
  after(async () => {
    await remove();
    for (const role of [OWNER, SERVING, ADMIN, DELIVER, SECOND, SECOND_DELIVER])
      await query((await PostgresServer.shared()).url, `drop role if exists ${role}`);
  });

  /** Runs `migrate` as the operator does. */
  async function migrate(...words: string[]) {
    const ended = await runProgram(['migrate', ...words], { env: { LINECARD_DATABASE_URL: ownerUrl } });
    assert.equal(`${ended.out}${ended.err}`.includes(PASSWORD), false);
    return { ...ended, out: ended.out.trim().split('\n').filter(Boolean) };
  }

  test('is for an administrator to make where the operator may not, with all others at once', async () => {
    const { status, out, err } = await migrate('--serving-role', SERVING, '--deliver-role', DELIVER);
    assert.equal(status, 1, err);
    assert.deepEqual(
      out.map((line) => line.replaceAll('"', '')),
      [SERVING, DELIVER].map((role) => `create role ${role} login;`),
    );
    assert.match(err, /administrator .*; then run this command again/);
    for (const statement of out) await query(adminUrl, statement);
    await query(adminUrl, `alter role ${SERVING} password '${PASSWORD}'`);
  });

  test('gets the rights to serve, as often as the command runs', async () => {
    for (const _ of [1, 2]) {
      const { status, out, err } = await migrate('--serving-role', SERVING);
      assert.equal(status, 0, err);
      // What everybody may is an administrator's to take away.
      assert.match(out.join('\n'), /revoke temporary on database/);
    }
  });

  test('is made where the operator may', async () => {
    await query(adminUrl, `alter role ${OWNER} createrole`);
    const { status, out, err } = await migrate('--serving-role', ADMIN);
    assert.equal(status, 0, err);
    assert.ok(
      out.some(
        (line) =>
          line.includes(`alter role "${ADMIN}" password`) || line.includes(`alter role ${ADMIN} password`),
      ),
      out.join('\n'),
    );
    await query(adminUrl, `alter role ${OWNER} nocreaterole`);
  });

  test('is not one that rights mean nothing to', async () => {
    for (const [role, reason] of [
      [OWNER, /owns/],
      ['postgres', /superuser/],
    ] as const) {
      const { status, err } = await migrate('--serving-role', role);
      assert.equal(status, 1);
      assert.match(err, reason);
    }
    assert.equal((await migrate('--row-security')).status, 2);
  });

  test('reads and notes the use of tokens, and can do nothing else', async () => {
    const operator = await openStore(ownerUrl, 'write');
    await load(operator, 'virtual_numbers', hardRows.virtual_numbers.slice(0, 40));
    await createAccount(operator, 'another');
    const made = await createToken(operator, 'another', '');
    const serving = await openStore(servingUrl, 'write');
    assert.equal((await findCaller(serving, made?.token ?? ''))?.account_id, 'another');
    await recordUse(serving, 'customer', new Map([[made?.id ?? '', Date.now()]]));
    const [token] = await listTokens(operator, 'customer', 'another');
    assert.ok(token?.last_used_at);
    for (const text of [
      `update tokens set account_id = 'acme'`,
      `update tokens set revoked_at = null`,
      `update accounts set revision = 'x'`,
      'delete from virtual_numbers',
      `update own_fields set declared = '[]'`,
      `insert into deployment values ('x', 'y')`,
      'truncate accounts',
      'create table mine (id int)',
      'drop table tokens',
      'alter table tokens add column x int',
    ]) {
      await assert.rejects(
        serving.write({ text, values: [] }),
        (error) => error instanceof StoreRefused,
        text,
      );
    }
    await assert.rejects(
      serving
        .load({ ...(await import('../../server/store/tables.ts')).tables.virtual_numbers })
        .then((run) => run.commit()),
    );
    await serving.close();
    await operator.close();
  });

  test('must have row security where the setting says so', async () => {
    await assert.rejects(openStore(servingUrl, 'read', { rowSecurity: true }), /sees every row/);
    await assert.rejects(openStore(ownerUrl, 'read', { rowSecurity: true }), /sees every row/);
  });

  test('with row security sees nothing by itself, and one account when it says so', async () => {
    const startedBefore = await openStore(servingUrl, 'read');
    assert.equal((await migrate('--serving-role', SERVING, '--row-security')).status, 0);
    for (const table of ['virtual_numbers', 'additional_services', 'accounts']) {
      const seen = await query(servingUrl, `select count(*)::int as count from ${table}`).catch(() => [
        { count: 0 },
      ]);
      assert.equal(seen[0]?.['count'], 0, table);
    }
    await assert.rejects(query(servingUrl, 'select hash from tokens'), /linecard.token_hash/);

    // A command that wants all rows is not left with none.
    await assert.rejects(openStore(servingUrl, 'read'), /hides rows/);
    const serving = await openStore(servingUrl, 'read', { rowSecurity: true });
    const ids = { text: 'select account_id, id from virtual_numbers', values: [] };
    for (const account_id of ['acme', 'ACME']) {
      const [rows] = await serving.read({ ...ids, owner: { kind: 'account_id', value: account_id } });
      const own = hardRows.virtual_numbers.slice(0, 40).filter((row) => row.account_id === account_id);
      assert.deepEqual(
        rows.map(([id]) => Number(id)).sort((a, b) => a - b),
        own.map(({ id }) => id).sort((a, b) => a - b),
      );
    }
    const [none] = await serving.read(ids);
    assert.deepEqual(none, []);
    // What was set for one read is gone for the next on the same connection.
    const [accounts] = await serving.read({ text: 'select id from accounts', values: [] });
    assert.deepEqual(accounts, []);
    // An account and its token are read in one snapshot, each row shown for its own reason.
    const owner = await openStore(ownerUrl, 'write');
    const acme = await createToken(owner, 'acme', 'back office');
    await owner.close();
    const caller = await findCaller(serving, acme?.token ?? '');
    assert.ok(caller);
    const question = { ...questionOf('account', undefined, 'acme'), owner: caller };
    assert.partialDeepStrictEqual(JSON.parse(await textOf(await answerFrom(serving, question))), {
      id: 'acme',
      virtual_numbers: hardRows.virtual_numbers.slice(0, 40).filter((row) => row.account_id === 'acme')
        .length,
      token: { id: acme?.id, name: 'back office' },
    });
    // Requests that wait for several accounts have each looked at by itself.
    const revisions = await readRevisions(serving, ['acme', 'another', 'nobody']);
    const isThere = Array.from(revisions, ([id, revision]) => [id, revision !== undefined]);
    assert.deepEqual(Object.fromEntries(isThere), { acme: true, another: true, nobody: false });
    await serving.close();

    // A service that knows nothing of it yet answers 503 to callers, not 401.
    const operator = await openStore(ownerUrl, 'write');
    const made = await createToken(operator, 'another', '');
    await assert.rejects(async () => findCaller(startedBefore, made?.token ?? ''), /start it again/);
    await operator.close();
    await startedBefore.close();
  });

  test('with row security sees own fields in the items of that account, and finds and counts by them', async () => {
    const rows = hardRows.virtual_numbers.slice(0, 40);
    const owner = await openStore(ownerUrl, 'write');
    await declareField(owner, { name: 'x_site', kind: 'text', search: true });
    await declareField(owner, { name: 'x_cost', kind: 'charge' });
    const values = ({ account_id, id }: (typeof rows)[number]) => ({
      x_site: `of ${account_id}`,
      x_cost: id % 100,
    });
    await updateNumbers(
      owner,
      rows.map((row) => ({ account_id: row.account_id, id: row.id, ...values(row) })),
    );
    const [acme, other] = [await createToken(owner, 'acme', ''), await createToken(owner, 'Acme', '')];
    await owner.close();
    const serving = await openStore(servingUrl, 'read', { rowSecurity: true });
    const declared = await readDeclared(serving);
    const [list] = listsWith(declared);
    assert.ok(list?.name === 'virtual_numbers');
    for (const [account_id, token] of Object.entries({ acme, Acme: other })) {
      const caller = await findCaller(serving, token?.token ?? '');
      assert.ok(caller);
      const dataOf = async (text: string): Promise<Readonly<Record<string, unknown>>[]> => {
        const query = new QueryParser(list, 1_000, 'page').ofString(`${text}&page_size=1000`);
        const more = { own: declared.virtual_numbers, query, owner: caller };
        const question = questionOf('page', 'virtual_numbers', account_id, more);
        return JSON.parse(await textOf(await answerFrom(serving, question))).data;
      };
      const own = rows.filter((row) => row.account_id === account_id);
      const expected = new Map(own.map((row) => [row.id, values(row)]));
      for (const text of [`x_site=of+${account_id}`, 'q=of+', 'x_cost_min=-99&sort_by=x_site']) {
        const data = await dataOf(text);
        assert.deepEqual(new Map(data.map(({ id, x_site, x_cost }) => [id, { x_site, x_cost }])), expected);
      }
      assert.deepEqual(await dataOf(`x_site_exclude=of+${account_id}`), []);
    }
    await serving.close();
  });

  test('with row security of some tables reads as with that of all, and with none again as the guide takes it off', async () => {
    const followed = { text: 'select account_id from change_logs', values: [] };
    const logsOf = async (options: { rowSecurity?: boolean }) => {
      const store = await openStore(servingUrl, 'read', options);
      try {
        return (await store.read({ ...followed, owner: { kind: 'account_id', value: 'acme' } }))[0].length;
      } finally {
        await store.close();
      }
    };
    const all = await logsOf({ rowSecurity: true });
    assert.ok(all > 0);
    for (const table of ['accounts', 'tokens', 'virtual_numbers', 'additional_services'])
      await query(ownerUrl, `alter table ${table} disable row level security`);
    assert.equal(await logsOf({ rowSecurity: false }), all);
    await assert.rejects(logsOf({ rowSecurity: true }), /sees every row of some tables/);
    const guide = readFileSync(new URL('../../docs/how-to/run-on-postgresql.md', import.meta.url), 'utf8');
    const [, listed = ''] = /^(select format\('alter table .*?) \\gexec$/ms.exec(guide) ?? [];
    for (const statement of await query(ownerUrl, listed)) await query(ownerUrl, String(statement['format']));
    const left = await query(ownerUrl, 'select relname from pg_class where relrowsecurity');
    assert.deepEqual(left, []);
  });

  test('is another than that of a deliverer, which reads every list and writes how far webhooks are delivered', async () => {
    await query(adminUrl, `alter role ${DELIVER} password '${PASSWORD}'`);
    assert.equal((await migrate('--serving-role', SERVING, '--row-security')).status, 0);
    const { status, err } = await migrate('--deliver-role', DELIVER);
    assert.equal(status, 0, err);
    assert.match(err, /may deliver webhooks\. Use it in the --database-url of linecard-server deliver/);
    const owner = await openStore(ownerUrl, 'write');
    const by = { origin: 'command', actor: 'me' } as const;
    const scope = { name: '', url: 'https://crm.example.com/', format: 'json', charges: true } as const;
    const subscribed = { ...scope, lists: null, events: ['added'], fields: null } as const;
    const made = await insertWebhook(owner, 'acme', subscribed, 5, by);
    assert.ok(typeof made === 'object');
    const { id } = made;
    const deliverUrl = urlWith(adminUrl, { user: DELIVER, password: PASSWORD });
    const deliver = await openStore(deliverUrl, 'change', { rowSecurity: false });
    assert.equal((await findWebhook(deliver, id))?.url, scope.url);
    assert.ok(await replayWebhook(deliver, id, '2026-01-01T00:00:00.000000Z', by));
    const attempt = { id: '1', webhook_id: id, account_id: 'acme', at: '', message_id: '', type: '' };
    const answer = { status: 200, fault: null, ms: 1, next_at: null };
    await deliver.write(
      ...recordAttempt({ ...attempt, ...answer }),
      ...recordDeliverer({ id: 'd', actor: 'me', started_at: '' }),
    );
    assert.equal((await readDeliverers(deliver)).length, 1);
    for (const table of ['accounts', 'virtual_numbers', 'change_logs', 'revisions']) {
      const [[count]] = await deliver.read({ text: `select count(*) from ${table}`, values: [] });
      assert.ok(Number(count?.[0]) > 0, table);
    }
    for (const text of [
      'select * from tokens',
      'select * from webhook_events',
      'delete from webhooks',
      `insert into webhooks select * from webhooks`,
      `update accounts set name = ''`,
      'delete from virtual_numbers',
      `update virtual_numbers_changes set what = 0`,
    ])
      await assert.rejects(query(deliverUrl, text), /permission denied/, text);
    // The role that serves sees those of one account.
    const serving = await openStore(servingUrl, 'read', { rowSecurity: true });
    const seenBy = async (value: string) => {
      const rows = { text: 'select account_id, id from webhooks', values: [] };
      return (await serving.read({ ...rows, owner: { kind: 'account_id', value } }))[0].flat();
    };
    assert.deepEqual([await seenBy('acme'), await seenBy('another')], [[id], []]);
    for (const store of [serving, deliver, owner]) await store.close();
  });

  /** What the role that serves sees of accounts for each of some tokens of operators. */
  async function sameForOperators(): Promise<void> {
    const owner = await openStore(ownerUrl, 'write');
    const make = (may: 'read' | 'import', accounts: readonly string[] | null = null) =>
      createOperatorToken(owner, { name: '', may: [may], accounts });
    const [every, bound, writes, revoked] = [
      await make('read'),
      await make('read', ['acme']),
      await make('import'),
      await make('read'),
    ];
    await revokeToken(owner, revoked.id);
    const serving = await openStore(servingUrl, 'note', { rowSecurity: true });
    const ids = async (token_id: string) =>
      (await serving.read(everyStatement(serving.dialect, token_id, { limit: 100, offset: 0 })))[0].length;
    const [[all]] = await owner.read({
      text: 'select count(*) from accounts where disabled_at is null',
      values: [],
    });
    assert.equal(await ids(every.id), Number(all?.[0]));
    assert.ok(Number(all?.[0]) > 1);
    for (const { id } of [bound, writes, revoked, { id: 'nothing' }, { id: '' }])
      assert.equal(await ids(id), 0, id);
    assert.partialDeepStrictEqual(await readingCallerOf(serving, every.token), { token_id: every.id });
    const readings = new Readings();
    readings.uses.record(every.id);
    readings.record(every.id, 'acme', '192.0.2.7');
    await readings.writeUses(serving);
    await readings.writeUses(serving);
    const noted = await query(ownerUrl, `select last_used_at from operator_tokens where id = $1`, every.id);
    assert.ok(noted[0]?.['last_used_at']);
    const entries = await query(
      ownerUrl,
      `select account_id from token_events where event = 'read' and token_id = $1`,
      every.id,
    );
    assert.deepEqual(entries, [{ account_id: 'acme' }]);
    await Promise.all([serving.close(), owner.close()]);
  }

  test('with row security sees what the tokens of operators are for as soon as a new step has run', async () => {
    assert.equal((await migrate('--serving-role', SERVING, '--row-security')).status, 0);
    await query(
      adminUrl,
      `alter policy linecard_select on accounts using (id = current_setting('linecard.account_id', true));
       alter policy linecard_insert on token_events with check (token_id = current_setting('linecard.token_id', true));
       drop policy linecard_select on operator_tokens;
       drop policy linecard_update on operator_tokens;
       drop policy linecard_deliver on operator_tokens;
       alter table operator_tokens disable row level security;
       revoke all on operator_tokens from ${SERVING};
       revoke select on own_fields from ${DELIVER};
       ${withoutNewerSteps('PostgreSQL', 21).join('; ')};
       update deployment set value = '21' where name = 'schema_step'`,
    );
    const { status, err } = await migrate();
    assert.equal(status, 0, err);
    for (const [role, rights] of [
      [SERVING, NEEDED_RIGHTS.serving],
      [DELIVER, NEEDED_RIGHTS.deliver],
    ] as const) {
      for (const [may, what] of rights) {
        const [row] = await query(adminUrl, `select (${may}) as may`, role);
        assert.equal(row?.['may'], true, `${role}: ${what}`);
      }
    }
    // Nor does the role that serves get what others need.
    const [more] = await query(
      adminUrl,
      `select has_table_privilege($1, 'imports', 'insert') as may`,
      SERVING,
    );
    assert.equal(more?.['may'], false);
    await sameForOperators();
  });

  test('with row security goes on seeing what it may when another role gets the same rights', async () => {
    for (const role of [SECOND, SECOND_DELIVER])
      await query(adminUrl, `create role ${role} login password '${PASSWORD}'`);
    assert.equal((await migrate('--serving-role', SERVING, '--row-security')).status, 0);
    const owner = await openStore(ownerUrl, 'write');
    const made = await createToken(owner, 'acme', 'of both');
    await owner.close();
    // As often as the command runs.
    for (const _ of [1, 2]) {
      assert.equal((await migrate('--serving-role', SECOND)).status, 0);
      assert.equal((await migrate('--deliver-role', SECOND_DELIVER)).status, 0);
    }
    for (const user of [SECOND, SERVING]) {
      const url = urlWith(adminUrl, { user, password: PASSWORD });
      const serving = await openStore(url, 'read', { rowSecurity: true });
      assert.equal((await findCaller(serving, made?.token ?? ''))?.account_id, 'acme', user);
      await recordUse(serving, 'customer', new Map([[made?.id ?? '', Date.now()]]));
      await serving.close();
    }
    await sameForOperators();
    // Nor is there a moment without, for a service that runs.
    const serving = await openStore(servingUrl, 'read', { rowSecurity: true });
    for (const transaction of securing(`${SERVING}, ${SECOND}`, { isDistributed: false })) {
      await query(ownerUrl, transaction.join('; '));
      assert.ok(await findCaller(serving, made?.token ?? ''), transaction.join('; '));
    }
    await serving.close();
    for (const user of [SECOND_DELIVER, DELIVER]) {
      const accounts = await query(
        urlWith(adminUrl, { user, password: PASSWORD }),
        'select id from accounts',
      );
      assert.ok(accounts.length > 0, user);
    }
  });
});
