// Failures to record the last use of tokens are logged as warnings unless they are temporary.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import { writeUsesRegularly } from './token-uses.ts';

const WARN = 40;
const INTERVAL_MS = 30_000;

describe('a failure to record the last use of tokens', () => {
  test('is logged as a warning if it is repeated, or the use is lost', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const warned: string[] = [];
    const logger = pino({ level: 'debug' }, { write: (line: string) => warned.push(line) });
    let fault: Error | undefined;
    const store = { close: async () => {} } as unknown as Store;
    const writeUses = async () => {
      if (fault !== undefined) throw fault;
    };
    const end = writeUsesRegularly({ hasUse: true, writeUses }, async () => store, logger);
    const later = async (next?: Error) => {
      fault = next;
      t.mock.timers.tick(INTERVAL_MS);
      await setImmediate();
      const lines = warned.splice(0).map((line) => JSON.parse(line) as { level: number; msg: string });
      return lines.filter(({ level }) => level >= WARN).map(({ msg }) => msg);
    };
    const full = new StoreUnavailable('The disk is full.');
    const again = ['could not record the last use of tokens; will try again'];
    // A concurrent writer is not worth a warning.
    assert.deepEqual([await later(full), await later(), await later(full)], [[], [], []]);
    assert.deepEqual([await later(full), await later(full)], [again, again]);
    assert.deepEqual([await later(), await later(new Error('a fault'))], [[], again]);
    assert.deepEqual([await later(), await later()], [[], []]);
    fault = full;
    await end();
    assert.deepEqual(
      warned.map((line) => JSON.parse(line).msg),
      ['could not record the last use of tokens; it is lost'],
    );
  });
});
