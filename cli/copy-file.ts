// A copy of a list in one file: one item per line in the order of `id`, as in an export, and a last line that
// says what it is a copy of and the token to continue from. Items and token are in one file because they must
// be replaced in one step.

import { type FileHandle, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { ListParams } from '@linecard/client/client/any-list';
import { count } from '@linecard/client/contract/wording';
import { Failed } from './outcome.ts';
import { inChunks } from './print.ts';
import { writeWhole } from './whole-file.ts';

const NEW_FILE = 0o666;
const LINE_END = 0x0a;
const TAIL_BYTES = 65_536;
/** Filters may have thousands of values. */
const LONGEST_LAST_LINE = 4_194_304;
const FIRST_ID = /^\{"id":(\d{1,16})[,}]/;

/** The id of an item as a line. */
export function itemId(line: string): number | undefined {
  const [, digits] = FIRST_ID.exec(line) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The last line. */
export interface CopyEnd {
  readonly since: string;
  readonly total: number;
  readonly list: string;
  readonly url: string;
  readonly account: string;
  readonly filters: ListParams;
  /** Whether the token saw charges; absent if so. */
  readonly charges?: boolean;
  readonly synced_at: string;
}

/** By `id`: a line to write, or `null` to remove the item. */
export type LineChanges = ReadonlyMap<number, string | null>;

/** Where a copy is stored. Each step is complete or leaves the copy as it was. */
export interface CopyStore {
  /**
   * What it is a copy of; `undefined` where there is none yet.
   * @throws {Failed} where something else is there
   */
  end(): Promise<CopyEnd | undefined>;
  /** Counts the items. */
  held(): Promise<number>;
  /** @param items as in an export */
  replace(items: AsyncIterable<string | Uint8Array>, end: CopyEnd): Promise<void>;
  /**
   * @throws {CopyDiffers} where the items would then differ in number from `end.total`, or are gone
   * @throws {Failed} where another program has written to it
   */
  apply(changes: LineChanges, end: CopyEnd): Promise<void>;
}

/** The complete lines of a stream. */
export async function* linesOf(
  chunks: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(Buffer.from(chunk))).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** What a JSON text says of a copy, with other values that belong to it; `undefined` if it does not. */
export function endOf(json: string, others: object = {}): CopyEnd | undefined {
  let end: unknown;
  try {
    end = { ...others, ...(JSON.parse(json) as object | null) };
  } catch {
    return undefined;
  }
  const { since, total, list, url, account, filters, synced_at } = end as Record<string, unknown>;
  const isEnd =
    [since, list, url, account, synced_at].every((text) => typeof text === 'string') &&
    Number.isSafeInteger(total) &&
    typeof filters === 'object' &&
    filters !== null;
  return isEnd ? (end as CopyEnd) : undefined;
}

/** The last line of a file, if it is complete. */
async function lastLine(file: FileHandle): Promise<string | undefined> {
  const { size } = await file.stat();
  for (let length = TAIL_BYTES; ; length *= 2) {
    const from = Math.max(0, size - length);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const tail = buffer.subarray(0, bytesRead);
    if (tail.at(-1) !== LINE_END) return undefined;
    const before = tail.lastIndexOf(LINE_END, -2);
    if (before >= 0 || from === 0) return tail.subarray(before + 1, -1).toString();
    if (length > LONGEST_LAST_LINE) return undefined;
  }
}

/**
 * The last line of a copy; `undefined` where there is no file, or an empty one.
 * @throws {Failed} where the file is not a copy
 */
async function readEnd(path: string): Promise<CopyEnd | undefined> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Failed(`${path} cannot be read: ${message}.`, { cause: error });
  }
  try {
    const found = await file.stat();
    if (found.isFile() && found.size === 0) return undefined;
    const end = found.isFile() ? endOf((await lastLine(file)) ?? '') : undefined;
    if (end !== undefined) return end;
  } finally {
    await file.close();
  }
  throw new Failed(
    `${path} is there, and does not end as a copy does that \`sync\` has written. Name another file, or remove it.`,
  );
}

/** The items of a copy differ from the list: something else wrote to its file, or removed it. */
export class CopyDiffers extends Failed {}

export const noLongerThere = () => new CopyDiffers('The copy is not there any more.');
export const writtenByAnother = (path: string) => new Failed(`Another program has written to ${path}.`);

async function openCopy(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? noLongerThere() : error;
  }
}

/**
 * The items of a copy as lines, with changes applied.
 * @param since the token that the changes follow; any if it is left out
 * @throws {CopyDiffers} where they are not in order
 * @throws {Failed} where the copy has another token
 */
async function* changedLines(
  path: string,
  changes: LineChanges,
  since?: string,
): AsyncGenerator<string, void, void> {
  const ids = [...changes.keys()].toSorted((a, b) => a - b);
  let next = 0;
  let last = 0;
  /** New items that come before an item. */
  function* upTo(id: number) {
    for (; next < ids.length && (ids[next] ?? 0) < id; next += 1) {
      const line = changes.get(ids[next] ?? 0);
      if (typeof line === 'string') yield line;
    }
  }
  const file = await openCopy(path);
  try {
    // Of the same open file as the items: another may be moved into its place at any time.
    if (since !== undefined && endOf((await lastLine(file)) ?? '')?.since !== since)
      throw writtenByAnother(path);
    for await (const line of linesOf(file.createReadStream({ autoClose: false, start: 0 }))) {
      const id = itemId(line);
      if (id === undefined) break;
      if (id <= last) throw new CopyDiffers('The copy has an item twice or out of order.');
      last = id;
      yield* upTo(id);
      if (!changes.has(id)) yield line;
    }
    yield* upTo(Number.POSITIVE_INFINITY);
  } finally {
    await file.close();
  }
}

/**
 * Counts the items of a file, whatever its last line says.
 * @throws {CopyDiffers}
 */
async function heldIn(path: string): Promise<number> {
  let held = 0;
  for await (const _line of changedLines(path, new Map())) held += 1;
  return held;
}

/**
 * Replaces a copy; after a failure the old one is still there.
 * @param items as in an export
 */
async function writeCopy(
  path: string,
  items: AsyncIterable<string | Uint8Array>,
  end: CopyEnd,
): Promise<void> {
  await writeWhole(path, { mode: NEW_FILE, keepMode: true }, async (file) => {
    for await (const chunk of inChunks(items)) await file.writeFile(chunk);
    await file.writeFile(`${JSON.stringify(end)}\n`);
  });
}

/**
 * Lines with their ends; their number must be that of the list's items.
 * @throws {CopyDiffers}
 */
async function* wholeList(lines: AsyncIterable<string>, total: number): AsyncGenerator<string, void, void> {
  let held = 0;
  for await (const line of lines) {
    held += 1;
    yield `${line}\n`;
  }
  if (held !== total)
    throw new CopyDiffers(`The copy would hold ${count(held)} items, and the list has ${count(total)}.`);
}

export function fileCopy(path: string): CopyStore {
  /** The token that the copy had when it was last read or written here. */
  let since = '';
  const write = async (items: AsyncIterable<string | Uint8Array>, end: CopyEnd) => {
    await writeCopy(path, items, end);
    since = end.since;
  };
  return {
    async end() {
      const end = await readEnd(path);
      since = end?.since ?? '';
      return end;
    },
    held: () => heldIn(path),
    replace: write,
    apply: (changes, end) => write(wholeList(changedLines(path, changes, since), end.total), end),
  };
}
