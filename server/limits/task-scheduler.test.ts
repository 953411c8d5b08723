// What a task waits for.

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

test('a task waits as long as its client does, or ten seconds', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const scheduler = schedulerOf({ slots: [SLOT] });
  void scheduler.run({ account_id: 'a', isDisconnected: () => false }, never);
  const hurried = outcomeOf(
    scheduler.run({ account_id: 'b', timeMs: 2_000, isDisconnected: () => false }, never),
  );
  const patient = outcomeOf(scheduler.run({ account_id: 'c', isDisconnected: () => false }, never));
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
    void scheduler.run({ account_id, isDisconnected: () => false }, () => {
      begun.push(account_id);
      return never();
    });
  }
  return begun;
}

test('an account whose tasks are or may be long leaves a slot to others', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const scheduler = schedulerOf();
  assert.deepEqual(begunOf(scheduler, 'a', 'a', 'a', 'b'), ['a', 'b']);
});

test('a token that reads many accounts leaves a slot to others, whatever it has begun', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const scheduler = schedulerOf();
  const begun: string[] = [];
  const run = (account_id: string, token_id: string) =>
    void scheduler.run({ account_id, token_id, isDisconnected: () => false }, () => {
      begun.push(account_id);
      return never();
    });
  for (let i = 0; i < 10; i++) run(`of-tree-${i}`, 'tree');
  run('b', 'other');
  assert.deepEqual(begun, ['of-tree-0', 'b']);
});

test('while others wait, a token takes a quarter of the slots; else it takes all', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const slots = Array.from({ length: 4 }, slotOf);
  const scheduler = schedulerOf({ slots, longShare: 1 });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (account_id: string, token_id: string) =>
    void scheduler.run({ account_id, token_id, isDisconnected: () => false }, () => {
      begun.push(token_id);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  for (let i = 0; i < 10; i++) run(`of-tree-${i}`, 'tree');
  for (let i = 0; i < 4; i++) run(`of-other-${i}`, `other-${i}`);
  assert.deepEqual(begun, ['tree', 'tree', 'tree', 'tree']);
  for (const end of ends.slice(0, 3)) {
    end();
    await setImmediate();
  }
  assert.deepEqual(begun.slice(4), ['other-0', 'other-1', 'other-2']);
});

test('an account whose tasks are short may use all slots', async () => {
  const scheduler = schedulerOf();
  await scheduler.run({ account_id: 'a', isDisconnected: () => false }, async () => {
    // A queued task keeps the history of the account.
    void scheduler.run({ account_id: 'a', isDisconnected: () => false }, never);
  });
  await setImmediate();
  assert.deepEqual(begunOf(scheduler, 'a'), ['a']);
  assert.equal(scheduler.statistics.running, 2);
});

test('a task that fails quickly, for example because it was out of time, does not count as short', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const scheduler = schedulerOf();
  const failed = scheduler.run({ account_id: 'a', isDisconnected: () => false }, async () => {
    void scheduler.run({ account_id: 'a', isDisconnected: () => false }, never);
    throw new Unavailable('There was too little time left.');
  });
  await assert.rejects(failed, Unavailable);
  await setImmediate();
  assert.deepEqual(begunOf(scheduler, 'a', 'b'), ['b']);
});

test('a slot of higher rank is used only when the others are busy', () => {
  const [first, second] = SLOTS;
  const scheduler = schedulerOf({ rank: (slot) => (slot === first ? 0 : Number.POSITIVE_INFINITY) });
  const on: Slot[] = [];
  for (const account_id of ['a', 'b']) {
    void scheduler.run({ account_id, isDisconnected: () => false }, (slot) => {
      on.push(slot);
      return never();
    });
  }
  assert.ok(on[0] === first && on[1] === second && on.length === 2);
});

test('one slot is started ahead of need', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const slots = Array.from({ length: 4 }, slotOf);
  const scheduler = schedulerOf({ slots, longShare: 1 });
  const started = () => slots.filter(({ isStarted }) => isStarted).length;
  const runs: number[] = [];
  for (let tasks = 0; tasks < 5; tasks++) {
    void scheduler.run({ account_id: `${tasks}`, isDisconnected: () => false }, (slot) => {
      slot.start();
      return never();
    });
    runs.push(started());
  }
  assert.deepEqual(runs, [2, 3, 4, 4, 4]);
});
