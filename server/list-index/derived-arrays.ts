// Arrays that are made of the columns of an index when they are first needed: as many as fit into a number of
// bytes, of which the least recently used are evicted.

export class DerivedArrays {
  readonly maxBytes: number;
  /** The least recently used first. */
  readonly #arrays = new Map<string, Uint32Array>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** What they take together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The array of a name, made where it is not here. One that is larger than all may be is not cached. */
  get(name: string, make: () => Uint32Array): Uint32Array {
    const array = this.#arrays.get(name) ?? make();
    if (this.#arrays.delete(name)) this.#bytes -= array.byteLength;
    else this.#evictFor(array.byteLength);
    if (array.byteLength > this.maxBytes) return array;
    this.#arrays.set(name, array);
    this.#bytes += array.byteLength;
    return array;
  }

  /** Frees all of them. */
  clear(): void {
    for (const { buffer } of this.#arrays.values()) (buffer as ArrayBuffer).transfer(0);
    this.#arrays.clear();
    this.#bytes = 0;
  }

  /** Evicts until so many bytes more fit. */
  #evictFor(bytes: number): void {
    for (const [name, array] of this.#arrays) {
      if (this.#bytes + bytes <= this.maxBytes) return;
      this.#arrays.delete(name);
      this.#bytes -= array.byteLength;
    }
  }
}
