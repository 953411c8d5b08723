// What waits for work before it, and what ends the wait.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { WorkQueue } from './work-queue.ts';

/** Work that runs until it is ended, and its name in `begun` when it begins. */
function workOf(queue: WorkQueue, begun: string[]) {
  return (name: string, patience?: Parameters<WorkQueue['run']>[1]) => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const done = queue.run(() => {
      begun.push(name);
      return promise;
    }, patience);
    return { done, end };
  };
}

test('runs only some work at a time, the rest in the order of arrival', async () => {
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

test('work of one that has much queued does not keep that of another waiting', async () => {
  const begun: string[] = [];
  const start = workOf(new WorkQueue(1), begun);
  const { signal } = new AbortController();
  const of = (key: string) => ({ key, timeoutMs: 60_000, late: () => new Error('too late'), signal });
  const all = [...['a1', 'a2', 'a3', 'a4'].map((name) => start(name, of('a'))), start('b1', of('b'))];
  for (const one of all) {
    await setImmediate();
    one.end();
  }
  await Promise.all(all.map(({ done }) => done));
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'a4']);
});

test('work that fails makes way for the next', async () => {
  const queue = new WorkQueue(1);
  await assert.rejects(
    queue.run(async () => {
      throw new Error('it failed');
    }),
    /it failed/,
  );
  assert.equal(await queue.run(async () => 'done'), 'done');
});

test('work leaves the queue when it has waited long enough, or its signal comes', async () => {
  const begun: string[] = [];
  const start = workOf(new WorkQueue(1), begun);
  const first = start('first');
  const controller = new AbortController();
  const patience = { timeoutMs: 60_000, late: () => new Error('too late'), signal: controller.signal };
  const late = start('late', { ...patience, timeoutMs: 1 });
  await assert.rejects(late.done, /too late/);
  const aborted = start('aborted', patience);
  const last = start('last');
  controller.abort(new Error('it was stopped'));
  await assert.rejects(aborted.done, /it was stopped/);
  await assert.rejects(start('never', patience).done, /it was stopped/);
  first.end();
  last.end();
  await last.done;
  assert.deepEqual(begun, ['first', 'last']);
});
