// One truth in money: for every figure of the console, the amount on the overview, in the list that its link
// opens, and of the facets is one number, and the number that the items add up to.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { comparedValues, figuresOf, knownOf, knownOfValue } from '../../console/compare/figures.ts';
import {
  EMPTY_VIEW,
  filterParams,
  type ListFacets,
  type ListFacts,
  lists,
  type View,
  writeQuery,
  writeView,
} from '../../console/contract.ts';
import {
  addUp,
  amountOf,
  countOf,
  dueTimes,
  isIn,
  isSameTime,
  nextDays,
  paymentsIn,
  scaleOf,
  type Time,
  timeLabel,
  timeOf,
  viewIn,
  windowOf,
} from '../../console/figures.ts';
import { withoutBounds } from '../../console/glance/due.ts';
import { MOST_PARTS, partsOf } from '../../console/glance/parts.ts';
import { type Counted, type Day, daysOf, monthRows, paidIn, peakOf } from '../../console/overview/money.ts';
import { readView } from '../../console/reading.ts';
import { withFilter } from '../../console/view.ts';
import { isPaid, type ModelRow, millionths } from '../kit/model.ts';
import { numberRow, REQUIRED_VALUES } from '../kit/rows.ts';
import { openService, type Service, stores } from '../kit/service.ts';

const DAY_MS = 86_400_000;
const ACCOUNTS = 8;
/** Facets list 100. */
const PROVIDERS = 107;
const MONTHS: Readonly<Record<string, bigint>> = { monthly: 1n, quarterly: 3n, yearly: 12n };
const now = Date.now();
const dayAfter = (days: number) => new Date(now + days * DAY_MS).toISOString().slice(0, 10);

/** Overdue or not, of any frequency, an unknown one too; some are credits, some with fractions of a cent. */
const item = fc.record({
  frequency: fc.constantFrom(...Object.keys(MONTHS), 'fortnightly'),
  monthly: fc.integer({ min: -5_000_000, max: 9_000_000 }).map((size) => (size / 1_000_000).toFixed(6)),
  next_payment_at: fc.option(
    fc.integer({ min: -45, max: 100 }).map((days) => `${dayAfter(days)}T09:30:00.000001Z`),
    { freq: 6 },
  ),
});
/** Some of no country. */
const numbered = fc
  .tuple(item, fc.constantFrom('GB', 'DE', 'FR', 'US', 'ES', ''))
  .map(([one, country_code]) => ({ ...one, country_code }));
const account = fc.record({
  virtual_numbers: fc.array(numbered, { maxLength: 12 }),
  additional_services: fc.array(item, { maxLength: 6 }),
});
const accounts = fc.sample(account, { numRuns: ACCOUNTS, seed: 51 });
let id = 1;
const rowsOf = (name: keyof (typeof accounts)[number]) =>
  accounts.flatMap((own, i): ModelRow[] =>
    own[name].map((one) => {
      const { did, status, created_at, ...both } = REQUIRED_VALUES;
      const rest = name === 'virtual_numbers' ? { did, status, created_at } : { title: 'Recording' };
      return { account_id: `account-${i}`, id: id++, ...both, ...rest, ...one };
    }),
  );

/** In millionths, and counted: what items pay in a time. */
function expected(items: readonly (typeof accounts)[number]['additional_services'][number][], time: Time) {
  const paid = items.flatMap((one) => {
    const { next_payment_at: at } = one;
    if (at === null) return [];
    if (time.kind === 'overdue') return at.slice(0, 10) < time.today ? [one] : [];
    const days = Array.from({ length: 200 }, (_, n) => dayAfter(n)).filter((day) => isIn(time, day));
    return days.filter((day) => isPaid(one, day)).map(() => one);
  });
  const sum = paid.reduce((all, one) => all + millionths(one.monthly) * (MONTHS[one.frequency] ?? 0n), 0n);
  return { count: paid.length, amount: Number(sum) / 1_000_000 };
}

/** The lists and filters whose values have figures, in each account. */
const parted = accounts.flatMap((_, i) =>
  lists.flatMap((list) =>
    ['country_codes', 'frequencies']
      .filter((name) => list.filters.some((filter) => filter.name === name))
      .map((name) => [list, name, i] as const),
  ),
);

const figure = ({ count, amount }: { readonly count: number; readonly amount: number }) => ({
  count,
  amount,
});

