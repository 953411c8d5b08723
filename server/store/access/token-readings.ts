// Which accounts operators have read with their tokens: counted in memory, and written now and then to the
// audit log, once a day for each token and account, whichever processes they were read through.

import { hash } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { forParts } from '../../limits/steps.ts';
import { TOKEN_EVENT_COLUMNS, type TokenEvent } from '../log/audit.ts';
import { type Statement, separate, statement } from '../sql.ts';
import type { Store } from '../store.ts';
import { TokenUses } from './token-uses.ts';

const DAY_MILLISECONDS = 86_400_000;
const READINGS_AT_ONCE = 200;
/** More are written again, which changes nothing. */
const MAX_WRITTEN = 100_000;

interface Reading {
  readonly token_id: string;
  /** Empty for the list of all accounts. */
  readonly account_id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The address of the client. */
  readonly peer: string;
}

/** The id of its entry, the same in every process: of the day, the token and the account. */
function idOf({ token_id, account_id, at }: Reading): string {
  const day = at - (at % DAY_MILLISECONDS);
  return `${day * 1_000}-${hash('sha256', JSON.stringify([token_id, account_id]), 'base64url')}`;
}

/** A second entry of the day conflicts with the first, which stays. */
function recordReading(reading: Reading): Statement {
  const { token_id, account_id, at, peer } = reading;
  const event = 'read' satisfies TokenEvent;
  const text = `insert into token_events (${TOKEN_EVENT_COLUMNS.join(', ')})
    select $2, $3, $4, id, nullif($5, ''), name, 'request', $6 from operator_tokens where id = $1 on conflict do nothing`;
  const record = statement(text, token_id, idOf(reading), timestampOf(at), event, account_id, peer);
  return { ...separate(record), owner: { kind: 'operator_id', value: token_id } };
}

/** What operators have read, and when their tokens were used, until it is written. */
export class Readings {
  readonly uses = new TokenUses('operator');
  #pending = new Map<string, Reading>();
  #written = new Set<string>();
  /** The day of what was written, since 1970. */
  #day = 0;

  get hasUse(): boolean {
    return this.uses.hasUse || this.#pending.size > 0;
  }

  record(token_id: string, account_id: string, peer: string): void {
    const at = Date.now();
    const day = Math.floor(at / DAY_MILLISECONDS);
    if (day !== this.#day || this.#written.size > MAX_WRITTEN) this.#written = new Set();
    this.#day = day;
    const key = `${day} ${token_id} ${account_id}`;
    if (this.#written.has(key) || this.#pending.has(key)) return;
    this.#pending.set(key, { token_id, account_id, at, peer });
  }

  /** @throws {StoreUnavailable} if the database is busy; the next call writes the same. */
  async writeUses(store: Store): Promise<void> {
    await this.uses.writeUses(store);
    const readings = [...this.#pending];
    await forParts(readings, READINGS_AT_ONCE, async (some) => {
      await store.write(...some.map(([, one]) => recordReading(one)));
      for (const [key] of some) {
        this.#pending.delete(key);
        this.#written.add(key);
      }
    });
  }
}
