// Which endpoints are sent to at the same time. Those that fail, or do not answer, have a share of the
// connections: receivers that never answer delay no other account.
//
// An attempt that has taken a second counts as one that fails: of an endpoint that was never sent to, nothing
// else tells that it will not answer. What exceeds the share then takes no connection from the others, up to
// a maximum of all that is open.

import { deliverLimits } from '../limits/deliver-limits.ts';

/** How long an attempt may take before it counts as one that fails. */
const SLOW_MILLISECONDS = 1_000;
/** The share of the endpoints that fail, of all and of an account. */
const FAILING_SHARE = deliverLimits.failing.total / deliverLimits.connections.total;
const OPEN_FACTOR = deliverLimits.open.total / deliverLimits.connections.total;

/** An endpoint that is to be sent to, or is. */
interface Receiving {
  readonly account_id: string;
  /** The last attempt failed. */
  readonly isFailing: boolean;
}

interface Count {
  all: number;
  /** Those that fail or are slow. */
  failing: number;
}

/** One that is sent to. */
export class Connection {
  readonly account_id: string;
  readonly #onChange: (by: 1 | -1) => void;
  readonly #onSlow: () => void;
  #isFailing: boolean;
  #isSlow = false;

  constructor({ account_id, isFailing }: Receiving, onChange: (by: 1 | -1) => void, onSlow: () => void) {
    this.account_id = account_id;
    this.#isFailing = isFailing;
    this.#onChange = onChange;
    this.#onSlow = onSlow;
  }

  get isFailing(): boolean {
    return this.#isFailing || this.#isSlow;
  }

  #set(isFailing: boolean, isSlow: boolean): void {
    const before = this.isFailing;
    [this.#isFailing, this.#isSlow] = [isFailing, isSlow];
    if (this.isFailing !== before) this.#onChange(before ? -1 : 1);
  }

  /** Counts as failing while an attempt takes long, and as its outcome says afterwards. */
  async during<T>(attempt: () => Promise<T>, isSuccess: (outcome: T) => boolean): Promise<T> {
    const timer = setTimeout(() => {
      this.#set(this.#isFailing, true);
      this.#onSlow();
    }, SLOW_MILLISECONDS);
    try {
      const outcome = await attempt();
      this.#set(!isSuccess(outcome), false);
      return outcome;
    } finally {
      clearTimeout(timer);
    }
  }
}

export class Connections {
  /** For each that is served. */
  readonly maximum: number;
  readonly maxFailing: number;
  readonly #accounts = new Map<string, Count>();
  readonly #all: Count = { all: 0, failing: 0 };

  constructor(maximum: number) {
    this.maximum = maximum;
    this.maxFailing = Math.max(1, Math.floor(maximum * FAILING_SHARE));
  }

  /** How many endpoints of each account are sent to. */
  byAccount(): [account_id: string, count: number][] {
    return [...this.#accounts].map(([account_id, { all }]) => [account_id, all]);
  }

  /** Which of those that wait is next: the first of the account that is sent to at the fewest endpoints. */
  nextOf<T>(waiting: readonly T[], receiving: (one: T) => Receiving): number | undefined {
    let [next, fewest]: [number | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const [i, one] of waiting.entries()) {
      const candidate = receiving(one);
      const open = this.#accounts.get(candidate.account_id)?.all ?? 0;
      if (open >= fewest || !this.#mayOpen(candidate)) continue;
      [next, fewest] = [i, open];
      if (open === 0) break;
    }
    return next;
  }

  #mayOpen({ account_id, isFailing }: Receiving): boolean {
    const own = this.#accounts.get(account_id) ?? { all: 0, failing: 0 };
    if (own.all >= deliverLimits.connections.each) return false;
    const { all, failing } = this.#all;
    if (isFailing && (failing >= this.maxFailing || own.failing >= deliverLimits.failing.each)) return false;
    const taken = all - Math.max(0, failing - this.maxFailing);
    return taken < this.maximum && all < this.maximum * OPEN_FACTOR;
  }

  /** @param onSlow called where an attempt has become slow, so that another may begin. */
  open(receiving: Receiving, onSlow: () => void): Connection {
    const { account_id, isFailing } = receiving;
    const own = this.#accounts.get(account_id) ?? { all: 0, failing: 0 };
    this.#accounts.set(account_id, own);
    const countFailing = (by: 1 | -1) => {
      own.failing += by;
      this.#all.failing += by;
    };
    own.all += 1;
    this.#all.all += 1;
    if (isFailing) countFailing(1);
    return new Connection(receiving, countFailing, onSlow);
  }

  close({ account_id, isFailing }: Connection): void {
    const own = this.#accounts.get(account_id);
    for (const count of own === undefined ? [] : [own, this.#all]) {
      count.all -= 1;
      if (isFailing) count.failing -= 1;
    }
    if (own?.all === 0) this.#accounts.delete(account_id);
  }
}
