// What may take more than a few milliseconds leaves the request thread: pages of large accounts, facets, exports and indexes
// are worked out on other threads, each with a store of its own. This side hands out the work, to the accounts in turn.

import type { IndexData } from '../list-index/index-data.ts';
import type { ExportFormat } from '../lists/export.ts';
import type { FacetsAnswer } from '../lists/facets.ts';
import type { Page } from '../lists/list.ts';
import { isPostgresUrl } from '../store/open.ts';
import { type StoreOptions, StoreUnavailable } from '../store/store.ts';
import { FairQueue } from './fair-queue.ts';
import type { AsideData, Asked, ExportHead, Work } from './messages.ts';
import { Thread } from './thread.ts';

const INDEXER_IDLE_MILLISECONDS = 2_000;
/** An export comes in pieces of so many bytes, each in one of so many buffers that go to and fro between the threads. */
const PIECE_BYTES = 65_536;
const BUFFERS = 2;
/** How much one thread works out at a time: with a file it does nothing else, with a server it waits. */
const [AT_ONCE_OF_A_FILE, AT_ONCE_OF_A_SERVER] = [1, 4];
/** Whoever has waited so long for his turn, where nothing else limits it, is told to try again. */
const LONGEST_WAIT_MILLISECONDS = 10_000;

export interface OpenExport extends ExportHead {
  /** Its text. A piece is good until the next is asked for: then its buffer is filled anew. To leave off ends the work. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Ends the work, also where no piece was taken. */
  close(): void;
}

/**
 * The pieces of an export. Their buffers are lent to the other thread and come back filled: text in buffers of its own
 * would be garbage that the collector lets grow to 64 MiB.
 */
async function* piecesOf(thread: Thread, export_: number, close: () => void): AsyncGenerator<Uint8Array> {
  const next = (room: ArrayBuffer) => {
    const piece = thread.ask({
      id: thread.newId(),
      export: export_,
      room,
    }) as Promise<Uint8Array<ArrayBuffer> | null>;
    // A failure waits for whoever takes the piece.
    piece.catch(() => {});
    return piece;
  };
  try {
    const coming = Array.from({ length: BUFFERS }, () => next(new ArrayBuffer(PIECE_BYTES)));
    for (let piece = await coming.shift(); piece; piece = await coming.shift()) {
      const { buffer } = piece;
      yield piece;
      coming.push(next(buffer));
    }
  } finally {
    close();
  }
}

/** The one with the least to do. */
function leastBusy(threads: readonly Thread[]): Thread {
  const isLess = (a: Thread, b: Thread) =>
    a.working < b.working || (a.working === b.working && a.load < b.load);
  return threads.reduce((best, thread) => (isLess(thread, best) ? thread : best));
}

/** Work that waits for a thread. */
interface Waiting {
  /** Begins it, unless nobody wants it any more. */
  begin(thread: Thread): void;
}

/**
 * The other threads; work goes to the one that has the least of it. Exports of a file, however many and slow, keep to half
 * of them, so that they hold up nobody's page and take the memory of few threads.
 */
export class Aside {
  readonly #threads: readonly Thread[];
  readonly #exporting: readonly Thread[];
  readonly #at_once: number;
  readonly #waiting = new FairQueue<Waiting>();
  /**
   * Indexes are made on a thread of their own, which stands back for nobody: the more there is to do for the others, the more they
   * are needed.
   */
  readonly #indexer: Thread;
  #indexer_ends: NodeJS.Timeout | undefined;

  constructor(database_url: string, cursor_key: string, threads: number, options: StoreOptions = {}) {
    const data: AsideData = { database_url, options, cursor_key, stands_back: true };
    const of_server = isPostgresUrl(database_url);
    this.#threads = Array.from({ length: threads }, () => new Thread(data));
    this.#at_once = of_server ? (options.connections ?? AT_ONCE_OF_A_SERVER) : AT_ONCE_OF_A_FILE;
    // On a server each export holds a connection, of which a thread has few.
    this.#exporting = this.#threads.slice(0, of_server ? threads : Math.ceil(threads / 2));
    this.#indexer = new Thread({ ...data, stands_back: false });
  }

  /** `isGone`: whether whoever asks has left; then it is not begun. */
  page(asked: Asked, isGone: () => boolean): Promise<Page> {
    return this.#ask({ kind: 'page', ...asked }, isGone) as Promise<Page>;
  }

  /** Facets, from an index that is still true or else from the database. */
  facets(asked: Asked, isGone: () => boolean, index?: IndexData): Promise<FacetsAnswer> {
    return this.#ask({ kind: 'facets', ...asked, index }, isGone) as Promise<FacetsAnswer>;
  }

  /**
   * The index of an account's list as it is now; `undefined` where it would take more bytes. The thread ends soon after: what
   * it took to make it is given back.
   */
  async index(list: Asked['list'], account_id: string, max_bytes: number): Promise<IndexData | undefined> {
    clearTimeout(this.#indexer_ends);
    const indexer = this.#indexer;
    try {
      const work: Work = { kind: 'index', list, account_id, max_bytes };
      return (await indexer.work(work)) as IndexData | undefined;
    } finally {
      clearTimeout(this.#indexer_ends);
      const end = () => indexer.load === 0 && void indexer.close();
      this.#indexer_ends = setTimeout(end, INDEXER_IDLE_MILLISECONDS).unref();
    }
  }

  /** Begins an export; it is worked out no further ahead than its buffers hold. */
  async export(asked: Asked, format: ExportFormat): Promise<OpenExport> {
    const thread = leastBusy(this.#exporting);
    const id = thread.newId();
    const head = (await thread.ask({ id, work: { kind: 'export', format, ...asked } })) as ExportHead;
    const close = () => thread.closeExport(id);
    return { ...head, pieces: piecesOf(thread, id, close), close };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads, this.#indexer].map((thread) => thread.close()));
  }

  /** Works something out as soon as it is its account's turn and a thread is free. */
  #ask(work: Work & Asked, isGone: () => boolean): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const since = performance.now();
    let is_late = false;
    const timer = setTimeout(() => {
      is_late = true;
      reject(new StoreUnavailable('There is more to work out than there is time for.'));
    }, work.time_ms ?? LONGEST_WAIT_MILLISECONDS);
    this.#waiting.push(work.account_id, {
      begin(thread) {
        if (is_late) return;
        clearTimeout(timer);
        if (isGone()) return reject(new StoreUnavailable('Whoever asked has left.'));
        const left = work.time_ms && Math.max(1, work.time_ms - (performance.now() - since));
        thread.work({ ...work, time_ms: left }).then(resolve, reject);
      },
    });
    this.#handOut();
    return promise.finally(() => this.#handOut());
  }

  #handOut(): void {
    for (;;) {
      const thread = leastBusy(this.#threads);
      if (thread.working >= this.#at_once) return;
      const next = this.#waiting.take();
      if (next === undefined) return;
      next.begin(thread);
    }
  }
}
