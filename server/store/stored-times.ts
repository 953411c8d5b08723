// Times that are stored, and how far ahead of the clock each can be. One that is further ahead was written
// while a clock was ahead, such as that of a virtual machine that was resumed: it is void, as if absent.
// What compares a stored time with the clock takes it from here, and `doctor` names those that are void.
//
// A database on a server has a clock of its own, which counts for webhooks: the machines need not agree.

import { timestampOf } from '@linecard/client/contract/timestamp';
import type { Dialect } from './dialects.ts';
import { statement } from './sql.ts';
import type { Store } from './store.ts';

const [MINUTE, DAY] = [60_000, 86_400_000];
/** What was written just now, by a machine whose clock is nearly right. */
const NOW = MINUTE;

interface StoredTime {
  readonly table: string;
  readonly column: string;
  /** How far ahead it can be, in milliseconds. */
  readonly aheadMs: number;
  /** What it is, at the start of a sentence. */
  readonly what: string;
  /** Of whom or what it is, and who or what wrote it, as SQL. */
  readonly of: string;
  readonly by: string;
  /** Which rows have it; all if absent. */
  readonly where?: string;
}

const ofLog = (table: string, what: string): StoredTime => {
  return { table, column: 'at', aheadMs: NOW, what, of: 'id', by: 'actor' };
};
const ofWebhook = (column: string, aheadMs: number, what: string) => ({
  table: 'webhooks',
  column,
  aheadMs,
  what,
  of: `id || ' of ' || account_id`,
  by: `coalesce((select actor from deliverers where deliverers.id = claimed_by), 'a deliverer')`,
});
const STORED_TIMES = {
  // A claim is of a minute by the clock of its deliverer, which is never quite that of another.
  claim: ofWebhook('claimed_until', MINUTE + NOW, 'The claim of the webhook'),
  // `Retry-After` is obeyed up to a day.
  retry: ofWebhook('next_at', DAY + NOW, 'The next attempt of the webhook'),
  success: ofWebhook('succeeded_at', NOW, 'The last success of the webhook'),
  failing: ofWebhook('failing_since', NOW, 'The first failure of the webhook'),
  deliverer: {
    table: 'deliverers',
    column: 'seen_at',
    aheadMs: NOW,
    what: 'The last sign of the deliverer',
    of: 'id',
    by: 'actor',
  },
  use: {
    table: 'tokens',
    column: 'last_used_at',
    aheadMs: NOW,
    what: 'The last use of the token',
    of: 'id',
    by: `'serve'`,
  },
  sign_in: {
    table: 'tokens',
    column: 'created_at',
    aheadMs: NOW,
    what: 'The beginning of the sign-in',
    of: `id || ' of ' || account_id`,
    by: `'intake'`,
    where: `kind = 'sign_in' and revoked_at is null`,
  },
  account_event: ofLog('account_events', 'The audit log of accounts: the event'),
  token_event: ofLog('token_events', 'The audit log of tokens: the event'),
  webhook_event: ofLog('webhook_events', 'The audit log of webhooks: the event'),
  run: {
    table: 'import_runs',
    column: 'updated_at',
    aheadMs: NOW,
    what: 'The last progress of the import',
    of: `feed || ' of ' || list`,
    by: 'actor',
  },
} as const satisfies Record<string, StoredTime>;

export type TimeName = keyof typeof STORED_TIMES;

/** The latest that such a time can be; `now` is in milliseconds since 1970. */
export const latestOf = (name: TimeName, now: number): string =>
  timestampOf(now + STORED_TIMES[name].aheadMs);

/** The time, or null where it is void. */
export function soundTime(name: TimeName, time: string | null, now: number): string | null {
  return time === null || time > latestOf(name, now) ? null : time;
}

/** The SQL of the time; null where it is void. `latest` is the placeholder of `latestOf`. */
export function soundColumn(name: TimeName, latest: string): string {
  const { table, column } = STORED_TIMES[name];
  return `case when ${table}.${column} <= ${latest} then ${table}.${column} end`;
}

const CLOCK: Readonly<Partial<Record<Dialect['name'], string>>> = {
  postgres: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint',
  citus: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint',
};

/** The time of the database in milliseconds since 1970: of its server, or of this machine. */
export async function databaseNow(store: Pick<Store, 'dialect' | 'read'>): Promise<number> {
  const text = CLOCK[store.dialect.name];
  if (text === undefined) return Date.now();
  const [[row]] = await store.read({ text, values: [] });
  return Number(row?.[0]);
}

/** The time of the database, between two looks at it; steps of the clock of this machine change nothing. */
export class DatabaseClock {
  #at = Date.now();
  #lookedAt = performance.now();

  readonly now = (): number => Math.floor(this.#at + performance.now() - this.#lookedAt);

  async look(store: Pick<Store, 'dialect' | 'read'>): Promise<void> {
    this.#at = await databaseNow(store);
    this.#lookedAt = performance.now();
  }
}

/** Times of one kind that are void. */
export interface VoidTimes {
  readonly what: string;
  readonly of: string;
  readonly by: string;
  readonly time: string;
  readonly count: number;
}

/** Void times, of each kind the one that is the furthest ahead. */
export async function readVoidTimes(store: Pick<Store, 'dialect' | 'read'>): Promise<VoidTimes[]> {
  const now = await databaseNow(store);
  const names = Object.keys(STORED_TIMES) as TimeName[];
  const results = await store.read(
    ...names.map((name) => {
      const { table, column, of, by, where = 'true' }: StoredTime = STORED_TIMES[name];
      const text = `select ${of}, ${by}, ${column}, count(*) over () from ${table}
        where ${column} > $1 and ${where} order by ${column} desc limit 1`;
      return statement(text, latestOf(name, now));
    }),
  );
  return names.flatMap((name, i) =>
    (results[i] ?? []).map(([of, by, time, count]) => ({
      what: STORED_TIMES[name].what,
      of: String(of),
      by: String(by),
      time: String(time),
      count: Number(count),
    })),
  );
}
