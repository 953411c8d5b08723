// A fair queue: first in, first out for each account, and round robin among accounts. An account with many
// tasks delays only its own.

export class FairQueue<T> {
  /** Ordered by when the account was last served, longest ago first. */
  readonly #lines = new Map<string, T[]>();

  push(account: string, task: T): void {
    const line = this.#lines.get(account);
    if (line === undefined) this.#lines.set(account, [task]);
    else line.push(task);
  }

  unshift(account: string, task: T): void {
    this.#lines.set(account, [task, ...(this.#lines.get(account) ?? [])]);
  }

  has(account: string): boolean {
    return this.#lines.has(account);
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  get accounts(): number {
    return this.#lines.size;
  }

  get length(): number {
    let length = 0;
    for (const line of this.#lines.values()) length += line.length;
    return length;
  }

  /** The next task of an account, if both pass `mayTake`; `undefined` if there is none. */
  take(mayTake: (account: string, next: T) => boolean = () => true): T | undefined {
    for (const [account, line] of this.#lines) {
      if (!mayTake(account, line[0] as T)) continue;
      const task = line.shift();
      this.#lines.delete(account);
      if (line.length > 0) this.#lines.set(account, line);
      return task;
    }
    return undefined;
  }
}