describe('for every figure of the console', () => {
  let service: Service;
  before(async () => {
    const rows = {
      virtual_numbers: rowsOf('virtual_numbers'),
      additional_services: rowsOf('additional_services'),
    };
    const names = [...accounts.map((_, i) => `account-${i}`), 'many-providers'];
    for (let n = 0; n < PROVIDERS; n += 1)
      rows.virtual_numbers.push(
        numberRow('many-providers', id + n, { monthly: '0.1', provider: `Provider ${n}` }),
      );
    service = await openService(stores[0] as (typeof stores)[number], { accounts: names, rows });
  });
  after(() => service.close());

  const facetsOf = async (account_id: string, list: ListFacts, query: string) =>
    JSON.parse((await service.ask(account_id, `${list.path}/facets?${query}`)).body) as ListFacets;

  test('the overview, the list that its link opens and facets have the amount that the items add up to', async () => {
    let overdue = 0;
    let credits = 0;
    let unknown = 0;
    for (const [i, own] of accounts.entries()) {
      const account_id = `account-${i}`;
      const all = await Promise.all(
        lists.map(
          async (list): Promise<Counted> => ({
            list,
            facets: await facetsOf(account_id, list, 'due_days=124'),
          }),
        ),
      );
      const times = [...monthRows(now), ...dueTimes(now)].map(({ time }) => time);
      for (const time of times) {
        const parts = paidIn(all, time);
        const whole = expected([...own.virtual_numbers, ...own.additional_services], time);
        assert.deepEqual(figure(parts), whole, JSON.stringify(time));
        for (const list of lists) {
          const items = own[list.name as keyof typeof own];
          // The link, as the address has it.
          const opened = readView(list, writeView(viewIn(list, EMPTY_VIEW, time)));
          const chosen = timeOf(list, opened, now);
          assert.ok(isSameTime(time, chosen), `${JSON.stringify(time)}: ${JSON.stringify(chosen)}`);
          const params = filterParams(withoutBounds(list, opened, 'next_payment_at'));
          const query = writeQuery({ ...params, due_days: windowOf(list, opened, now) });
          const inList = figure(paymentsIn(await facetsOf(account_id, list, query), time));
          assert.deepEqual(inList, expected(items, time), JSON.stringify(time));
          const part = parts.parts.find((one) => one.list === list) ?? { count: 0, amount: 0 };
          assert.deepEqual(figure(part), inList);
          if (time.kind === 'overdue') {
            overdue += inList.count;
            // What is overdue is listed, each once.
            const { total } = await facetsOf(account_id, list, writeQuery(filterParams(opened)));
            assert.equal(total, inList.count);
          }
        }
        unknown += parts.unknown;
        if (parts.amount < 0) credits += 1;
      }
      const [, rest] = monthRows(now);
      assert.ok(rest?.time.kind === 'days');
      const { time } = rest;
      const days = daysOf(all, now).filter(({ day }) => isIn(time, day));
      const sum = days.reduce((total, { amount }) => total + BigInt(Math.round(amount * 1_000_000)), 0n);
      assert.equal(Number(sum) / 1_000_000, paidIn(all, time).amount);
    }
    assert.ok(overdue > 0 && credits > 0 && unknown > 0);
  });

  test('a list price is that of the items, of all on the overview and in their list, of each value compared', async () => {
    const priceOf = (items: readonly { readonly monthly: string }[]) =>
      Number(items.reduce((sum, { monthly }) => sum + millionths(monthly), 0n)) / 1_000_000;
    let unknown = 0;
    for (const [i, own] of accounts.entries()) {
      const account_id = `account-${i}`;
      for (const list of lists) {
        const items = own[list.name as keyof typeof own];
        const whole = await facetsOf(account_id, list, 'charges=true');
        assert.equal(whole.sums['monthly'], priceOf(items));
        const filter = list.filters.find(({ name }) => name === 'frequencies');
        assert.ok(filter !== undefined);
        const values = comparedValues(list, EMPTY_VIEW, filter, whole);
        assert.deepEqual(values.toSorted(), [...new Set(items.map((one) => one.frequency))].toSorted());
        for (const value of values) {
          const its = items.filter(({ frequency }) => frequency === value);
          const view = withFilter(list, EMPTY_VIEW, filter.name, [value]);
          const facets = await facetsOf(
            account_id,
            list,
            writeQuery({ ...filterParams(view), due_days: 31 }),
          );
          const known = knownOfValue(filter, value, whole, []);
          const apart = knownOf(list, facets, now);
          assert.deepEqual([known.count, known.price], [apart.count, apart.price]);
          const compared = { at: now, all: items.length, hasPayments: true };
          const [count, price, due] = figuresOf(list, view, { ...known, due: apart.due }, compared);
          assert.deepEqual([count?.size, price?.size], [its.length, priceOf(its)]);
          const paid = expected(its, nextDays(30, now));
          assert.deepEqual([due?.size, due?.count], [paid.amount, paid.count]);
          assert.equal(due?.label, timeLabel(nextDays(30, now), now));
          assert.equal(due?.unknown, value === 'fortnightly' ? paid.count : 0);
          unknown += due?.unknown ?? 0;
        }
      }
    }
    assert.ok(unknown > 0);
  });

  test('the figures of a list have the list price of each value: that of what its link opens; what is not dim adds up', async () => {
    let out = 0;
    let credits = 0;
    for (const [list, name, i] of parted) {
      const filter = list.filters.find((one) => one.name === name);
      assert.ok(filter !== undefined);
      const facetsIn = (view: View) =>
        facetsOf(`account-${i}`, list, writeQuery({ ...filterParams(view), charges: true }));
      const whole = await facetsIn(EMPTY_VIEW);
      const [value = ''] = comparedValues(list, EMPTY_VIEW, filter, whole);
      const priced = withFilter(list, EMPTY_VIEW, 'monthly_min', '0.5');
      const views = [
        EMPTY_VIEW,
        priced,
        withFilter(list, priced, name, [value]),
        withFilter(list, EMPTY_VIEW, `${name}_exclude`, [value]),
      ];
      for (const view of views) {
        const facets = await facetsIn(view);
        for (const isOpen of [false, true]) {
          const parts = partsOf(list, view, filter, facets, isOpen);
          const shown = parts.filter(({ isOut }) => !isOut);
          assert.equal(
            addUp(shown, (part) => part.price ?? Number.NaN),
            facets.sums['monthly'],
          );
          assert.equal(addUp(shown, countOf), facets.total);
          assert.ok(isOpen || parts.length <= MOST_PARTS);
          for (const part of parts) {
            if (part.isOut) out += 1;
            if ((part.price ?? 0) < 0) credits += 1;
            if (!isOpen || part.value === undefined || part.value === '') continue;
            const free = withFilter(list, view, `${name}_exclude`, undefined);
            const link = writeView(withFilter(list, free, name, [String(part.value)]));
            const opened = await facetsIn(readView(list, link));
            assert.deepEqual([opened.total, opened.sums['monthly']], [part.count, part.price], link);
          }
        }
      }
    }
    assert.ok(out > 0 && credits > 0);
  });

  test('of more values than are counted, the rest has a price only where it is known', async () => {
    const [list] = lists;
    const filter = list?.filters.find(({ name }) => name === 'providers');
    assert.ok(list !== undefined && filter !== undefined);
    const facetsIn = (view: View) =>
      facetsOf('many-providers', list, writeQuery({ ...filterParams(view), charges: true }));
    const rest = async (view: View) =>
      partsOf(list, view, filter, await facetsIn(view), true).find(({ value }) => value === undefined);
    const all = await rest(EMPTY_VIEW);
    assert.deepEqual([all?.count, all?.price], [PROVIDERS - 100, 0.7]);
    const chosen = await rest(withFilter(list, EMPTY_VIEW, 'providers', ['Provider 1']));
    assert.deepEqual([chosen?.count, chosen?.price, chosen?.isOut], [PROVIDERS - 100, null, true]);
  });
});

