// Signed deliveries, by the library that senders use: nothing is imported of a body that its sender did not
// sign, and nothing twice.

import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { SignedDelivery } from '../../server/intake/signature.ts';
import { StoreUnavailable } from '../../server/store/store-errors.ts';
import { CSV, type Intake, NDJSON, openIntake } from '../kit/intake-server.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString('base64')}`;
const [SECRET, NEXT_SECRET, OTHER_SECRET] = [newSecret(), newSecret(64), newSecret(24)];
const MINUTE = 60_000;

/** The headers of a delivery, as a sender makes them. */
function signed(id: string, body: string, secret = SECRET, at = new Date()): Record<string, string> {
  const webhook = new Webhook(secret);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': webhook.sign(id, at, body),
  };
}

/** The same for bytes that are no text, which the library does not sign. */
function signedBytes(id: string, body: Buffer): Record<string, string> {
  const headers = signed(id, '');
  const hmac = createHmac('sha256', Buffer.from(SECRET.slice('whsec_'.length), 'base64'));
  hmac.update(`${id}.${headers['webhook-timestamp']}.`).update(body);
  return { ...headers, 'webhook-signature': `v1,${hmac.digest('base64')}` };
}

for (const kind of stores) {
  describe(`a signed delivery on ${kind.name}`, () => {
    let intake: Intake;
    before(async () => {
      intake = await openIntake(kind, { secrets: [NEXT_SECRET, SECRET] });
    });
    after(() => intake.close());

    /** Sends without a token. */
    const send = (body: string | Buffer, headers: Record<string, string>, method = 'POST') =>
      intake.sendWith(method, 'virtual-numbers', body, headers);

    test('is imported, under each of the secrets, compressed or not', async () => {
      const body = ndjson([numberRow('C1', 1)]);
      assert.equal((await send(body, { ...NDJSON, ...signed('msg_1', body) })).status, 200);
      const next = ndjson([numberRow('C1', 2)]);
      // Both are of one second, which is signed as well.
      const at = new Date();
      const both = signed('msg_2', next, OTHER_SECRET, at);
      both['webhook-signature'] += ` v1a,abc ${signed('msg_2', next, NEXT_SECRET, at)['webhook-signature']}`;
      assert.equal((await send(next, { ...NDJSON, ...both })).status, 200);
      const packed = gzipSync(ndjson([numberRow('C1', 3)]));
      const headers = { ...NDJSON, 'content-encoding': 'gzip', ...signedBytes('msg_3', packed) };
      assert.equal((await send(packed, headers)).status, 200);
      // Beyond what is held in memory.
      const many = ndjson(Array.from({ length: 2_000 }, (_, i) => numberRow('C2', 100 + i)));
      assert.equal((await send(many, { ...NDJSON, ...signed('msg_4', many) })).status, 200);
      assert.equal((await intake.items()).length, 2_003);
    });

    test('changes nothing unless it is signed as a whole, now, and with a secret that is known', async () => {
      const body = ndjson([numberRow('C1', 9)]);
      const before = await intake.everything();
      const good = signed('msg_9', body);
      const now = Date.now();
      const {
        'webhook-id': id,
        'webhook-timestamp': time,
        'webhook-signature': signature,
      } = good as Required<Record<string, string>>;
      const refused: [why: string, headers: Record<string, string>, body?: string][] = [
        ['another body', good, body.replace('active', 'closed')],
        ['a part of it', good, body.slice(0, -1)],
        ['more than it', good, `${body}\n`],
        ['another secret', signed('msg_9', body, OTHER_SECRET)],
        ['another id', { ...good, 'webhook-id': 'msg_10' }],
        ['another time', { ...good, 'webhook-timestamp': String(Number(time) - 1) }],
        ['an old one', signed('msg_9', body, SECRET, new Date(now - 6 * MINUTE))],
        ['one of later', signed('msg_9', body, SECRET, new Date(now + 6 * MINUTE))],
        ['another version', { ...good, 'webhook-signature': String(signature).replace('v1,', 'v2,') }],
        ['no signature', { ...good, 'webhook-signature': 'v1,' }],
        ['no id', { 'webhook-timestamp': String(time), 'webhook-signature': String(signature) }],
        [
          'no time',
          { 'webhook-id': String(id), 'webhook-signature': String(signature), 'webhook-timestamp': 'now' },
        ],
      ];
      for (const [why, headers, other = body] of refused) {
        const { status, json } = await send(other, { ...NDJSON, ...headers });
        assert.deepEqual([status, json.type], [401, 'urn:linecard:problem:unauthenticated'], why);
        assert.equal(JSON.stringify(json).includes('whsec_'), false);
      }
      assert.deepEqual(await intake.everything(), before);
      // A token counts, even where something else signs; and a wrong one is not made good by a signature.
      assert.equal((await send(body, { ...NDJSON, ...good, authorization: 'lco_x' })).status, 401);
      assert.equal((await send(body, { ...NDJSON, ...good })).status, 200);
    });

    test('that was committed is answered as then, and not imported again', async () => {
      const patch = (comment: string) => `account_id,id,comment\nC1,1,${comment}\n`;
      const first = patch('first');
      const headers = () => ({ ...CSV, ...signed('msg_20', first) });
      const answered = await send(first, headers(), 'PATCH');
      assert.deepEqual([answered.status, answered.json.updated], [200, 1]);
      assert.equal(answered.headers.get('linecard-repeated'), null);
      const later = patch('later');
      await send(later, { ...CSV, ...signed('msg_21', later) }, 'PATCH');
      const again = await send(first, headers(), 'PATCH');
      assert.deepEqual(
        [again.status, again.json.updated, again.headers.get('linecard-repeated')],
        [200, 1, 'true'],
      );
      assert.equal((await intake.items())[0]?.['comment'], 'later');
      // To the other list it is another delivery.
      const service = 'account_id,id,title,frequency,subscription_status\nC1,1,Fax,monthly,active\n';
      const other = await fetch(`${intake.url}/intake/v1/additional-services`, {
        method: 'POST',
        headers: { ...CSV, ...signed('msg_20', service) },
        body: service,
      });
      assert.deepEqual([other.status, other.headers.get('linecard-repeated')], [200, null]);
    });

    test('that was refused, or only tried, is imported when it comes again', async () => {
      const wrong = 'account_id,id,comment\nC1,1,\u0007\n';
      assert.equal((await send(wrong, { ...CSV, ...signed('msg_30', wrong) }, 'PATCH')).status, 422);
      const right = 'account_id,id,comment\nC1,1,thirty\n';
      const tried = await fetch(`${intake.url}/intake/v1/virtual-numbers?dry_run=true`, {
        method: 'PATCH',
        headers: { ...CSV, ...signed('msg_30', right) },
        body: right,
      });
      assert.equal(tried.status, 200);
      const answered = await send(right, { ...CSV, ...signed('msg_30', right) }, 'PATCH');
      assert.deepEqual([answered.status, answered.headers.get('linecard-repeated')], [200, null]);
      assert.equal((await intake.items())[0]?.['comment'], 'thirty');
    });

    test('that comes several times at once is committed once', async () => {
      const body = ndjson([numberRow('C9', 9_000)]);
      const all = await Promise.all(
        Array.from({ length: 5 }, () => send(body, { ...NDJSON, ...signed('msg_40', body) })),
      );
      assert.deepEqual(
        all.map(({ status, json }) => [status, json.inserted]),
        Array(5).fill([200, 1]),
      );
      assert.equal(all.filter(({ headers }) => headers.get('linecard-repeated') === null).length, 1);
    });

    test('one sender holds a quarter of the imports in flight, and another goes on', async (t) => {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      let verified = 0;
      const shared = await openIntake(kind, {
        secrets: [SECRET, OTHER_SECRET],
        // What is verified looks up its feed, and then waits for the first import, which does not end yet.
        read: async () => {
          verified += 1;
          return undefined as never;
        },
        write: async () => {
          await gate;
          throw new StoreUnavailable('The test is over.');
        },
      });
      t.after(() => shared.close());
      t.after(() => open());
      const statuses: number[] = [];
      const details: string[] = [];
      const sends: Promise<void>[] = [];
      const begin = async (secret: string) => {
        const at = sends.length;
        const seen = verified;
        const body = ndjson([numberRow('C1', at + 1)]);
        const feed = { 'linecard-feed': 'crm', 'linecard-sequence': String(at + 1) };
        const headers = { ...NDJSON, ...feed, ...signed(`msg_share_${at}`, body, secret) };
        const sent = shared.sendWith('POST', 'virtual-numbers', body, headers);
        sends.push(
          sent.then(({ status, json }) => {
            statuses[at] = status;
            details[at] = json.detail;
          }),
        );
        await until('it is waiting or refused', () => verified > seen || statuses[at] !== undefined);
      };
      for (let i = 0; i < 17; i++) await begin(SECRET);
      assert.deepEqual([statuses[16], verified], [429, 16]);
      assert.match(
        details[16] ?? '',
        /^The sender of this signature already has 16 import requests in flight/,
      );
      await begin(OTHER_SECRET);
      assert.equal(verified, 17);
      open();
      await Promise.all(sends);
      assert.deepEqual(statuses, [...Array(16).fill(503), 429, 503]);
    });
  });
}

test('a signature is what the library of senders makes, and what it verifies', () => {
  for (let i = 0; i < 200; i++) {
    const secret = newSecret(24 + (i % 41));
    const body = randomBytes(i * 7).toString('latin1');
    const headers = signed(`msg_${i}`, body, secret);
    new Webhook(secret).verify(JSON.stringify(body), signed(`msg_${i}`, JSON.stringify(body), secret));
    const delivery = new SignedDelivery(headers, [OTHER_SECRET, secret]);
    const bytes = Buffer.from(body);
    const cut = i % (bytes.length + 1);
    delivery.update(bytes.subarray(0, cut));
    delivery.update(bytes.subarray(cut));
    assert.equal(delivery.verified(), secret);
  }
});

test('where no secret is set, no signature is good', async () => {
  const body = ndjson([numberRow('C1', 1)]);
  assert.throws(() => new SignedDelivery(signed('msg_1', body), []), /no --webhook-secret is set/);
});
