// A database and its replicas as one store: what is read of an account comes from a replica, everything else from the
// primary. It must not know how a replica is found to be well.
//
// Why no answer is older than its request: an account's revision is random, and every change that a customer can see
// renews it (docs/architecture.md). A replica is asked for rows and revision of one moment of its own, the primary meanwhile
// for the revision alone, which costs it little. Where both are the same, the rows are what the primary held during this very
// request, however far behind the replica is. Where they are not, or the replica does not answer, the primary is asked.

import { type Dialect, revisionStatement, type Statement } from '../sql.ts';
import type { Load, LoadOptions, Replicas, Row, RowsOf, Snapshot, Store } from '../store.ts';
import type { Stored, Table } from '../tables.ts';
import type { PostgresStore } from './postgres.ts';
import { ReplicaWatch, Standing } from './replica-watch.ts';

/** After this share of the time of a read the primary is asked beside the replica: in the rest it can still answer. */
const REPLICA_SHARE = 0.5;
/** An export that stands still for so long goes on at the primary, where another may not have to wait at all. */
const ROWS_MILLISECONDS = 3_000;

/** What a server gave: rows, and what they were read from where that is kept. */
interface Given {
  readonly rows: Row[][];
  readonly on?: Snapshot;
}

/** The account that statements are about, where they begin with telling its revision: only such answers can be compared. */
function accountOf([first, ...others]: readonly Statement[]): string | undefined {
  const { owner, tells_revision = false } = first ?? {};
  const of_one = others.every((one) => one.owner?.kind === owner?.kind && one.owner?.value === owner?.value);
  return tells_revision && of_one ? owner?.value : undefined;
}

/** The revision that the rows of such statements begin with. */
const revisionOf = ([rows]: readonly Row[][]): Stored | undefined => rows?.[0]?.[0];

/** Lets go of what nobody will look at, also where it is still to come. */
async function letGo(asked: Promise<Given>, chosen: Given | undefined): Promise<void> {
  const given = await asked.catch(() => undefined);
  if (given !== chosen) await given?.on?.close();
}

export class ReplicatedStore implements Store {
  readonly dialect: Dialect;
  readonly primary: PostgresStore;
  readonly #replicas: readonly PostgresStore[];
  readonly #standing: Standing;
  readonly #watch: ReplicaWatch | undefined;
  readonly #patience_ms: number;

  private constructor(primary: PostgresStore, replicas: Replicas, watch: ReplicaWatch | undefined) {
    this.dialect = primary.dialect;
    this.primary = primary;
    this.#replicas = replicas.urls.map((url) => primary.with({ url, rows_ms: ROWS_MILLISECONDS }));
    this.#patience_ms = primary.timeout_ms * REPLICA_SHARE;
    this.#standing = new Standing(replicas);
    this.#watch = watch;
  }

  /** @throws {StoreRefused} when a replica is none of this database. */
  static async open(primary: PostgresStore, replicas: Replicas): Promise<ReplicatedStore> {
    const { onChange } = replicas;
    try {
      const watch = onChange && (await ReplicaWatch.begin(primary, replicas, onChange));
      return new ReplicatedStore(primary, replicas, watch);
    } catch (error) {
      await primary.close();
      throw error;
    }
  }

  async read<const S extends readonly Statement[]>(...statements: S): Promise<RowsOf<S>> {
    // A revision by itself is what a replica would be compared with.
    if (statements.length < 2) return this.primary.read(...statements);
    const { rows } = await this.ask(statements, async (store) => ({ rows: await store.read(...statements) }));
    return rows;
  }

  async snapshot(): Promise<Snapshot> {
    return new ReplicatedSnapshot(this);
  }

  write(...statements: Statement[]): Promise<number[]> {
    return this.primary.write(...statements);
  }

  load(table: Table, options?: LoadOptions): Promise<Load> {
    return this.primary.load(table, options);
  }

