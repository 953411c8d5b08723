// Thousands of requests at random, with and without charges, interleaved; fewer where they take longer.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createToken } from '../../server/store/access/tokens.ts';
import { queriesAtRandom } from '../kit/hard-queries.ts';
import { ACCOUNTS, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { LimitedCallers } from '../kit/limited-callers.ts';
import { openService, type Service, stores } from '../kit/service.ts';

/** Each is sent about ten times, by two tokens. */
const REQUESTS = queriesAtRandom(40);
const PARTS = 5;

for (const kind of stores) {
  describe(`callers with and without charges on ${kind.name}`, () => {
    let service: Service;
    let callers: LimitedCallers;
    before(async () => {
      service = await openService(kind, {
        accounts: ACCOUNTS,
        rows: hardRows,
        currency: 'EUR',
        quiet: true,
      });
      const made = await createToken(service.operator, LARGE_ACCOUNT, '', undefined, { charges: false });
      const withCharges = service.tokenOf(LARGE_ACCOUNT).token;
      callers = new LimitedCallers(await service.listen(), { withCharges, without: made?.token ?? '' });
    });
    after(() => service.close());

    for (let part = 1; part <= PARTS; part++) {
      test(`never mix, part ${part} of ${PARTS}`, () =>
        callers.run(Math.ceil((REQUESTS * kind.share) / PARTS)));
    }

    test('some were answered, and some forbidden', () => {
      const { answered, forbidden } = callers.counts;
      assert.ok(answered > 0 && forbidden > 0, JSON.stringify(callers.counts));
    });
  });
}
