// Large pages that their client requests and does not read, while another account reads pages.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { virtual_numbers } from '../kit/model.ts';
import { longRows } from '../kit/rows.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { begin } from '../kit/sockets.ts';

const [GREEDY, OTHER] = ['greedy', 'other'];
/** A page of them is more than sockets hold, and less than an account may leave unread at once. */
const ROWS = 10_000;
/** Together they are much more than it may. */
const PAGES = 8;
/** A page of this size takes longer to compute. */
const LEAVES_AFTER_MS = 10;

for (const kind of stores) {
  describe(`large pages on ${kind.name}`, () => {
    let service: Service;
    let port: number;
    before(async () => {
      const rows = [GREEDY, OTHER].flatMap((one, i) => longRows(one, 1_000_000 * (i + 1), ROWS, 300));
      service = await openService(kind, { rows: { virtual_numbers: rows }, maxPageSize: ROWS });
      port = await service.listen();
    });
    after(async () => service.close());

    const ask = (account_id: string, page_size = ROWS) =>
      begin(port, `${virtual_numbers.path}?page_size=${page_size}`, {
        authorization: service.tokenOf(account_id).token,
      });

    /** Requests a page, and disconnects while it is computed. */
    async function leave(account_id: string): Promise<void> {
      const headers = { authorization: service.tokenOf(account_id).token };
      const outgoing = request({
        port,
        path: `${virtual_numbers.path}?page_size=${ROWS}`,
        headers,
        agent: false,
      });
      outgoing.on('error', () => {});
      outgoing.end();
      await once(outgoing, 'finish');
      await sleep(LEAVES_AFTER_MS);
      outgoing.destroy();
    }

    async function read(answer: IncomingMessage) {
      let text = '';
      for await (const some of answer.setEncoding('utf8')) text += some;
      return JSON.parse(text) as { data: unknown[]; detail?: string };
    }

    test('that are not read have a maximum of bytes for each account, and all others are answered', async () => {
      const answers: IncomingMessage[] = [];
      for (let i = 0; i < PAGES; i++) answers.push(await ask(GREEDY));
      const [refused, held] = [429, 200].map((status) =>
        answers.filter(({ statusCode }) => statusCode === status),
      ) as [IncomingMessage[], IncomingMessage[]];
      assert.ok(held.length > 1 && refused.length > 1, `${held.length} held, ${refused.length} refused`);
      assert.equal(held.length + refused.length, PAGES);
      for (const one of refused) {
        const { etag, link, 'retry-after': wait, 'content-type': type } = one.headers;
        assert.deepEqual([etag, wait, type], [undefined, '2', 'application/problem+json']);
        assert.equal(link, '</docs#problem-rate-limited>; rel="help"');
        assert.match(
          (await read(one)).detail ?? '',
          /^This client would have more than \d+ MiB of unread answers, which is the maximum\./,
        );
      }

      assert.equal((await ask(GREEDY, 10)).statusCode, 200, 'a small page needs no room');
      assert.equal((await read(await ask(OTHER))).data.length, ROWS);
      // What has waited is whole, and makes room.
      for (const one of held) assert.equal((await read(one)).data.length, ROWS);
      assert.equal((await read(await ask(GREEDY))).data.length, ROWS);
    });

    test('of a client that leaves make room for others', async () => {
      const held = await Promise.all(Array.from({ length: 3 }, () => ask(GREEDY)));
      for (const one of held) one.destroy();
      for (let i = 0; i < PAGES; i++) await leave(GREEDY);
      for (let i = 0; i < PAGES; i++) {
        const answer = await ask(GREEDY);
        assert.equal(answer.statusCode, 200, `page ${i}`);
        assert.equal((await read(answer)).data.length, ROWS);
      }
    });
  });
}
