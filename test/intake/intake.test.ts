// Imports over HTTP: they do what the command does, to the accounts that the sender may write, and every way
// to fail has its answer.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { PROBLEM_TYPE } from '../../api/contract/problems.ts';
import { ImportRefused } from '../../server/import/faults.ts';
import { importFiles } from '../../server/import/import.ts';
import { createOperatorToken, listTokens, revokeToken } from '../../server/store/access/tokens.ts';
import { advance, sequenceOf } from '../../server/store/imports/feeds.ts';
import { openStore } from '../../server/store/open.ts';
import { statement } from '../../server/store/sql.ts';
import type { Store, WithStore } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import {
  type Answered,
  CSV,
  type Intake,
  type IntakeCircumstances,
  NDJSON,
  openIntake,
} from '../kit/intake-server.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const NUMBERS = 'virtual-numbers';
const COUNTS = {
  inserted: 0,
  updated: 0,
  moved: 0,
  unchanged: 0,
  removed: 0,
  absent: 0,
  accounts_created: 0,
  left_out: 0,
};
const MEBIBYTE = 1_048_576;

function assertProblem({ status, json, headers }: Answered, expected: number, code: string): void {
  assert.deepEqual([status, json.type], [expected, PROBLEM_TYPE + code], JSON.stringify(json));
  assert.equal(headers.get('content-type'), 'application/problem+json');
  assert.equal(headers.get('x-request-id'), json.request_id);
  assert.equal(headers.get('cache-control'), 'no-store');
}

