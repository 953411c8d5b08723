// The other side of thread.ts: works out pages, facets, exports and indexes on a store of its own.

import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Problem, type ProblemCode } from '@linecard/client/contract/problems';
import { buildIndex } from '../list-index/build.ts';
import { facetsByIndex } from '../list-index/facets.ts';
import { beginExport } from '../lists/export.ts';
import { facetsAnswer, facetsPlan, readFacets } from '../lists/facets.ts';
import { Lists } from '../lists/list.ts';
import { openStore } from '../store/open.ts';
import { type Store, StoreUnavailable } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import type { Answer, AsideData, ExportHead, Failure, Message, Question, Work } from './messages.ts';

interface OpenExport {
  readonly head: ExportHead;
  readonly pieces: Pieces;
  close(): Promise<void>;
}

const { database_url, options, cursor_key, stands_back } = workerData as AsideData;
const encoder = new TextEncoder();
const exports = new Map<number, Promise<OpenExport>>();
let opening: Promise<Store> | undefined;

/** Lets the request thread come first where both want the same processor. */
function standBack(): void {
  // Elsewhere a priority is that of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Whoever may not say so shares alike.
  }
}

/** Opened by the first work, and by the next where that failed. */
function opened(): Promise<Store> {
  opening ??= openStore(database_url, 'read', options).catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

function send(answer: Answer, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(answer, transfer);
}

function failureOf(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return {
    message,
    stack,
    unavailable: error instanceof StoreUnavailable,
    ...(error instanceof Problem ? { code: error.code as ProblemCode } : {}),
  };
}

/** Fills buffers with the text of an export, one after another; what does not fit waits for the next. */
class Pieces {
  readonly #chunks: AsyncIterator<string>;
  #rest = '';
  #last: Promise<unknown> = Promise.resolve();

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next piece of the text; `null` at the end. */
  next(room: ArrayBuffer): Promise<Uint8Array | null> {
    const piece = this.#last.then(() => this.#fill(new Uint8Array(room)));
    this.#last = piece.catch(() => {});
    return piece;
  }

  /** Ends the text behind the pieces that were asked for. */
  async close(): Promise<void> {
    await this.#last;
    await this.#chunks.return?.();
  }

  async #fill(bytes: Uint8Array): Promise<Uint8Array | null> {
    let filled = 0;
    for (;;) {
      const { read, written } = encoder.encodeInto(this.#rest, bytes.subarray(filled));
      filled += written;
      this.#rest = this.#rest.slice(read);
      if (this.#rest !== '') break;
      const chunk = await this.#chunks.next();
      if (chunk.done === true) break;
      this.#rest = chunk.value;
    }
    return filled === 0 ? null : bytes.subarray(0, filled);
  }
}

async function beginning(store: Store, asked: Work & { kind: 'export' }): Promise<OpenExport> {
  const { account_id, query, format } = asked;
  const begun = await beginExport(store, tables[asked.list], account_id, query, format);
  const pieces = new Pieces(begun.chunks);
  const { revision, total } = begun;
  return {
    head: { revision, total },
    pieces,
    async close() {
      await pieces.close();
      await begun.close();
    },
  };
}

/** It can be closed as soon as it was asked for, also while the store is still being opened. */
async function openExport(id: number, asked: Work & { kind: 'export' }): Promise<ExportHead> {
  const begun = opened().then((store) => beginning(store, asked));
  exports.set(id, begun);
  begun.catch(() => exports.delete(id));
  return (await begun).head;
}

async function work(asked: Exclude<Work, { kind: 'export' }>): Promise<unknown> {
  const store = await opened();
  const table = tables[asked.list];
  const { account_id } = asked;
  if (asked.kind === 'index') return buildIndex(store, table, account_id, asked.max_bytes);
  const { query } = asked;
  if (asked.kind === 'page') return new Lists(store, cursor_key).page(table, account_id, query);
  const plan = facetsPlan(table, account_id, query);
  const counted =
    asked.index === undefined ? await readFacets(store, plan) : facetsByIndex(asked.index, plan);
  return facetsAnswer(table.list, counted);
}

async function closeExport(id: number): Promise<void> {
  const begun = exports.get(id);
  exports.delete(id);
  // Whatever fails has been told to whoever asked for it.
  await begun?.then((open) => open.close()).catch(() => {});
}

async function nextPiece(id: number, room: ArrayBuffer): Promise<Uint8Array | null> {
  const open = await exports.get(id);
  if (open === undefined) throw new Error('The export is closed.');
  return open.pieces.next(room);
}

async function answer(question: Question): Promise<void> {
  const { id } = question;
  try {
    if ('work' in question) {
      const { work: asked } = question;
      return send({ id, result: await (asked.kind === 'export' ? openExport(id, asked) : work(asked)) });
    }
    const piece = await nextPiece(question.export, question.room);
    send({ id, result: piece }, piece === null ? [] : [question.room]);
  } catch (error) {
    send({ id, failure: failureOf(error) });
  }
}

if (stands_back) standBack();
parentPort?.on('message', (message: Message) => {
  if ('id' in message) void answer(message);
  else void closeExport(message.export);
});
