// The receivers in docs/how-to/receive-webhooks.md, each in its language where that is installed, run as
// people deploy them: they accept what a deliverer signs, with either secret while one is replaced, and
// answer 400 to everything else.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { signedHeaders } from '../../server/deliver/sending.ts';
import { programFolder } from '../kit/client-programs.ts';
import { freePort } from '../kit/free-port.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'how-to', 'receive-webhooks.md');
const BLOCK = /^```(?:js|python|php|go) (\S+)\n(.*?)^```$/gms;
const BLOCKS = [...readFileSync(PAGE, 'utf8').matchAll(BLOCK)];
const ADDRESS = '127.0.0.1';

/** How each is started, after what builds it. */
const PROGRAMS: Readonly<Record<string, (port: number) => readonly string[]>> = {
  'receiver.mjs': () => [process.execPath, 'receiver.mjs'],
  'receiver.py': () => ['python3', 'receiver.py'],
  'receiver.php': (port) => ['php', '-S', `${ADDRESS}:${port}`, 'receiver.php'],
  'receiver.go': () => ['./receiver'],
};
const BUILDS: Readonly<Record<string, readonly string[]>> = {
  'receiver.go': ['go', 'build', '-o', 'receiver', 'receiver.go'],
};

const secrets = [1, 2].map(() => `whsec_${randomBytes(32).toString('base64')}`);
const [secret = ''] = secrets;
const now = Math.floor(Date.now() / 1_000);
const body = '{"type":"webhook.test","timestamp":"2026-11-21T03:12:46.000000Z","data":{"account":"Zürich"}}';
const signed = (more: { body?: string; secrets?: string[] } = {}, at = now) =>
  signedHeaders({ id: 'msg_1', url: '', body, secrets, ...more }, at);
const good = signed();
const alone = signed({ secrets: [secret] });
const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([one]) => one !== name));
const SIGNED_HEADERS = Object.keys(good).filter((name) => name.startsWith('webhook-'));
const foreign = `whsec_${randomBytes(32).toString('base64')}`;
const [earlier, later] = [signed({}, now - 3_600), signed({}, now + 3_600)];

type Case = readonly [what: string, headers: OutgoingHttpHeaders, body: string];

const ACCEPTED: readonly Case[] = [
  ['a message', good, body],
  ['one with CRLF in its body', signed({ body: 'a\r\n\r\nb\r\n' }), 'a\r\n\r\nb\r\n'],
  ['one with an empty body', signed({ body: '' }), ''],
  ['one that is signed with its secret alone', alone, body],
  [
    'headers in upper case',
    Object.fromEntries(Object.entries(good).map(([n, v]) => [n.toUpperCase(), v])),
    body,
  ],
];

const REFUSED: readonly Case[] = [
  ['no header at all', {}, body],
  ...SIGNED_HEADERS.flatMap((name): Case[] => [
    [`no ${name}`, without(name), body],
    [`an empty ${name}`, { ...good, [name]: '' }, body],
    [`two of ${name}`, { ...alone, [name]: [String(alone[name]), 'x'] }, body],
    [`${name} twice`, { ...alone, [name]: ['x', String(alone[name])] }, body],
    [`what is not ASCII in ${name}`, { ...good, [name]: 'v1,\u00e9\u00fc' }, body],
    [`5,000 digits in ${name}`, { ...good, [name]: '9'.repeat(5_000) }, body],
  ]),
  ['another body', good, `${body} `],
  ['line ends that were changed', signed({ body: 'a\r\nb' }), 'a\nb'],
  ['an old timestamp', earlier, body],
  ['a timestamp ahead', later, body],
  ['a timestamp that is no number', { ...good, 'webhook-timestamp': 'now' }, body],
  ['another secret', signed({ secrets: [foreign] }), body],
  ['a signature of another version', { ...good, 'webhook-signature': 'v1a,AAAA v2,AAAA' }, body],
  ['a signature of its own length', { ...good, 'webhook-signature': `v1,${'\u00e9'.repeat(44)}` }, body],
];

async function statusOf(port: number, headers: OutgoingHttpHeaders, sent: string): Promise<number> {
  const length = { 'content-length': Buffer.byteLength(sent) };
  const outgoing = request({ host: ADDRESS, port, method: 'POST', headers: { ...headers, ...length } });
  outgoing.end(sent);
  const [answer] = await once(outgoing, 'response');
  answer.resume();
  return answer.statusCode;
}

