// Requests at random of fifty accounts in trees, half of which name another account in the header
// `Linecard-Account` and half the ids of other accounts' items, while an account changes: no row of an
// account that the caller may not read. `TEST_REQUESTS=100000` says how many, `TEST_SEED` which: that many
// take longer than `npm run test:long` lets a file run, so run the file by itself, with `node`.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { disableAccount } from '../../server/store/access/accounts.ts';
import { move } from '../kit/account-tree.ts';
import type { HotWriter } from '../kit/hot-writer.ts';
import { IsolatedAccounts, idOf, isDisabled, OWNERS, ownedRows, parentOf } from '../kit/isolation.ts';
import { openService, type Service, stores } from '../kit/service.ts';

const REQUESTS = Number(process.env['TEST_REQUESTS'] ?? 1_200);
const SEED = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 20));
const LANES = 32;
const PART = 5_000;
const PAUSE_MS = 100;
/** The account that changes: below another, with others below it. */
const CHANGING = idOf(1);

for (const [nth, kind] of stores.entries()) {
  const requests = process.env['TEST_REQUESTS'] === undefined ? Math.ceil(REQUESTS * kind.share) : REQUESTS;
  describe(`${requests} requests of fifty accounts on ${kind.name}`, () => {
    let service: Service;
    let accounts: IsolatedAccounts;
    let writer: Worker;
    before(async () => {
      service = await openService(kind, { rows: ownedRows, quiet: true });
      const { operator } = service;
      for (const [i, id] of OWNERS.entries()) {
        const parent = parentOf(i);
        if (parent !== null) await move(operator, id, idOf(parent));
        if (isDisabled(i)) await disableAccount(operator, id);
      }
      accounts = await IsolatedAccounts.of(service, SEED + nth);
      const own = ownedRows.virtual_numbers.filter(({ account_id }) => account_id === CHANGING);
      const workerData: HotWriter = {
        database_url: service.database_url,
        account_id: CHANGING,
        name: 'virtual_numbers',
        states: [own, own.map((row) => ({ ...row, comment: `${row['comment']}!` }))],
        paced: true,
      };
      writer = new Worker(new URL('../kit/hot-writer.ts', import.meta.url), { workerData });
      writer.on('message', () => setTimeout(() => writer.postMessage('go'), PAUSE_MS));
      writer.postMessage('go');
    });
    after(async () => {
      writer.removeAllListeners('message');
      // One that comes during an import is not seen until the next.
      writer.on('message', () => writer.postMessage('stop'));
      const ended = once(writer, 'exit');
      writer.postMessage('stop');
      await ended;
      await service.close();
    });

    const parts = Math.ceil(requests / PART);
    for (let part = 1; part <= parts; part++) {
      test(`return no row of another, part ${part} of ${parts}`, async (context) => {
        const before = { ...accounts.counts };
        await accounts.run(Math.min(PART, requests - PART * (part - 1)), LANES).catch((error: unknown) => {
          throw new Error(`TEST_SEED=${SEED}`, { cause: error });
        });
        const { counts } = accounts;
        for (const name of ['answered', 'forbidden', 'not there', 'rows'] as const)
          assert.ok(counts[name] > before[name], name);
        // One answer in 300 is a 304: a short run may have none.
        if (counts.requests >= PART) assert.ok(counts['not modified'] > 0, 'not modified');
        context.diagnostic(`seed ${SEED}, so far ${JSON.stringify(counts)}`);
      });
    }
  });
}
