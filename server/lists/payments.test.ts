// The payments of a window, compared with a walk over its days, for any table of months and any time.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BILLING_MONTHS } from '@linecard/client/contract/facets';
import { parseDate } from '@linecard/client/contract/timestamp';
import fc from 'fast-check';
import { dayRange, monthOf, type PaymentGroup, paymentsOf } from './payments.ts';

const MILLISECONDS_A_DAY = 86_400_000;

interface Item {
  readonly due: string;
  readonly months: number;
  readonly charge: number;
}

/** The groups that a database makes of items, one each. */
function groupsOf(items: readonly Item[], { days, end, cycle }: ReturnType<typeof dayRange>): PaymentGroup[] {
  const isBefore = ({ due }: Item) => due < end;
  return items.filter(isBefore).map(({ due, months, charge }) => {
    const [month, day] = [monthOf(due), Number(due.slice(8))];
    const paid = due < String(days[0]) ? [month % cycle, -day] : [month, day];
    return [...paid, months, 1, charge, 0];
  });
}

/** The day on which an item is due, and months later the same day or the last of the month. */
function daysPaid({ due, months }: Item, last: string): Set<string> {
  const first = Temporal.PlainDate.from(due);
  const days = new Set([due]);
  for (let k = 1, at = due; months > 0 && at <= last; k++) {
    at = first.add({ months: k * months }).toString();
    days.add(at);
  }
  return days;
}

const dayBetween = (first: string, last: string) =>
  fc
    .integer({ min: 0, max: (Date.parse(last) - Date.parse(first)) / MILLISECONDS_A_DAY })
    .map((days) => Temporal.PlainDate.from(first).add({ days }).toString());

describe('the payments of a window', () => {
  /** What is paid on which day, in one word each, of a single item. */
  const daysOf = (item: Omit<Item, 'charge'>, now: string, count: number) => {
    const range = dayRange(Date.parse(now), count, new Map([['each', item.months || 1]]));
    const { overdue, byDay } = paymentsOf(groupsOf([{ ...item, charge: 2 }], range), range);
    return [
      ...(overdue.count === 0 ? [] : ['overdue']),
      ...byDay.flatMap((day, i) => (day.count === 0 ? [] : [String(range.days[i])])),
    ];
  };

  for (const [due, months, now, count, ...days] of [
    ['2027-01-31', 1, '2027-01-31T23:59:59.999Z', 90, '2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30'],
    ['2027-01-31', 1, '2027-02-01T00:00:00Z', 28, 'overdue', '2027-02-28'],
    ['2027-01-31', 1, '2027-02-01T00:00:00Z', 27, 'overdue'],
    ['2027-01-31', 1, '2027-03-01T12:00:00Z', 30, 'overdue'],
    ['2027-01-31', 1, '2027-03-01T12:00:00Z', 31, 'overdue', '2027-03-31'],
    ['2028-01-30', 1, '2028-02-01T00:00:00Z', 60, 'overdue', '2028-02-29', '2028-03-30'],
    ['2024-02-29', 12, '2027-01-01T00:00:00Z', 366, 'overdue', '2027-02-28'],
    ['2024-02-29', 12, '2028-02-29T00:00:00Z', 1, 'overdue', '2028-02-29'],
    [
      '1990-08-31',
      3,
      '2027-01-15T00:00:00Z',
      366,
      'overdue',
      '2027-02-28',
      '2027-05-31',
      '2027-08-31',
      '2027-11-30',
    ],
    ['0000-01-31', 120, '2027-01-15T00:00:00Z', 366, 'overdue'],
    ['0000-01-31', 120, '2030-01-15T00:00:00Z', 17, 'overdue', '2030-01-31'],
    ['2027-01-20', 1, '2027-01-21T00:00:00Z', 1, 'overdue'],
    ['2027-01-21', 1, '2027-01-21T00:00:00Z', 31, '2027-01-21'],
    ['2027-01-21', 1, '2027-01-21T00:00:00Z', 32, '2027-01-21', '2027-02-21'],
    ['2026-12-31', 6, '2026-12-31T00:00:00Z', 366, '2026-12-31', '2027-06-30', '2027-12-31'],
    ['2027-01-22', 0, '2027-01-21T00:00:00Z', 366, '2027-01-22'],
    ['2027-01-20', 0, '2027-01-21T00:00:00Z', 366, 'overdue'],
    ['9999-12-31', 1, '2027-01-21T00:00:00Z', 366],
  ] as const) {
    test(`of what is due on ${due}, every ${months} months, in ${count} days from ${now}`, () => {
      assert.ok(parseDate(due) !== undefined);
      assert.deepEqual(daysOf({ due, months }, now, count), days);
    });
  }

  test('are those of a walk over its days, whatever the table of months', () => {
    const table = fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 8 });
    const items = (months: readonly number[]) =>
      fc.array(
        fc.record({
          due: fc.oneof(dayBetween('2025-01-01', '2029-12-31'), dayBetween('1990-01-01', '2040-01-01')),
          months: fc.constantFrom(0, ...months),
          charge: fc.integer({ min: -9, max: 9 }),
        }),
        { maxLength: 12 },
      );
    const question = table.chain((months) =>
      fc.record({
        months: fc.constant(months),
        items: items(months),
        today: dayBetween('2026-11-20', '2028-03-02'),
        count: fc.integer({ min: 1, max: 366 }),
      }),
    );
    fc.assert(
      fc.property(question, ({ months, items, today, count }) => {
        const table = new Map(months.map((n) => [String(n), n]));
        const range = dayRange(Date.parse(`${today}T13:00:00Z`), count, table);
        const { overdue, byDay } = paymentsOf(groupsOf(items, range), range);
        const summed = (some: readonly Item[]) => ({
          count: some.length,
          amount: 1_000_000n * some.reduce((sum, item) => sum + BigInt(item.charge * item.months), 0n),
          unknown: some.filter((item) => item.months === 0).length,
        });
        assert.deepEqual(overdue, summed(items.filter(({ due }) => due < today)));
        const paid = new Map(items.map((item) => [item, daysPaid(item, range.end)]));
        assert.deepEqual(
          byDay,
          range.days.map((day) => summed(items.filter((item) => paid.get(item)?.has(day)))),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('come of a bounded number of groups, however old what is due and whatever the table of months', () => {
    assert.equal(dayRange(0, 1, BILLING_MONTHS).cycle, 12);
    const all = new Map(Array.from({ length: 120 }, (_, i) => [String(i), i + 1] as const));
    assert.ok(dayRange(0, 1, all).cycle > monthOf('9999-12-31'));
  });
});
