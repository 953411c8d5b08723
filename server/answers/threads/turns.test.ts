// Turns: what a task waits for, and what it does not wait for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { StoreUnavailable } from '../../store/store-errors.ts';
import type { WorkerThread } from './thread.ts';
import { Turns } from './turns.ts';

/** One that only notes whether it was started. */
function threadOf(): WorkerThread {
  const thread = {
    isStarted: false,
    start() {
      thread.isStarted = true;
    },
  };
  return thread as unknown as WorkerThread;
}

const THREAD = threadOf();
const THREADS = [THREAD, threadOf()];
const never = () => new Promise<never>(() => {});

/** How a task has ended, as far as it has. */
function outcomeOf(task: Promise<unknown>): { error?: unknown } {
  const outcome: { error?: unknown } = {};
  task.catch((error: unknown) => {
    outcome.error = error;
  });
  return outcome;
}

test('a task waits for its turn as long as its client would, or ten seconds', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = new Turns([THREAD], 1, 0.5, () => 0);
  void turns.run({ account_id: 'a', isGone: () => false }, never);
  const hurried = outcomeOf(turns.run({ account_id: 'b', timeMs: 2_000, isGone: () => false }, never));
  const patient = outcomeOf(turns.run({ account_id: 'c', isGone: () => false }, never));
  for (const [passed, late] of [
    [1_999, []],
    [1, [hurried]],
    [7_999, [hurried]],
    [1, [hurried, patient]],
  ] as const) {
    context.mock.timers.tick(passed);
    await Promise.resolve();
    await Promise.resolve();
    for (const one of [hurried, patient])
      assert.equal(one.error instanceof StoreUnavailable, (late as readonly object[]).includes(one));
  }
});

/** Which accounts have begun a task, of those that ask for one in this order. */
function begunOf(turns: Turns, ...accounts: readonly string[]): string[] {
  const begun: string[] = [];
  for (const account_id of accounts) {
    void turns.run({ account_id, isGone: () => false }, () => {
      begun.push(account_id);
      return never();
    });
  }
  return begun;
}

test('an account whose tasks take long, or may, leaves another a thread', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = new Turns(THREADS, 1, 0.5, () => 0);
  assert.deepEqual(begunOf(turns, 'a', 'a', 'a', 'b'), ['a', 'b']);
});

test('an account whose tasks are short has all threads', async () => {
  const turns = new Turns(THREADS, 1, 0.5, () => 0);
  await turns.run({ account_id: 'a', isGone: () => false }, async () => {
    // What comes meanwhile is why the account is not forgotten.
    void turns.run({ account_id: 'a', isGone: () => false }, never);
  });
  await setImmediate();
  assert.deepEqual(begunOf(turns, 'a'), ['a']);
  assert.equal(turns.figures.running, 2);
});

test('an account whose task has failed soon, such as for too little time, has not shown that its tasks are short', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = new Turns(THREADS, 1, 0.5, () => 0);
  const failed = turns.run({ account_id: 'a', isGone: () => false }, async () => {
    void turns.run({ account_id: 'a', isGone: () => false }, never);
    throw new StoreUnavailable('There was too little time left.');
  });
  await assert.rejects(failed, StoreUnavailable);
  await setImmediate();
  assert.deepEqual(begunOf(turns, 'a', 'b'), ['b']);
});

test('a thread of higher rank is for what finds the others busy, such as the export of another account', () => {
  const [first, second] = THREADS as [WorkerThread, WorkerThread];
  const turns = new Turns(THREADS, 1, 0.5, (thread) => (thread === first ? 0 : Number.POSITIVE_INFINITY));
  const on: WorkerThread[] = [];
  for (const account_id of ['a', 'b']) {
    void turns.run({ account_id, isGone: () => false }, (thread) => {
      on.push(thread);
      return never();
    });
  }
  assert.ok(on[0] === first && on[1] === second && on.length === 2);
});

test('a thread is started before it is needed, and no more of them than one', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const threads = Array.from({ length: 4 }, threadOf);
  const turns = new Turns(threads, 1, 1, () => 0);
  const started = () => threads.filter(({ isStarted }) => isStarted).length;
  const runs: number[] = [];
  for (let tasks = 0; tasks < 5; tasks++) {
    void turns.run({ account_id: `${tasks}`, isGone: () => false }, (thread) => {
      thread.start();
      return never();
    });
    runs.push(started());
  }
  assert.deepEqual(runs, [2, 3, 4, 4, 4]);
});

test('beside a task that computes all the time a thread begins no other', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = new Turns([THREAD], 4, 1, () => 0);
  assert.deepEqual(begunOf(turns, 'a'), ['a']);
  let end = () => {};
  const computing = turns.run({ account_id: 'b', isGone: () => false, isComputing: true }, async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  const begun = begunOf(turns, 'c', 'd');
  assert.deepEqual(begun, []);
  assert.deepEqual(turns.figures, { waiting: 2, running: 2 });
  end();
  await computing;
  await setImmediate();
  assert.deepEqual(begun, ['c', 'd']);
});
