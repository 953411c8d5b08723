// Watches the revisions of accounts for requests that wait for a change. If the store can tell immediately
// whether anything has changed, it is polled often and revisions are read only after a change. Otherwise one
// statement reads the revisions of all watched accounts a few times per second
// (docs/decisions/012-waiting.md).

import { readRevisions } from '../store/lists/revisions.ts';
import type { Store } from '../store/store.ts';

const STATE_MILLISECONDS = 200;
const ROUND_TRIP_MILLISECONDS = 400;

interface Watcher {
  readonly revision: string;
  readonly onChange: () => void;
}

export class RevisionWatch {
  readonly #store: Store;
  readonly #watchers = new Map<string, Set<Watcher>>();
  /** Accounts watched since the last check: they may have changed before it. */
  readonly #unseen = new Set<string>();
  /** The state of the database when all other accounts were last checked. */
  #state: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Calls `onChange` soon after the account has another revision or was deleted, possibly more than once.
   * Returns a function that ends the watch, which must be called.
   */
  watch(account_id: string, revision: string, onChange: () => void): () => void {
    const watcher = { revision, onChange };
    const watchers = this.#watchers.get(account_id) ?? new Set();
    this.#watchers.set(account_id, watchers.add(watcher));
    this.#unseen.add(account_id);
    this.#scheduleCheck();
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(account_id) === watchers) {
        this.#watchers.delete(account_id);
      }
    };
  }

  /** Calls all, because what all answers depend on has changed. */
  wake(): void {
    for (const watchers of this.#watchers.values()) for (const { onChange } of watchers) onChange();
  }

  #scheduleCheck(): void {
    if (this.#timer !== undefined || this.#watchers.size === 0) return;
    const pause = this.#store.state === undefined ? ROUND_TRIP_MILLISECONDS : STATE_MILLISECONDS;
    this.#timer = setTimeout(() => void this.#tryCheck(), pause).unref();
  }

  async #tryCheck(): Promise<void> {
    try {
      await this.#check();
    } catch {
      // The store is unreachable; try again later.
      this.#state = undefined;
    }
    this.#timer = undefined;
    this.#scheduleCheck();
  }

  async #check(): Promise<void> {
    const state = this.#store.state?.();
    const isSame = state !== undefined && state === this.#state;
    const account_ids = [...(isSame ? this.#unseen : this.#watchers.keys())];
    this.#state = state;
    this.#unseen.clear();
    if (account_ids.length === 0) return;
    // Watchers added while revisions are read may have seen a later one.
    const watchers = account_ids.map((account_id) => [...(this.#watchers.get(account_id) ?? [])]);
    const revisions = await readRevisions(this.#store, account_ids);
    for (const [i, account_id] of account_ids.entries()) {
      // One that is not there was deleted, or has another id.
      const changed = watchers[i]?.filter(({ revision }) => revision !== revisions.get(account_id));
      for (const { onChange } of changed ?? []) onChange();
    }
  }
}
