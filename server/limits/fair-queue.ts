// A fair queue: one line for each account, in the order of arrival, and round robin among the accounts. An
// account with many tasks delays its own, and no other's.

export class FairQueue<T> {
  /** The account that has waited longest since its last task comes first. */
  readonly #lines = new Map<string, T[]>();

  push(account: string, task: T): void {
    const line = this.#lines.get(account);
    if (line === undefined) this.#lines.set(account, [task]);
    else line.push(task);
  }

  /** Puts a task before all others of its account. */
  unshift(account: string, task: T): void {
    this.#lines.set(account, [task, ...(this.#lines.get(account) ?? [])]);
  }

  /** Whether a task of this account is queued. */
  has(account: string): boolean {
    return this.#lines.has(account);
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** How many accounts have tasks. */
  get accounts(): number {
    return this.#lines.size;
  }

  get length(): number {
    let length = 0;
    for (const line of this.#lines.values()) length += line.length;
    return length;
  }

  /** The next task of the accounts that may have one; `undefined` when there is none. */
  take(mayTake: (account: string) => boolean = () => true): T | undefined {
    for (const [account, line] of this.#lines) {
      if (!mayTake(account)) continue;
      const task = line.shift();
      this.#lines.delete(account);
      if (line.length > 0) this.#lines.set(account, line);
      return task;
    }
    return undefined;
  }
}
