// What reaches the reader of the log: every line, whole, from processes that exit while lines still wait.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const LINES = 3_000;
const LOG = new URL('./log.ts', import.meta.url).href;

/** Logs lines of odd lengths under a name, and exits in the same turn of the event loop. */
const program = (name: string, workers: number) => `
  const { makeLog } = await import('${LOG}');
  const { logger } = await makeLog({ log_level: 'info', log_format: 'json', workers: ${workers} });
  for (let i = 0; i < ${LINES}; i++) logger.info({ of: '${name}', i, fill: 'ü'.repeat((i * 7) % 300) }, 'line');
  process.exit(0);`;

for (const names of [['one'], ['one', 'another']]) {
  test(`the lines of ${names.join(' and ')} process reach one pipe, each whole and in its order`, async () => {
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
