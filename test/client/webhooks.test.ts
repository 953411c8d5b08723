// Messages of webhooks as a receiver reads them with the client: those that a deliverer signs are read, and
// what is wrong with others is said by the code of an error.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { Problem, readWebhook, type WebhookHeaders } from '@linecard/client';
import fc from 'fast-check';
import { DEFAULT_MAX_PAGE_SIZE } from '../../api/contract/contract.ts';
import { openapi } from '../../api/openapi/openapi.ts';
import { signedHeaders } from '../../server/deliver/sending.ts';

const [secret = '', other = '', foreign = ''] = [1, 2, 3].map(
  () => `whsec_${randomBytes(32).toString('base64')}`,
);
const SECONDS = 1_000;
const now = () => Math.floor(Date.now() / SECONDS);
const { webhooks } = openapi({ version: '1.2.3', max_page_size: DEFAULT_MAX_PAGE_SIZE });
const examples = Object.values(webhooks).map(
  ({ post }) => post.requestBody.content['application/json']?.examples['message']?.value as { type: string },
);
const [example] = examples;
const text = JSON.stringify(example);
const signed = (body = text, secrets = [secret], at = now()) =>
  signedHeaders({ id: 'msg_1', url: '', body, secrets }, at);

async function codeOf(headers: WebhookHeaders, body: string | Uint8Array = text, secrets = [secret]) {
  try {
    await readWebhook(secrets, headers, body);
    return 'read';
  } catch (error) {
    assert.ok(error instanceof Problem);
    return error.code;
  }
}

describe('readWebhook', () => {
  test('reads every message of the document, with its id', async () => {
    for (const one of examples) {
      const body = JSON.stringify(one);
      assert.deepEqual(await readWebhook(secret, signed(body), body), { id: 'msg_1', ...one });
    }
  });

  test('takes headers of fetch and of Node.js in any case, and a body as text or as bytes', async () => {
    const headers = signed();
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    const bytes = new TextEncoder().encode(text);
    for (const one of [headers, upper, new Headers(headers)])
      for (const body of [text, bytes, Buffer.from(text), bytes.buffer])
        assert.equal((await readWebhook(secret, one, body)).type, example?.type);
  });

  test('takes either secret while one is replaced', async () => {
    for (const by of [[secret], [other], [other, secret]])
      assert.equal(await codeOf(signed(text, by), text, [secret, other]), 'read');
    assert.equal(await codeOf(signed(text, [other, secret]), text, [secret]), 'read');
  });

  test('says what is wrong with what is not genuine', async () => {
    const good = signed();
    for (const name of Object.keys(good)) {
      assert.equal(await codeOf({ ...good, [name]: undefined }), 'webhook-unsigned', name);
      assert.equal(await codeOf({ ...good, [name]: '' }), 'webhook-unsigned', name);
    }
    const cases: readonly (readonly [headers: WebhookHeaders, code: string, body?: string])[] = [
      [{}, 'webhook-unsigned'],
      [{ ...good, 'webhook-signature': 'é' }, 'webhook-unsigned'],
      [{ ...good, 'webhook-signature': 'v1,AAAA v2,AAAA' }, 'webhook-forged'],
      [{ ...good, 'webhook-id': 'msg_2' }, 'webhook-forged'],
      [{ ...good, 'webhook-timestamp': String(now() + 1) }, 'webhook-forged'],
      [good, 'webhook-forged', `${text} `],
      [signed(text, [foreign]), 'webhook-forged'],
      [signed(text, [secret], now() - 301), 'webhook-expired'],
      [signed(text, [secret], now() + 310), 'webhook-expired'],
      [signed('{'), 'webhook-unreadable', '{'],
      [signed('{"text":"hello"}'), 'webhook-unreadable', '{"text":"hello"}'],
    ];
    for (const [headers, code, body] of cases) assert.equal(await codeOf(headers, body), code);
    for (const wrong of ['', 'whsec_', 'secret', 'whsec_x'])
      assert.equal(await codeOf(good, text, [wrong]), 'invalid-option', wrong);
  });

  test('accepts no body that differs in a byte, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ min: 1, minLength: 1 }), fc.nat(), async (bytes, at) => {
        const body = Buffer.from(bytes);
        const headers = signed(body.toString('latin1'));
        const changed = Buffer.from(body.toString('latin1'));
        changed[at % changed.length] = ((changed[at % changed.length] ?? 0) + 1) % 256;
        assert.equal(await codeOf(headers, changed), 'webhook-forged');
      }),
      { numRuns: 200 },
    );
  });
});
