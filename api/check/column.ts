// Numbers one after the other in one array that grows: of hundreds of thousands, a fifth of the memory of
// objects, and nothing that a collection of garbage has to follow.

const FIRST_CAPACITY = 1_024;

export class Column {
  #values = new Float64Array(FIRST_CAPACITY);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  /** @param i at least 0 and below the length */
  at(i: number): number {
    return this.#values[i] as number;
  }

  *map<T>(make: (value: number) => T): Generator<T, void, void> {
    for (let i = 0; i < this.length; i++) yield make(this.at(i));
  }
}
