// Every line of the log reaches its reader complete, also from processes that exit with lines queued.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const LINES = 3_000;
const LONGEST_MS = 20_000;
const LOG = new URL('./log.ts', import.meta.url).href;

/** Logs lines of odd lengths under a name, and exits in the same iteration of the event loop. */
const program = (name: string, workers: number) => `
  const { makeLog } = await import('${LOG}');
  const { logger } = await makeLog({ log_level: 'info', log_format: 'json', workers: ${workers} });
  for (let i = 0; i < ${LINES}; i++) logger.info({ of: '${name}', i, fill: 'ü'.repeat((i * 7) % 300) }, 'line');
  process.exit(0);`;

for (const names of [['one'], ['one', 'another']]) {
  test(`the lines of ${names.join(' and ')} process reach one pipe, complete and in order`, async () => {
    const starts = names.map((name) => `"$0" --input-type=module -e "$${name}" &`).join(' ');
    const programs = Object.fromEntries(names.map((name) => [name, program(name, names.length)]));
    const env = { ...process.env, ...programs };
    const stdio = ['ignore', 'inherit', 'pipe'] as const;
    const shell = spawn('sh', ['-c', `${starts} wait`, process.execPath], { env, stdio: [...stdio] });
    const [log] = await Promise.all([text(shell.stderr as NodeJS.ReadableStream), once(shell, 'exit')]);
    const lines = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { of: string; i: number });
    for (const name of names) {
      const own = lines.filter(({ of }) => of === name).map(({ i }) => i);
      assert.deepEqual(own, [...Array(LINES).keys()], name);
    }
  });
}

/** Logs more than a pipe takes, goes on for a while, and exits. */
const BUSY = `
  const { makeLog } = await import('${LOG}');
  const { logger, dropped } = await makeLog({ log_level: 'info', log_format: 'json', workers: 1 });
  for (let i = 0; i < ${LINES}; i++) {
    logger.info({ i, fill: 'x'.repeat(300) }, 'line');
    if (i % 100 === 0) logger.error('a line that is written at once');
    if (i % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  process.stdout.write('goes on');
  process.exit(0);`;

/** The status of a program whose standard error is nobody's, and what it wrote to standard output. */
async function endOf(stdio: string, read: boolean): Promise<readonly [number | null, string]> {
  const words = ['-c', `exec "$0" --input-type=module -e "$BUSY" ${stdio}`, process.execPath];
  const child = spawn('sh', words, { env: { ...process.env, BUSY }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const out = text(child.stdout);
  if (!read) child.stderr.destroy();
  const limit = AbortSignal.timeout(LONGEST_MS);
  limit.onabort = () => child.kill('SIGKILL');
  const [status] = await ended;
  limit.onabort = null;
  return [status, await out];
}

test('a process whose log is on a full disk continues and exits', {
  skip: !existsSync('/dev/full'),
}, async () => {
  assert.deepEqual(await endOf('2>/dev/full', true), [0, 'goes on']);
});

test('a process whose log nobody reads continues and exits', async () => {
  assert.deepEqual(await endOf('', true), [0, 'goes on']);
});

test('a process whose log reader has exited continues and exits', async () => {
  assert.deepEqual(await endOf('', false), [0, 'goes on']);
});

test('of successful requests a share is logged, and every one that fails', async () => {
  const answered = (status: number, isProbe = false) =>
    `answered({ request_id: 'r', peer: '::1', method: 'GET', status: ${status}, bytes: 0, milliseconds: 0, queueMs: 0, storeMs: 0, writeMs: 0, isProbe: ${isProbe} });`;
  const sampled = (share: number) => `
    const { makeLog } = await import('${LOG}');
    const { answered } = await makeLog({ log_level: 'info', log_format: 'json', workers: 1, log_sample: ${share} });
    for (let i = 0; i < ${LINES}; i++) ${answered(200)}
    ${answered(304)} ${answered(404)} ${answered(503, true)}
    process.exit(0);`;
  const statuses = async (share: number) => {
    const words = ['--input-type=module', '-e', sampled(share)];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    const lines = (await text(child.stderr)).trimEnd().split('\n');
    return lines.map((line) => (JSON.parse(line) as { status: number }).status);
  };
  assert.deepEqual(await statuses(0), [404, 503]);
  assert.equal((await statuses(1)).length, LINES + 3);
  const logged = (await statuses(0.1)).length;
  assert.ok(logged > LINES * 0.05 && logged < LINES * 0.2, String(logged));
});
