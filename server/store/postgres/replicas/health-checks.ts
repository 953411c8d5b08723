// Health checks of the replicas: each is checked a few times a second, in the background, and every change is
// reported.
//
// Why a check need not be exact: what a replica answers is compared with the primary each time
// (replica-route.ts). A check only spares requests a replica that would be of no use to them.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Statement } from '../../sql.ts';
import type { ReplicaChange, Replicas, ResultRow, ServerFigures } from '../../store.ts';
import { StoreRefused } from '../../store-errors.ts';
import type { Stored } from '../../tables.ts';
import type { PostgresStore } from '../postgres.ts';
import { PrimaryLog, ReplicaHealth } from './health.ts';

const CHECK_EVERY_MILLISECONDS = 250;
/** A replica that takes longer to answer is of no use to a request. */
const CHECK_MILLISECONDS = 750;

const check = (of: string, position: string): Statement => ({
  text: `select ${of}, pg_wal_lsn_diff(${position}, '0/0')::bigint, (select value from deployment where name = 'cursor_key')`,
  values: [],
});
const CHECK_PRIMARY = check(
  '1',
  'case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end',
);
const CHECK_REPLICA = check('pg_is_in_recovery()::int', 'pg_last_wal_replay_lsn()');

const OF_ANOTHER = 'It is no replica of the database: it holds another deployment.';
const NO_REPLICA = 'It is no replica, or no longer: it was promoted, or never was one.';

interface CheckedReplica {
  /** Host and database of its URL: what may be logged of it. */
  readonly name: string;
  readonly store: PostgresStore;
  readonly position: number;
  /** Absent before its first check. */
  isHealthy?: boolean;
  fault?: string | undefined;
  /** How far it has replayed the log; absent while it does not answer. */
  replayed?: number | undefined;
}

/** Checks the replicas of a database until it is closed. */
export class HealthChecks {
  readonly #primary: PostgresStore;
  readonly #replicas: readonly CheckedReplica[];
  readonly #health: ReplicaHealth;
  readonly #maxLagMs: number;
  readonly #onChange: (change: ReplicaChange) => void;
  readonly #log: PrimaryLog;
  #deployment: Stored | undefined;
  readonly #ending = new AbortController();

  private constructor(primary: PostgresStore, replicas: Replicas, onChange: (change: ReplicaChange) => void) {
    // Connections of their own: those of the requests may all be taken.
    const reach = { connections: 1, timeoutMs: CHECK_MILLISECONDS, batchReads: 2 };
    this.#primary = primary.with(reach);
    this.#replicas = replicas.urls.map((url, position) => {
      const { host, pathname } = new URL(url);
      return { name: host + pathname, store: primary.with({ ...reach, url }), position };
    });
    this.#health = new ReplicaHealth(replicas.health);
    this.#maxLagMs = replicas.maxLagMs;
    this.#log = new PrimaryLog(replicas.maxLagMs);
    this.#onChange = onChange;
  }

  /**
   * Checks all of them once, and from then on regularly. One that cannot be reached is out of rotation until
   * it can be.
   * @throws {StoreRefused} when one belongs to another deployment.
   */
  static async begin(
    primary: PostgresStore,
    replicas: Replicas,
    onChange: (change: ReplicaChange) => void,
  ): Promise<HealthChecks> {
    const checks = new HealthChecks(primary, replicas, onChange);
    await checks.#checkPrimary();
    await Promise.all(checks.#replicas.map((one) => checks.#check(one)));
    const foreign = checks.#replicas.find(({ fault }) => fault === OF_ANOTHER);
    if (foreign !== undefined) {
      await checks.close();
      throw new StoreRefused(`The replica ${foreign.name} is of no use. ${OF_ANOTHER}`);
    }
    void checks.#repeat(() => checks.#checkPrimary());
    for (const one of checks.#replicas) void checks.#repeat(() => checks.#check(one));
    return checks;
  }

  /** Of each replica, in the order of the settings. */
  get figures(): ServerFigures['replicas'] {
    return this.#replicas.map(({ isHealthy = false, replayed }) => ({
      isHealthy,
      lagBytes:
        replayed === undefined ? undefined : this.#log.missingBytes(replayed, Number.POSITIVE_INFINITY),
    }));
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([this.#primary, ...this.#replicas.map(({ store }) => store)].map((one) => one.close()));
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await sleep(CHECK_EVERY_MILLISECONDS, undefined, { ref: false, signal }).catch(() => {});
      if (!signal.aborted) await work();
    }
  }

  /**
   * While the primary cannot be reached, requests fail by themselves; of its replicas there is nothing to
   * report.
   */
  async #checkPrimary(): Promise<void> {
    const [[row]] = await this.#primary.read(CHECK_PRIMARY).catch(() => [[]]);
    if (row === undefined) return;
    this.#log.add(Number(row[1]), performance.now());
    this.#deployment = row[2];
  }

  async #check(one: CheckedReplica): Promise<void> {
    const checkedAt = performance.now();
    const fault = await one.store.read(CHECK_REPLICA).then(
      ([[row = []]]) => this.#faultOf(one, row, checkedAt),
      (error: unknown) => {
        one.replayed = undefined;
        return (error as Error).message;
      },
    );
    if (this.#ending.signal.aborted) return;
    const isHealthy = fault === undefined;
    this.#health.set(one.position, isHealthy);
    const isNews = one.isHealthy !== isHealthy;
    one.isHealthy = isHealthy;
    one.fault = fault;
    if (isNews) this.#onChange({ replica: one.name, ...(isHealthy ? {} : { reason: fault }) });
  }

  /** What is wrong with a replica that answers. */
  #faultOf(
    one: CheckedReplica,
    [inRecovery, replayed, deployment]: ResultRow,
    checkedAt: number,
  ): string | undefined {
    const { isHealthy } = one;
    one.replayed = inRecovery === 1 ? Number(replayed) : undefined;
    if (this.#deployment !== undefined && deployment !== this.#deployment) return OF_ANOTHER;
    if (inRecovery !== 1) return NO_REPLICA;
    // One that is out of rotation must do better, lest it comes and goes.
    const until = checkedAt - (isHealthy === false ? this.#maxLagMs / 2 : this.#maxLagMs);
    const bytes = this.#log.missingBytes(Number(replayed), until);
    if (bytes === 0) return undefined;
    return `It lags: ${bytes} bytes that the database had written ${this.#maxLagMs} ms ago are still to come.`;
  }
}
