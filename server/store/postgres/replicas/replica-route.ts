// The route of a database with replicas: lists of an account are read from a replica, everything else from
// the primary.
//
// Why no answer is older than its request: an account's revision is random, and every change that a customer
// can see renews it (docs/architecture.md). Rows and revision are read from one snapshot of a replica, and
// meanwhile the revision alone from the primary, which costs it little. Where both are the same, the rows are
// what the primary held during this very request, whatever the replica lag. Where they are not, or the
// replica does not answer, the rows are read from the primary.

import { revisionStatement } from '../../lists/heads.ts';
import type { Statement } from '../../sql.ts';
import type { Replicas, ResultRow } from '../../store.ts';
import type { Stored } from '../../tables.ts';
import type { PostgresStore } from '../postgres.ts';
import { openSnapshot, type Route, type ServerRows } from '../routed-store.ts';
import { ReplicaHealth } from './health.ts';
import { HealthChecks } from './health-checks.ts';

/**
 * After this share of the time of a read the read goes to the primary too: in the rest it can still answer.
 */
const REPLICA_SHARE = 0.5;

/**
 * The account that statements are about, where its revision comes first: only such answers can be compared.
 */
function accountOf([first, ...others]: readonly Statement[]): string | undefined {
  const { owner, tellsRevision = false } = first ?? {};
  const isOfOne = others.every((one) => one.owner?.kind === owner?.kind && one.owner?.value === owner?.value);
  return tellsRevision && isOfOne ? owner?.value : undefined;
}

/** The revision that the rows of such statements begin with. */
const revisionOf = ([rows]: readonly ResultRow[][]): Stored | undefined => rows?.[0]?.[0];

/** Closes the snapshot of an answer that is not used, also where it is still to come. */
async function discard(pending: Promise<ServerRows>, used: ServerRows | undefined): Promise<void> {
  const answer = await pending.catch(() => undefined);
  if (answer !== used) await answer?.snapshot?.close();
}

export class ReplicaRoute implements Route {
  readonly servers: readonly PostgresStore[];
  readonly #primary: PostgresStore;
  readonly #health: ReplicaHealth;
  readonly #checks: HealthChecks | undefined;
  readonly #replicaMs: number;

  private constructor(primary: PostgresStore, replicas: Replicas, checks: HealthChecks | undefined) {
    this.servers = replicas.urls.map((url) => primary.with({ url }));
    this.#primary = primary;
    this.#replicaMs = primary.timeoutMs * REPLICA_SHARE;
    this.#health = new ReplicaHealth(replicas.health);
    this.#checks = checks;
  }

  /** @throws {StoreRefused} when a replica is none of this database. */
  static async begin(primary: PostgresStore, replicas: Replicas): Promise<ReplicaRoute> {
    const { onChange } = replicas;
    const checks = onChange && (await HealthChecks.begin(primary, replicas, onChange));
    return new ReplicaRoute(primary, replicas, checks);
  }

  get replicas(): HealthChecks['figures'] {
    return this.#checks?.figures ?? [];
  }

  async read(statements: readonly Statement[]): Promise<ResultRow[][]> {
    // A revision by itself is what a replica would be compared with.
    if (statements.length < 2) return this.#primary.read(...statements);
    return (await this.#freshest(statements, async (one) => ({ rows: await one.read(...statements) }))).rows;
  }

  open(statements: readonly Statement[], first: readonly Statement[]): Promise<Required<ServerRows>> {
    return this.#freshest(statements, (server) => openSnapshot(server, first));
  }

  async close(): Promise<void> {
    await this.#checks?.close();
  }

  /**
   * What a replica answers to these statements; what the primary answers where none is healthy, it fails, it
   * takes long, or it is at another revision than the primary.
   * @throws {StoreUnavailable} when the primary cannot be reached.
   */
  async #freshest<T extends ServerRows>(
    statements: readonly Statement[],
    readFrom: (store: PostgresStore) => Promise<T>,
  ): Promise<T> {
    const account_id = accountOf(statements);
    const position = account_id === undefined ? undefined : this.#health.next();
    const replica = this.servers[position ?? -1];
    if (account_id === undefined || position === undefined || replica === undefined) {
      return readFrom(this.#primary);
    }
    const pending = readFrom(replica);
    const revision = { ...revisionStatement(account_id), token: statements[0]?.token };
    const fresh = this.#ifFresh(revision, position, pending);
    const { promise: late, resolve: stopWaiting } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      this.#health.suspect(position);
      stopWaiting(undefined);
    }, this.#replicaMs);
    let used: T | undefined;
    try {
      used = (await Promise.race([fresh, late])) ?? (await this.#sooner(fresh, readFrom(this.#primary)));
      return used;
    } finally {
      clearTimeout(timer);
      void discard(pending, used);
    }
  }

  /** What a replica answers if it is what the primary holds meanwhile. */
  async #ifFresh<T extends ServerRows>(
    revision: Statement,
    position: number,
    pending: Promise<T>,
  ): Promise<T | undefined> {
    const [now, answer] = await Promise.all([
      this.#primary.read(revision).then(revisionOf),
      pending.catch(() => this.#health.suspect(position)),
    ]);
    return answer !== undefined && now !== undefined && revisionOf(answer.rows) === now ? answer : undefined;
  }

  /** The primary's answer, or that of the replica where it comes before after all. */
  async #sooner<T extends ServerRows>(fresh: Promise<T | undefined>, ofPrimary: Promise<T>): Promise<T> {
    const ofReplica = fresh.then((answer) => answer ?? ofPrimary);
    const answer = await Promise.any([ofReplica, ofPrimary]).catch(() => ofPrimary);
    void discard(ofPrimary, answer);
    return answer;
  }
}
