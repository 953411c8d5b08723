// The role of intake in PostgreSQL: it takes imports of every kind, with row security or without, and may do
// nothing else.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createAccount } from '../../server/store/access/accounts.ts';
import { createSignIn, deleteEndedSignIns } from '../../server/store/access/sign-ins.ts';
import { recordUse } from '../../server/store/access/token-uses.ts';
import { createOperatorToken, createToken, listTokens } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import { NEEDED_RIGHTS } from '../../server/store/postgres/rights.ts';
import { CSV, type Intake, NDJSON, openIntake } from '../kit/intake-server.ts';
import { withoutNewerSteps } from '../kit/older-databases.ts';
import { PostgresServer, query, urlWith } from '../kit/postgres-server.ts';
import { runProgram } from '../kit/program.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { selectIn } from '../kit/stored-items.ts';

const NAME = randomBytes(4).toString('hex');
const [ROLE, SERVING] = [`intake_${NAME}`, `serving_${NAME}`];
const EIGHT_DAYS = 8 * 86_400_000;
const PUBLIC_URL = 'https://numbers.example.com';
const PASSWORD = 'none-of-your-business';

describe('the role of intake', () => {
  let url: string;
  let roleUrl: string;
  let kind: Parameters<typeof openIntake>[0];
  let intake: Intake;
  let remove: () => Promise<void>;

  const migrate = (...words: string[]) =>
    runProgram(['migrate', ...words], { env: { LINECARD_DATABASE_URL: url } });

  before(async () => {
    const database = await (await PostgresServer.shared()).makeDatabase();
    ({ url } = database);
    remove = () => database.remove();
    roleUrl = urlWith(url, { user: ROLE, password: PASSWORD });
    const made = await migrate('--intake-role', ROLE);
    assert.equal(made.status, 0, made.err);
    assert.match(made.out, /alter role .* password/);
    assert.match(made.err, /may write the lists\. Use it in the --database-url of linecard-server intake/);
    await query(url, `alter role ${ROLE} password '${PASSWORD}'`);
    // What everybody has, and a careful administrator takes away.
    await query(url, `revoke all on database ${new URL(url).pathname.slice(1)} from public`);
    const own = { name: 'PostgreSQL', make: async () => ({ url, remove: async () => {} }) };
    kind = own as unknown as typeof kind;
    intake = await openIntake(kind, { intakeUrl: roleUrl, publicUrl: PUBLIC_URL });
  });
  after(async () => {
    await intake.close();
    await remove();
    for (const role of [ROLE, SERVING])
      await query((await PostgresServer.shared()).url, `drop role if exists ${role}`);
  });

  async function everyKindOfImport(): Promise<void> {
    const rows = [numberRow('C1', 1), numberRow('C1', 2), numberRow('C2', 3)];
    const send = async (method: string, path: string, body: string, headers: Record<string, string>) => {
      const { status, json } = await intake.send(method, path, body, headers);
      assert.equal(status, 200, JSON.stringify(json));
      return json;
    };
    await send('PUT', 'virtual-numbers?all=true&max_removed=100%25', ndjson(rows), NDJSON);
    const numbered = { ...CSV, 'linecard-feed': randomBytes(4).toString('hex'), 'linecard-sequence': '1' };
    const patched = await send('PATCH', 'virtual-numbers', 'account_id,id,comment\nC1,1,x\n', numbered);
    assert.equal(patched.updated, 1);
    // One moves, one goes, one account is new.
    const moved = [numberRow('C3', 2), numberRow('C1', 1)];
    assert.partialDeepStrictEqual(await send('PUT', 'virtual-numbers', ndjson(moved), NDJSON), {
      updated: 1,
      moved: 1,
    });
    const service = 'account_id,id,title,frequency,subscription_status\nC1,1,Fax,monthly,active\n';
    await send('POST', 'additional-services', service, CSV);
    assert.equal((await intake.items()).length, 3);
    await createToken(intake.operator, 'C1', '');
    for (const disabled of [true, false]) {
      const accounts = [
        { account_id: 'C1', disabled, parent_id: 'C2' },
        { account_id: 'C2', name: NAME },
      ];
      await send('POST', 'accounts', ndjson(accounts), NDJSON);
      const [token] = await selectIn(
        intake.operator,
        `select suspended_at from tokens where account_id = 'C1'`,
      );
      assert.equal(token?.[0] !== null, disabled);
    }
  }

  async function everyChangeOfWebhooks(): Promise<void> {
    const { token } = await createOperatorToken(intake.operator, { name: '', may: ['webhooks'] });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const send = async (method: string, path: string, body: object = {}) => {
      const text = method === 'GET' ? undefined : JSON.stringify(body);
      const answer = await intake.sendWith(method, `webhooks${path}`, text, headers);
      assert.ok(answer.status < 300, answer.text);
      return answer.json;
    };
    const given = { account_id: 'C1', url: 'https://crm.example.com/' };
    const { id } = await send('POST', '', given);
    await send('PATCH', `/${id}`, { name: 'CRM' });
    for (const action of ['pause', 'enable', 'rotate', 'skip']) await send('POST', `/${id}/${action}`);
    await send('POST', `/${id}/replay`, { from: '2026-01-01' });
    assert.equal((await send('GET', '?account=C1')).data.length, 1);
    await send('GET', `/${id}`);
    await intake.sendWith('DELETE', `webhooks/${id}`, undefined, headers);
    assert.deepEqual(await send('GET', ''), { data: [] });
  }

  async function everyActOfAdministration(): Promise<void> {
    const may = ['accounts', 'tokens', 'audit', 'read', 'fields', 'import'] as const;
    const { token } = await createOperatorToken(intake.operator, { name: '', may });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const send = async (method: string, path: string, body: object = {}) => {
      const text = ['GET', 'DELETE'].includes(method) ? undefined : JSON.stringify(body);
      const answer = await intake.sendWith(method, path, text, headers);
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
      return answer.json;
    };
    await send('POST', 'accounts', { id: 'R1' });
    await createOperatorToken(intake.operator, { name: 'bound', accounts: ['R1'], may: ['import'] });
    for (const [id, new_id] of [
      ['R1', 'R2'],
      ['R2', 'R1'],
    ])
      assert.equal((await send('POST', `accounts/${id}/rename`, { new_id })).id, new_id);
    await send('PUT', 'accounts/C1001', { name: 'One', parent_id: 'R1' });
    await send('PATCH', 'accounts/C1001', { name: 'Two', parent_id: null });
    const { id } = await send('POST', 'tokens', { account_id: 'C1001', expires_in: '90d' });
    const replacement = await send('POST', `tokens/${id}/rotate`);
    await send('DELETE', `tokens/${replacement.id}`);
    await send('GET', `tokens/${id}`);
    assert.equal((await send('GET', 'tokens?account=C1001')).total, 2);
    for (const act of ['disable', 'enable']) await send('POST', `accounts/C1001/${act}`);
    assert.equal((await send('GET', 'accounts?q=two')).total, 1);
    for (const did of ['112', '113']) {
      const rows = ndjson([numberRow('C1001', 990_001, { did })]);
      assert.equal((await intake.send('POST', 'virtual-numbers', rows, NDJSON)).status, 200);
    }
    const [found] = (await send('GET', 'find?q=990001')).data;
    assert.deepEqual([found.label, found.history[0].import.origin], ['113', 'intake']);
    const name = `x_${randomBytes(4).toString('hex').replaceAll(/\d/g, 'n')}`;
    await send('POST', 'fields', { list: 'virtual_numbers', name, kind: 'text' });
    const field = `fields/virtual_numbers/${name}`;
    await send('PATCH', field, { derive: 'number-type' });
    const row = ndjson([{ account_id: 'C1001', id: 990_001, [name]: 'Basel' }]);
    assert.equal((await intake.send('PATCH', 'virtual-numbers', row, NDJSON)).json.updated, 1);
    assert.equal((await send('POST', `${field}/derive`, { all: true })).updated > 0, true);
    assert.equal((await send('GET', field)).name, name);
    await send('DELETE', field);
    for (const one of ['C1001', 'R1']) await send('DELETE', `accounts/${one}?confirm=${one}`);
    assert.equal((await send('GET', 'accounts?q=two')).total, 0);
  }

  test('takes imports of every kind', everyKindOfImport);
  test('writes accounts and tokens of customers', everyActOfAdministration);

  async function portalToken(): Promise<{ authorization: string }> {
    const { token } = await createOperatorToken(intake.operator, { name: 'portal', may: ['sign-in'] });
    return { authorization: `Bearer ${token}` };
  }

  const signIn = (account: string, headers: Record<string, string>) =>
    intake.send('POST', 'sign-ins', JSON.stringify({ account, name: 'Ada' }), {
      ...headers,
      'content-type': 'application/json',
    });

  async function everyKindOfSignIn(account: string): Promise<void> {
    const headers = await portalToken();
    await createAccount(intake.operator, account);
    const { status, json } = await signIn(account, headers);
    assert.equal(status, 201, JSON.stringify(json));
    const path = `${intake.url}/intake/v1/sign-ins/${json.id}`;
    assert.equal((await fetch(path, { method: 'DELETE', headers })).status, 204);
  }

  test('creates sign-ins and ends them', () => everyKindOfSignIn('portal'));

  test('deletes sign-ins that ended a week ago, and creates them where it may not', async (t) => {
    const headers = await portalToken();
    const old = { account_id: 'old', name: 'old', lists: null, charges: true };
    const names = async () => (await listTokens(intake.operator, 'customer', 'old')).map(({ name }) => name);
    const signedIn = () =>
      createSignIn(intake.operator, { ...old, expires_at: Date.now() - EIGHT_DAYS }, 'portal');
    await createAccount(intake.operator, 'old');
    await signedIn();
    const store = await openStore(roleUrl, 'change', { rowSecurity: false });
    await deleteEndedSignIns(store);
    await store.close();
    assert.deepEqual(await names(), []);
    await query(url, `revoke delete on tokens from ${ROLE}`);
    await signedIn();
    const other = await openIntake(kind, { intakeUrl: roleUrl, publicUrl: PUBLIC_URL });
    t.after(() => other.close());
    const { status } = await other.sendWith('POST', 'sign-ins', '{"account":"old"}', {
      ...headers,
      'content-type': 'application/json',
    });
    assert.equal(status, 201);
    assert.match(other.log.join(''), /permission denied for table tokens[\s\S]*could not delete sign-ins/);
    await query(url, `revoke insert on tokens from ${ROLE}`);
    assert.equal((await signIn('old', headers)).status, 503);
    assert.match(intake.log.join(''), /permission denied for table tokens.*--intake-role/);
    assert.equal((await migrate('--intake-role', ROLE)).status, 0);
    assert.equal((await signIn('old', headers)).status, 201);
  });
  test('changes webhooks', everyChangeOfWebhooks);

  test('notes when operators’ tokens were used', async () => {
    const [token] = await listTokens(intake.operator, 'operator');
    const store = await openStore(roleUrl, 'note', { rowSecurity: false });
    await recordUse(store, 'operator', new Map([[token?.id ?? '', Date.now()]]));
    await store.close();
    assert.ok((await listTokens(intake.operator, 'operator'))[0]?.last_used_at);
  });

  test('does nothing else', async () => {
    await createAccount(intake.operator, 'other');
    await createToken(intake.operator, 'other', '');
    for (const statement of [
      'select * from tokens',
      'select hash from tokens',
      `update tokens set reach = 'tree'`,
      `update accounts set id = 'x'`,
      'delete from account_events',
      `insert into webhook_attempts (id) values ('x')`,
      `update deliverers set actor = 'x'`,
      'delete from token_events',
      `update account_events set actor = 'x'`,
      'update operator_tokens set expires_at = null',
      `insert into operator_tokens (hash, id, name, created_at) values ('x', 'x', '', '')`,
      `update operator_tokens set revoked_at = null`,
      'truncate feeds',
      'delete from webhook_events',
      `update deployment set value = 'x'`,
      'truncate virtual_numbers',
      'drop table virtual_numbers',
      'alter table virtual_numbers disable row level security',
    ])
      await assert.rejects(query(roleUrl, statement), /permission denied|must be owner/, statement);
  });

  test('answers 503 where it lacks a right, for as long as it does', async () => {
    const send = () => intake.send('POST', 'virtual-numbers', ndjson([numberRow('C9', 9)]), NDJSON);
    await query(url, `revoke insert on virtual_numbers from ${ROLE}`);
    const { status, headers } = await send();
    assert.deepEqual([status, headers.get('retry-after')], [503, '1']);
    assert.match(intake.log.join(''), /permission denied for table virtual_numbers.*--intake-role/);
    assert.equal((await migrate('--intake-role', ROLE)).status, 0);
    assert.equal((await send()).status, 200);
  });

  test('has what a new step of the schema needs as soon as that has run', async () => {
    await query(
      url,
      [
        ...withoutNewerSteps('PostgreSQL', 20),
        'drop policy linecard_intake on operator_tokens',
        `revoke delete on feeds from ${ROLE}`,
        `revoke select (name) on tokens from ${ROLE}`,
        `revoke update on account_events, webhook_events, token_events, imports, webhook_attempts from ${ROLE}`,
        `update deployment set value = '20' where name = 'schema_step'`,
      ].join('; '),
    );
    const { status, err } = await migrate();
    assert.equal(status, 0, err);
    for (const [may, what] of NEEDED_RIGHTS.intake) {
      const [row] = await query(url, `select (${may}) as may`, ROLE);
      assert.equal(row?.['may'], true, what);
    }
  });

  test('goes on under row security, which shows the role that serves one account', async () => {
    const secured = await migrate('--serving-role', SERVING, '--row-security');
    assert.equal(secured.status, 0, secured.err);
    // Also into a list that is empty, whose rows COPY may not write then.
    await query(url, 'delete from virtual_numbers');
    await everyKindOfImport();
    await everyKindOfSignIn('secured');
    await everyChangeOfWebhooks();
    await everyActOfAdministration();
  });

  test('is not one that rights mean nothing to', async () => {
    const { status, err } = await migrate('--intake-role', 'postgres');
    assert.equal(status, 1);
    assert.match(err, /superuser.*--intake-role/);
  });
});
