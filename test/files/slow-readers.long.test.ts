// Exports that are read slowly, many at once, or not to their end.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { everyNode } from '../kit/citus-server.ts';
import { type ModelRow, virtual_numbers } from '../kit/model.ts';
import { query } from '../kit/postgres-server.ts';
import { numberRow } from '../kit/rows.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

/** More than sockets hold, in long rows. */
const ROWS = 8_000;
const LONG = 'x'.repeat(700);
/** Each form at two paces. */
const READERS = 4;
const ACCOUNT = 'wide';
const FORMS = [
  ['text/csv', 'identity'],
  ['application/x-ndjson', 'identity'],
  ['text/csv', 'gzip'],
  ['application/x-ndjson', 'gzip'],
] as const;

const rowsNamed = (comment: string): ModelRow[] =>
  Array.from({ length: ROWS }, (_, i) =>
    numberRow(ACCOUNT, i + 1, {
      comment: `${comment}${i % 7 === 0 ? ` "é", \u{1f600}${'x'.repeat(i % 300)}` : ''}${LONG}`,
      provider: 'Zed, Inc',
      activated_at: i % 3 === 0 ? null : '2026-02-02T03:04:05.678901Z',
      is_active_spam_check: i % 2 === 0,
    }),
  );

/**
 * Whether a snapshot of the database is open: an old one keeps its log, or its dead rows, from being
 * cleared.
 */
async function isLookedAt(url: string): Promise<boolean> {
  if (!url.startsWith('sqlite:')) {
    const held = `select 1 from pg_stat_activity where datname = current_database() and backend_xmin is not null and pid <> pg_backend_pid()`;
    const rows = await Promise.all((await everyNode(url)).map((one) => query(one, held)));
    return rows.flat().length > 0;
  }
  const database = new DatabaseSync(url.slice('sqlite:'.length));
  try {
    return database.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] !== 0;
  } finally {
    database.close();
  }
}

for (const kind of stores) {
  describe(`exports that are read slowly, on ${kind.name}`, () => {
    let service: Service;
    let port: number;
    before(async () => {
      // Each export on PostgreSQL has a connection of its own, and an account half of them.
      const reach = { database_connections: 2 * READERS };
      service = await openService(kind, { rows: { virtual_numbers: rowsNamed('before') }, reach });
      port = await service.listen();
    });
    after(async () => service.close());

    async function begin(accept: string, coding: string): Promise<IncomingMessage> {
      const { token } = service.tokenOf(ACCOUNT);
      const headers = { authorization: `Bearer ${token}`, accept, 'accept-encoding': coding };
      const outgoing = request({ port, path: virtual_numbers.path, headers, agent: false }).end();
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      assert.equal(answer.statusCode, 200);
      return answer;
    }

    async function readTo(answer: IncomingMessage, rest: (i: number) => number): Promise<string> {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) {
        chunks.push(chunk as Buffer);
        const milliseconds = rest(chunks.length);
        if (milliseconds > 0) await sleep(milliseconds);
      }
      const whole = Buffer.concat(chunks);
      return (answer.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole).toString();
    }

    const atOnce = () => 0;
    const slowly = (reader: number) => (i: number) => (i % (3 + (reader % 5)) === 0 ? reader % 4 : 0);

    test('many readers of different pace each get every byte, compressed or not', async () => {
      const expected = new Map<string, string>();
      for (const [accept] of FORMS.slice(0, 2)) {
        expected.set(accept, await readTo(await begin(accept, 'identity'), atOnce));
      }
      const lines = (expected.get('application/x-ndjson') ?? '').split('\n');
      assert.deepEqual(
        lines.map((line) => line && JSON.parse(line).id),
        [...Array.from({ length: ROWS }, (_, i) => i + 1), ''],
      );
      await Promise.all(
        Array.from({ length: READERS }, async (_, reader) => {
          const [accept, coding] = FORMS[reader % FORMS.length] as (typeof FORMS)[number];
          const text = await readTo(await begin(accept, coding), slowly(reader));
          assert.ok(text === expected.get(accept), `reader ${reader} got something else`);
        }),
      );
    });

    test('an export that began before an import holds the old rows, and one that begins after it the new rows', async () => {
      const earlier = await begin('application/x-ndjson', 'identity');
      const beside = await begin('application/x-ndjson', 'identity');
      await load(service.operator, 'virtual_numbers', rowsNamed('afterwards'), [ACCOUNT]);
      const later = await begin('application/x-ndjson', 'identity');
      for (const [answer, comment] of [
        [later, 'afterwards'],
        [earlier, 'before'],
        [beside, 'before'],
      ] as const) {
        const lines = (await readTo(answer, atOnce)).trimEnd().split('\n');
        assert.equal(lines.length, ROWS);
        assert.ok(lines.every((line) => JSON.parse(line).comment.startsWith(comment)));
      }
    });

    test('the log that grew while an old snapshot was read is cut when the last of its readers has left', async (context) => {
      if (!service.database_url.startsWith('sqlite:')) return context.skip('PostgreSQL cuts its own');
      const log = `${service.database_url.slice('sqlite:'.length)}-wal`;
      const [one, other] = [await begin('text/csv', 'identity'), await begin('text/csv', 'identity')];
      await load(service.operator, 'virtual_numbers', rowsNamed('later'), [ACCOUNT]);
      const grown = statSync(log).size;
      assert.ok(grown > 16_777_216, `${grown} bytes`);
      one.destroy();
      await readTo(other, atOnce);
      await until('the log is cut', () => statSync(log).size === 0);
    });

    test('downloads that are broken off leave nothing behind, and are no error of the service', async () => {
      for (let round = 0; round < 2; round++) {
        const forms = Array.from({ length: READERS }, (_, i) => FORMS[i % FORMS.length] ?? FORMS[0]);
        const answers = await Promise.all(forms.map(([accept, coding]) => begin(accept, coding)));
        for (const answer of answers) {
          await once(answer, 'readable');
          answer.destroy();
        }
        await until('no snapshot is open', async () => !(await isLookedAt(service.database_url)));
      }
      assert.deepEqual(
        service.log.filter((line) => line.startsWith('error')),
        [],
      );
      const { status } = await service.ask(ACCOUNT, virtual_numbers.path);
      assert.equal(status, 200);
    });
  });
}
