// Lists that change while they are read, with everything cached that can be: each answer is the model's
// before the import or after it, and once the import has ended of that one alone.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { hardQuery } from '../kit/hard-queries.ts';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import type { HotWriter } from '../kit/hot-writer.ts';
import { type Expected, Model, type ModelList, type ModelRow, modelLists } from '../kit/model.ts';
import { openService, type Service, stores } from '../kit/service.ts';

const IMPORTS = 12;
/** Few, so that each is sent again and again, before and after the list has changed. */
const QUERIES = 40;
/** How many are sent while an import runs at least, and how many when it has ended. */
const [DURING, AFTER] = [4, 4];

/** What the list looks like, one after the other. */
function statesOf(list: ModelList): readonly (readonly ModelRow[])[] {
  const mine = hardRows[list.name].filter(({ account_id }) => account_id === LARGE_ACCOUNT);
  const half = mine.filter((_, i) => i % 2 === 0);
  const others = mine.map((row, i) => ({ ...row, ...mine[(i + 1) % mine.length], id: row.id }));
  return [mine, half, others];
}

for (const kind of stores) {
  describe(`lists that change on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { rows: hardRows, cacheBytes: 5_000_000 });
    });
    after(async () => service.close());

    for (const list of modelLists) {
      test(`${list.name}: every answer while imports run is of one of their states, and never of an older one`, async () => {
        const queries = fc.sample(hardQuery(list), { numRuns: QUERIES });
        const states = statesOf(list);
        const models = states.map(
          (rows) => new Model({ virtual_numbers: [], additional_services: [], [list.name]: rows }),
        );
        const task: HotWriter = {
          database_url: service.database_url,
          account_id: LARGE_ACCOUNT,
          name: list.name,
          states,
          paced: true,
        };
        await using writer = new Worker(new URL('../kit/hot-writer.ts', import.meta.url), {
          workerData: task,
        });
        const ended = once(writer, 'exit');

        let sent = 0;
        /** Sends the next query; the answer must be that of one of the states. */
        async function mustBeOf(...possible: readonly number[]): Promise<void> {
          const query = queries[(sent * 7) % QUERIES] ?? '';
          sent += 1;
          const expected = possible.map((i) => (models[i] as Model).expect(list, LARGE_ACCOUNT, query));
          const { status, body } = await service.ask(LARGE_ACCOUNT, `${list.path}?${query}`);
          const isIt = (one: Expected) => one.status === status && (one.status === 400 || one.body === body);
          if (!expected.some(isIt))
            assert.equal(body, expected.map((one) => one.status === 200 && one.body).join('\n or '), query);
        }

        // The states before and after the import that runs; the first is of what stands there already.
        for (let i = 0; i < IMPORTS * kind.share; i++) {
          const [was, becomes] = [i === 0 ? 0 : (i - 1) % states.length, i % states.length];
          let runs = true;
          const done = once(writer, 'message').then(() => {
            runs = false;
          });
          writer.postMessage('go');
          for (let n = 0; runs || n < DURING; n++) await mustBeOf(was, becomes);
          await done;
          for (let n = 0; n < AFTER; n++) await mustBeOf(becomes);
        }
        writer.postMessage('stop');
        assert.deepEqual(await ended, [0]);
      });
    }
  });
}
