// Files that are sent to an intake by the command: the same words, the same last line, the same exit status
// as next to the database.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { listen } from '../kit/free-port.ts';
import { openProxy } from '../kit/http-proxy.ts';
import { type Intake, openIntake } from '../kit/intake-server.ts';
import { runProgram } from '../kit/program.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const folder = temporaryFolder();

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return name;
}

const rows = [numberRow('C1', 1), numberRow('C1', 2), numberRow('C2', 3)];
/** The file of these rows, which all tests read and none writes. */
const ROWS = file('rows.ndjson', ndjson(rows));

describe('import --url', { concurrency: 2 }, () => {
  let intake: Intake;
  before(async () => {
    const [kind] = stores;
    if (kind === undefined) throw new Error('There is no store to test on.');
    intake = await openIntake(kind);
  });
  after(() => intake.close());

  /** Runs the command in the folder of the files; `input` is its standard input. */
  const run = (words: readonly string[], environment: Record<string, string> = {}, input = '') =>
    runProgram(['import', ...words], {
      cwd: folder,
      env: { LINECARD_INTAKE_TOKEN: intake.token, ...environment },
      input,
    });
  const send = (words: readonly string[], environment?: Record<string, string>, input?: string) =>
    run(['virtual-numbers', '--url', `${intake.url}/intake/`, ...words], environment, input);

  test('imports, changes and replaces, and says so as the command does', async () => {
    const imported = await send([ROWS]);
    assert.deepEqual([imported.status, imported.out], [0, ''], imported.err);
    assert.match(
      imported.err,
      /^Virtual numbers: 3 rows read, 3 inserted, .* 2 new accounts \(\d+\.\d s\)\.\n$/,
    );
    const packed = await send([file('packed.ndjson.gz', gzipSync(ndjson(rows))), '--json']);
    assert.partialDeepStrictEqual(JSON.parse(packed.out), { list: 'virtual_numbers', rows: 3, unchanged: 3 });
    const changes = 'id;comment\n1;first\n';
    const words = ['-', '--format', 'csv', '--update', '--account', 'C1', '--delimiter', ';'];
    assert.match((await send(words, {}, changes)).err, /1 row read, 0 inserted, 1 updated/);
    const tried = await send([file('fewer.ndjson', ndjson(rows.slice(1))), '--replace-all', '--dry-run']);
    assert.match(tried.out, /^ACCOUNT_ID .*\nC1 +0 +0 +1 +0 +0\n$/, tried.err);
    assert.match(tried.err, /1 removed .* Nothing was changed: this is what would be\.\n$/);
    assert.equal((await intake.items()).length, 3);
  });

  test('prints every fault with the file and its line, and what the intake says otherwise', async () => {
    const wrong = await send([
      file('wrong.ndjson', ndjson([numberRow('C1', 1, { status: '' }), numberRow('C1', 0)])),
    ]);
    assert.equal(wrong.status, 1);
    assert.match(wrong.err, /^wrong\.ndjson:1: status: is required/);
    assert.match(
      wrong.err,
      /\nwrong\.ndjson:2: id: must be .*\nlinecard-server: 2 faults\. Nothing was imported/,
    );
    const cut = await send([file('cut.ndjson', ndjson(rows).slice(0, -5))]);
    assert.match(cut.err, /^cut\.ndjson:3: The last line does not end/);
    const stranger = await send([ROWS], { LINECARD_INTAKE_TOKEN: `lco_${'0'.repeat(42)}` });
    assert.deepEqual([stranger.status, stranger.out], [1, '']);
    assert.match(stranger.err, /^linecard-server: The operator’s token is malformed.* \(401\)\n$/);
    const first = [ROWS, '--feed', 'nightly', '--sequence', '4'];
    assert.equal((await send(first)).status, 0);
    const late = await send(first);
    assert.deepEqual([late.status, /4 is not newer than 4/.test(late.err)], [1, true], late.err);
    const elsewhere = await run(['virtual-numbers', '--url', `${intake.url}/`, ROWS]);
    assert.match(elsewhere.err, /There is no such path\. Imports go to \/intake\/v1/);
  });

  test('refuses what cannot be meant, before anything is sent', async () => {
    const wrong: [words: string[], environment: Record<string, string>, sentence: RegExp][] = [
      [[ROWS], { LINECARD_INTAKE_TOKEN: '' }, /LINECARD_INTAKE_TOKEN in the environment, or --token/],
      [[ROWS, 'more.ndjson'], {}, /name one file/],
      [[ROWS, '--sequence', '7'], {}, /--sequence needs the --feed that it numbers/],
      [[ROWS, '--url', 'ftp://x'], {}, /--url must be the address of an intake/],
    ];
    const results = await Promise.all(wrong.map(([words, environment]) => send(words, environment)));
    for (const [i, { status, err }] of results.entries()) {
      assert.equal(status, 2, err);
      assert.match(err, wrong[i]?.[2] ?? /^$/);
    }
  });

  test('says what it leaves to the settings of the intake', async () => {
    const { status, err } = await send([ROWS, '--changes-kept', '90d']);
    assert.equal(status, 0, err);
    assert.match(err, /^Note: --changes-kept is left to the intake/m);
  });

  test('tries again where that may help, after its own delay or a longer one that the answer requests', async (t) => {
    const seen: string[] = [];
    const flaky = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      if (seen.length === 1) return void request.socket.destroy();
      // Which nobody asked for: Node closes the connection without an error.
      const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
      if (seen.length === 2) return void request.resume().on('end', () => request.socket.end(switching));
      if (seen.length === 3) return void response.writeHead(503, { 'retry-after': '1' }).end('busy');
      request.resume();
      request.on('end', () => {
        const summary = {
          list: 'virtual_numbers',
          dry_run: false,
          rows: 3,
          inserted: 0,
          updated: 0,
          unchanged: 3,
        };
        response.end(JSON.stringify({ ...summary, removed: 0, absent: 0, accounts_created: 0, seconds: 0 }));
      });
    });
    const url = `http://127.0.0.1:${await listen(flaky)}/feed`;
    t.after(() => flaky.close());
    const { status, err } = await run([
      'virtual-numbers',
      '--url',
      url,
      '--replace',
      '--max-removed',
      '5%',
      ROWS,
    ]);
    assert.equal(status, 0, err);
    assert.deepEqual(seen, Array(4).fill('PUT /feed/v1/virtual-numbers?max_removed=5%25'));
    assert.match(
      err,
      /Trying again in 1 second\.\n.*closed without an answer.*\n.*Trying again in 4 seconds\.\nVirtual numbers: 3 rows read/,
    );
  });

  test('goes through the proxy that the environment names, which an error names', async (t) => {
    const proxy = await openProxy({ port: Number(new URL(intake.url).port), login: 'ada:secret' });
    t.after(() => proxy.close());
    const to = (url: string, environment: Record<string, string>) =>
      run(['virtual-numbers', '--url', url, ROWS, '--dry-run'], environment);
    const far = 'http://feed.example.com/intake';
    const sent = await to(far, { HTTP_PROXY: `http://ada:secret@${proxy.host}` });
    assert.equal(sent.status, 0, sent.err);
    assert.deepEqual(proxy.requests, ['POST http://feed.example.com/intake/v1/virtual-numbers']);
    // What is on this machine is not behind a proxy.
    assert.equal((await to(`${intake.url}/intake`, { HTTP_PROXY: 'http://127.0.0.1:1' })).status, 0);
    for (const [url, environment, said] of [
      [far, { http_proxy: proxy.host }, /\(http_proxy\) was used, and it asks for a user name/],
      [
        far.replace('http', 'https'),
        { HTTPS_PROXY: proxy.url },
        /and it asks for a user name and a password/,
      ],
      [far, { HTTP_PROXY: 'socks5://127.0.0.1:1' }, /HTTP_PROXY must be the address of an HTTP proxy/],
    ] as const) {
      const { status, err } = await to(url, environment);
      assert.notEqual(status, 0);
      assert.match(err, said);
      assert.doesNotMatch(err, /Trying again|secret/);
    }
  });
});
