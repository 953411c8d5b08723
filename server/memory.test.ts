import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collectOnceQuiet, scaledToMemory } from './memory.ts';

const MIB = 1_048_576;

test('an amount is whole from a GiB of memory on, and below it less and less, but never nothing', () => {
  const amountsOf = (mib: readonly number[]) => mib.map((one) => scaledToMemory(64, one * MIB));
  assert.deepEqual(amountsOf([65_536, 1_024, 672, 512, 320, 64]), [64, 64, 32, 17, 4, 4]);
});

describe('what starting took', () => {
  test('is given back once, in the first second without an answer', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let answers = 0;
    let collected = 0;
    collectOnceQuiet(
      () => answers,
      () => {
        collected += 1;
      },
    );
    const seconds = [1, 3, 0, 0, 2, 0].map((more) => {
      answers += more;
      t.mock.timers.tick(1_000);
      return collected;
    });
    assert.deepEqual(seconds, [0, 0, 1, 1, 1, 1]);
  });

  test('is no longer held then', (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let garbage: object[] | undefined = Array.from({ length: 1_000_000 }, (_, i) => ({ i }));
    const before = process.memoryUsage().heapTotal;
    assert.equal(garbage.length, 1_000_000);
    garbage = undefined;
    collectOnceQuiet(() => 0);
    t.mock.timers.tick(1_000);
    const given = before - process.memoryUsage().heapTotal;
    assert.ok(given > 16 * MIB, `${given} of ${before} bytes were given back`);
  });
});
