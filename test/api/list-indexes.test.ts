// Lists in demand have an index in memory: it answers what the database would, as long as nothing changes,
// and not a request longer.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { ListIndexes } from '../../server/answers/indexes.ts';
import { WorkerPool } from '../../server/answers/threads/pool.ts';
import { tables } from '../../server/store/tables.ts';
import { ACCOUNTS, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { Model, type ModelRow, virtual_numbers } from '../kit/model.ts';
import { ENGINE } from '../kit/questions.ts';
import { load, openService, stores } from '../kit/service.ts';

const MAX_REQUESTS = 500;
const FILTER = 'statuses=active&q=4&sort_by=comment&page_size=3';

/** Texts far longer than usual. */
const LONG = { rows: 40, characters: 1_000, maxBytes: 100_000 } as const;

for (const kind of stores) {
  describe(`indexes in memory on ${kind.name}`, () => {
    test('a list in demand is no longer scanned, until it changes', async (t) => {
      const service = await openService(kind, { accounts: ACCOUNTS, rows: hardRows, cacheBytes: 0 });
      t.after(async () => service.close());

      /** Reads one page; returns whether the database had to scan the list. */
      async function scans(rows: Model, page: number): Promise<boolean> {
        const { fullScans } = service;
        const query = `${FILTER}&page=${page}`;
        const answer = await service.ask(LARGE_ACCOUNT, `${virtual_numbers.path}?${query}`);
        const expected = rows.expect(virtual_numbers, LARGE_ACCOUNT, query);
        assert.ok(expected.status === 200);
        assert.equal(answer.body, expected.body);
        return service.fullScans > fullScans;
      }

      /** Reads pages until the list is not scanned. */
      async function untilIndexed(rows: Model): Promise<void> {
        // After a change the first request reads the size of the list, and counts as no full scan.
        await scans(rows, 1);
        for (let page = 1; page < MAX_REQUESTS; page++) {
          if (!(await scans(rows, 1 + (page % 9)))) return;
          await sleep(10);
        }
        assert.fail('the list is still scanned');
      }

      const before = new Model(hardRows);
      assert.equal(await scans(before, 1), true);
      await untilIndexed(before);

      const [first, ...others] = hardRows.virtual_numbers.filter(
        ({ account_id }) => account_id === LARGE_ACCOUNT,
      ) as [ModelRow, ...ModelRow[]];
      const mine = [{ ...first, comment: '4 at the front', status: 'active' }, ...others.slice(0, 200)];
      await load(service.operator, 'virtual_numbers', mine, [LARGE_ACCOUNT]);
      const after = new Model({ ...hardRows, virtual_numbers: mine });
      const matching = after.expect(virtual_numbers, LARGE_ACCOUNT, FILTER);
      assert.ok(matching.status === 200);
      const { total } = JSON.parse(matching.body);
      // The index is still there, and counts what matched before.
      for (let i = 0; i < 2; i++) {
        const changes = `${virtual_numbers.path}/changes?statuses=active&q=4&since=now`;
        const { body } = await service.ask(LARGE_ACCOUNT, changes);
        assert.equal(JSON.parse(body).total, total);
      }
      await untilIndexed(after);
    });

    test('a cursor continues from where its item was, also when the item has moved since', async (t) => {
      const [sample] = hardRows.virtual_numbers as [ModelRow, ...ModelRow[]];
      const rows = Array.from({ length: 40 }, (_, i) => ({
        ...sample,
        account_id: 'moved',
        id: 1 + i,
        comment: `desk ${String(i).padStart(2, '0')}`,
      }));
      const service = await openService(kind, { rows: { virtual_numbers: rows }, cacheBytes: 0 });
      t.after(async () => service.close());
      const path = `${virtual_numbers.path}?q=desk&sort_by=comment&page_size=5`;
      const next = (await service.ask('moved', path)).links.get('next') as string;
      await load(service.operator, 'virtual_numbers', [
        { ...(rows[4] as (typeof rows)[0]), comment: 'desk 20, moved' },
      ]);
      // After a change the first request reads the size of the list, and counts as no full scan.
      await service.ask('moved', path);
      let byIndex = 0;
      for (let i = 0; i < MAX_REQUESTS && byIndex < 4; i++) {
        const { fullScans } = service;
        await service.ask('moved', path);
        if (service.fullScans > fullScans) await sleep(10);
        else byIndex += 1;
        const { data } = JSON.parse((await service.ask('moved', next)).body);
        assert.deepEqual(
          data.map(({ id }: { id: number }) => id),
          [6, 7, 8, 9, 10],
        );
        // The index is looked at every other time: in the next round it is the turn of the other query.
        await service.ask('moved', `${virtual_numbers.path}?page=1&sort_by=comment`);
      }
      assert.ok(byIndex === 4, 'the list is still scanned');
    });

    test('a list whose index would take more memory than all may is not indexed again until it changes', async (t) => {
      const [sample] = hardRows.virtual_numbers as [ModelRow, ...ModelRow[]];
      const rows = Array.from({ length: LONG.rows }, (_, i) => ({
        ...sample,
        account_id: 'long',
        id: 1 + i,
        comment: String(i).repeat(LONG.characters).slice(0, LONG.characters),
      }));
      const service = await openService(kind, { rows: { virtual_numbers: rows } });
      const pool = new WorkerPool({
        databaseUrl: service.database_url,
        threads: 1,
        cursorKey: 'key',
        ...ENGINE,
      });
      t.after(async () => {
        await pool.close();
        await service.close();
      });
      let tried = 0;
      let idle = Promise.resolve<unknown>(undefined);
      const indexes = new ListIndexes(
        {
          index(...args) {
            tried += 1;
            const built = pool.index(...args);
            idle = built;
            return built;
          },
        },
        { maxBytes: LONG.maxBytes, minRows: 1, pause: 0, onFailure: assert.ifError },
      );
      const table = tables.virtual_numbers;
      async function missTimes(times: number, revision: string): Promise<void> {
        for (let i = 0; i < times; i++) {
          indexes.missed(table, 'long', revision, LONG.rows);
          await idle;
          await setImmediate();
        }
      }
      await missTimes(10, 'before');
      assert.equal(tried, 1);
      await missTimes(10, 'after');
      assert.equal(tried, 2);
      assert.equal(indexes.find(table, { account_id: 'long', revision: undefined }), undefined);
    });
  });
}
