// JSON of 16 kB and more goes compressed to a client that takes gzip: the same text, with an entity tag of
// its own that says the same.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { virtual_numbers } from '../kit/model.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';

const LONG = 16_384;
const { path } = virtual_numbers;
const big = `${path}?page_size=200`;
const zip = { 'accept-encoding': 'gzip, deflate' };

for (const kind of stores) {
  describe(`compressed JSON, on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { rows: hardRows });
    });
    after(() => service.close());
    const ask = (url: string, headers: Record<string, string> = {}) =>
      service.ask(LARGE_ACCOUNT, url, headers);

    test('is what it is without compression, each time', async () => {
      const plain = await ask(big);
      assert.ok(plain.body.length >= LONG);
      for (let times = 0; times < 3; times += 1) {
        const packed = await ask(big, zip);
        assert.equal(packed.headers['content-encoding'], 'gzip');
        assert.equal(packed.headers['content-length'], String(packed.bytes.length));
        assert.ok(packed.bytes.length < plain.body.length / 2);
        assert.equal(gunzipSync(packed.bytes).toString(), plain.body);
        for (const name of ['content-type', 'link', 'vary', 'cache-control'])
          assert.equal(packed.headers[name], plain.headers[name], name);
      }
    });

    test('is for long answers alone, and for clients that take it', async () => {
      for (const [url, headers] of [
        [`${path}?page_size=1`, zip],
        ['/api/v1/account', zip],
        [big, { 'accept-encoding': 'br' }],
        [big, { 'accept-encoding': 'gzip;q=0, *' }],
        [big, {}],
      ] as const) {
        const { status, headers: answered } = await ask(url, headers);
        assert.deepEqual([status, answered['content-encoding']], [200, undefined], url);
        assert.equal(answered['vary'], 'Authorization, Linecard-Account, Accept, Accept-Encoding');
      }
    });

    test('comes to QUERY and to changes, and HEAD has its headers', async () => {
      const changes = `${path}/changes?page_size=200`;
      assert.equal(gunzipSync((await ask(changes, zip)).bytes).toString(), (await ask(changes)).body);
      const { token } = service.tokenOf(LARGE_ACCOUNT);
      const sent = { ...zip, authorization: `Bearer ${token}` };
      const [got, head] = [await service.send('GET', big, sent), await service.send('HEAD', big, sent)];
      assert.equal(head.bytes.length, 0);
      for (const name of ['etag', 'vary', 'content-encoding', 'content-length', 'content-type'])
        assert.equal(head.headers[name], got.headers[name], name);
    });

    test('has an entity tag of its own, and either tag gets 304', async () => {
      const plain = String((await ask(big)).headers['etag']);
      const packed = String((await ask(big, zip)).headers['etag']);
      assert.equal(packed, plain.replace(/"$/, '-gzip"'));
      for (const tag of [plain, packed]) {
        for (const headers of [{}, zip]) {
          for (const written of [tag, `W/${tag}`, `"other", ${tag}`]) {
            const again = await ask(big, { ...headers, 'if-none-match': written });
            assert.deepEqual([again.status, again.headers['etag'], again.body], [304, tag, '']);
            assert.equal(again.headers['content-encoding'], undefined);
          }
        }
      }
      assert.equal((await ask(big, { ...zip, 'if-none-match': '"other-gzip"' })).status, 200);
      assert.equal((await ask(big, { ...zip, 'if-none-match': '*' })).status, 304);
    });

    test('is of the list as it is, also after it has changed', async () => {
      const before = await ask(big, zip);
      const first = hardRows.virtual_numbers.find(({ account_id }) => account_id === LARGE_ACCOUNT);
      assert.ok(first);
      await load(service.operator, 'virtual_numbers', [{ ...first, id: 9_000_001, comment: 'New here' }]);
      const sorted = `${big}&sort_by=id&sort_order=desc`;
      assert.match(gunzipSync((await ask(sorted, zip)).bytes).toString(), /New here/);
      const tag = String(before.headers['etag']);
      const after = await ask(big, { ...zip, 'if-none-match': tag });
      assert.equal(after.status, 200);
      assert.notEqual(after.headers['etag'], tag);
      assert.equal(gunzipSync(after.bytes).toString(), (await ask(big)).body);
    });
  });
}