  async close(): Promise<void> {
    await this.#watch?.close();
    await Promise.all([this.primary, ...this.#replicas].map((one) => one.close()));
  }

  /**
   * What a replica gives to those who ask these statements; what the primary gives where none is well, it fails, it takes
   * long, or it is not where the primary is.
   * @throws {StoreUnavailable} when the primary cannot be reached.
   */
  async ask<T extends Given>(
    statements: readonly Statement[],
    ask: (store: PostgresStore) => Promise<T>,
  ): Promise<T> {
    const account_id = accountOf(statements);
    const place = account_id === undefined ? undefined : this.#standing.next();
    const replica = this.#replicas[place ?? -1];
    if (account_id === undefined || place === undefined || replica === undefined) return ask(this.primary);
    const asked = ask(replica);
    const fresh = this.#ifFresh(account_id, place, asked);
    const { promise: late, resolve: waitNoLonger } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      this.#standing.doubt(place);
      waitNoLonger(undefined);
    }, this.#patience_ms);
    let given: T | undefined;
    try {
      given = (await Promise.race([fresh, late])) ?? (await this.#sooner(fresh, ask(this.primary)));
      return given;
    } finally {
      clearTimeout(timer);
      void letGo(asked, given);
    }
  }

  /** What a replica gives if it is what the primary holds meanwhile. */
  async #ifFresh<T extends Given>(
    account_id: string,
    place: number,
    asked: Promise<T>,
  ): Promise<T | undefined> {
    const [now, given] = await Promise.all([
      this.primary.read(revisionStatement(this.dialect, account_id)).then(revisionOf),
      asked.catch(() => this.#standing.doubt(place)),
    ]);
    return given !== undefined && now !== undefined && revisionOf(given.rows) === now ? given : undefined;
  }

  /** The primary's answer, or that of the replica where it comes before after all. */
  async #sooner<T extends Given>(fresh: Promise<T | undefined>, of_primary: Promise<T>): Promise<T> {
    const of_replica = fresh.then((given) => given ?? of_primary);
    const given = await Promise.any([of_replica, of_primary]).catch(() => of_primary);
    void letGo(of_primary, given);
    return given;
  }
}

/** A snapshot and what was read of it first. */
async function begin(store: Store, statements: readonly Statement[]): Promise<Required<Given>> {
  const on = await store.snapshot();
  try {
    return { on, rows: await on.read(...statements) };
  } catch (error) {
    await on.close();
    throw error;
  }
}

/** A snapshot of the server that its first read is answered by. */
class ReplicatedSnapshot implements Snapshot {
  readonly #store: ReplicatedStore;
  #on: Snapshot | undefined;
  /** Which revision of which account it shows, where that is known: another server that stands there can go on. */
  #moment: { readonly account_id: string; readonly revision: Stored | undefined } | undefined;

  constructor(store: ReplicatedStore) {
    this.#store = store;
  }

  async read<const S extends readonly Statement[]>(...statements: S): Promise<RowsOf<S>> {
    if (this.#on !== undefined) return this.#on.read(...statements);
    const { on, rows } = await this.#store.ask(statements, (store) => begin(store, statements));
    this.#on = on;
    const account_id = accountOf(statements);
    if (account_id !== undefined) this.#moment = { account_id, revision: revisionOf(rows) };
    return rows as RowsOf<S>;
  }

  async *rows(statement: Statement): AsyncGenerator<readonly Row[]> {
    let given = 0;
    try {
      for await (const rows of (await this.#begun()).rows(statement)) {
        given += rows.length;
        yield rows;
      }
      return;
    } catch (error) {
      if (!(await this.#goOnElsewhere())) throw error;
    }
    // At the same revision the primary has the same rows in the same order.
    for await (const rows of (await this.#begun()).rows(statement)) {
      const known = Math.min(given, rows.length);
      given -= known;
      if (known < rows.length) yield rows.slice(known);
    }
  }

  async close(): Promise<void> {
    await this.#on?.close();
  }

  async #begun(): Promise<Snapshot> {
    this.#on ??= await this.#store.primary.snapshot();
    return this.#on;
  }

  /** Whether the primary, after a server has failed, still has what was begun there. */
  async #goOnElsewhere(): Promise<boolean> {
    const moment = this.#moment;
    this.#moment = undefined;
    if (moment === undefined) return false;
    const { dialect, primary } = this.#store;
    const { on, rows } = await begin(primary, [revisionStatement(dialect, moment.account_id)]);
    const goes_on = revisionOf(rows) === moment.revision;
    const failed = this.#on;
    if (goes_on) this.#on = on;
    await (goes_on ? failed : on)?.close();
    return goes_on;
  }
}
