// Lists that are asked again and again have an index in memory: it answers what the database would, as long as nothing
// changes, and not a request longer.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNTS, hard_rows, LARGE_ACCOUNT } from './hard-rows.ts';
import { Model, type ModelRow, virtual_numbers } from './model.ts';
import { load, openService, stores } from './service.ts';

const MOST_ASKED = 500;
const FILTER = 'statuses=active&q=4&sort_by=comment&page_size=3';

for (const kind of stores) {
  describe(`indexes in memory on ${kind.name}`, () => {
    test('a list that is asked again and again is looked through no more, until it changes', async (t) => {
      const read: string[] = [];
      const service = await openService(kind, {
        accounts: ACCOUNTS,
        rows: hard_rows,
        keep_bytes: 0,
        beforeReading: (text) => read.push(text),
      });
      t.after(async () => service.close());

      /** Asks for one page; gives whether the database was asked to look through the list. */
      async function looksThrough(rows: Model, page: number): Promise<boolean> {
        read.length = 0;
        const query = `${FILTER}&page=${page}`;
        const answer = await service.ask(LARGE_ACCOUNT, `${virtual_numbers.path}?${query}`);
        const expected = rows.expect(virtual_numbers, LARGE_ACCOUNT, query);
        assert.ok(expected.status === 200);
        assert.equal(answer.body, expected.body);
        return read.some((text) => text.includes('did_folded'));
      }

      /** Asks until the list is not looked through. */
      async function untilIndexed(rows: Model): Promise<void> {
        for (let page = 1; page < MOST_ASKED; page++) {
          if (!(await looksThrough(rows, 1 + (page % 9)))) return;
          await sleep(10);
        }
        assert.fail('the list is still looked through');
      }

      const before = new Model(hard_rows);
      assert.equal(await looksThrough(before, 1), true);
      await untilIndexed(before);

      const [first, ...others] = hard_rows.virtual_numbers.filter(
        ({ account_id }) => account_id === LARGE_ACCOUNT,
      ) as [ModelRow, ...ModelRow[]];
      const mine = [{ ...first, comment: '4 at the front', status: 'active' }, ...others.slice(0, 200)];
      await load(service.operator, 'virtual_numbers', mine, [LARGE_ACCOUNT]);
      const after = new Model({ ...hard_rows, virtual_numbers: mine });
      assert.equal(await looksThrough(after, 1), true);
      assert.equal(await looksThrough(after, 2), true);
      await untilIndexed(after);
    });
  });
}
