// `serve --workers`: several processes that answer on one port, and how they start, fail and stop together.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { virtual_numbers } from '../kit/model.ts';
import { killPrograms, runProgram, serveProgram } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const WORKERS = 2;
const REVOKED_WITHIN_MILLISECONDS = 5_000;
/** More than sockets hold. */
const ROWS = 6_000;
const LONG = 'x'.repeat(1_000);
const LIMIT = 60;
/** What may still be on its way between the processes when the limit is reached. */
const ON_ITS_WAY = 4;

interface Answered {
  readonly status: number;
  readonly body: string;
  readonly request_id: string;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('serve --workers', { concurrency: 2 }, () => {
  const folder = temporaryFolder();
  const lists = `sqlite:${join(folder, 'lists.db')}`;
  let token: string;

  const run = (words: readonly string[], database = lists) =>
    runProgram(words, { cwd: folder, env: { LINECARD_DATABASE_URL: database } });

  const serve = (...words: string[]) => serveBy(process.execPath, ...words);

  async function serveBy(node: string, ...words: string[]) {
    const env = { LINECARD_DATABASE_URL: lists };
    const serving = await serveProgram(['serve', '--workers', String(WORKERS), ...words], { env, node });
    const { child, said } = serving;
    const ended = serving.ended.then(({ status, signal }) => [status, signal]);
    return { child, said: () => said.all, ended, url: new URL(virtual_numbers.path, serving.url) };
  }
  type Running = Awaited<ReturnType<typeof serve>>;

  function begin(url: URL, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request(url, { agent: false, headers: { authorization: `Bearer ${token}`, ...headers } })
      .once('response', resolve)
      .once('error', reject)
      .end();
    return promise;
  }

  async function textOf(answer: IncomingMessage): Promise<string> {
    let body = '';
    for await (const piece of answer.setEncoding('utf8')) body += piece as string;
    return body;
  }

  /** Asks on a connection of its own. */
  async function ask(url: URL, headers: Record<string, string> = {}): Promise<Answered> {
    const answer = await begin(url, headers);
    const body = await textOf(answer);
    return { status: answer.statusCode ?? 0, body, request_id: String(answer.headers['x-request-id']) };
  }

  const asksOf = (url: URL, howMany: number) => Promise.all(Array.from({ length: howMany }, () => ask(url)));

  /** The processes that have answered these, as the log tells. */
  async function processesOf({ said }: Running, answers: readonly Answered[]): Promise<Set<number>> {
    const ids = new Set(answers.map(({ request_id }) => request_id));
    let lines: { pid: number; request_id: string }[] = [];
    await until('every request is in the log', () => {
      const whole = said().slice(0, said().lastIndexOf('\n'));
      lines = whole
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line))
        .filter(({ msg, request_id }) => msg === 'answered' && ids.has(request_id));
      return lines.length === ids.size;
    });
    return new Set(lines.map(({ pid }) => pid));
  }

  async function pidsOf(service: Running): Promise<Set<number>> {
    return processesOf(service, await asksOf(service.url, 4 * WORKERS));
  }

  async function untilRefused({ url }: Running): Promise<void> {
    const isRefused = () =>
      ask(url).then(
        () => false,
        () => true,
      );
    // The first process may have accepted one that no other takes any more: it hears nothing until the end.
    await until('new connections are refused', () => Promise.race([isRefused(), sleep(500, false)]));
  }

