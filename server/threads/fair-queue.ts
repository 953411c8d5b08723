// What waits, in the order of coming of each who asks, and those who ask in turn: who asks for much waits behind himself.

export class FairQueue<T> {
  /** Who is first has waited longest since his last turn. */
  readonly #lines = new Map<string, T[]>();

  push(who: string, what: T): void {
    const line = this.#lines.get(who);
    if (line === undefined) this.#lines.set(who, [what]);
    else line.push(what);
  }

  /** The next; `undefined` when nothing waits. */
  take(): T | undefined {
    for (const [who, line] of this.#lines) {
      const what = line.shift();
      this.#lines.delete(who);
      if (line.length > 0) this.#lines.set(who, line);
      return what;
    }
    return undefined;
  }
}
