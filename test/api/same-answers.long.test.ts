// One deployment copied into databases of every kind: to every query all of them answer what the model
// says, and the same to the byte, with the same tags and links, so that a customer cannot tell that an
// operator moved.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Copies } from '../kit/copies.ts';
import { hardQuery, queriesAtRandom } from '../kit/hard-queries.ts';
import { LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { type ModelList, modelLists } from '../kit/model.ts';

/** Random queries for each list; `QUERIES=25000` takes five minutes. */
const QUERIES = queriesAtRandom(150);
const FEWER = 20;

describe('one deployment in every kind of database', () => {
  let copies: Copies;
  before(async () => {
    copies = await Copies.open();
  });
  after(async () => copies.close());

  for (const list of modelLists) {
    test(`${list.name}: ${QUERIES} queries at random have one answer`, async () =>
      copies.mustAnswerAlike(list, QUERIES));

    test(`${list.name}: ${FEWER} exports and facets at random are the same`, async () => {
      const strip = (text: string) => text.replace(/(?:^|&)(?:page|page_size|cursor)=[^&]*/g, '');
      const withoutSort = (text: string) => strip(text).replace(/(?:^|&)sort_(?:by|order)=[^&]*/g, '');
      await fc.assert(
        fc.asyncProperty(
          hardQuery(list),
          fc.constantFrom('text/csv', 'application/x-ndjson'),
          async (text, accept) => {
            await copies.ask(LARGE_ACCOUNT, `${list.path}?${strip(text)}`, { accept });
            await copies.ask(LARGE_ACCOUNT, `${list.path}/facets?${withoutSort(text)}`);
          },
        ),
        { numRuns: FEWER },
      );
    });
  }

  test('an ETag of one of them is valid on the others', async () => {
    const list = modelLists[0] as ModelList;
    const { etag = '' } = (await copies.ask(LARGE_ACCOUNT, list.path)).headers;
    assert.equal((await copies.ask(LARGE_ACCOUNT, list.path, { 'if-none-match': etag })).status, 304);
  });
});
