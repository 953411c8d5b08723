// What a task waits for, and what it does not wait for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type SchedulerOptions, type Slot, TaskScheduler } from './task-scheduler.ts';

/** One that only records whether it was started. */
function slotOf(): Slot {
  const slot = {
    isStarted: false,
    start() {
      slot.isStarted = true;
    },
  };
  return slot;
}

const SLOT = slotOf();
const SLOTS = [SLOT, slotOf()];

class Unavailable extends Error {}

function schedulerOf(options: Partial<SchedulerOptions<Slot>> = {}): TaskScheduler<Slot> {
  const unavailable = (why: string) => new Unavailable(why);
  return new TaskScheduler({
    slots: SLOTS,
    concurrency: 1,
    longShare: 0.5,
    rank: () => 0,
    unavailable,
    ...options,
  });
}

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
  const scheduler = schedulerOf({ slots: [SLOT] });
  void scheduler.run({ account_id: 'a', isGone: () => false }, never);
  const hurried = outcomeOf(scheduler.run({ account_id: 'b', timeMs: 2_000, isGone: () => false }, never));
  const patient = outcomeOf(scheduler.run({ account_id: 'c', isGone: () => false }, never));
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
      assert.equal(one.error instanceof Unavailable, (late as readonly object[]).includes(one));
  }
});

/** Which accounts have begun a task, of those that ask for one in this order. */
function begunOf(scheduler: TaskScheduler<Slot>, ...accounts: readonly string[]): string[] {
  const begun: string[] = [];
  for (const account_id of accounts) {
    void scheduler.run({ account_id, isGone: () => false }, () => {
      begun.push(account_id);
      return never();
    });
  }
  return begun;
}

test('an account whose tasks take long, or may, leaves another a slot', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const scheduler = schedulerOf();
  assert.deepEqual(begunOf(scheduler, 'a', 'a', 'a', 'b'), ['a', 'b']);
});

test('an account whose tasks are short has all slots', async () => {
  const scheduler = schedulerOf();
  await scheduler.run({ account_id: 'a', isGone: () => false }, async () => {
    // What comes meanwhile is why the account is not forgotten.
    void scheduler.run({ account_id: 'a', isGone: () => false }, never);
  });
  await setImmediate();
  assert.deepEqual(begunOf(scheduler, 'a'), ['a']);
  assert.equal(scheduler.figures.running, 2);
});

test('an account whose task has failed soon, such as for too little time, has not shown that its tasks are short', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const scheduler = schedulerOf();
  const failed = scheduler.run({ account_id: 'a', isGone: () => false }, async () => {
    void scheduler.run({ account_id: 'a', isGone: () => false }, never);
    throw new Unavailable('There was too little time left.');
  });
  await assert.rejects(failed, Unavailable);
  await setImmediate();
  assert.deepEqual(begunOf(scheduler, 'a', 'b'), ['b']);
});

test('a slot of higher rank is for what finds the others busy, such as the export of another account', () => {
  const [first, second] = SLOTS;
  const scheduler = schedulerOf({ rank: (slot) => (slot === first ? 0 : Number.POSITIVE_INFINITY) });
  const on: Slot[] = [];
  for (const account_id of ['a', 'b']) {
    void scheduler.run({ account_id, isGone: () => false }, (slot) => {
      on.push(slot);
      return never();
    });
  }
  assert.ok(on[0] === first && on[1] === second && on.length === 2);
});

test('a slot is started before it is needed, and no more of them than one', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const slots = Array.from({ length: 4 }, slotOf);
  const scheduler = schedulerOf({ slots, longShare: 1 });
  const started = () => slots.filter(({ isStarted }) => isStarted).length;
  const runs: number[] = [];
  for (let tasks = 0; tasks < 5; tasks++) {
    void scheduler.run({ account_id: `${tasks}`, isGone: () => false }, (slot) => {
      slot.start();
      return never();
    });
    runs.push(started());
  }
  assert.deepEqual(runs, [2, 3, 4, 4, 4]);
});

test('next to a task that computes all the time a slot begins no other', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const scheduler = schedulerOf({ slots: [SLOT], concurrency: 4, longShare: 1 });
  assert.deepEqual(begunOf(scheduler, 'a'), ['a']);
  let end = () => {};
  const computing = scheduler.run({ account_id: 'b', isGone: () => false, isComputing: true }, async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  const begun = begunOf(scheduler, 'c', 'd');
  assert.deepEqual(begun, []);
  assert.deepEqual(scheduler.figures, { waiting: 2, running: 2 });
  end();
  await computing;
  await setImmediate();
  assert.deepEqual(begun, ['c', 'd']);
});
