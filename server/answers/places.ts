// Places of which there are so many in all and so many for each: what takes long is limited by them.

export class Places {
  readonly #each: number;
  readonly #all: number;
  readonly #taken = new Map<string, number>();
  #count = 0;

  constructor(each: number, all = Number.POSITIVE_INFINITY) {
    this.#each = each;
    this.#all = all;
  }

  /** Whether one has as many as it may. */
  hasMost(key: string): boolean {
    return (this.#taken.get(key) ?? 0) >= this.#each;
  }

  /**
   * Takes a place; returns how to free it, which can be done again without harm, or `undefined` where none is
   * free.
   */
  take(key: string): (() => void) | undefined {
    const taken = this.#taken.get(key) ?? 0;
    if (this.hasMost(key) || this.#count >= this.#all) return undefined;
    this.#taken.set(key, taken + 1);
    this.#count += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#free(key);
      isTaken = false;
    };
  }

  #free(key: string): void {
    const taken = (this.#taken.get(key) ?? 0) - 1;
    if (taken > 0) this.#taken.set(key, taken);
    else this.#taken.delete(key);
    this.#count -= 1;
  }
}
