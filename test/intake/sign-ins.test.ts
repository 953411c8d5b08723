// Sign-in links: what the backend of a portal asks for with an operator's token, and what it gets.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { timeFindings } from '../../server/commands/doctor-imports.ts';
import { createAccount, disableAccount } from '../../server/store/access/accounts.ts';
import { findCaller } from '../../server/store/access/callers.ts';
import { createSignIn } from '../../server/store/access/sign-ins.ts';
import { createOperatorToken, createToken, listTokens } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import { separate, statement } from '../../server/store/sql.ts';
import { tables } from '../../server/store/tables.ts';
import { readAudit } from '../kit/audit-log.ts';
import { CSV, type Intake, openIntake } from '../kit/intake-server.ts';
import { databaseOf, stores } from '../kit/service.ts';

const PUBLIC_URL = 'https://numbers.example.com/console';
const JSON_BODY = { 'content-type': 'application/json' };
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const DAY = 86_400_000;
const LINK = /^https:\/\/numbers\.example\.com\/console(\/[^#]*)#token=(lc_[0-9A-Za-z]{42})$/;

for (const kind of stores) {
  describe(`a sign-in on ${kind.name}`, () => {
    let intake: Intake;
    let portal: { readonly id: string; readonly token: string };
    before(async () => {
      intake = await openIntake(kind, { publicUrl: PUBLIC_URL, secrets: [SECRET] });
      for (const id of ['C1', 'C2']) await createAccount(intake.operator, id);
      portal = await createOperatorToken(intake.operator, { name: 'portal', may: ['sign-in'] });
    });
    after(() => intake.close());

    const send = (
      body: string | object | Buffer,
      token = portal.token,
      headers: Record<string, string> = JSON_BODY,
    ) =>
      intake.sendWith(
        'POST',
        'sign-ins',
        typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        {
          authorization: `Bearer ${token}`,
          ...headers,
        },
      );
    const end = async (id: string, token = portal.token) =>
      (
        await fetch(`${intake.url}/intake/v1/sign-ins/${id}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${token}` },
        })
      ).status;
    const listed = async (id: string) =>
      (await listTokens(intake.operator, 'customer')).find((one) => one.id === id);
    async function created(body: object): Promise<{ id: string; view: string; token: string; at: string }> {
      const { status, json } = await send(body);
      assert.equal(status, 201, JSON.stringify(json));
      assert.deepEqual(Object.keys(json), ['id', 'url', 'expires_at']);
      const [, view = '', token = ''] = LINK.exec(json.url) ?? [];
      return { id: json.id, view, token, at: json.expires_at };
    }

    test('is a link to the console with a token of the account, for an hour', async () => {
      const { id, view, token, at } = await created({ account: 'C1' });
      assert.equal(view, '/');
      const seconds = (Date.parse(at) - Date.now()) / 1_000;
      assert.ok(seconds > 3_500 && seconds <= 3_600, at);
      const caller = await findCaller(intake.operator, token);
      assert.partialDeepStrictEqual(caller, { account_id: 'C1', token_id: id, expires_at: at });
      assert.partialDeepStrictEqual(await listed(id), { kind: 'sign_in', name: '', reach: 'account' });
      assert.equal(intake.log.join('').includes(token), false);
    });

    test('shows a comparison too', async () => {
      const view = '/virtual-numbers/compare-country_codes?is_spammed=true';
      assert.equal((await created({ account: 'C1', view })).view, view);
    });

    test('has the name, view, limits and end that were requested', async () => {
      const view = '/virtual-numbers/48151?is_spammed=true&q=M%C3%BCller';
      const limited = { name: 'Ada at portal', expires_in: 300, lists: ['virtual_numbers'], charges: false };
      const given = await created({ account: 'C2', view, ...limited });
      assert.equal(given.view, view);
      assert.ok(Date.parse(given.at) <= Date.now() + 300_000);
      const { limits } = (await findCaller(intake.operator, given.token)) ?? {};
      assert.partialDeepStrictEqual(limits, { lists: ['virtual_numbers'], charges: false });
      assert.equal((await listed(given.id))?.name, 'Ada at portal');
    });

    test('is audited with the operator’s token as actor', async () => {
      const { id } = await created({ account: 'C1', name: 'Ada' });
      assert.equal(await end(id), 204);
      const entries = (await readAudit(intake.operator, { account_id: 'C1' })).filter(
        ({ token_id }) => token_id === id,
      );
      assert.deepEqual(
        entries.map(({ event, origin, actor, details }) => [event, origin, actor, details]),
        ['created', 'revoked'].map((what) => [`token ${what}`, 'intake', portal.id, { name: 'Ada' }]),
      );
    });

    test('ends when it is deleted, which may be repeated', async () => {
      const { id, token } = await created({ account: 'C1' });
      assert.deepEqual([await end(id), await end(id)], [204, 204]);
      assert.equal(await findCaller(intake.operator, token), undefined);
    });

    test('cannot be any other token', async () => {
      const other = await createToken(intake.operator, 'C1', 'phone book');
      assert.deepEqual(
        [await end(other?.id ?? ''), await end(portal.id), await end('nothing'), await end('%00')],
        [404, 404, 404, 404],
      );
      assert.ok(await findCaller(intake.operator, other?.token ?? ''));
    });

    test('is rejected with every fault', async () => {
      const { status, json } = await send({
        acount: 'C1',
        name: 'bell \u0007',
        expires_in: 299,
        lists: ['numbers'],
        charges: 'no',
        view: '//elsewhere.example.com',
      });
      assert.equal(status, 422);
      assert.equal(json.total, 7);
      assert.deepEqual(
        json.errors.map(({ member }: { member: string }) => member),
        ['account', 'name', 'expires_in', 'lists', 'charges', 'view', 'acount'],
      );
      assert.match(json.detail, /^7 faults\. The first: account is missing/);
      assert.match(json.errors[6].detail, /Did you mean account\?/);
    });

    for (const [what, body, detail] of [
      ['no JSON', '{"account":', /is not JSON/],
      ['no object', '["C1"]', /must be a JSON object/],
      ['a list too few', { account: 'C1', lists: [] }, /array of virtual_numbers or additional_services/],
      ['half a second', { account: 'C1', expires_in: 300.5 }, /integer from 300 to 86400/],
      ['more than a day', { account: 'C1', expires_in: 86_401 }, /integer from 300 to 86400/],
      ['an account that is a number', { account: 1 }, /the id of an account/],
      ['a view with a fragment', { account: 'C1', view: '/#x' }, /path of the console/],
      ['a view of another site', { account: 'C1', view: 'https://example.com/' }, /path of the console/],
      ['a view that the console lacks', { account: 'C1', view: '/api/v1/account' }, /path of the console/],
      ['a member twice', '{"account":"C2","account":"C1"}', /^account is there twice\./],
      ['a member twice, once escaped', '{"account":"C2","\\u0061ccount":"C1"}', /^account is there twice\./],
      ['Latin-1', Buffer.from('{"account":"C1","name":"Müller"}', 'latin1'), /is not valid UTF-8/],
      ['a member of every object', '{"account":"C1","__proto__":{}}', /__proto__ is not a member/],
    ] as const) {
      test(`is rejected for ${what}`, async () => {
        const { status, json } = await send(body);
        assert.equal(status, 422, JSON.stringify(json));
        assert.match(json.detail, detail);
      });
    }

    test('takes no parameters: its members are in the body', async () => {
      const headers = { authorization: `Bearer ${portal.token}`, ...JSON_BODY };
      const made = await intake.sendWith('POST', 'sign-ins?expires_in=300', '{"account":"C1"}', headers);
      assert.equal(made.status, 400, made.text);
      assert.match(made.json.detail, /^expires_in is not a parameter here/);
      const { id, token } = await created({ account: 'C1' });
      assert.equal(await end(`${id}?when=later`), 400);
      assert.ok(await findCaller(intake.operator, token));
    });

    test('is of an account that exists and is enabled', async () => {
      assert.equal((await send({ account: 'nobody' })).status, 404);
      await createAccount(intake.operator, 'closed');
      await disableAccount(intake.operator, 'closed');
      const { status, json } = await send({ account: 'closed' });
      assert.deepEqual([status, json.detail], [404, 'There is no account "closed", or it is disabled.']);
    });

    test('is bounded by the accounts of the token, and by what it may', async () => {
      const bound = await createOperatorToken(intake.operator, {
        name: 'C2 alone',
        accounts: ['C2'],
        may: ['sign-in'],
      });
      const { id } = await created({ account: 'C1' });
      const refused = await send({ account: 'C1' }, bound.token);
      assert.deepEqual(
        [refused.status, refused.json.detail],
        [403, 'This token may not sign in to the account "C1".'],
      );
      assert.equal((await send({ account: 'nobody' }, bound.token)).status, 403);
      assert.equal(await end(id, bound.token), 404);
      assert.equal((await send({ account: 'C2' }, bound.token)).status, 201);
      const importer = await send({ account: 'C1' }, intake.token);
      assert.equal(importer.status, 403);
      assert.match(importer.json.detail, /for import, not for sign-in\..*--may sign-in/);
      const wrong = await intake.sendWith('POST', 'virtual-numbers', '', {
        authorization: `Bearer ${portal.token}`,
        ...CSV,
      });
      assert.equal(wrong.status, 403);
    });

    test('is requested as JSON, by a token', async () => {
      assert.equal((await send({ account: 'C1' }, portal.token, CSV)).status, 415);
      assert.equal((await send({ account: 'C1', name: 'x'.repeat(70_000) })).status, 413);
      const signed = await intake.sendWith('POST', 'sign-ins', '{}', {
        ...JSON_BODY,
        'webhook-id': 'x',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': 'v1,x',
      });
      assert.equal(signed.status, 401);
      assert.match(signed.json.detail, /A signed request can only import/);
      const unknown = await intake.sendWith('POST', 'sign-in', '{}', JSON_BODY);
      assert.match(unknown.json.detail, /sign-ins to \/intake\/v1\/sign-ins/);
    });

    test('does not wait for an import', async () => {
      const writer = await openStore(intake.database_url, 'change');
      const load = await writer.load(tables.virtual_numbers);
      await created({ account: 'C1' });
      await load.rollback();
      await writer.close();
    });

    test('needs to know where the console is', async (t) => {
      const elsewhere = await openIntake(kind);
      t.after(() => elsewhere.close());
      const { token } = await createOperatorToken(elsewhere.operator, { name: '', may: ['sign-in'] });
      const { status, json } = await elsewhere.sendWith('POST', 'sign-ins', '{"account":"C1"}', {
        authorization: `Bearer ${token}`,
        ...JSON_BODY,
      });
      assert.deepEqual([status, /--public-url/.test(json.detail)], [503, true]);
    });

    test('that began while a clock was ahead is not valid, and doctor names it', async (t) => {
      const database = await databaseOf(kind);
      const store = await openStore(database.url, 'write');
      t.after(async () => {
        await store.close();
        await database.remove();
      });
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * DAY });
      await createAccount(store, 'C1');
      const request = { account_id: 'C1', name: '', lists: null, charges: true };
      const signIn = await createSignIn(store, { ...request, expires_at: Date.now() + 3_600_000 }, 'portal');
      const token = await createToken(store, 'C1', 'a token', Date.now() + DAY);
      t.mock.timers.reset();
      assert.equal(await findCaller(store, signIn?.token ?? ''), undefined);
      assert.equal((await findCaller(store, token?.token ?? ''))?.account_id, 'C1');
      const says = (await timeFindings(store)).map((one) => one.says).join('\n');
      assert.match(
        says,
        new RegExp(`The beginning of the sign-in ${signIn?.id} of C1 is at .*further ahead`),
      );
      assert.match(says, /The audit log of tokens: the event .* further ahead/);
    });

    test('is deleted a week after its end, and no other token is', async (t) => {
      const fresh = await openIntake(kind, { publicUrl: PUBLIC_URL });
      t.after(() => fresh.close());
      const { operator } = fresh;
      await createAccount(operator, 'C1');
      const request = { account_id: 'C1', lists: null, charges: true };
      for (const days of [6, 8]) {
        const expires_at = Date.now() - days * DAY;
        await createSignIn(operator, { ...request, name: `${days} days ago`, expires_at }, 'portal');
        await createToken(operator, 'C1', `a token, ${days} days ago`, expires_at);
      }
      // More than are deleted by one transaction.
      const copies = Array.from({ length: 700 }, (_, i) =>
        separate(
          statement(`insert into tokens (id, hash, account_id, name, created_at, expires_at, kind)
            select id || '-${i}', hash || '-${i}', account_id, name, created_at, expires_at, kind
            from tokens where name = '8 days ago' order by length(id) limit 1`),
        ),
      );
      await operator.write(...copies);
      const { token } = await createOperatorToken(operator, { name: '', may: ['sign-in'] });
      const headers = { authorization: `Bearer ${token}`, ...JSON_BODY };
      assert.equal((await fresh.sendWith('POST', 'sign-ins', '{"account":"C1"}', headers)).status, 201);
      const names = (await listTokens(operator, 'customer', 'C1')).map(({ name }) => name);
      assert.deepEqual(names.toSorted(), ['', '6 days ago', 'a token, 6 days ago', 'a token, 8 days ago']);
    });
  });
}