for (const kind of stores) {
  describe(`intake on ${kind.name}`, () => {
    let intake: Intake;
    before(async () => {
      intake = await openIntake(kind, { maxBytes: 2 * MEBIBYTE, secondMs: 20, secrets: [] });
    });
    after(() => intake.close());

    /** Starts again with these numbers, and nothing else. */
    async function given(...rows: object[]): Promise<void> {
      const { status, text: said } = await intake.send(
        'PUT',
        `${NUMBERS}?all=true&max_removed=100%25`,
        ndjson(rows),
        NDJSON,
      );
      assert.equal(status, 200, said);
    }

    const comments = async () =>
      Object.fromEntries((await intake.items()).map(({ id, comment }) => [id, comment]));

    test('POST imports, PATCH changes, PUT replaces, and each answers with the summary of the command', async () => {
      const rows = [numberRow('C1', 1), numberRow('C1', 2), numberRow('C2', 3)];
      const { seconds, ...posted } = (await intake.send('POST', NUMBERS, ndjson(rows), NDJSON)).json;
      assert.equal(typeof seconds, 'number');
      assert.deepEqual(posted, {
        list: 'virtual_numbers',
        dry_run: false,
        rows: 3,
        ...COUNTS,
        inserted: 3,
        accounts_created: 2,
        columns: Object.keys(numberRow('C1', 1)),
        changed: {},
        negative: 0,
        warnings: [],
      });
      const patched = await intake.send('PATCH', NUMBERS, 'account_id,id,comment\nC1,1,main line\n');
      assert.partialDeepStrictEqual(patched.json, { rows: 1, ...COUNTS, updated: 1 });
      assert.deepEqual(await comments(), { 1: 'main line', 2: '', 3: '' });
      const put = await intake.send('PUT', NUMBERS, ndjson([numberRow('C1', 2)]), NDJSON);
      assert.partialDeepStrictEqual(put.json, { rows: 1, ...COUNTS, unchanged: 1, removed: 1 });
      const all = await intake.send('PUT', `${NUMBERS}?all=true`, ndjson([numberRow('C1', 2)]), NDJSON);
      assert.partialDeepStrictEqual(all.json, { rows: 1, ...COUNTS, unchanged: 1, removed: 1 });
      assert.deepEqual(await comments(), { 2: '' });
      const service = 'account_id,id,title,frequency,subscription_status\nC9,1,Fax,monthly,active\n';
      assert.equal(
        (await intake.send('POST', 'additional-services', service)).json.list,
        'additional_services',
      );
      assert.equal((await intake.items('additional_services'))[0]?.['title'], 'Fax');
    });

    test('a body may be gzip, of another encoding or delimiter, without the account, or large', async () => {
      await given(numberRow('C1', 1), numberRow('C1', 2));
      const gzip = { ...CSV, 'content-encoding': 'gzip' };
      const csv = (comment: string) => `account_id,id,comment\nC1,1,${comment}\n`;
      assert.equal((await intake.send('PATCH', NUMBERS, gzipSync(csv('gzip')), gzip)).status, 200);
      assert.equal((await comments())[1], 'gzip');
      assert.equal((await intake.send('PATCH', NUMBERS, gzipSync(csv('unsaid')))).status, 200);
      assert.equal((await comments())[1], 'unsaid');
      const latin = Buffer.from(csv('Büro'), 'latin1');
      await intake.send('PATCH', NUMBERS, latin, { 'content-type': 'text/csv; charset="Windows-1252"' });
      assert.equal((await comments())[1], 'Büro');
      const options = `${NUMBERS}?delimiter=%3B&account=C1&expect_rows=1`;
      assert.equal((await intake.send('PATCH', options, 'id;comment\n2;semicolons\n')).status, 200);
      assert.equal((await comments())[2], 'semicolons');
      // Beyond what is held in memory: through a file, and read on a thread of its own.
      const many = Array.from({ length: 3_000 }, (_, i) => numberRow('C3', 100 + i));
      const large = await intake.send('POST', NUMBERS, ndjson(many), NDJSON);
      assert.equal(large.json.inserted, 3_000, large.text);
      const packed = await intake.send('POST', NUMBERS, gzipSync(ndjson(many)), {
        ...NDJSON,
        'content-encoding': 'gzip',
      });
      assert.equal(packed.json.unchanged, 3_000, packed.text);
    });

    test('a dry run says what would change for each account, and changes nothing', async () => {
      await given(numberRow('C1', 1), numberRow('C2', 2));
      const before = await intake.everything();
      const body = ndjson([numberRow('C1', 1, { comment: 'new' }), numberRow('C1', 3)]);
      const tried = await intake.send('PUT', `${NUMBERS}?all=true&dry_run=true`, body, {
        ...NDJSON,
        'linecard-feed': 'tried',
        'linecard-sequence': '7',
      });
      assert.partialDeepStrictEqual(tried.json, { dry_run: true, inserted: 1, updated: 1, removed: 1 });
      const tooFew = `${NUMBERS}?all=true&dry_run=true&max_removed=0`;
      const withheld = await intake.send('PUT', tooFew, body, NDJSON);
      assert.deepEqual([withheld.status, withheld.json.type], [422, 'urn:linecard:problem:rejected']);
      assert.match(withheld.json.detail, /^Without dry_run it would be refused\. This would remove 1 of/);
      assert.partialDeepStrictEqual(withheld.json.summary, { dry_run: true, inserted: 1, removed: 1 });
      assert.deepEqual(tried.json.accounts, [
        { account_id: 'C1', inserted: 1, updated: 1, removed: 0, moved_in: 0, moved_out: 0 },
        { account_id: 'C2', inserted: 0, updated: 0, removed: 1, moved_in: 0, moved_out: 0 },
      ]);
      assert.deepEqual(await intake.everything(), before);
    });

    test('a body of blank lines is refused early, and what has no row waits for no lock', async (t) => {
      const other = await openIntake(kind, { importTimeoutMs: 0, maxBytes: 1_024 * MEBIBYTE });
      t.after(() => other.close());
      const held = await other.operator.load(tables.virtual_numbers);
      const send = (text: string | Buffer, type = CSV) =>
        other.send('POST', NUMBERS, gzipSync(text), { ...type, 'content-encoding': 'gzip' });
      const blank = Buffer.alloc(4 * MEBIBYTE, '\n');
      const head = 'account_id,id,did,status,subscription_status,frequency,created_at\n';
      for (const answered of [
        await send(blank),
        await send(Buffer.concat([Buffer.from(head), blank])),
        await send(blank, NDJSON),
        await send(Buffer.alloc(MEBIBYTE, ' \n'), NDJSON),
      ]) {
        assertProblem(answered, 422, 'rejected');
        assert.match(JSON.stringify(answered.json.errors), /blank lines; the rest of the file was not read/);
      }
      assertProblem(await send('no,column\n'), 422, 'rejected');
      assertProblem(await send(ndjson([numberRow('C1', 1)]), NDJSON), 503, 'unavailable');
      await held.rollback();
      const spaced = ndjson([numberRow('C1', 1), numberRow('C1', 2)]).replaceAll(
        '\n',
        `\n${'\n'.repeat(4_000)}`,
      );
      // PostgreSQL may release the lock a little after the connection that held it has been closed.
      const answered = await until('the lock is free', async () => {
        const { status, json } = await send(spaced, NDJSON);
        return status === 503 ? undefined : json;
      });
      assert.equal(answered.inserted, 2);
    });

    // What unpacks a body and converts rows is the same on every store.
    if (kind.name === 'SQLite') {
      test('a compressed body may not be much larger than it came', async (t) => {
        const other = await openIntake(kind, { maxBytes: 1_024 * MEBIBYTE });
        t.after(() => other.close());
        // Blanks within a row, which nobody refuses: few rows are fast to read.
        const row = `{${' '.repeat(16_000)}${JSON.stringify(numberRow('C1', 1)).slice(1)}\n`;
        const body = gzipSync(row.repeat(Math.ceil((66 * MEBIBYTE) / row.length)));
        const answered = await other.send('POST', NUMBERS, body, { ...NDJSON, 'content-encoding': 'gzip' });
        assertProblem(answered, 413, 'content-too-large');
        assert.match(answered.json.detail, /more than 64 MiB, once unpacked/);
        assert.equal((await other.items()).length, 0);
      });

      test('a text that is longer than its column is measured, and read by nothing', async (t) => {
        const mappings = temporaryFolder();
        const columns = [
          'account_id',
          'id',
          'did',
          'comment',
          'country_code',
          'monthly',
          'created_at',
          'is_spammed',
        ];
        const mapping = {
          currency: '€',
          dates: ['DD.MM.YYYY'],
          columns: Object.fromEntries(columns.map((name) => [name, name])),
        };
        writeFileSync(join(mappings, 'money.json'), JSON.stringify(mapping));
        const reading = await openIntake(kind, { mappings });
        t.after(() => reading.close());
        const good = ['C1', '1', '+442079460018', 'desk', 'GB', '2.25 €', '01.02.2026', 'true'];
        await reading.send('POST', NUMBERS, ndjson([numberRow('C1', 1)]), NDJSON);
        const first = `${columns.join()}\n${good.join()}\n`;
        const set = await reading.send('PATCH', `${NUMBERS}?mapping=money`, first);
        assert.deepEqual([set.status, set.json.updated], [200, 1], set.text);
        const LONG = 4_000;
        const parts = [' ', '€', '1', '1.', '1,', '_', '+', '2026-01-01 ', '\u00a0'];
        for (const part of parts) {
          const value = `1${part.repeat(LONG / part.length)}€x`;
          const csv = `${columns.join()}\n${columns.map(() => `"${value}"`).join()}\n`;
          const row = Object.fromEntries(columns.map((name) => [name, value]));
          for (const [body, type] of [
            [csv, CSV],
            [ndjson([row]), NDJSON],
          ] as const) {
            const headers = { ...type, 'content-encoding': 'gzip' };
            const sent = reading.send('PATCH', `${NUMBERS}?mapping=money`, gzipSync(body), headers);
            const { status, json } = await sent;
            assert.deepEqual([status, json.total], [422, columns.length], JSON.stringify(json.errors));
            for (const { detail } of json.errors)
              assert.match(detail, /^must be .*, but has [34],\d{3} characters; shorten it\.$/);
          }
        }
        // What is long by its padding alone is its text.
        const padded = good.map((one, i) => (i === 1 || i > 4 ? one + ' '.repeat(500) : one));
        const again = `${columns.join()}\n${padded.join()}\n`;
        const same = await reading.send('PATCH', `${NUMBERS}?mapping=money`, again);
        assert.deepEqual([same.status, same.json.unchanged], [200, 1], same.text);
      });
    }

    test('faults are those of the command, by line and column, and their number', async () => {
      await given(numberRow('C1', 1));
      const before = await intake.everything();
      const wrong = [
        'account_id,id,did,status,subscription_status,frequency,created_at,country_code\n',
        'C1,7,+442079460018,active,active,monthly,2026-02-10T16:04:11Z,UK\n',
        'C1,7,4.42079E+11,active,active,monthly,2026-02-10,GB\n',
        ...Array.from(
          { length: 150 },
          (_, i) => `C1,${i + 10},x,active,active,monthly,2026-02-10T16:04:11Z,\n`,
        ),
      ].join('');
      const stdin = Readable.from([Buffer.from(wrong)]);
      const job = {
        store: intake.operator,
        table: tables.virtual_numbers,
        files: ['-'],
        format: 'csv',
        stdin,
      } as const;
      const refused = await importFiles(job).catch((error: unknown) => error);
      assert.ok(refused instanceof ImportRefused);
      const answered = await intake.send('POST', NUMBERS, wrong);
      assertProblem(answered, 422, 'rejected');
      const { errors, total, detail } = answered.json;
      assert.deepEqual([total, detail, errors.length], [refused.total, refused.summary, 100]);
      assert.deepEqual(
        errors.map(
          (one: { line: number; column: string; detail: string }) =>
            `-:${one.line}: ${one.column}: ${one.detail}`,
        ),
        refused.faults.map((fault) => fault.replace('given at -:', 'given at line ')),
      );
      const twice = await intake.send(
        'POST',
        NUMBERS,
        ndjson([numberRow('C1', 5), numberRow('C1', 5)]),
        NDJSON,
      );
      assert.deepEqual(twice.json.errors, [
        { line: 2, column: 'id', detail: '5 is there twice; it was first given at line 1.' },
      ]);
      const cut = await intake.send('POST', NUMBERS, JSON.stringify(numberRow('C1', 5)), NDJSON);
      assert.deepEqual([cut.json.errors[0].line, cut.json.errors[0].column], [1, null]);
      assert.match(cut.json.errors[0].detail, /does not end with a line break/);
      const foreign = await intake.send('POST', NUMBERS, 'Kundennr,Rufnummer\nC1,+442079460018\n');
      assert.equal(
        foreign.json.errors[0].detail,
        'The columns are those of another system: run "linecard-server mapping propose --list virtual-numbers FILE > mapping.json", put it into the folder of "linecard-server intake --mappings", and send with ?mapping=mapping.',
      );
      assert.deepEqual(await intake.everything(), before);
    });

    test('what is not of the size that was expected is refused with the sentence of the command', async () => {
      const rows = Array.from({ length: 300 }, (_, i) => numberRow('C1', i + 1));
      await given(...rows);
      const removing = await intake.send('PUT', NUMBERS, ndjson(rows.slice(0, 5)), NDJSON);
      assertProblem(removing, 422, 'rejected');
      assert.match(
        removing.json.detail,
        /would remove 295 of 300 items, and at most 100 .* Nothing was imported/,
      );
      assert.deepEqual([removing.json.errors, removing.json.total], [[], 0]);
      const short = await intake.send('POST', `${NUMBERS}?expect_rows=6`, ndjson(rows.slice(0, 5)), NDJSON);
      assertProblem(short, 422, 'rejected');
      const { status, json } = await intake.send(
        'PUT',
        `${NUMBERS}?max_removed=295`,
        ndjson(rows.slice(0, 5)),
        NDJSON,
      );
      assert.deepEqual([status, json.removed], [200, 295]);
    });

    test('a token that is meant for something else imports nothing', async () => {
      const { token } = await createOperatorToken(intake.operator, {
        name: '',
        may: ['sign-in', 'webhooks'],
      });
      const before = await intake.everything();
      const row = ndjson([numberRow('mine', 1)]);
      const answered = await intake.send('POST', NUMBERS, row, { ...NDJSON, authorization: token });
      assertProblem(answered, 403, 'forbidden');
      assert.match(answered.json.detail, /is for sign-in, webhooks, not for import\. .*--may import/);
      assert.deepEqual(await intake.everything(), before);
    });

    test('a token that is bound to accounts writes those and learns nothing of others', async () => {
      await given(numberRow('mine', 1), numberRow('theirs', 2));
      const token = await intake.tokenFor('mine', 'also mine');
      const before = await intake.everything();
      const send = (method: string, path: string, body: string, type = NDJSON) =>
        intake.send(method, path, body, { ...type, authorization: token });
      const forbidden: [method: string, path: string, rows: object[]][] = [
        ['POST', NUMBERS, [numberRow('mine', 3), numberRow('theirs', 4)]],
        ['PUT', NUMBERS, [numberRow('theirs', 2)]],
        ['PUT', `${NUMBERS}?all=true&max_removed=100%25`, [numberRow('mine', 1)]],
        ['POST', `${NUMBERS}?account=theirs`, [{ ...numberRow('theirs', 4) }]],
        ['POST', `${NUMBERS}?dry_run=true`, [numberRow('new', 4)]],
        // It would take an item from another account.
        ['POST', NUMBERS, [numberRow('mine', 2)]],
      ];
      for (const [method, path, rows] of forbidden) {
        const answered = await send(method, path, ndjson(rows));
        assertProblem(answered, 403, 'forbidden');
        assert.equal(
          path === NUMBERS && method === 'POST' && rows.length === 1 && answered.text.includes('theirs'),
          false,
        );
      }
      // An item of another account looks like one that is not there.
      const [theirs, nobodys] = await Promise.all(
        [2, 99].map(
          async (id) =>
            (await send('PATCH', NUMBERS, `account_id,id,comment\nmine,${id},x\n`, CSV)).json.errors,
        ),
      );
      assert.deepEqual(JSON.stringify(theirs).replace('"2 is', '"99 is'), JSON.stringify(nobodys));
      const removing = await send('POST', NUMBERS, 'account_id,id,removed\nmine,2,true\n', CSV);
      assert.deepEqual([removing.json.absent, removing.json.removed], [1, 0]);
      assert.deepEqual(await intake.everything(), before);
      const own = await send(
        'PUT',
        NUMBERS,
        ndjson([numberRow('mine', 1, { comment: 'x' }), numberRow('also mine', 5)]),
      );
      assert.deepEqual([own.status, own.json.inserted, own.json.updated], [200, 1, 1]);
    });

    test('a feed takes what is newer, and nothing that comes late or twice', async () => {
      await given(numberRow('C1', 1));
      const send = (feed: string, sequence: number | string, comment: string, authorization = intake.token) =>
        intake.send('PATCH', NUMBERS, `account_id,id,comment\nC1,1,${comment}\n`, {
          ...CSV,
          authorization,
          'linecard-feed': feed,
          'linecard-sequence': String(sequence),
        });
      assert.equal((await send('billing', 7, 'seven')).status, 200);
      for (const late of [7, 6, 0]) assertProblem(await send('billing', late, 'late'), 409, 'out-of-order');
      // One that is refused does not move the feed on.
      assert.equal((await send('billing', 9, '\u0007')).status, 422);
      assert.equal((await send('billing', 8, 'eight')).status, 200);
      assert.equal((await send('billing', Number.MAX_SAFE_INTEGER, 'last')).status, 200);
      assertProblem(await send('billing', 9, 'late'), 409, 'out-of-order');
      assert.equal((await send('another', 1, 'another')).status, 200);
      // Of senders of other accounts the same name is another feed.
      assert.equal((await send('billing', 1, 'bound', await intake.tokenFor('C1'))).status, 200);
      assert.deepEqual(await comments(), { 1: 'bound' });
      for (const [feed, sequence] of [
        ['billing', '1.5'],
        ['billing', '-1'],
        ['billing', '9007199254740992'],
        ['', '1'],
      ])
        assertProblem(await send(feed as string, sequence as string, 'x'), 400, 'bad-request');
      const alone = { ...CSV, 'linecard-sequence': '1' };
      assertProblem(await intake.send('PATCH', NUMBERS, '', alone), 400, 'bad-request');
    });

    test('a feed is moved on and never back, whichever process does it', async () => {
      const feed = { name: 'moved', accounts: undefined };
      const move = async (sequence: number) => (await intake.operator.write(advance(feed, sequence)))[0];
      for (const [sequence, changed] of [
        [5, 1],
        [5, 0],
        [4, 0],
        [6, 1],
      ] as const)
        assert.equal(await move(sequence), changed, String(sequence));
      assert.equal(await sequenceOf(intake.operator, feed), 6);
    });

    test('of two that come at once with one number, one is committed', async () => {
      await given(numberRow('C1', 1));
      const race = Array.from({ length: 6 }, (_, i) =>
        intake.send('PATCH', NUMBERS, `account_id,id,comment\nC1,1,${i}\n`, {
          ...CSV,
          'linecard-feed': 'race',
          'linecard-sequence': '1',
        }),
      );
      const statuses = (await Promise.all(race)).map(({ status }) => status);
      assert.deepEqual(
        statuses.toSorted((a, b) => a - b),
        [200, 409, 409, 409, 409, 409],
      );
      const winner = statuses.indexOf(200);
      assert.deepEqual(await comments(), { 1: String(winner) });
    });

    test('every way to fail has its answer, and changes nothing', async () => {
      await given(numberRow('C1', 1));
      const before = await intake.everything();
      const expired = await createOperatorToken(intake.operator, { name: '', expires_at: Date.now() - 1 });
      const customers = `lc_${intake.token.slice(4)}`;
      const patch = 'account_id,id,comment\nC1,1,x\n';
      const failing: [status: number, code: string, Answered | Promise<Answered>][] = [
        [401, 'unauthenticated', intake.send('PATCH', NUMBERS, patch, { ...CSV, authorization: '' })],
        [401, 'unauthenticated', intake.send('PATCH', NUMBERS, patch, { ...CSV, authorization: customers })],
        [
          401,
          'unauthenticated',
          intake.send('PATCH', NUMBERS, patch, { ...CSV, authorization: expired.token }),
        ],
        [404, 'not-found', intake.send('PATCH', 'numbers', patch)],
        [400, 'invalid-parameter', intake.send('PATCH', `${NUMBERS}?acount=C1`, patch)],
        [400, 'invalid-parameter', intake.send('PATCH', `${NUMBERS}?all=true`, patch)],
        [400, 'invalid-parameter', intake.send('PATCH', `${NUMBERS}?account=%ff`, patch)],
        [400, 'invalid-parameter', intake.send('PATCH', `${NUMBERS}?dry_run=maybe`, patch)],
        [400, 'invalid-parameter', intake.send('PATCH', `${NUMBERS}?delimiter=%3B`, '{}\n', NDJSON)],
        [400, 'invalid-parameter', intake.send('PATCH', `${NUMBERS}?dry_run=true&dry_run=true`, patch)],
        [
          415,
          'unsupported-media-type',
          intake.send('PATCH', NUMBERS, patch, { 'content-type': 'application/xml' }),
        ],
        [
          415,
          'unsupported-media-type',
          intake.send('PATCH', NUMBERS, patch, { ...CSV, 'content-encoding': 'br' }),
        ],
        [
          415,
          'unsupported-media-type',
          intake.send('PATCH', NUMBERS, patch, { 'content-type': 'text/csv; charset=ebcdic' }),
        ],
        [422, 'rejected', intake.send('PATCH', NUMBERS, patch, { ...CSV, 'content-encoding': 'gzip' })],
        [422, 'rejected', intake.send('PATCH', NUMBERS, '')],
        [413, 'content-too-large', intake.send('PATCH', NUMBERS, Buffer.alloc(2 * MEBIBYTE + 1))],
      ];
      for (const [status, code, answered] of failing) assertProblem(await answered, status, code);
      const got = await fetch(`${intake.url}/intake/v1/${NUMBERS}`);
      assert.deepEqual([got.status, got.headers.get('allow')], [405, 'POST, PATCH, PUT']);
      const hint = (await intake.send('PATCH', `${NUMBERS}?acount=C1`, patch)).json.errors[0].detail;
      assert.match(hint, /Did you mean account\?/);
      assert.deepEqual(await intake.everything(), before);
      for (const said of intake.log) {
        for (const secret of [intake.token, expired.token, 'C1,1,x', '+4420'])
          assert.equal(said.includes(secret), false, said);
      }
    });

    test('what unpacks to more than is taken is refused, packed small or as nothing of it says', async () => {
      const before = await intake.everything();
      const bomb = gzipSync(`${'x'.repeat(1_023)}\n`.repeat(40 * 1_024));
      for (const headers of [CSV, { ...CSV, 'content-encoding': 'gzip' }, NDJSON])
        assertProblem(await intake.send('POST', NUMBERS, bomb, headers), 413, 'content-too-large');
      const endless = Readable.from(
        (function* () {
          for (;;) yield Buffer.alloc(65_536, '\n');
        })(),
      );
      const response = await fetch(`${intake.url}/intake/v1/${NUMBERS}`, {
        method: 'POST',
        headers: { ...CSV, authorization: intake.token },
        body: Readable.toWeb(endless),
        duplex: 'half',
      } as unknown as RequestInit).catch(() => undefined);
      assert.ok(response === undefined || response.status === 413);
      assert.deepEqual(await intake.everything(), before);
    });

    test('a body that stops coming, or comes drop by drop, is answered 408 and closed', async () => {
      for (const pause of [10_000, 30]) {
        const socket = connect(intake.port, '127.0.0.1');
        // The service may close while a drop is sent: what it has answered counts.
        socket.on('error', () => {});
        let answer = '';
        socket.setEncoding('utf8').on('data', (part: string) => {
          answer += part;
        });
        const closed = new Promise((resolve) => socket.once('close', resolve));
        socket.write(
          `POST /intake/v1/${NUMBERS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${intake.token}\r\n` +
            'Content-Type: text/csv\r\nContent-Length: 100000\r\n\r\naccount_id',
        );
        const drops = setInterval(() => socket.writable && socket.write('x'), pause);
        await closed;
        clearInterval(drops);
        assert.match(answer, /^HTTP\/1\.1 408 [\s\S]*request-timeout/);
      }
    });

    test('one token holds a quarter of the requests of a kind, and the others go on', async (t) => {
      const shared = await openIntake(kind, {});
      t.after(() => shared.close());
      const head = (token: string) =>
        `POST /intake/v1/${NUMBERS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: text/csv\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n\r\n`;
      const sockets = Array.from({ length: 16 }, () => connect(shared.port, '127.0.0.1'));
      for (const socket of sockets) {
        socket.write(head(shared.token));
        assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 100 /);
      }
      const rows = ndjson([numberRow('C1', 1)]);
      const refused = await shared.send('POST', NUMBERS, rows, NDJSON);
      assertProblem(refused, 429, 'rate-limited');
      assert.match(
        refused.json.detail,
        /^This token already has 16 import requests in flight, a quarter of what all share/,
      );
      assert.equal(refused.headers.get('retry-after'), '5');
      const other = await createOperatorToken(shared.operator, { name: 'other', may: ['import', 'sign-in'] });
      const authorization = `Bearer ${other.token}`;
      const sent = await shared.send('POST', NUMBERS, rows, { ...NDJSON, authorization });
      assert.equal(sent.status, 200, sent.text);
      const ended = sockets.map((socket) => once(socket, 'close'));
      for (const socket of sockets) socket.destroy();
      await Promise.all(ended);
      await until('they have ended', async () => {
        const { status } = await shared.send('PATCH', NUMBERS, 'account_id,id\nC1,1\n');
        return status === 200;
      });
    });

    test('`100 Continue` is sent only when the headers are found good', async () => {
      const send = async (authorization: string) => {
        const socket = connect(intake.port, '127.0.0.1');
        const answer = text(socket);
        socket.write(
          `PATCH /intake/v1/${NUMBERS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nExpect: 100-continue\r\n` +
            'Connection: close\r\nContent-Type: text/csv\r\nContent-Length: 29\r\n\r\n',
        );
        socket.once('data', (chunk) => {
          if (String(chunk).startsWith('HTTP/1.1 100')) socket.write('account_id,id,comment\nC1,1,x\n');
        });
        return answer;
      };
      await given(numberRow('C1', 1));
      assert.match(await send('lco_wrong'), /^HTTP\/1\.1 401 /);
      assert.match(await send(intake.token), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
    });

    test('a token is noted as used, and refused once it is revoked', async () => {
      const made = await createOperatorToken(intake.operator, { name: 'short' });
      const patch = () =>
        intake.send('PATCH', NUMBERS, 'account_id,id\nC1,1\n', { ...CSV, authorization: made.token });
      assert.equal((await patch()).status, 200);
      await revokeToken(intake.operator, made.id);
      assertProblem(await patch(), 401, 'unauthenticated');
      assert.ok((await listTokens(intake.operator, 'operator')).some(({ id }) => id === made.id));
    });
  });

  describe(`intake on ${kind.name}, with others`, () => {
    /** An intake with a number in it, how that is changed, and another import, for which the change waits. */
    async function besideAnother(t: TestContext, how: IntakeCircumstances = {}) {
      const intake = await openIntake(kind, how);
      t.after(() => intake.close());
      await intake.send('POST', NUMBERS, ndjson([numberRow('C1', 1)]), NDJSON);
      const before = await intake.everything();
      const other = await intake.operator.load(tables.additional_services);
      const patch = () => intake.send('PATCH', NUMBERS, 'account_id,id,comment\nC1,1,x\n');
      /** The same, once the intake has the request. */
      const patchInFlight = async (): Promise<{ readonly answered: Promise<Answered> }> => {
        const request = httpRequest(`${intake.url}/intake/v1/${NUMBERS}`, {
          method: 'PATCH',
          headers: { ...CSV, authorization: `Bearer ${intake.token}`, expect: '100-continue' },
        });
        const answered = once(request, 'response').then(async ([response]: IncomingMessage[]) => {
          assert.ok(response !== undefined);
          const said = await text(response);
          const headers = new Headers(response.headers as Record<string, string>);
          return { status: response.statusCode ?? 0, json: JSON.parse(said), text: said, headers };
        });
        request.flushHeaders();
        await once(request, 'continue');
        request.end('account_id,id,comment\nC1,1,x\n');
        return { answered };
      };
      return { intake, before, other, patch, patchInFlight };
    }

    test('waits while another import writes, and gives up in time', async (t) => {
      const { other, patch } = await besideAnother(t, { importTimeoutMs: 400 });
      const late = await patch();
      assertProblem(late, 503, 'unavailable');
      assert.ok(Number(late.headers.get('retry-after')) > 0);
      // A second one waits behind the first, for the same time.
      for (const one of await Promise.all([patch(), patch()])) assertProblem(one, 503, 'unavailable');
      const waiting = patch();
      await sleep(100);
      await other.rollback();
      assert.equal((await waiting).status, 200);
    });

    test('waits for the database only as long as its wait for the imports before it has left', async (t) => {
      const timeoutMs = 60_000;
      let operator: Store | undefined;
      const write: WithStore = (work) => work(operator as Store);
      const intake = await openIntake(kind, { importTimeoutMs: timeoutMs, write });
      t.after(() => intake.close());
      operator = intake.operator;
      const waits: number[] = [];
      const gate = Promise.withResolvers<void>();
      const load = operator.load.bind(operator);
      t.mock.method(operator, 'load', async (...[table, options]: Parameters<Store['load']>) => {
        waits.push(options?.lockTimeoutMs ?? Number.POSITIVE_INFINITY);
        await gate.promise;
        return load(table, options);
      });
      const post = (id: number) => intake.send('POST', NUMBERS, ndjson([numberRow('C1', id)]), NDJSON);
      const first = post(1);
      await until('the first imports', () => waits.length === 1);
      const second = post(2);
      await sleep(100);
      gate.resolve();
      for (const answered of await Promise.all([first, second])) assert.equal(answered.status, 200);
      assert.equal(waits.length, 2);
      for (const wait of waits) assert.ok(wait < timeoutMs, String(waits));
    });

    test('lets what runs come to its end when it stops, and refuses what is new', async (t) => {
      const { intake, other, patch, patchInFlight } = await besideAnother(t);
      const running = await patchInFlight();
      const closing = intake.server.close(30_000);
      const refused = await patch();
      assertProblem(refused, 503, 'unavailable');
      assert.ok(refused.headers.get('retry-after'));
      assert.equal((await fetch(`${intake.url}/readyz`)).status, 503);
      assert.equal((await fetch(`${intake.url}/healthz`)).status, 200);
      await other.rollback();
      assert.equal((await running.answered).status, 200);
      await closing;
    });

    test('stops what does not come to its end in time, and says so', async (t) => {
      const { intake, before, other, patchInFlight } = await besideAnother(t);
      const running = await patchInFlight();
      const closing = intake.server.close(100);
      assertProblem(await running.answered, 503, 'unavailable');
      await closing;
      await other.rollback();
      assert.deepEqual(await intake.everything(), before);
    });
  });
}

