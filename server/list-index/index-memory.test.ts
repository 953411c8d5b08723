// The memory of all indexes: allocations never overlap, nothing is lost, and what is put into one comes out.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Allocation, arraysOf, bytesOf, IndexMemory } from './index-memory.ts';

const BYTES = 4_000;

describe('the memory of indexes', () => {
  test('makes allocations that do not overlap, and has all of it again when all are freed', () => {
    const steps = fc.array(fc.record({ bytes: fc.nat(900), frees: fc.boolean(), which: fc.nat() }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (all) => {
        const memory = new IndexMemory(BYTES);
        const taken: Allocation[] = [];
        for (const { bytes, frees, which } of all) {
          const allocation = frees ? undefined : memory.allocate(bytes);
          if (allocation !== undefined) taken.push(allocation);
          else for (const one of taken.splice(which % Math.max(1, taken.length), 1)) memory.free(one);
          for (const { start, end } of taken) assert.ok(start >= 0 && end <= BYTES && start % 8 === 0);
          const sorted = taken.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
          for (const [i, { end }] of sorted.entries()) assert.ok(end <= (sorted[i + 1]?.start ?? BYTES));
          const used = taken.reduce((sum, { start, end }) => sum + end - start, 0);
          assert.equal(memory.freeBytes, BYTES - used);
        }
        for (const allocation of taken) memory.free(allocation);
        assert.deepEqual(memory.allocate(BYTES), { start: 0, end: BYTES });
        assert.equal(memory.allocate(8), undefined);
      }),
    );
  });

  test('holds what is put into it, also after another was there, and beside others', async () => {
    const memory = new IndexMemory(200_000);
    const value = (seed: number) => ({
      revision: `r${seed}`,
      ids: Float64Array.from({ length: 1_001 }, (_, i) => seed + i / 3),
      columns: { a: { ranks: Uint8Array.from([seed, 1, 2]), count: 3 }, b: { ranks: new Uint16Array(0) } },
      texts: { t: { keys: Uint32Array.from({ length: 77 }, (_, i) => seed * i) } },
    });
    const put = async (seed: number) => {
      const allocation = memory.allocate(bytesOf(value(seed)));
      assert.ok(allocation !== undefined);
      return { allocation, stored: await memory.put(value(seed), allocation) };
    };
    const [first, second] = [await put(1), await put(2)];
    const moved = value(9);
    const other = memory.allocate(bytesOf(moved)) as Allocation;
    await memory.put(moved, other);
    assert.equal(moved.ids.byteLength, 0, 'what was moved still takes memory');
    memory.free(other);
    memory.free(first.allocation);
    const third = await put(3);
    assert.deepEqual(third.allocation, first.allocation);
    assert.deepEqual([second.stored, third.stored], [value(2), value(3)]);
    const blocks = [second, third].flatMap(({ stored }) => arraysOf(stored).map(({ buffer }) => buffer));
    assert.ok(blocks[0] instanceof SharedArrayBuffer);
    assert.ok(blocks.every((buffer) => buffer === blocks[0]));
  });

  test('holds arrays that are copied in several parts', async () => {
    const rows = 1_300_000;
    const memory = new IndexMemory(8 * rows);
    const ids = Float64Array.from({ length: rows }, (_, i) => i);
    const stored = await memory.put({ ids: ids.slice() }, memory.allocate(8 * rows) as Allocation);
    assert.ok(Buffer.from(stored.ids.buffer).equals(Buffer.from(ids.buffer)));
  });
});
