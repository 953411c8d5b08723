// The memory of all indexes: one block that all threads share, in which each index has an allocation.
//
// Why one block: memory that threads share is freed when the collectors of all of them have found that none
// needs it, and none of them knows how large it is. Indexes that come and go would add up to gigabytes before
// that; an allocation is freed at once, and the block never grows.

import { setImmediate } from 'node:timers/promises';

/** Every array begins at a multiple of the largest element. */
const ALIGNMENT = 8;
/** Copying so many bytes takes the thread about a millisecond. */
const SLICE_BYTES = 4_194_304;

/** A part of the block. */
export interface Allocation {
  readonly start: number;
  readonly end: number;
}

type Arrays = Uint8Array | Uint16Array | Uint32Array | Float64Array;

const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

function isArray(value: unknown): value is Arrays {
  return ArrayBuffer.isView(value);
}

/** All arrays somewhere in a value. */
export function arraysOf(value: unknown): Arrays[] {
  if (typeof value !== 'object' || value === null) return [];
  return isArray(value) ? [value] : Object.values(value).flatMap(arraysOf);
}

/** The memory of all arrays somewhere in a value, which is in none of the block. */
export function buffersOf(value: unknown): ArrayBuffer[] {
  return [...new Set(arraysOf(value).map(({ buffer }) => buffer as ArrayBuffer))];
}

/** How many bytes a value takes in the block. */
export function bytesOf(value: unknown): number {
  return arraysOf(value).reduce((sum, { byteLength }) => sum + aligned(byteLength), 0);
}

export class IndexMemory {
  readonly #bytes: number;
  /** What is free, in the order of the block; no two adjoin. */
  #free: Allocation[];
  /** The system gives memory only to what is written to. */
  #block: SharedArrayBuffer | undefined;

  constructor(bytes: number) {
    this.#bytes = Math.floor(bytes / ALIGNMENT) * ALIGNMENT;
    this.#free = [{ start: 0, end: this.#bytes }];
  }

  /** How many bytes are free, in one range or several. */
  get freeBytes(): number {
    return this.#free.reduce((sum, { start, end }) => sum + end - start, 0);
  }

  /** The first free range of so many bytes; `undefined` where there is none. */
  allocate(bytes: number): Allocation | undefined {
    const size = aligned(bytes);
    const i = this.#free.findIndex(({ start, end }) => end - start >= size);
    const found = this.#free[i];
    if (found === undefined) return undefined;
    const end = found.start + size;
    this.#free.splice(i, 1, ...(end < found.end ? [{ start: end, end: found.end }] : []));
    return { start: found.start, end };
  }

  /** Frees an allocation, once no thread reads or writes it. */
  free(allocation: Allocation): void {
    if (allocation.start === allocation.end) return;
    const sorted = [...this.#free, allocation].sort((a, b) => a.start - b.start);
    this.#free = [];
    for (const one of sorted) {
      const last = this.#free.at(-1);
      if (last?.end === one.start) this.#free[this.#free.length - 1] = { start: last.start, end: one.end };
      else this.#free.push(one);
    }
  }

  /**
   * Moves the arrays of a value into an allocation: the same value with them there. They are copied little by
   * little, so that requests come in between, and then freed, whatever has views of them.
   */
  async put<T>(value: T, allocation: Allocation): Promise<T> {
    this.#block ??= new SharedArrayBuffer(this.#bytes);
    const copies = new Map<Arrays, Arrays>();
    let { start } = allocation;
    for (const array of arraysOf(value)) {
      const kind = array.constructor as Uint8ArrayConstructor;
      const copy = new kind(this.#block, start, array.length);
      start += aligned(array.byteLength);
      const step = SLICE_BYTES / array.BYTES_PER_ELEMENT;
      for (let from = 0; from < array.length; from += step) {
        copy.set(array.subarray(from, from + step), from);
        if (from + step < array.length) await setImmediate();
      }
      copies.set(array, copy);
    }
    for (const buffer of buffersOf(value)) buffer.transfer(0);
    return withArrays(value, copies) as T;
  }
}

function withArrays(value: unknown, copies: ReadonlyMap<Arrays, Arrays>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return copies.get(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withArrays(one, copies)]));
}
