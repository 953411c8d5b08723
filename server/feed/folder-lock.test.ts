// Of several processes that find the lock of one that has ended, one gets the folder.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failed } from '../errors.ts';
import { FolderLock } from './folder-lock.ts';

const NAME = '.linecard-watch';

test('a process that takes the folder while another looks at the lock of one that has ended stays its holder', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'linecard-lock-'));
  context.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, NAME), JSON.stringify({ host: hostname(), pid: 4_194_304, id: 'ended' }));
  const [first, second] = [new FolderLock(folder), new FolderLock(folder)];
  let isSecondLooking = true;
  context.mock.method(process, 'kill', () => {
    const isItsTurn = isSecondLooking;
    isSecondLooking = false;
    if (isItsTurn) first.acquire();
    throw Object.assign(new Error('There is no such process.'), { code: 'ESRCH' });
  });
  assert.throws(() => second.acquire(), Failed);
  first.refresh();
  assert.deepEqual(readdirSync(folder), [NAME]);
  first.release();
  second.acquire();
  second.release();
  assert.deepEqual(readdirSync(folder), []);
});
