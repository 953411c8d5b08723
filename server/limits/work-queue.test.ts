// What a job waits for, and what ends the wait.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { WorkQueue } from './work-queue.ts';

/** Work that runs until it is ended, and its name in `begun` when it begins. */
function workOf(queue: WorkQueue, begun: string[]) {
  return (name: string, options?: Parameters<WorkQueue['run']>[1]) => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const done = queue.run(() => {
      begun.push(name);
      return promise;
    }, options);
    return { done, end };
  };
}

test('runs a limited number of jobs at a time, the others in order of arrival', async () => {
  const begun: string[] = [];
  const start = workOf(new WorkQueue(2), begun);
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => start(name));
  await setImmediate();
  assert.deepEqual(begun, ['a', 'b']);
  b?.end();
  await b?.done;
  await setImmediate();
  assert.deepEqual(begun, ['a', 'b', 'c']);
  for (const one of [a, c, d]) one?.end();
  await Promise.all([a?.done, c?.done, d?.done]);
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
});

test('many queued jobs of one key do not keep a job of another waiting', async () => {
  const begun: string[] = [];
  const start = workOf(new WorkQueue(1), begun);
  const { signal } = new AbortController();
  const of = (key: string) => ({ key, timeoutMs: 60_000, timeoutError: () => new Error('too late'), signal });
  const all = [...['a1', 'a2', 'a3', 'a4'].map((name) => start(name, of('a'))), start('b1', of('b'))];
  for (const one of all) {
    await setImmediate();
    one.end();
  }
  await Promise.all(all.map(({ done }) => done));
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'a4']);
});

test('a job that fails frees its slot for the next', async () => {
  const queue = new WorkQueue(1);
  await assert.rejects(
    queue.run(async () => {
      throw new Error('it failed');
    }),
    /it failed/,
  );
  assert.equal(await queue.run(async () => 'done'), 'done');
});

test('a job leaves the queue when it times out or is aborted', async () => {
  const begun: string[] = [];
  const start = workOf(new WorkQueue(1), begun);
  const first = start('first');
  const controller = new AbortController();
  const options = { timeoutMs: 60_000, timeoutError: () => new Error('too late'), signal: controller.signal };
  const late = start('late', { ...options, timeoutMs: 1 });
  await assert.rejects(late.done, /too late/);
  const aborted = start('aborted', options);
  const last = start('last');
  controller.abort(new Error('it was stopped'));
  await assert.rejects(aborted.done, /it was stopped/);
  await assert.rejects(start('never', options).done, /it was stopped/);
  first.end();
  last.end();
  await last.done;
  assert.deepEqual(begun, ['first', 'last']);
});
