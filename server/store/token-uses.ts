// When tokens of customers were used: written down beside the requests, many at once.

import { type FirstUse, recordFirstUse } from './audit.ts';
import type { Statement } from './sql.ts';
import type { Store } from './store.ts';
import { useStatement } from './token-lifecycle.ts';

/** A transaction of more may not end in the time that a write has: one takes up to a millisecond on Citus. */
const USES_AT_ONCE = 500;

/**
 * Records when tokens were last used, where that is later than what is recorded; milliseconds since 1970 by
 * token id. What may be the first use of a token goes into the audit log, in the same transaction.
 */
export async function recordUse(
  store: Store,
  used: ReadonlyMap<string, number>,
  firstUses: ReadonlyMap<string, FirstUse> = new Map(),
): Promise<void> {
  const statementsOf = (id: string): Statement[] => {
    const [first, at] = [firstUses.get(id), used.get(id)];
    const owner = { kind: 'token_id', value: id } as const;
    return [
      ...(first === undefined ? [] : [recordFirstUse(store, id, first)]),
      ...(at === undefined ? [] : [{ ...useStatement(store, 'tokens', id, at), owner }]),
    ];
  };
  const ids = [...new Set([...used.keys(), ...firstUses.keys()])];
  for (let start = 0; start < ids.length; start += USES_AT_ONCE) {
    await store.write(...ids.slice(start, start + USES_AT_ONCE).flatMap(statementsOf));
  }
}
