// Exports of one customer during those of another, and what ends an export early.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { AnswerStream } from '../../server/answers/answer.ts';
import { WorkerPool } from '../../server/answers/threads/pool.ts';
import { revokeToken } from '../../server/store/access/tokens.ts';
import { virtual_numbers } from '../kit/model.ts';
import { ENGINE, PATIENT_CLIENT, questionOf } from '../kit/questions.ts';
import { longRows } from '../kit/rows.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { begin } from '../kit/sockets.ts';
import { until } from '../kit/until.ts';

const [GREEDY, OTHER, REVOKED] = ['greedy', 'other', 'revoked'];
/** More than sockets hold. */
const ROWS = 12_000;
const MAX_EXPORTS = 4;
const SHORTEST_MS = 2_000;
/** A slow machine does not read for long, and its connections are not silent ones. */
const IDLE_MS = 120_000;

for (const kind of stores) {
  describe(`exports on ${kind.name}`, () => {
    let service: Service;
    let port: number;
    before(async () => {
      const rows = [GREEDY, OTHER, REVOKED].flatMap((one, i) =>
        longRows(one, 1_000_000 * (i + 1), ROWS, 700),
      );
      service = await openService(kind, {
        rows: { virtual_numbers: rows },
        // On a server it is half of the connections that limits them.
        exports: kind.name === 'SQLite' ? MAX_EXPORTS : 3 * MAX_EXPORTS,
        reach: { database_connections: 2 * MAX_EXPORTS },
        idleMs: IDLE_MS,
      });
      port = await service.listen();
    });
    after(async () => service.close());

    const ask = (account_id: string, query = '', from = { service, port }) =>
      begin(from.port, `${virtual_numbers.path}${query}`, {
        authorization: from.service.tokenOf(account_id).token,
        accept: 'application/x-ndjson',
      });

    async function linesOf(answer: IncomingMessage): Promise<number> {
      let text = '';
      for await (const some of answer.setEncoding('utf8')) text += some;
      return text.split('\n').length - 1;
    }

    /** Waits without reading more than the buffers hold, then reads what there is; whether that is all. */
    async function isWholeAfter(answer: IncomingMessage, wait: Promise<unknown>): Promise<boolean> {
      await wait;
      answer.resume();
      // One that is cut ends with an error first.
      await once(answer, 'close').catch(() => {});
      return answer.complete;
    }

    /** Waits until an export was cut for this reason. */
    const isCut = (reason: RegExp, { log } = service) =>
      until('an export was cut', () => log.some((line) => reason.test(line)));

    test('of one account have a maximum, and another account gets its own meanwhile', async () => {
      const requests = 60;
      const answers = await Promise.all(
        Array.from({ length: requests }, () => ask(GREEDY, '?sort_by=country')),
      );
      const running = answers.filter(({ statusCode }) => statusCode === 200);
      const refused = answers.filter(({ statusCode }) => statusCode === 429);
      assert.deepEqual([running.length, refused.length], [MAX_EXPORTS, requests - MAX_EXPORTS]);
      for (const { headers } of refused) assert.match(String(headers['retry-after']), /^[1-9]\d*$/);

      // Nobody reads the exports of the first: a wait for one of them would never end.
      const other = await ask(OTHER);
      assert.equal(other.statusCode, 200);
      assert.equal(await linesOf(other), ROWS);

      const [first, ...others] = running;
      assert.equal(await linesOf(first as IncomingMessage), ROWS);
      const next = await ask(GREEDY);
      assert.equal(next.statusCode, 200, 'the place of the first was not freed');
      for (const one of [next, ...others]) one.destroy();
    });

    /** How an export of an account is begun in a pool with other limits. */
    function poolOf(context: TestContext, connections: number, ...limits: readonly [number, number?]) {
      const [maxExports, maxTotal] = limits;
      const pool = new WorkerPool({
        databaseUrl: service.database_url,
        threads: 1,
        store: { connections },
        cursorKey: 'key',
        ...ENGINE,
        maxExports,
        ...(maxTotal === undefined ? {} : { maxTotal }),
      });
      context.after(() => pool.close());
      return async (account_id: string) => {
        const question = questionOf('export', 'virtual_numbers', account_id, { format: 'ndjson' });
        const owner = { ...question.owner, token_id: `token of ${account_id}` };
        const answer = await pool.run({ ...question, owner }, { client: PATIENT_CLIENT, timeMs: undefined });
        return answer?.body as AnswerStream;
      };
    }

    test('of one account leave connections to others, however many it may have', async (context) => {
      if (kind.name === 'SQLite') return context.skip('an export of a file holds no connection');
      const connections = 4;
      const start = poolOf(context, connections, 100);
      const mine = await Promise.all(Array.from({ length: connections / 2 }, () => start(GREEDY)));
      await assert.rejects(start(GREEDY), { code: 'rate-limited' });
      for (const one of [...mine, await start(OTHER)]) one.close();
    });

    test('of all accounts have a maximum, and one more is to try again later', async (context) => {
      const start = poolOf(context, 16, 2, 3);
      const open = [await start(GREEDY), await start(GREEDY)];
      await assert.rejects(start(GREEDY), { code: 'rate-limited' });
      open.push(await start(OTHER));
      await assert.rejects(start(REVOKED), { code: 'unavailable', headers: { 'retry-after': '5' } });
      await assert.rejects(start(GREEDY), { code: 'rate-limited' });
      open.pop()?.close();
      for (const one of [...open, await start(REVOKED)]) one.close();
    });

    test('end soon after the revocation of their token', async () => {
      const answer = await ask(REVOKED);
      await revokeToken(service.operator, service.tokenOf(REVOKED).id);
      assert.equal(await isWholeAfter(answer, isCut(/the token is no longer valid/)), false);
    });

    test('are cut when they take longer than an export may', async (context) => {
      const database = { url: service.database_url, remove: async () => {} };
      const hasty = await openService(
        { ...kind, makeWithSchema: async () => database },
        { accounts: [OTHER], exportMs: SHORTEST_MS },
      );
      context.after(() => hasty.close());
      const answer = await ask(OTHER, '', { service: hasty, port: await hasty.listen() });
      const cut = isCut(/the time limit of exports was reached/, hasty);
      assert.equal(await isWholeAfter(answer, cut), false);
    });
  });
}
