// Many large requests of one account delay those of another by one or two of them, not by all.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { RequestScheduler } from './request-scheduler.ts';

/** More than an account may use in one iteration of the event loop. */
const LARGE_MS = 5;

/** Schedules tasks of a given duration, half of it after a promise has resolved, and records which start. */
function tasksOf(begun: string[]) {
  let now = 0;
  const scheduler = new RequestScheduler(() => now);
  const work = (ms: number) => {
    now += ms;
  };
  return (account: string, count: number, ms: number) => {
    for (let i = 0; i < count; i++) {
      scheduler.schedule(account, () => {
        begun.push(account);
        work(ms / 2);
        void Promise.resolve().then(() => work(ms / 2));
      });
    }
  };
}

async function iterations(isDone: () => boolean): Promise<void> {
  while (!isDone()) await nextIteration();
}

describe('the request scheduler', () => {
  test('starts small requests immediately, in order of arrival', () => {
    const begun: string[] = [];
    const add = tasksOf(begun);
    for (const account of ['a', 'b', 'a']) add(account, 1, 0);
    assert.deepEqual(begun, ['a', 'b', 'a']);
  });

  test('after a large request of an account its next ones wait, and those of others start', async () => {
    const begun: string[] = [];
    const add = tasksOf(begun);
    add('a', 3, LARGE_MS);
    assert.deepEqual(begun, ['a']);
    add('b', 1, 0);
    assert.deepEqual(begun, ['a', 'b']);
    await iterations(() => begun.length === 4);
    assert.deepEqual(begun, ['a', 'b', 'a', 'a']);
  });

  test('requests of a token for many accounts wait together, and those of others start', async () => {
    const begun: string[] = [];
    let now = 0;
    const scheduler = new RequestScheduler(() => now);
    const add = (account: string, token?: string) =>
      scheduler.schedule(
        account,
        () => {
          begun.push(account);
          now += 1;
        },
        token,
      );
    for (let i = 0; i < 100; i++) add(`of-tree-${i}`, 'tree');
    const immediately = begun.length;
    assert.ok(immediately >= 8 && immediately <= 10, String(immediately));
    add('other');
    assert.equal(begun.at(-1), 'other');
    await iterations(() => begun.length === 101);
  });

  test('many small requests of an account wait as those after a large one do', async () => {
    const begun: string[] = [];
    const add = tasksOf(begun);
    // Work in a promise runs after all of them, so each is charged half of it.
    add('b', 1, 1);
    add('a', 20, 1);
    const atOnce = begun.length;
    assert.ok(atOnce >= 4 && atOnce <= 6, String(atOnce));
    add('b', 1, 0);
    assert.equal(begun.at(-1), 'b');
    await iterations(() => begun.length === 22);
    assert.equal(begun.filter((account) => account === 'a').length, 20);
  });

  test('queued requests start round robin, and an account that arrives later does not wait for all of them', async () => {
    const begun: string[] = [];
    const add = tasksOf(begun);
    add('a', 30, LARGE_MS);
    add('b', 3, LARGE_MS);
    await iterations(() => begun.length > 6);
    const before = begun.length;
    add('c', 1, 0);
    assert.equal(begun.at(-1), 'c');
    await iterations(() => begun.length === 34);
    assert.equal(begun.slice(0, before).filter((account) => account === 'b').length, 3);
    assert.equal(begun.filter((account) => account === 'a').length, 30);
  });

  test('starts no queued request while connections are accepted, for 20 milliseconds', async () => {
    const started: string[] = [];
    let now = 0;
    const scheduler = new RequestScheduler(() => now);
    for (let i = 0; i < 3; i++)
      scheduler.schedule('a', () => {
        started.push('a');
        now += LARGE_MS;
      });
    for (let i = 0; i < 5; i++) {
      scheduler.accepted();
      await nextIteration();
    }
    assert.deepEqual(started, ['a']);
    now += 20;
    while (started.length < 2) {
      scheduler.accepted();
      await nextIteration();
    }
    await iterations(() => started.length === 3);
  });

  test('continues after a time without requests', async () => {
    const begun: string[] = [];
    const add = tasksOf(begun);
    for (let round = 1; round <= 2; round++) {
      add('a', 20, 1);
      await iterations(() => begun.length === 20 * round);
      await nextIteration();
    }
    assert.equal(begun.length, 40);
  });
});
