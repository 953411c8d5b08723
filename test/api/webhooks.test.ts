// What a customer sees of the webhooks of an account, on every store: how each is doing, never the path of
// its address, nothing of another account, and nothing that the token may not see.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from '@linecard/client';
import { createToken } from '../../server/store/access/tokens.ts';
import { newId } from '../../server/store/log/audit.ts';
import { recordAttempt } from '../../server/store/webhooks/webhook-records.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { Webhooks } from '../kit/webhooks.ts';

const PATH = '/api/v1/webhooks';
const SETTINGS = { maxWebhooks: 5, allow: [], keys: () => [Buffer.alloc(32)] };

for (const kind of stores) {
  describe(`webhooks of an account on ${kind.name}`, () => {
    let service: Service;
    let id: string;
    before(async () => {
      service = await openService(kind, { accounts: ['mine', 'other'] });
      const webhooks = new Webhooks(service.operator, SETTINGS, { origin: 'command', actor: 'me' });
      const given = {
        url: 'https://crm.example.com:8443/secret?key=1',
        name: 'CRM',
        fields: ['did', 'monthly'],
      };
      ({ id } = await webhooks.create('mine', given));
      await webhooks.create('mine', { url: 'https://b.example.com/', lists: ['additional_services'] });
      await webhooks.create('other', { url: 'https://other.example.com/' });
    });
    after(() => service.close());

    async function attempt(type: string, status: number | null): Promise<void> {
      const fault = status === null ? 'ECONNREFUSED' : null;
      const about = { webhook_id: id, account_id: 'mine', message_id: `msg_${type}`, type };
      const statements = recordAttempt({
        ...about,
        id: newId(),
        at: '2026-11-21T03:12:47.190000Z',
        status,
        fault,
        ms: 12,
        next_at: null,
      });
      await service.operator.write(...statements);
    }

    const read = async (account: string) => JSON.parse((await service.ask(account, PATH)).body).data;

    test('are exactly these members, without path and query of the address', async () => {
      await attempt('virtual_numbers.spam_flagged', null);
      const [first, second, ...more] = await read('mine');
      assert.deepEqual(Object.keys(first), [
        ...['id', 'name', 'url', 'format', 'lists', 'events', 'fields', 'charges', 'status', 'reason'],
        ...['created_at', 'succeeded_at', 'failing_since', 'next_at', 'attempts'],
      ]);
      assert.equal(first.url, 'https://crm.example.com:8443');
      assert.deepEqual(first.attempts, [
        {
          at: '2026-11-21T03:12:47.190000Z',
          message_id: 'msg_virtual_numbers.spam_flagged',
          type: 'virtual_numbers.spam_flagged',
          status: null,
          fault: 'ECONNREFUSED',
          ms: 12,
          next_at: null,
        },
      ]);
      assert.deepEqual([second.url, second.attempts, more], ['https://b.example.com', [], []]);
      assert.equal((await read('other')).length, 1);
    });

    test('are 304 until something is tried, and take no parameters', async () => {
      const etag = String((await service.ask('mine', PATH)).headers['etag']);
      assert.equal((await service.ask('mine', PATH, { 'if-none-match': etag })).status, 304);
      await attempt('webhook.test', 204);
      assert.equal((await service.ask('mine', PATH, { 'if-none-match': etag })).status, 200);
      assert.equal((await service.ask('mine', `${PATH}?page=1`)).status, 400);
      assert.equal((await service.send('GET', PATH)).status, 401);
    });

    test('show a token no more than it may see', async () => {
      await attempt('additional_services.added', 200);
      await attempt('virtual_numbers.charges_changed', 200);
      const limits = { charges: false, lists: ['virtual_numbers'] } as const;
      const made = await createToken(service.operator, 'mine', '', undefined, limits);
      const { body } = await service.send('GET', PATH, { authorization: String(made?.token) });
      const [first, ...more] = JSON.parse(body).data;
      assert.deepEqual(more, []);
      assert.partialDeepStrictEqual(first, { lists: ['virtual_numbers'], fields: ['did'], charges: false });
      assert.equal(first.events.includes('charges_changed'), false);
      assert.deepEqual(
        first.attempts.map(({ type }: { type: string }) => type),
        ['webhook.test', 'virtual_numbers.spam_flagged'],
      );
    });

    test('show a token no event and no field of a list that it may not see', async () => {
      const made = await createToken(service.operator, 'mine', '', undefined, {
        lists: ['additional_services'],
      });
      const { body } = await service.send('GET', PATH, { authorization: String(made?.token) });
      const [{ events, fields }] = JSON.parse(body).data;
      assert.deepEqual(fields, ['monthly']);
      assert.equal(events.includes('spam_flagged'), false);
      assert.equal(events.includes('charges_changed'), true);
    });

    test('have their last 3 attempts in the list, and one its last 100, of those that a token may see, whatever came since', async () => {
      const made = await createToken(service.operator, 'mine', '', undefined, {
        charges: false,
        lists: ['additional_services'],
      });
      const typesOf = (body: string) => {
        const answer = JSON.parse(body);
        return (answer.data?.[0] ?? answer).attempts.map(({ type }: { type: string }) => type);
      };
      for (let n = 0; n < 65; n++) await attempt(`additional_services.removed${n}`, 200);
      for (const type of ['additional_services.charges_changed', 'virtual_numbers.added'])
        for (let n = 0; n < 20; n++) await attempt(type, 200);
      const authorization = { authorization: String(made?.token) };
      const last = Array.from({ length: 60 }, (_, n) => `additional_services.removed${64 - n}`);
      const { body } = await service.send('GET', PATH, authorization);
      assert.deepEqual(typesOf(body), last.slice(0, 3));
      const one = await service.send('GET', `${PATH}/${id}`, authorization);
      assert.deepEqual(typesOf(one.body), last);
      const all = typesOf((await service.ask('mine', PATH)).body);
      assert.deepEqual(all, Array(3).fill('virtual_numbers.added'));
      const added = [
        ...Array(20).fill('virtual_numbers.added'),
        ...Array(20).fill('additional_services.charges_changed'),
      ];
      assert.deepEqual(typesOf((await service.ask('mine', `${PATH}/${id}`)).body), [...added, ...last]);
    });

    test('are read one by one, and none that is unknown, hidden or of another account', async () => {
      const [first, second] = await read('mine');
      const { body, headers } = await service.ask('mine', `${PATH}/${first.id}`);
      assert.deepEqual({ ...JSON.parse(body), attempts: first.attempts }, first);
      const etag = String(headers['etag']);
      assert.equal((await service.ask('mine', `${PATH}/${first.id}`, { 'if-none-match': etag })).status, 304);
      const limits = { lists: ['virtual_numbers'] } as const;
      const made = await createToken(service.operator, 'mine', '', undefined, limits);
      const hidden = await service.send('GET', `${PATH}/${second.id}`, {
        authorization: String(made?.token),
      });
      const [foreign] = await read('other');
      const answers = [hidden];
      for (const one of [foreign.id, 'unknown', '1', 'x'.repeat(200), '%00', "'"])
        answers.push(await service.ask('mine', `${PATH}/${one}`));
      for (const answer of answers) {
        assert.equal(answer.status, 404, answer.body);
        assert.match(JSON.parse(answer.body).detail, /^There is no such webhook on this account\./);
      }
      assert.equal((await service.ask('mine', `${PATH}/${first.id}?page=1`)).status, 400);
      assert.equal((await service.send('GET', `${PATH}/${first.id}`)).status, 401);
    });

    test('are read by the client', async () => {
      const url = `http://127.0.0.1:${await service.listen()}`;
      const client = new Client({ url, token: service.tokenOf('mine').token });
      const webhooks = await client.webhooks();
      assert.deepEqual(
        webhooks.map(({ name, status }) => [name, status]),
        [
          ['CRM', 'active'],
          ['', 'active'],
        ],
      );
      const one = await client.webhook(id);
      assert.deepEqual([one.name, one.attempts.length], ['CRM', 100]);
      await assert.rejects(client.webhook('unknown'), { code: 'not-found' });
    });
  });
}
