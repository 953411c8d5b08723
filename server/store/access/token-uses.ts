// When tokens were last used: counted in memory, and written now and then.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { forParts } from '../../limits/steps.ts';
import { newId, type TokenEvent } from '../log/audit.ts';
import { type Statement, separate, sql, statement } from '../sql.ts';
import type { Store } from '../store.ts';
import { latestOf } from '../stored-times.ts';
import { TOKEN_KINDS, type TokenKind } from './tokens.ts';

/**
 * A larger transaction might not end within the time of a write: a record takes up to 1 ms on Citus. On the
 * embedded store it has the thread of the requests, for 30 µs each.
 */
const USES_AT_ONCE = 200;

/** The statement that records when a token was used, where that is later than what is recorded. */
function useStatement(kind: TokenKind, id: string, at: number): Statement {
  const text = `update ${TOKEN_KINDS[kind].table} set last_used_at = $2
    where id = $1 and (last_used_at is null or last_used_at < $2 or last_used_at > $3)`;
  const owner = { kind: kind === 'customer' ? 'token_id' : 'operator_id', value: id } as const;
  return separate({
    ...statement(text, id, timestampOf(at), latestOf('use', Math.max(at, Date.now()))),
    owner,
  });
}

/** A request that may be the first of a token. */
interface FirstUse {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The address of the client. */
  readonly peer: string;
}

/** The statement that records the first use of a token, to run before that use is recorded in the token. */
function recordFirstUse(token_id: string, { at, peer }: FirstUse): Statement {
  const record = sql`insert into token_events (id, at, event, token_id, account_id, name, origin, actor)
    select ${newId()}, ${timestampOf(at)}, ${'first-used' satisfies TokenEvent}, id, account_id, name, 'request', ${peer}
    from tokens where id = ${token_id} and last_used_at is null`;
  return { ...separate(record), owner: { kind: 'token_id', value: token_id } };
}

/**
 * Records when tokens were last used, where that is later than what is recorded; milliseconds since 1970 by
 * token id. What may be the first use of a token goes into the audit log, in the same transaction.
 */
export async function recordUse(
  store: Store,
  kind: TokenKind,
  used: ReadonlyMap<string, number>,
  firstUses: ReadonlyMap<string, FirstUse> = new Map(),
): Promise<void> {
  const statementsOf = (id: string): Statement[] => {
    const [first, at] = [firstUses.get(id), used.get(id)];
    return [
      ...(first === undefined ? [] : [recordFirstUse(id, first)]),
      ...(at === undefined ? [] : [useStatement(kind, id, at)]),
    ];
  };
  const ids = [...new Set([...used.keys(), ...firstUses.keys()])];
  await forParts(ids, USES_AT_ONCE, (some) => store.write(...some.flatMap(statementsOf)));
}

/** When tokens of a kind were used, until it is written. */
export class TokenUses {
  readonly #kind: TokenKind;
  /** Token id to milliseconds since 1970. */
  #used = new Map<string, number>();
  #firstUses = new Map<string, FirstUse>();

  constructor(kind: TokenKind) {
    this.#kind = kind;
  }

  get hasUse(): boolean {
    return this.#used.size > 0;
  }

  /** @param peer the address of the client, if it may be the first use. */
  record(token_id: string, peer?: string): void {
    const at = Date.now();
    this.#used.set(token_id, at);
    if (peer !== undefined && !this.#firstUses.has(token_id)) this.#firstUses.set(token_id, { at, peer });
  }

  /**
   * Writes them in one transaction.
   * @throws {StoreUnavailable} if the database is busy; the next call writes the same uses.
   */
  async writeUses(store: Store): Promise<void> {
    if (!this.hasUse) return;
    const [used, firstUses] = [this.#used, this.#firstUses];
    this.#used = new Map();
    this.#firstUses = new Map();
    try {
      await recordUse(store, this.#kind, used, firstUses);
    } catch (error) {
      this.#used = new Map([...used, ...this.#used]);
      this.#firstUses = new Map([...this.#firstUses, ...firstUses]);
      throw error;
    }
  }
}
