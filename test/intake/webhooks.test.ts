// Webhook endpoints over HTTP, as a portal's backend creates them: the same as the commands, bounded by its
// token.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createAccount } from '../../server/store/access/accounts.ts';
import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { newId } from '../../server/store/log/audit.ts';
import { separate, sql } from '../../server/store/sql.ts';
import type { Store } from '../../server/store/store.ts';
import { recordAttempt } from '../../server/store/webhooks/webhook-records.ts';
import { findWebhook, forgetDeliverer, recordDeliverer } from '../../server/store/webhooks/webhooks.ts';
import { readAudit } from '../kit/audit-log.ts';
import { type Answered, type Intake, MAX_WEBHOOKS, NDJSON, openIntake } from '../kit/intake-server.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { load, stores } from '../kit/service.ts';
import { sendBytes } from '../kit/sockets.ts';
import { until } from '../kit/until.ts';
import { Webhooks } from '../kit/webhooks.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const HOOK = 'https://crm.example.com/hook';

for (const kind of stores) {
  describe(`webhooks over HTTP on ${kind.name}`, () => {
    let intake: Intake;
    let token: string;
    before(async () => {
      intake = await openIntake(kind);
      for (const id of ['C1', 'C2']) await createAccount(intake.operator, id);
      ({ token } = await createOperatorToken(intake.operator, { name: 'portal', may: ['webhooks'] }));
    });
    after(() => intake.close());

    function send(method: string, path: string, body?: unknown, own = token): Promise<Answered> {
      const headers = { authorization: `Bearer ${own}`, ...(body === undefined ? {} : JSON_TYPE) };
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
      return intake.sendWith(method, `webhooks${path}`, text, headers);
    }

    test('are made, shown, changed, paused, enabled, rotated and deleted', async () => {
      const made = await send('POST', '', {
        account_id: 'C1',
        url: HOOK,
        events: ['spam_flagged'],
        name: 'CRM',
      });
      assert.equal(made.status, 201, made.text);
      const { id, secret } = made.json;
      assert.match(secret, /^whsec_/);
      assert.equal(made.headers.get('location'), `/intake/v1/webhooks/${id}`);
      assert.equal(made.headers.get('cache-control'), 'no-store');
      const { json } = await send('GET', `/${id}`);
      assert.partialDeepStrictEqual(json, {
        id,
        account_id: 'C1',
        url: HOOK,
        status: 'active',
        attempts: [],
      });
      assert.equal('secret' in json, false);
      for (let n = 0; n < 5; n++) {
        const about = { webhook_id: id, account_id: 'C1', message_id: `msg_${n}`, type: 'webhook.test' };
        const outcome = {
          id: newId(),
          at: '2026-11-21T03:12:47.190000Z',
          status: 204,
          fault: null,
          ms: 1,
          next_at: null,
        };
        await intake.operator.write(...recordAttempt({ ...about, ...outcome }));
      }
      const messages = ({ attempts }: { attempts: { message_id: string }[] }) =>
        attempts.map((one) => one.message_id);
      const [listed] = (await send('GET', '?account=C1')).json.data;
      assert.deepEqual(messages(listed), ['msg_4', 'msg_3', 'msg_2']);
      assert.equal(messages((await send('GET', `/${id}`)).json).length, 5);
      assert.deepEqual(messages((await send('GET', '')).json.data[0]), messages(listed));
      const changed = await send('PATCH', `/${id}`, { events: ['added', 'removed'], charges: false });
      assert.deepEqual(
        [changed.status, changed.json.events, changed.json.charges],
        [200, ['added', 'removed'], false],
      );
      assert.equal((await send('POST', `/${id}/pause`)).json.status, 'paused');
      assert.equal((await send('POST', `/${id}/enable`, {})).json.status, 'active');
      const rotated = await send('POST', `/${id}/rotate`, { overlap: '1h' });
      assert.notEqual(rotated.json.secret, secret);
      await load(intake.operator, 'virtual_numbers', [numberRow('C1', 1)]);
      assert.equal((await send('POST', `/${id}/replay`, { from: '2h' })).json.replayed_from, null);
      const all = await send('GET', '?account=C1');
      assert.deepEqual(
        all.json.data.map((one: { id: string }) => one.id),
        [id],
      );
      assert.deepEqual((await send('GET', '?account=C2')).json, { data: [] });
      const deleted = await send('DELETE', `/${id}`);
      assert.deepEqual([deleted.status, deleted.text], [204, '']);
      assert.equal((await send('DELETE', `/${id}`)).status, 404);
      const events = (await readAudit(intake.operator, { account_id: 'C1' })).filter(({ event }) =>
        event.startsWith('webhook'),
      );
      assert.deepEqual(
        [...new Set(events.map(({ origin }) => origin))].concat(events.map(({ event }) => event)),
        [
          'intake',
          'webhook created',
          'webhook updated',
          'webhook paused',
          'webhook enabled',
          'webhook rotated',
          'webhook deleted',
        ],
      );
    });

    test('are changed by requests without content, however that is said', async () => {
      const { id } = (await send('POST', '', { account_id: 'C1', url: HOOK })).json;
      const one = `/intake/v1/webhooks/${id}`;
      const statusOf = async (method: string, path: string, head: string, body: string) => {
        const text = await sendBytes(
          intake.port,
          Buffer.from(
            `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n${head}\r\n${body}`,
          ),
          'wait',
        );
        return Number(text.slice(9, 12));
      };
      const JSON_HEAD = 'Content-Type: application/json\r\n';
      for (const head of ['', JSON_HEAD, 'Content-Type: text/plain\r\n']) {
        const chunked = `${head}Transfer-Encoding: chunked\r\n`;
        for (const [length, body] of [
          ['', ''],
          ['Content-Length: 0\r\n', ''],
          ['Transfer-Encoding: chunked\r\n', '0\r\n\r\n'],
          ['Transfer-Encoding: chunked\r\n', '0\r\nX-A: b\r\n\r\n'],
        ] as const) {
          for (const action of ['pause', 'enable', 'rotate'])
            assert.equal(await statusOf('POST', `${one}/${action}`, head + length, body), 200, head + length);
          assert.equal(await statusOf('GET', one, head + length, body), 200);
          assert.equal(await statusOf('GET', '/healthz', head + length, body), 200);
        }
        const isJson = head === JSON_HEAD;
        const some = '2\r\n{}\r\n0\r\n\r\n';
        assert.equal(await statusOf('POST', `${one}/pause`, chunked, some), isJson ? 200 : 415);
        assert.equal(await statusOf('GET', one, chunked, some), 413);
        assert.equal(await statusOf('DELETE', one, chunked, some), 413);
      }
      assert.equal(await statusOf('DELETE', one, 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n'), 204);
    });

    test('keep what happens to them while their scope is changed', async () => {
      const { id } = (await send('POST', '', { account_id: 'C1', url: HOOK })).json;
      let meanwhile: Promise<unknown> | undefined;
      const changed = {
        dialect: intake.operator.dialect,
        read: (...statements: Parameters<Store['read']>) => intake.operator.read(...statements),
        async write(...statements: Parameters<Store['write']>) {
          // Between the read of the endpoint and its update.
          meanwhile ??= (async () => {
            await send('POST', `/${id}/rotate`);
            await send('POST', `/${id}/pause`);
            await intake.operator.write(
              separate(sql`update webhooks set claimed_by = 'D1', claimed_until = '2999-01-01T00:00:00Z',
                from_sequence = 7, to_sequence = 8, step = 'virtual_numbers', test_id = 'msg_1',
                due_day = '2026-11-21' where id = ${id}`),
            );
          })();
          await meanwhile;
          return intake.operator.write(...statements);
        },
      };
      const settings = { maxWebhooks: MAX_WEBHOOKS, allow: [], keys: () => [] };
      const by = { origin: 'intake', actor: 'portal' } as const;
      const webhooks = new Webhooks(changed as unknown as Store, settings, by);
      const view = await webhooks.change(id, { name: 'CRM', events: ['added'] });
      assert.partialDeepStrictEqual(view, {
        name: 'CRM',
        url: HOOK,
        events: ['added'],
        status: 'paused',
        secret_version: 2,
      });
      assert.partialDeepStrictEqual(await findWebhook(intake.operator, id), {
        claimed_by: 'D1',
        claimed_until: '2999-01-01T00:00:00Z',
        from_sequence: 7,
        to_sequence: 8,
        step: 'virtual_numbers',
        test_id: 'msg_1',
        due_day: '2026-11-21',
      });
      await send('DELETE', `/${id}`);
    });

    test('are refused with every fault of the body', async () => {
      const { status, json } = await send('POST', '', {
        url: 'http://127.0.0.1',
        events: [],
        acount_id: 'C1',
      });
      assert.equal(status, 422);
      assert.equal(json.type, 'urn:linecard:problem:rejected');
      assert.deepEqual(
        json.errors.map(({ member }: { member: string }) => member),
        ['account_id', 'url', 'url', 'events', 'acount_id'],
      );
      assert.equal(json.total, 5);
      for (const body of ['{', '[]', 'null', '"x"'])
        assert.equal((await send('POST', '', body)).status, 422, body);
      const csv = await intake.sendWith('POST', 'webhooks', 'a,b\n', {
        authorization: `Bearer ${token}`,
        'content-type': 'text/csv',
      });
      assert.equal(csv.status, 415);
      const long = await send('POST', '', { account_id: 'C1', url: HOOK, name: 'x'.repeat(70_000) });
      assert.deepEqual([long.status, /64 KiB/.test(long.json.detail)], [413, true]);
      const { id } = (await send('POST', '', { account_id: 'C1', url: HOOK })).json;
      assert.equal((await send('PATCH', `/${id}`, { account_id: 'C2' })).status, 422);
      assert.equal((await send('POST', `/${id}/rotate`, { overlap: 'soon', more: 1 })).json.total, 2);
      assert.equal((await send('POST', `/${id}/replay`)).json.total, 1);
      assert.equal((await send('POST', `/${id}/pause`, { why: '' })).status, 422);
      assert.equal((await send('GET', '?acount=C1')).status, 400);
      await send('DELETE', `/${id}`);
    });

    test('are looked for by an id and an account that there can be', async () => {
      for (const [method, path] of [
        ['GET', '/%00'],
        ['PATCH', '/%00'],
        ['DELETE', '/%00'],
        ['POST', '/%00/pause'],
      ] as const) {
        const { status, text } = await send(method, path);
        assert.equal(status, 404, `${method} ${path}: ${text}`);
      }
      for (const [account, words] of [
        ['%00', /^account must not contain control characters\.$/],
        ['%ff', /^account is not valid percent-encoded UTF-8\.$/],
        ['', /^account must have 1 to 100 characters/],
        ['C1&account=C2', /^account is there twice\.$/],
      ] as const) {
        const { status, json } = await send('GET', `?account=${account}`);
        assert.equal(status, 400, account);
        assert.match(json.detail, words);
      }
    });

    test('take no parameter that would be ignored', async () => {
      const { id } = (await send('POST', '', { account_id: 'C1', url: HOOK })).json;
      for (const [method, path, body] of [
        ['GET', '?acount=C1', undefined],
        ['POST', '?charges=false', { account_id: 'C1', url: HOOK }],
        ['GET', `/${id}?account=C1`, undefined],
        ['PATCH', `/${id}?charges=false`, { name: 'CRM' }],
        ['POST', `/${id}/rotate?overlap=0s`, undefined],
        ['DELETE', `/${id}?account=C1`, undefined],
      ] as const) {
        const { status, json } = await send(method, path, body);
        assert.deepEqual([status, json.type], [400, 'urn:linecard:problem:invalid-parameter'], path);
        assert.match(json.detail, /is not a parameter here/);
      }
      const { data } = (await send('GET', '?account=C1')).json;
      assert.equal(data.length, 1);
      assert.partialDeepStrictEqual(data[0], { id, name: '', charges: true, secret_version: 1 });
      await send('DELETE', `/${id}`);
    });

    test('are as many as an account may have', async () => {
      const ids: string[] = [];
      for (let n = 0; n < MAX_WEBHOOKS; n++)
        ids.push((await send('POST', '', { account_id: 'C2', url: HOOK })).json.id);
      const { status, json } = await send('POST', '', { account_id: 'C2', url: HOOK });
      assert.deepEqual([status, /which is the maximum/.test(json.detail)], [422, true]);
      const [fault] = json.errors;
      assert.deepEqual([fault.member, json.total], ['account_id', 1]);
      assert.match(fault.detail, /^account_id names an account that has 3 webhooks, which is the maximum/);
      for (const id of ids) await send('DELETE', `/${id}`);
    });

    test('are no more than that when they are created concurrently', async () => {
      for (let round = 0; round < 5; round++) {
        const made = await Promise.all(
          Array.from({ length: 3 * MAX_WEBHOOKS }, () => send('POST', '', { account_id: 'C2', url: HOOK })),
        );
        const created = made.filter(({ status }) => status === 201);
        assert.equal(created.length, MAX_WEBHOOKS);
        for (const { json } of created) await send('DELETE', `/${json.id}`);
      }
    });

    test('are refused at once where a body has more than any endpoint', async () => {
      const names = Array.from({ length: 101 }, (_, i) => [`name${i}`, 1]);
      for (const body of [
        Object.fromEntries(names),
        { events: names.map(([name]) => name) },
        `{"url":${'['.repeat(60_000)}`,
      ]) {
        const { status, json } = await send('POST', '', body);
        assert.deepEqual([status, json.errors.length, json.errors[0].member], [422, 1, null], json.detail);
      }
    });

    test('are tested with an event that one of their lists has', async () => {
      const lists = ['additional_services'];
      const { id } = (await send('POST', '', { account_id: 'C1', url: HOOK, lists })).json;
      const other = await send('POST', `/${id}/test`, { event: 'spam_flagged' });
      assert.equal(other.status, 409);
      assert.match(other.json.detail, /no list of webhook \S+ has the event spam_flagged/);
      const unknown = await send('POST', `/${id}/test`, { event: 'spam' });
      assert.deepEqual([unknown.status, unknown.json.errors[0].member], [422, 'event']);
      // A deliverer would send it.
      assert.equal((await send('POST', `/${id}/test`, { event: 'added' })).status, 503);
      assert.equal((await send('DELETE', `/${id}`)).status, 204);
    });

    test('keep no import waiting while their tests wait', async () => {
      const { id } = (await send('POST', '', { account_id: 'C1', url: HOOK })).json;
      const leaving = new AbortController();
      const test_ = (own: string) =>
        fetch(`${intake.url}/intake/v1/webhooks/${id}/test`, {
          method: 'POST',
          headers: { authorization: `Bearer ${own}` },
          signal: leaving.signal,
        });
      const others = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) => createOperatorToken(intake.operator, { name, may: ['webhooks'] })),
      );
      const all = [token, ...others.map((made) => made.token)];
      // Without a deliverer nobody waits, and the answer says what is missing.
      const answers = await Promise.all(Array.from({ length: 16 }, () => test_(token)));
      for (const answer of answers) assert.equal(answer.status, 503);
      assert.match(
        await (answers[0] as Response).text(),
        /no deliverer runs\. Start one: linecard-server deliver/,
      );
      const deliverer = { id: 'd1', actor: 'me', started_at: 'now' };
      await intake.operator.write(...recordDeliverer(deliverer));
      const refused: number[] = [];
      const waiting: Promise<void>[] = [];
      const send16 = (own: string) => {
        for (let i = 0; i < 16; i++)
          waiting.push(
            test_(own).then(
              ({ status }) => void refused.push(status),
              () => {},
            ),
          );
      };
      send16(token);
      const more = () =>
        test_(token).then(({ status }) => {
          if (status === 429) refused.push(status);
        });
      waiting.push(more().catch(() => {}));
      await until('one test more of a token is refused: the others have their share', () =>
        refused.includes(429),
      );
      for (const own of all.slice(1, 4)) send16(own);
      send16(String(all[4]));
      await until('one test more than there may be is refused', () => refused.includes(503));
      const row = ndjson([numberRow('C1', 7)]);
      const { status, text } = await intake.send('POST', 'virtual-numbers', row, NDJSON);
      assert.equal(status, 200, text);
      leaving.abort();
      await Promise.all(waiting);
      await intake.operator.write(forgetDeliverer(deliverer.id));
      await until('the tests have ended', async () => (await send('DELETE', `/${id}`)).status === 204);
    });

    test('are for tokens that may, and for their accounts alone: those of others are not there', async () => {
      assert.equal((await send('GET', '', undefined, intake.token)).status, 403);
      const bound = { name: 'bound', may: ['webhooks'], accounts: ['C1'] } as const;
      const own = (await createOperatorToken(intake.operator, bound)).token;
      const { id } = (await send('POST', '', { account_id: 'C2', url: HOOK })).json;
      const other = await send('GET', `/${id}`, undefined, own);
      const nothing = await send('GET', '/nothing', undefined, own);
      assert.deepEqual([other.status, nothing.status], [404, 404]);
      assert.equal(other.json.detail.replace(id, 'nothing'), nothing.json.detail);
      assert.equal((await send('DELETE', `/${id}`, undefined, own)).status, 404);
      assert.equal((await send('POST', '', { account_id: 'C2', url: HOOK }, own)).status, 403);
      assert.deepEqual((await send('GET', '', undefined, own)).json, { data: [] });
      const foreign = await send('GET', '?account=C2', undefined, own);
      const unknown = await send('GET', '?account=C9', undefined, own);
      assert.deepEqual([foreign.status, unknown.status], [403, 403]);
      assert.equal(foreign.json.detail.replace('C2', 'C9'), unknown.json.detail);
      assert.equal((await send('POST', '', { account_id: 'C1', url: HOOK }, own)).status, 201);
      assert.equal((await send('GET', '')).json.data.length, 2);
      for (const query of ['', '?account=C1']) {
        const { data } = (await send('GET', query, undefined, own)).json;
        assert.deepEqual(
          data.map(({ account_id }: { account_id: string }) => account_id),
          ['C1'],
        );
      }
    });

    test('answer what is not a route as everywhere', async () => {
      assert.equal((await send('GET', '/x/pause')).status, 405);
      assert.equal((await send('PUT', '', {})).status, 405);
      assert.equal((await send('POST', '/x/stop')).status, 404);
      assert.equal((await intake.sendWith('GET', 'webhooks', undefined)).status, 401);
      const signed = { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': 'v1,a' };
      assert.equal(
        (await intake.sendWith('POST', 'webhooks', '{}', { ...JSON_TYPE, ...signed })).status,
        401,
      );
    });
  });
}