describe('the day on which most is due', () => {
  test('has payments, more than any other day; where most is credited, the largest credit; else there is none', () => {
    const payments = fc.option(fc.integer({ min: -3, max: 3 }), { freq: 2 });
    fc.assert(
      fc.property(fc.array(payments, { maxLength: 5 }), (amounts) => {
        const days = amounts.map((amount, i): Day => {
          const count = amount === null ? 0 : 1;
          return { day: dayAfter(i), parts: [], count, amount: amount ?? 0, unknown: 0 };
        });
        const paid = days.filter(({ count }) => count > 0);
        const total = paid.reduce((sum, { amount }) => sum + amount, 0);
        const isMost = (one: Day, other: Day) =>
          one === other || (total < 0 ? one.amount < other.amount : one.amount > other.amount);
        const expected = paid.find((one) => paid.every((other) => isMost(one, other)));
        assert.deepEqual(peakOf(days, amountOf), expected);
      }),
    );
  });
});

describe('the scale of a chart', () => {
  test('has a bar that can be seen for every amount, a credit always below the line', () => {
    const money = fc.array(fc.array(fc.integer({ min: -500, max: 900_000 }), { maxLength: 3 }), {
      maxLength: 20,
    });
    const smallest = 0.02;
    fc.assert(
      fc.property(money, (days) => {
        const { zero, bars } = scaleOf(days, smallest);
        for (const values of days) {
          for (const [i, { top, height }] of bars(values).entries()) {
            assert.ok(height >= smallest && top >= 0 && top + height < 1 + 1e-9);
            const value = values[i] ?? 0;
            if (value < 0 && values.length === 1) assert.ok(top >= zero - 1e-9);
            if (value > 0 && values.length === 1) assert.ok(top + height <= zero + 1e-9);
          }
        }
      }),
    );
  });
  test('has charges above one line, credits below it, nothing outside, and sizes in proportion', () => {
    const money = fc.array(fc.array(fc.integer({ min: -500, max: 900 }), { maxLength: 3 }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(money, (days) => {
        const { zero, most, least, bars } = scaleOf(days);
        for (const values of days) {
          for (const [i, { top, height }] of bars(values).entries()) {
            const value = values[i] ?? 0;
            assert.ok(Math.abs(height * (most - least || 1) - Math.abs(value)) < 1e-6);
            assert.ok(top > -1e-9 && top + height < 1 + 1e-9);
            assert.ok(value < 0 ? top >= zero - 1e-9 : top + height <= zero + 1e-9);
          }
        }
      }),
    );
  });
});
