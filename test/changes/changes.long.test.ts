// How many changes of a list are retained where many lists change: what a small list has at least, and that
// no import has to remove those of all lists.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changesPath } from '@linecard/client/contract/addresses';
import { virtual_numbers as numbers } from '@linecard/client/contract/virtual-numbers';
import { numberRow } from '../kit/rows.ts';
import { load, openService, stores } from '../kit/service.ts';

const PATH = changesPath(numbers);

interface Reported {
  readonly data: readonly unknown[];
  readonly since: string;
}

for (const kind of stores) {
  describe(`the changes that are retained on ${kind.name}`, () => {
    test('small lists keep many changes only while all of them together have few', async (t) => {
      const accounts = ['one', 'two', 'three', 'four'];
      const other = await openService(kind, { accounts });
      t.after(() => other.close());
      const items = 2_000;
      const sequences = new Map<string, string[]>(accounts.map((name) => [name, []]));
      const entriesOf = async (list: string) => {
        const [[logs = []], [rows = []]] = await other.operator.read(
          { text: `select sum(entries), max(entries) from change_logs where list = '${list}'`, values: [] },
          { text: `select count(*) from ${list}_changes`, values: [] },
        );
        return [...logs, ...rows].map(Number);
      };
      const update = async (i: number) => {
        for (const [position, name] of accounts.entries()) {
          const ids = Array.from({ length: i === 0 ? items : items / 2 }, (_, n) => 1 + position * items + n);
          await load(
            other.operator,
            'virtual_numbers',
            ids.map((id) => numberRow(name, id, { comment: `${i}` })),
          );
          const answer = await other.ask(name, `${PATH}?since=now`);
          sequences.get(name)?.push((JSON.parse(answer.body) as Reported).since);
        }
      };
      for (let i = 0; i < 3; i++) await update(i);
      // One entry for each item: each account has what it had from the first.
      assert.deepEqual(await entriesOf('virtual_numbers'), [8_000, 2_000, 8_000]);
      for (let i = 3; i < 9; i++) await update(i);
      const [sum = 0, most = 0, counted] = await entriesOf('virtual_numbers');
      assert.equal(sum, counted);
      // One more import than all logs together may have; on Citus each account alone has a limit.
      const limit = kind.name === 'Citus' ? accounts.length * 10_000 : 10_000 + items / 2;
      assert.ok(sum >= (accounts.length * items) / 2 && sum <= limit, `${sum} entries`);
      assert.ok(most <= 10_000, `${most} entries of one account`);
      for (const [name, since] of sequences) {
        const first = (await other.ask(name, `${PATH}?since=${since[0]}`)).status;
        assert.equal(first, kind.name === 'Citus' ? 200 : 410, name);
        const { body } = await other.ask(name, `${PATH}?since=${since.at(-2)}&page_size=1000`);
        assert.equal((JSON.parse(body) as Reported).data.length, items / 2);
      }
    });

    // On Citus a list of 300 may have 10,000 entries.
    const isCut = kind.name !== 'Citus';
    test('the logs of accounts that change alike are cut by different imports', {
      skip: !isCut,
    }, async (t) => {
      const accounts = Array.from({ length: 40 }, (_, i) => `alike-${i}`);
      const other = await openService(kind, { accounts });
      t.after(() => other.close());
      const [items, changed] = [300, 60];
      const cutTo = async () => {
        const text = "select account_id, pruned from change_logs where list = 'virtual_numbers'";
        const [rows] = await other.operator.read({ text, values: [] });
        return new Map(rows.map(([account, pruned]) => [account, Number(pruned)]));
      };
      let before = await cutTo();
      const cut: number[] = [];
      for (let i = 0; i < 40; i++) {
        const updated = accounts.flatMap((name, position) =>
          Array.from({ length: i === 0 ? items : changed }, (_, n) => {
            const id = 1 + position * items + ((i * changed + n) % items);
            return numberRow(name, id, { comment: `${i}` });
          }),
        );
        await load(other.operator, 'virtual_numbers', updated);
        const after = await cutTo();
        cut.push([...after].filter(([account, pruned]) => pruned > (before.get(account) ?? 0)).length);
        before = after;
      }
      assert.ok(cut.some((count) => count > 0));
      assert.ok(Math.max(...cut) <= 30, `cut by each import: ${cut}`);
    });

    test('a small list has its last 1,000 changes, however many all lists together have', async (t) => {
      const accounts = Array.from({ length: 12 }, (_, i) => `small-${i}`);
      const other = await openService(kind, { accounts });
      t.after(() => other.close());
      const items = 400;
      const logged = new Map(accounts.map((name) => [name, 0]));
      let isPruned = false;
      for (let i = 0; i < 16; i++) {
        const updated = accounts.flatMap((name, position) => {
          // Of each account another size each time, from a few items to all of them.
          const changed = i === 0 ? items : 1 + ((i * 97 + position * 53) % items);
          // The first fill of a list has no entries.
          if (i > 0) logged.set(name, (logged.get(name) ?? 0) + changed);
          return Array.from({ length: changed }, (_, n) =>
            numberRow(name, 1 + position * items + n, { comment: `${i}` }),
          );
        });
        await load(other.operator, 'virtual_numbers', updated);
        const text =
          "select account_id, entries, (select count(*) from virtual_numbers_changes as logged where logged.account_id = change_logs.account_id) from change_logs where list = 'virtual_numbers'";
        const [rows] = await other.operator.read({ text, values: [] });
        assert.equal(rows.length, accounts.length);
        for (const [name, entries, counted] of rows) {
          const all = logged.get(String(name)) ?? 0;
          assert.equal(Number(entries), Number(counted));
          assert.ok(Number(counted) >= Math.min(1_000, all), `${name}: ${counted} of ${all}`);
          assert.ok(Number(counted) <= (kind.name === 'Citus' ? 10_000 : 2_000), `${name}: ${counted}`);
          isPruned ||= Number(counted) < all;
        }
      }
      assert.equal(isPruned, kind.name !== 'Citus');
    });
  });
}