describe('intake', () => {
  const [kind] = stores;
  if (kind === undefined) throw new Error('There is no store to test on.');

  test('limits the requests of a token, and of an address without one', async (t) => {
    const intake = await openIntake(kind, { rateLimit: 3, failureLimit: 2 });
    t.after(() => intake.close());
    const send = (authorization: string) =>
      intake.send('PATCH', NUMBERS, 'account_id,id\n', { ...CSV, authorization });
    const wrong = `lco_${'0'.repeat(42)}`;
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await send(wrong)).status);
    assert.deepEqual(statuses, [401, 401, 429]);
    for (let i = 0; i < 3; i++) assert.equal((await send(intake.token)).status, 200);
    const limited = await send(intake.token);
    assertProblem(limited, 429, 'rate-limited');
    assert.ok(limited.headers.get('retry-after'));
  });

  test('says 503 where a body cannot be put on disk, and nothing of the disk', async (t) => {
    const intake = await openIntake(kind);
    t.after(() => intake.close());
    const { TMPDIR: folder } = process.env;
    process.env['TMPDIR'] = '/nowhere/at/all';
    t.after(() => {
      if (folder === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = folder;
    });
    const rows = Array.from({ length: 2_000 }, (_, i) => numberRow('C1', i + 1));
    const answered = await intake.send('POST', NUMBERS, ndjson(rows), NDJSON);
    assertProblem(answered, 503, 'unavailable');
    assert.match(answered.text, /The body cannot be put on disk just now/);
    assert.equal(answered.text.includes('nowhere'), false);
    assert.match(intake.log.join(''), /nowhere/);
    assert.equal((await intake.send('POST', NUMBERS, ndjson(rows.slice(0, 9)), NDJSON)).status, 200);
  });

  test('writes to the database that is there now, not to one that was moved away', async (t) => {
    const intake = await openIntake(kind);
    t.after(() => intake.close());
    const patch = () => intake.send('POST', NUMBERS, ndjson([numberRow('C1', 1)]), NDJSON);
    assert.equal((await patch()).json.inserted, 1);
    const path = intake.database_url.replace('sqlite:', '');
    const move = (from: string, to: string) => {
      for (const end of ['', '-wal', '-shm', '-tokens', '-tokens-wal', '-tokens-shm'])
        if (existsSync(from + end)) renameSync(from + end, to + end);
    };
    move(path, `${path}.old`);
    assertProblem(await patch(), 503, 'unavailable');
    const other = await openStore(intake.database_url, 'write');
    assertProblem(await patch(), 401, 'unauthenticated');
    const made = await createOperatorToken(other, { name: 'new' });
    const body = ndjson([numberRow('C1', 2)]);
    const answered = await intake.send('POST', NUMBERS, body, { ...NDJSON, authorization: made.token });
    assert.deepEqual([answered.status, answered.json.inserted], [200, 1]);
    const [rows] = await other.read(statement('select id from virtual_numbers'));
    assert.deepEqual(rows, [[2]]);
    await other.close();
  });
});
