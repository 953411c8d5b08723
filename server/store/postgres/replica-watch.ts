// Which replicas may be asked: each is looked at a few times a second, beside the requests, and every change is told. It
// must not know what is asked of them.
//
// Why positions: a replica that has replayed all there is looks as old as the last change, which on an idle primary may be
// of yesterday. So lateness is told by the log alone: a replica is late that has not replayed what the primary was seen to
// have written so long ago, by the clock of this process.
//
// Why it need not be exact: what a replica answers is compared with the primary each time (replicas.ts). Looking only
// spares requests a replica that would be of no use to them.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Statement } from '../sql.ts';
import { type ReplicaChange, type Replicas, type Row, StoreRefused } from '../store.ts';
import type { Stored } from '../tables.ts';
import type { PostgresStore } from './postgres.ts';

const LOOK_EVERY_MILLISECONDS = 250;
/** A replica that takes longer to answer is of no use to a request. */
const LOOK_MILLISECONDS = 750;
/** A page of the log. What is written up to its end may end amid a record, which no replica can replay before the rest. */
const PAGE_BYTES = 8_192;

/** How a replica stands; no other number occurs. */
const [LEFT, WELL, DOUBTED] = [0, 1, 2] as const;

const look = (of: string, position: string): Statement => ({
  text: `select ${of}, pg_wal_lsn_diff(${position}, '0/0')::bigint, (select value from deployment where name = 'cursor_key')`,
  values: [],
});
const LOOK_AT_PRIMARY = look(
  '1',
  'case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end',
);
const LOOK_AT_REPLICA = look('pg_is_in_recovery()::int', 'pg_last_wal_replay_lsn()');

const OF_ANOTHER = 'It is no replica of the database: it holds another deployment.';
const NO_REPLICA = 'It is no replica, or no longer: it was promoted, or never was one.';

/** Which replicas may be asked. All threads of a process see the same. */
export class Standing {
  readonly #standing: Replicas['standing'];
  #last = 0;

  constructor({ standing }: Replicas) {
    this.#standing = standing;
  }

