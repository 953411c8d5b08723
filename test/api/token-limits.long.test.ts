// Ten thousand requests at random, with and without charges and interleaved, and fewer where they take longer.

import { test } from 'node:test';
import { createToken } from '../../server/store/tokens.ts';
import { queriesAtRandom } from '../kit/hard-queries.ts';
import { ACCOUNTS, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { LimitedCallers } from '../kit/limited-callers.ts';
import { openService, stores } from '../kit/service.ts';

/** Each is sent about ten times, by two tokens. */
const REQUESTS = queriesAtRandom(1_000);

for (const kind of stores) {
  test(`${REQUESTS * kind.share} random requests with and without charges never mix on ${kind.name}`, async (t) => {
    const service = await openService(kind, {
      accounts: ACCOUNTS,
      rows: hardRows,
      currency: 'EUR',
      quiet: true,
    });
    t.after(() => service.close());
    const made = await createToken(service.operator, LARGE_ACCOUNT, '', undefined, { charges: false });
    const withCharges = service.tokenOf(LARGE_ACCOUNT).token;
    const callers = new LimitedCallers(await service.listen(), { withCharges, without: made?.token ?? '' });
    await callers.run(REQUESTS * kind.share);
  });
}
