// The pace of a body: a sender is judged by what it sends, not by what this machine does with it.

import assert from 'node:assert/strict';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { receive } from './body.ts';

const CHUNK = Buffer.alloc(300_000, 'a');

/** A request whose body is these chunks. */
function requestOf(chunks: () => AsyncIterable<Buffer>): IncomingMessage {
  return Object.assign(Readable.from(chunks()), { headers: {} }) as unknown as IncomingMessage;
}

const options = { maxBytes: 1_048_576, isCompressed: false, signal: new AbortController().signal };

describe('a body', () => {
  test('is not late because the disk takes its time', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const path = join(tmpdir(), `linecard-body-${process.pid}`);
    const file = await open(path, 'w');
    t.after(() => rm(path));
    await file.close();
    // Every write takes ten minutes.
    const write = t.mock.method(Object.getPrototypeOf(file), 'writeFile', async () => {
      t.mock.timers.tick(600_000);
    });
    const request = requestOf(async function* () {
      for (let i = 0; i < 3; i++) {
        yield CHUNK;
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const received = await receive(request, options);
    assert.equal('size' in received.body && received.body.size, 3 * CHUNK.length);
    assert.equal(write.mock.callCount(), 3);
    await received.close();
  });

  test('is late when less than 4 kB a second come for 30 seconds, at its beginning or later', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const bodyOf = (...bytesBySecond: readonly number[]) =>
      requestOf(async function* () {
        for (const bytes of bytesBySecond) {
          if (bytes > 0) yield Buffer.alloc(bytes, 'a');
          await new Promise((resolve) => setImmediate(resolve));
          t.mock.timers.tick(1_000);
        }
      });
    const seconds = (count: number, bytes: number) => new Array<number>(count).fill(bytes);
    const slow = /less than 4 kB a second for 30 seconds\./;
    await assert.rejects(receive(bodyOf(...seconds(31, 1_200)), options), slow);
    await assert.rejects(receive(bodyOf(...seconds(2, 30_000), ...seconds(40, 3_000)), options), slow);
    // In bursts it is quick enough, and what ends soon may be slow.
    for (const body of [
      seconds(10, 100),
      seconds(50, 4_500),
      Array.from({ length: 56 }, (_, i) => (i % 7 === 0 ? 31_000 : 0)),
    ])
      await (await receive(bodyOf(...body), options)).close();
  });

  test('is late when nothing of it comes', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const request = requestOf(async function* () {
      yield CHUNK.subarray(0, 1_000);
      t.mock.timers.tick(600_000);
      await new Promise(() => {});
    });
    await assert.rejects(receive(request, options), /Nothing of the body came for \d+ seconds\./);
  });
});
