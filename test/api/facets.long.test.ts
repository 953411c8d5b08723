// What facets tell of money, from every store and by an index: what is overdue, what falls due each day and
// what each value costs equal the model's for thousands of random filters.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { timestampOf } from '../../api/contract/timestamp.ts';
import { type Money, mustBeFacets, withoutOrder, withoutPaging } from '../kit/facet-questions.ts';
import { hardQuery, queriesAtRandom } from '../kit/hard-queries.ts';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { Model, type ModelList, type ModelRow, modelLists } from '../kit/model.ts';
import { openService, type Service, stores } from '../kit/service.ts';

/** Of each list on each store; half of them are answered by an index. */
const QUESTIONS = queriesAtRandom(300);
const AT_ONCE = 4;
/** A list with longer texts has no index. */
const LONGEST_TEXT = 100;
/** The index of a list is used for half of all questions, once it is there. */
const MIN_BY_INDEX = 0.45;
const MILLISECONDS_A_DAY = 86_400_000;
const TODAY = Math.floor(Date.now() / MILLISECONDS_A_DAY) * MILLISECONDS_A_DAY;
const FREQUENCIES = ['monthly', 'quarterly', 'half_yearly', 'yearly', 'one_time', 'weekly', 'Monthly'];
/** Times of a day, around its limits, in milliseconds. */
const TIMES = [0, 0.001, 43_200_000, MILLISECONDS_A_DAY - 0.001];
/** Before today and after it. */
const DAYS = 400;

/** The same rows, with payments on days around today, and none with a long text. */
const paid = (rows: readonly ModelRow[]): ModelRow[] => {
  const short = rows.filter((row) =>
    Object.values(row).every((value) => String(value).length < LONGEST_TEXT),
  );
  return short.map((row, i) => {
    const days = ((i * 37) % (2 * DAYS + 1)) - DAYS;
    const at = TODAY + days * MILLISECONDS_A_DAY + (TIMES[i % TIMES.length] as number);
    return {
      ...row,
      next_payment_at: i % 9 === 0 ? null : timestampOf(at),
      frequency: FREQUENCIES[i % FREQUENCIES.length] as string,
    };
  });
};

const rows = {
  virtual_numbers: paid(hardRows.virtual_numbers),
  additional_services: paid(hardRows.additional_services),
};
const model = new Model(rows);

/** Filters that are valid, and what is told of money. */
const question = (list: ModelList) =>
  fc.record({
    query: hardQuery(list)
      .map((text) => withoutOrder(withoutPaging(text)).replace(/(?:^|&)fields(?:\[|%5[Bb]|=)[^&]*/g, ''))
      .filter((text) => model.json(list, text) !== undefined),
    money: fc.record({ due_days: fc.integer({ min: 1, max: 366 }), charges: fc.boolean() }),
  });

for (const kind of stores) {
  describe(`money in facets on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { rows, quiet: true });
    });
    after(async () => service.close());

    for (const list of modelLists) {
      test(`${list.name}: ${QUESTIONS} questions at random are answered as by the model, half of them by an index`, async (t) => {
        const some = fc.array(question(list), { minLength: AT_ONCE, maxLength: AT_ONCE });
        const scans = service.fullScans;
        const answer = (one: { query: string; money: Money }) =>
          mustBeFacets(service, model, { list, account_id: LARGE_ACCOUNT, ...one });
        await fc.assert(
          fc.asyncProperty(some, async (each) => void (await Promise.all(each.map(answer)))),
          { numRuns: Math.ceil(QUESTIONS / AT_ONCE) },
        );
        const byIndex = QUESTIONS - (service.fullScans - scans);
        t.diagnostic(`${byIndex} by an index`);
        assert.ok(byIndex > MIN_BY_INDEX * QUESTIONS, `${byIndex} by an index`);
        assert.ok(byIndex < (1 - MIN_BY_INDEX) * QUESTIONS, `${byIndex} by an index`);
      });
    }
  });
}
