// Concurrency quotas of accounts whose work has a cost that is known only once it ends. An account whose last
// work was small has no limit; any other account has only a few in flight.

interface Quota {
  inFlight: number;
  /** Whether the last work that ended was small; absent until one has ended. */
  isSmall?: boolean;
}

export class Quotas {
  readonly #large: number;
  readonly #unknown: number;
  readonly #quotas = new Map<string, Quota>();

  /** Maximum in flight for an account whose last work was large, and for one without any history. */
  constructor(large: number, unknown: number) {
    this.#large = large;
    this.#unknown = unknown;
  }

  get inFlight(): number {
    let sum = 0;
    for (const { inFlight } of this.#quotas.values()) sum += inFlight;
    return sum;
  }

  inFlightOf(account: string): number {
    return this.#quotas.get(account)?.inFlight ?? 0;
  }

  mayBegin(account: string): boolean {
    const quota = this.#quotas.get(account);
    if (quota === undefined || quota.isSmall === true) return true;
    return quota.inFlight < (quota.isSmall === undefined ? this.#unknown : this.#large);
  }

  begin(account: string): void {
    const quota = this.#quotas.get(account);
    if (quota === undefined) this.#quotas.set(account, { inFlight: 1 });
    else quota.inFlight += 1;
  }

  /** `isSmall` is `undefined` if the work does not show its cost, for example because it failed. */
  end(account: string, count: number, isSmall: boolean | undefined): void {
    const quota = this.#quotas.get(account);
    if (quota === undefined) return;
    quota.inFlight -= count;
    if (isSmall !== undefined) quota.isSmall = isSmall;
  }

  /** Deletes the quota of an account with nothing queued, unless it has work in flight. */
  forget(account: string): void {
    if (this.#quotas.get(account)?.inFlight === 0) this.#quotas.delete(account);
  }
}
