// The other side of aside.ts: works out pages, facets, exports and indexes on a store of its own.

import { parentPort, workerData } from 'node:worker_threads';
import { Problem, type ProblemCode } from '@linecard/client';
import type { Answer, AsideData, ExportHead, Failure, Message, Work } from './aside.ts';
import { beginExport } from './export.ts';
import { readFacets } from './facets.ts';
import { Lists } from './list.ts';
import { buffersOf } from './list-index.ts';
import { buildIndex } from './list-index-build.ts';
import { openStore } from './open.ts';
import { type Store, StoreUnavailable } from './store.ts';
import { tables } from './tables.ts';

/** Chunks of an export go out in pieces of at least so much text. */
const PIECE_CHARACTERS = 65_536;

interface OpenExport {
  readonly head: ExportHead;
  /** The next piece, worked out ahead; `null` at the end. */
  next: Promise<Uint8Array | null>;
  readonly pieces: AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

const { database_url, options, cursor_key } = workerData as AsideData;
const exports = new Map<number, Promise<OpenExport>>();
let opening: Promise<Store> | undefined;

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

async function* piecesOf(chunks: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length < PIECE_CHARACTERS) continue;
    yield encoder.encode(text);
    text = '';
  }
  if (text !== '') yield encoder.encode(text);
}

/** Begins the next piece; a failure waits for whoever takes it. */
function nextPiece(pieces: AsyncGenerator<Uint8Array>): Promise<Uint8Array | null> {
  const piece = pieces.next().then(({ done, value }) => (done === true ? null : value));
  piece.catch(() => {});
  return piece;
}

async function beginning(store: Store, asked: Work & { kind: 'export' }): Promise<OpenExport> {
  const { account_id, query, format } = asked;
  const begun = await beginExport(store, tables[asked.list], account_id, query, format);
  const pieces = piecesOf(begun.chunks);
  const { revision, total } = begun;
  return { head: { revision, total }, next: nextPiece(pieces), pieces, close: () => begun.close() };
}

async function work(id: number, asked: Work): Promise<unknown> {
  const store = await opened();
  const table = tables[asked.list];
  const { account_id } = asked;
  if (asked.kind === 'index') return buildIndex(store, table, account_id);
  const { query } = asked;
  if (asked.kind === 'page') return new Lists(store, cursor_key).page(table, account_id, query);
  if (asked.kind === 'facets') return readFacets(store, table, account_id, query);
  const begun = beginning(store, asked);
  exports.set(id, begun);
  begun.catch(() => exports.delete(id));
  return (await begun).head;
}

async function closeExport(id: number): Promise<void> {
  const begun = exports.get(id);
  if (begun === undefined) return;
  exports.delete(id);
  const open = await begun;
  await open.next.catch(() => {});
  await open.pieces.return(undefined);
  await open.close();
}

/** The piece that is ready; the one after it is begun at once, so that writing and reading overlap. */
async function advance(id: number): Promise<Uint8Array | null> {
  const open = await exports.get(id);
  if (open === undefined) throw new Error('The export is closed.');
  const piece = await open.next;
  if (piece !== null) open.next = nextPiece(open.pieces);
  return piece;
}

async function obey(message: Message): Promise<void> {
  const { id } = message;
  try {
    if ('work' in message) {
      const result = await work(id, message.work);
      return send({ id, result }, message.work.kind === 'index' ? buffersOf(result) : []);
    }
    if (message.export === 'close') return await closeExport(id);
    const piece = await advance(id);
    send({ id, result: piece }, piece === null ? [] : [piece.buffer as ArrayBuffer]);
  } catch (error) {
    send({ id, failure: failureOf(error) });
  }
}

parentPort?.on('message', (message: Message) => void obey(message));