  async function stop({ child, ended, said }: Running): Promise<void> {
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null], said());
  }

  async function importNumbers(howMany: number, comment: string): Promise<void> {
    const file = join(folder, 'numbers.csv');
    const lines = Array.from({ length: howMany }, (_, i) =>
      ['acme', i + 1, `+4420${10_000_000 + i}`, comment, 'GB', 'Zed', 'active', 'active', 'monthly'].join(
        ',',
      ),
    );
    const header =
      'account_id,id,did,comment,country_code,provider,status,subscription_status,frequency,activation,monthly,incoming,created_at';
    const rest = ',1.5,2.25,0.0059,2026-01-02T03:04:05Z';
    writeFileSync(file, [header, ...lines.map((line) => line + rest), ''].join('\n'));
    const { status, err } = await run(['import', 'virtual-numbers', file]);
    assert.equal(status, 0, err);
  }

  before(async () => {
    await importNumbers(ROWS, LONG);
    token = (await run(['token', 'create', '--account', 'acme'])).out.trim();
  });
  after(killPrograms);

  test('several processes answer on one port, report it once, and all see what an operator changes', async () => {
    const service = await serve('--rate-limit', '0');
    assert.equal((await pidsOf(service)).size, WORKERS);
    assert.equal(service.said().split('Linecard answers at').length, 2, service.said());

    await importNumbers(1, 'afterwards');
    for (const { body } of await asksOf(service.url, 4 * WORKERS)) assert.match(body, /"afterwards"/);

    const made = await run(['token', 'create', '--account', 'acme']);
    const authorization = `Bearer ${made.out.trim()}`;
    const statuses = async () =>
      Promise.all(
        Array.from({ length: 4 * WORKERS }, async () => (await ask(service.url, { authorization })).status),
      );
    assert.deepEqual(new Set(await statuses()), new Set([200]));
    const id = /\b(\S+) of acme/.exec(made.err)?.[1] ?? '';
    assert.equal((await run(['token', 'revoke', id])).status, 0);
    const revokedAt = performance.now();
    // What counts is when requests begin, not how long a busy machine takes to answer them.
    for (let begunAt = revokedAt; (await statuses()).includes(200); begunAt = performance.now()) {
      assert.ok(begunAt < revokedAt + REVOKED_WITHIN_MILLISECONDS, 'a revoked token is still good');
    }
    await stop(service);
  });

  test('where a process is killed the others go on, and another takes its place', async () => {
    const service = await serve('--rate-limit', '0');
    const before = await pidsOf(service);
    const [victim = 0, survivor = 0] = before;
    process.kill(victim, 'SIGKILL');
    await until('it is gone', () => !isAlive(victim));
    for (const { status } of await asksOf(service.url, 8)) assert.equal(status, 200);
    await until('another answers', async () => (await pidsOf(service)).size === WORKERS);
    const now = await pidsOf(service);
    assert.ok(now.has(survivor) && !now.has(victim));

    // A process that ends by itself is replaced as well.
    process.kill(survivor, 'SIGTERM');
    await until('it is gone', () => !isAlive(survivor));
    await until('another answers', async () => (await pidsOf(service)).size === WORKERS);
    await stop(service);
  });

  test('where another process cannot be started the others go on, and it is tried again', async () => {
    const node = join(folder, 'node');
    copyFileSync(process.execPath, node);
    const service = await serveBy(node, '--rate-limit', '0');
    const [victim = 0, survivor = 0] = await pidsOf(service);
    // As while Node.js is upgraded.
    renameSync(node, `${node}.old`);
    process.kill(victim, 'SIGKILL');
    await until('it was tried', () => service.said().includes('could not be started'));
    for (const { status } of await asksOf(service.url, 8)) assert.equal(status, 200);
    renameSync(`${node}.old`, node);
    await until('another answers', async () => (await pidsOf(service)).size === WORKERS);
    assert.ok((await pidsOf(service)).has(survivor));
    await stop(service);
  });

  test('a token has one limit over all processes', async () => {
    const service = await serve('--rate-limit', String(LIMIT));
    let allowed = 0;
    for (let i = 0; i < LIMIT; i++) {
      for (const { status } of await asksOf(service.url, 2)) {
        if (status === 200) allowed += 1;
        else assert.ok(status === 429 && allowed >= LIMIT - 1, `${status} after ${allowed} of ${LIMIT}`);
      }
    }
    assert.ok(allowed >= LIMIT && allowed <= LIMIT * 1.05 + ON_ITS_WAY, `${allowed} of ${LIMIT}`);
    // A process that is new has not forgotten it.
    const [victim = 0] = await pidsOf(service);
    process.kill(victim, 'SIGKILL');
    await until('it is gone', () => !isAlive(victim));
    await until('another answers', async () => (await pidsOf(service)).size === WORKERS);
    for (const { status } of await asksOf(service.url, 8)) assert.equal(status, 429);
    await stop(service);
  });

  /**
   * Stops a service during downloads and requests of which only a part has come, and all must have their
   * answer.
   */
  async function mustCutNothing(
    service: Running,
    stopIt: (pids: Set<number>) => Promise<void>,
  ): Promise<void> {
    const pids = await pidsOf(service);
    const downloads = await Promise.all(
      Array.from({ length: 2 }, () => begin(service.url, { accept: 'application/x-ndjson' })),
    );
    const halves = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const socket = connect(Number(service.url.port), '127.0.0.1').setEncoding('utf8');
        await once(socket, 'connect');
        socket.write(`GET ${virtual_numbers.path} HTTP/1.1\r\nhost: a\r\n`);
        return socket;
      }),
    );
    // All that was sent has been seen by now.
    await asksOf(service.url, 4);
    await stopIt(pids);
    const texts = Promise.all(downloads.map(textOf));
    await untilRefused(service);
    const answers = await Promise.all(
      halves.map(async (socket) => {
        socket.write(`authorization: Bearer ${token}\r\n\r\n`);
        let answer = '';
        for await (const piece of socket) answer += piece as string;
        return answer;
      }),
    );
    for (const answer of answers) {
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
      assert.match(answer, /\r\nconnection: close\r\n/i);
      assert.ok(answer.endsWith('}'), answer.slice(-80));
    }
    for (const text of await texts) assert.equal(text.split('\n').length, ROWS + 1);
    assert.deepEqual(await service.ended, [0, null], service.said());
    for (const pid of pids) assert.ok(!isAlive(pid));
  }

  test('SIGTERM, also to all of them and twice over, lets every request finish', async () => {
    const service = await serve('--rate-limit', '0');
    await mustCutNothing(service, async (pids) => {
      service.child.kill('SIGTERM');
      for (const pid of pids) process.kill(pid, 'SIGTERM');
      await sleep(100);
      for (const pid of pids) process.kill(pid, 'SIGINT');
    });
  });

  test('SIGTERM to a single process lets every request finish', async () => {
    const service = await serve('--rate-limit', '0', '--workers', '1');
    await mustCutNothing(service, async () => void service.child.kill('SIGTERM'));
  });

  test('--drain answers every request after SIGTERM until the port is closed, and ends open connections', async () => {
    const service = await serve('--rate-limit', '0', '--drain', '3s', '--workers', '1');
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const codes = new Set<string | undefined>();
    let closing = 0;
    let isUp = true;
    const client = async () => {
      for (; isUp; await sleep(1)) {
        const { promise, resolve } = Promise.withResolvers<void>();
        request(service.url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
          assert.equal(answer.statusCode, 200);
          if (answer.headers.connection === 'close') closing += 1;
          answer.resume().once('end', resolve);
        })
          .once('error', ({ code }: NodeJS.ErrnoException) => {
            codes.add(code);
            resolve();
          })
          .end();
        await promise;
      }
    };
    const clients = Array.from({ length: 8 }, client);
    await sleep(100);
    service.child.kill('SIGTERM');
    const readiness = new URL('/readyz', service.url);
    await until('it is not ready', async () => (await ask(readiness)).status === 503);
    await sleep(1_000);
    assert.equal((await ask(service.url)).status, 200);
    isUp = false;
    await Promise.all(clients);
    assert.deepEqual([...codes], []);
    assert.ok(closing >= 8, `${closing} answers close their connection`);
    assert.deepEqual(await service.ended, [0, null], service.said());
    await assert.rejects(ask(service.url), { code: 'ECONNREFUSED' });
  });

  test('a second signal ends all of them at once', async () => {
    const service = await serve('--rate-limit', '0');
    const pids = await pidsOf(service);
    const unread = await begin(service.url, { accept: 'application/x-ndjson' });
    unread.once('error', () => {});
    service.child.kill('SIGINT');
    await untilRefused(service);
    service.child.kill('SIGINT');
    assert.deepEqual(await service.ended, [1, null], service.said());
    for (const pid of pids) await until('it is gone', () => !isAlive(pid));
  });

  test('where the first process is killed, no other is left behind', async () => {
    const service = await serve('--rate-limit', '0');
    const pids = await pidsOf(service);
    service.child.kill('SIGKILL');
    for (const pid of pids) await until('it is gone', () => !isAlive(pid));
    await assert.rejects(ask(service.url));
  });

  test('a start that fails is reported once, with the reason and the status of one process', async () => {
    const nowhere = await run(['serve', '--workers', '3', '--port', '0'], 'mysql://a/b');
    assert.deepEqual(
      [nowhere.status, nowhere.err.match(/LINECARD_DATABASE_URL must be sqlite:PATH or/g)?.length],
      [2, 1],
      nowhere.err,
    );

    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const busy = await run(['serve', '--workers', '3', '--port', String(port)]);
    assert.deepEqual(
      [busy.status, busy.out, busy.err.match(/already in use/g)?.length],
      [1, '', 1],
      busy.err,
    );
    assert.equal(busy.err.match(/"level":60/g)?.length, 1, busy.err);
    assert.doesNotMatch(busy.err, /^\s+at /m);
    taken.close();

    const none = await run(['serve', '--workers', '0']);
    assert.equal(none.status, 2);
    assert.match(none.err, /--workers must be an integer from 1/);
  });
});