  /** The place of the one whose turn it is, if any. */
  next(): number | undefined {
    const { length } = this.#standing;
    for (let i = 1; i <= length; i++) {
      const place = (this.#last + i) % length;
      if (Atomics.load(this.#standing, place) !== WELL) continue;
      this.#last = place;
      return place;
    }
    return undefined;
  }

  /** It has failed somebody: it is not asked again before it was looked at. */
  doubt(place: number): void {
    Atomics.compareExchange(this.#standing, place, WELL, DOUBTED);
  }

  set(place: number, well: boolean): void {
    Atomics.store(this.#standing, place, well ? WELL : LEFT);
  }
}

/** Where the log of the primary ended whenever it was looked at, from so long ago as matters. */
export class SeenLog {
  readonly #keep_ms: number;
  #ends: { readonly at: number; readonly position: number }[] = [];

  constructor(keep_ms: number) {
    this.#keep_ms = keep_ms;
  }

  /** Takes a look in; times are in milliseconds and only grow. */
  add(position: number, at: number): void {
    // Another server took over, and what it has not is lost.
    if (position < (this.#ends.at(-1)?.position ?? 0)) this.#ends = [];
    this.#ends.push({ at, position });
    while ((this.#ends[1]?.at ?? at) <= at - this.#keep_ms) this.#ends.shift();
  }

  /** How many bytes that were seen to be written at a time or before it are still to come to who has replayed so much. */
  toCome(replayed: number, until: number): number {
    const end = this.#ends.findLast(({ at }) => at <= until)?.position ?? 0;
    const whole = end % PAGE_BYTES === 0 ? end - PAGE_BYTES : end;
    return replayed < whole ? end - replayed : 0;
  }
}

interface Watched {
  /** Host and database of its URL: what may be said of it. */
  readonly name: string;
  readonly store: PostgresStore;
  readonly place: number;
  /** Absent until it was looked at. */
  well?: boolean;
  fault?: string | undefined;
}

/** Looks at the replicas of a database until it is closed. */
export class ReplicaWatch {
  readonly #primary: PostgresStore;
  readonly #watched: readonly Watched[];
  readonly #standing: Standing;
  readonly #lag_ms: number;
  readonly #onChange: (change: ReplicaChange) => void;
  readonly #seen: SeenLog;
  #deployment: Stored | undefined;
  readonly #ending = new AbortController();

  private constructor(primary: PostgresStore, replicas: Replicas, onChange: (change: ReplicaChange) => void) {
    // Connections of their own: those of the requests may all be taken.
    const reach = { connections: 1, timeout_ms: LOOK_MILLISECONDS, together: 2 };
    this.#primary = primary.with(reach);
    this.#watched = replicas.urls.map((url, place) => {
      const { host, pathname } = new URL(url);
      return { name: host + pathname, store: primary.with({ ...reach, url }), place };
    });
    this.#standing = new Standing(replicas);
    this.#lag_ms = replicas.lag_ms;
    this.#seen = new SeenLog(replicas.lag_ms);
    this.#onChange = onChange;
  }

  /**
   * Looks at all of them once, and from then on again and again. One that cannot be reached is left until it can be.
   * @throws {StoreRefused} when one belongs to another deployment.
   */
  static async begin(
    primary: PostgresStore,
    replicas: Replicas,
    onChange: (change: ReplicaChange) => void,
  ): Promise<ReplicaWatch> {
    const watch = new ReplicaWatch(primary, replicas, onChange);
    await watch.#lookAtPrimary();
    await Promise.all(watch.#watched.map((one) => watch.#lookAt(one)));
    const stranger = watch.#watched.find(({ fault }) => fault === OF_ANOTHER);
    if (stranger !== undefined) {
      await watch.close();
      throw new StoreRefused(`The replica ${stranger.name} is of no use. ${OF_ANOTHER}`);
    }
    void watch.#keepLooking(() => watch.#lookAtPrimary());
    for (const one of watch.#watched) void watch.#keepLooking(() => watch.#lookAt(one));
    return watch;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([this.#primary, ...this.#watched.map(({ store }) => store)].map((one) => one.close()));
  }

  async #keepLooking(look: () => Promise<void>): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await sleep(LOOK_EVERY_MILLISECONDS, undefined, { ref: false, signal }).catch(() => {});
      if (!signal.aborted) await look();
    }
  }

  /** While it cannot be reached, requests are told so; there is nothing to tell of its replicas. */
  async #lookAtPrimary(): Promise<void> {
    const [[row]] = await this.#primary.read(LOOK_AT_PRIMARY).catch(() => [[]]);
    if (row === undefined) return;
    this.#seen.add(Number(row[1]), performance.now());
    this.#deployment = row[2];
  }

  async #lookAt(one: Watched): Promise<void> {
    const asked_at = performance.now();
    const fault = await one.store.read(LOOK_AT_REPLICA).then(
      ([[row = []]]) => this.#faultOf(one, row, asked_at),
      (error: unknown) => (error as Error).message,
    );
    if (this.#ending.signal.aborted) return;
    this.#standing.set(one.place, fault === undefined);
    const is_news = one.well !== (fault === undefined);
    one.well = fault === undefined;
    one.fault = fault;
    if (is_news) this.#onChange({ replica: one.name, ...(fault === undefined ? {} : { reason: fault }) });
  }

  /** What is wrong with a replica that answers. */
  #faultOf(
    { well }: Watched,
    [in_recovery, replayed, deployment]: Row,
    asked_at: number,
  ): string | undefined {
    if (this.#deployment !== undefined && deployment !== this.#deployment) return OF_ANOTHER;
    if (in_recovery !== 1) return NO_REPLICA;
    // One that was left must do better, lest it comes and goes.
    const until = asked_at - (well === false ? this.#lag_ms / 2 : this.#lag_ms);
    const bytes = this.#seen.toCome(Number(replayed), until);
    if (bytes === 0) return undefined;
    return `It is late: ${bytes} bytes that the database had written ${this.#lag_ms} ms ago are still to come.`;
  }
}
