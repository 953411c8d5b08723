// Watches the revisions of accounts as long as a request waits for one to change.
//
// Where the store can tell at once that nothing has changed, it is polled often, and revisions are read only
// when something has; elsewhere one statement reads those of all accounts that are watched, a few times a
// second (docs/decisions/012-waiting.md).

import { readRevisions } from '../store/revisions.ts';
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
  /** Accounts that are watched since the last look: they may have changed before. */
  readonly #unseen = new Set<string>();
  /** The state of the database in which all other accounts were looked at. */
  #state: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Calls soon after the account has another revision than this one or is gone, and may call again until the
   * watch is ended. Returns how to end it; it must be ended.
   */
  watch(account_id: string, revision: string, onChange: () => void): () => void {
    const watcher = { revision, onChange };
    const watchers = this.#watchers.get(account_id) ?? new Set();
    this.#watchers.set(account_id, watchers.add(watcher));
    this.#unseen.add(account_id);
    this.#lookLater();
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(account_id) === watchers) {
        this.#watchers.delete(account_id);
      }
    };
  }

  #lookLater(): void {
    if (this.#timer !== undefined || this.#watchers.size === 0) return;
    const pause = this.#store.state === undefined ? ROUND_TRIP_MILLISECONDS : STATE_MILLISECONDS;
    this.#timer = setTimeout(() => void this.#lookAgain(), pause).unref();
  }

  async #lookAgain(): Promise<void> {
    try {
      await this.#look();
    } catch {
      // A store that cannot be reached may be reached the next time.
      this.#state = undefined;
    }
    this.#timer = undefined;
    this.#lookLater();
  }

  async #look(): Promise<void> {
    const state = this.#store.state?.();
    const isSame = state !== undefined && state === this.#state;
    const account_ids = [...(isSame ? this.#unseen : this.#watchers.keys())];
    this.#state = state;
    this.#unseen.clear();
    if (account_ids.length === 0) return;
    // Those that come while the revisions are read may know of a later one.
    const watchers = account_ids.map((account_id) => [...(this.#watchers.get(account_id) ?? [])]);
    const revisions = await readRevisions(this.#store, account_ids);
    for (const [i, account_id] of account_ids.entries()) {
      if (!revisions.has(account_id)) continue;
      const changed = watchers[i]?.filter(({ revision }) => revision !== revisions.get(account_id));
      for (const { onChange } of changed ?? []) onChange();
    }
  }
}
