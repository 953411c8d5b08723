// Work beside the requests goes to the accounts in turn, and is not begun for who has left.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { lists, QueryParser } from '@linecard/client';
import { createAccount } from './accounts.ts';
import { Aside } from './aside.ts';
import { cursorKey } from './deployment.ts';
import { openStore } from './open.ts';
import { StoreUnavailable } from './store.ts';

const query = new QueryParser(lists.virtual_numbers, 10, 'page').ofString('sort_by=did');

describe('work beside the requests', () => {
  let folder: string;
  let aside: Aside;
  const alive = setInterval(() => {}, 60_000);
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'linecard-aside-'));
    const url = `sqlite:${join(folder, 'linecard.db')}`;
    const store = await openStore(url, 'write');
    for (const id of ['much', 'little']) await createAccount(store, id, '');
    aside = new Aside(url, await cursorKey(store), 1);
    await store.close();
  });
  after(async () => {
    await aside.close();
    rmSync(folder, { recursive: true });
    clearInterval(alive);
  });

  const ask = (account_id: string, isGone = () => false) =>
    aside.page({ list: 'virtual_numbers', account_id, query }, isGone);

  test('of one that asks once comes before the rest of one that asks a hundred times', async () => {
    const ended: string[] = [];
    const asked = [...Array<string>(100).fill('much'), 'little'];
    await Promise.all(asked.map((account_id) => ask(account_id).then(() => ended.push(account_id))));
    assert.equal(ended.length, asked.length);
    assert.ok(ended.indexOf('little') <= 2, `it came after ${ended.indexOf('little')} others`);
  });

  test('is not begun for who has left, and goes on for the others', async () => {
    const first = ask('much');
    const left = ask('much', () => true);
    const last = ask('much');
    await assert.rejects(left, StoreUnavailable);
    assert.equal((await first).page, 1);
    assert.equal((await last).page, 1);
  });
});