const isInstalled = (command: string) => spawnSync(command, ['--version']).error === undefined;

/** Starts a receiver with a secret, and waits until it answers. */
async function started(file: string, folder: string, WEBHOOK_SECRET: string) {
  const port = await freePort();
  const [command = '', ...words] = PROGRAMS[file]?.(port) ?? assert.fail(file);
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET };
  const program = spawn(command, words, { cwd: folder, env, stdio: 'ignore' });
  await until(`${file} answers`, () => statusOf(port, {}, '').catch(() => undefined));
  return { port, program };
}

async function end(program: ChildProcess | undefined): Promise<void> {
  if (program === undefined || !program.kill('SIGKILL')) return;
  await once(program, 'close');
}

test('each receiver of the page is run here', () =>
  assert.deepEqual(
    BLOCKS.map(([, file]) => file),
    Object.keys(PROGRAMS),
  ));

for (const [, file = '', text = ''] of BLOCKS) {
  const [command = ''] = BUILDS[file] ?? PROGRAMS[file]?.(0) ?? [];
  const skip = isInstalled(command) ? false : `${command} is not installed`;
  describe(`${file}, as people deploy it`, { skip }, () => {
    const folder = programFolder();
    let port: number;
    let program: ChildProcess | undefined;
    before(async () => {
      writeFileSync(join(folder, file), text);
      const [builder = '', ...words] = BUILDS[file] ?? [];
      if (builder !== '') {
        const built = spawnSync(builder, words, { cwd: folder, env: { ...process.env, GO111MODULE: 'off' } });
        assert.equal(built.status, 0, String(built.stderr));
      }
      ({ port, program } = await started(file, folder, secret));
    });
    after(() => end(program));

    for (const [what, headers, sent] of ACCEPTED) {
      // The client reads what it verifies, and the others verify alone.
      const status = sent === body || !text.includes('readWebhook') ? 204 : 400;
      test(`answers ${status} to ${what}`, async () =>
        assert.equal(await statusOf(port, headers, sent), status));
    }
    for (const [what, headers, sent] of REFUSED)
      test(`answers 400 to ${what}`, async () => assert.equal(await statusOf(port, headers, sent), 400));

    test('accepts nothing where its secret is not set', async () => {
      const unset = await started(file, folder, '');
      try {
        const forged = signed({ secrets: ['whsec_'] });
        assert.equal(await statusOf(unset.port, forged, body), 400);
      } finally {
        await end(unset.program);
      }
    });
  });
}

const [PHP = ''] = PROGRAMS['receiver.php']?.(0) ?? [];
describe('the PHP of the page', { skip: isInstalled(PHP) ? false : 'PHP is not installed' }, () => {
  /** As PHP-FPM and CGI name them, as Apache does, and as HTTP/2 sends them. */
  const SPELLINGS: Readonly<Record<string, (name: string) => string>> = {
    '$_SERVER of PHP-FPM': (name) => `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
    getallheaders: (name) => name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase()),
    'HTTP/2': (name) => name,
  };
  for (const [where, spelled] of Object.entries(SPELLINGS)) {
    test(`verifies headers as they are named in ${where}`, () => {
      const folder = temporaryFolder();
      writeFileSync(
        join(folder, 'receiver.php'),
        BLOCKS.find(([, file]) => file === 'receiver.php')?.[2] ?? '',
      );
      const headers = Object.fromEntries(Object.entries(good).map(([name, value]) => [spelled(name), value]));
      const bad = { ...headers, [spelled('webhook-id')]: ['msg_1'] };
      const cases = [headers, {}, { ...headers, REQUEST_TIME: now, argv: ['x'] }, bad];
      writeFileSync(join(folder, 'cases.json'), JSON.stringify({ cases, secret, body }));
      const code = `require 'receiver.php'; $all = json_decode(file_get_contents('cases.json'), true);
        foreach ($all['cases'] as $one) echo json_encode(verify($all['secret'], $one, $all['body'])), ' ';`;
      const { stdout, stderr } = spawnSync(PHP, ['-r', code], { cwd: folder });
      assert.equal(String(stdout), 'true false true false ', String(stderr));
    });
  }
});
