// What an operator has declared of the lists, as this process knows it: read again every two seconds, so that
// a change is answered by within five. Each answer uses what was known when its question was made.

import { type Declared, readDeclared } from '../store/lists/own-fields.ts';
import type { Store } from '../store/store.ts';

const READ_MILLISECONDS = 2_000;

interface DeclarationsOptions {
  readonly onFailure: (error: unknown) => void;
  /** Called when something else is declared. */
  readonly onChange: () => void;
}

export class Declarations {
  readonly #store: Pick<Store, 'read'>;
  readonly #options: DeclarationsOptions;
  #known: Declared;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();

  private constructor(store: Pick<Store, 'read'>, known: Declared, options: DeclarationsOptions) {
    this.#store = store;
    this.#known = known;
    this.#options = options;
  }

  /** Reads them, and again until they are closed. */
  static async open(store: Pick<Store, 'read'>, options: DeclarationsOptions): Promise<Declarations> {
    const one = new Declarations(store, await readDeclared(store), options);
    one.#timer = setInterval(() => void one.refresh(), READ_MILLISECONDS);
    one.#timer.unref();
    return one;
  }

  /** The same object until something else is declared. */
  get known(): Declared {
    return this.#known;
  }

  /** Reads them one at a time, so that none is replaced by what was read before it. */
  refresh(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read());
    return this.#reading;
  }

  async #read(): Promise<void> {
    try {
      const read = await readDeclared(this.#store);
      if (isSame(read, this.#known)) return;
      this.#known = read;
      this.#options.onChange();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

const revisionsOf = (declared: Declared) =>
  Object.entries(declared)
    .map(([list, { revision }]) => `${list} ${revision}`)
    .sort()
    .join();

const isSame = (a: Declared, b: Declared) => revisionsOf(a) === revisionsOf(b);
