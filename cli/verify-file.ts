// `linecard verify FILE`: whether a copy that `sync` has written is the list. What it proves: the file and
// its token lead, by what has changed since, to the very bytes that an export has now.

import { existsSync } from 'node:fs';
import { lists } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import { count } from '@linecard/client/contract/wording';
import type { AccountList, Connection } from './connect.ts';
import { CopyDiffers, type CopyEnd, changedLines, linesOf, readEnd } from './copy-file.ts';
import { Failed, WrongUsage } from './outcome.ts';
import { counted, print, say } from './print.ts';
import { mustBeOf } from './sync.ts';

/** A list may change between two requests; one that never agrees is another matter. */
const TRIES = 3;
const ID = /^\{"id":(\d+)/;

/** @throws {WrongUsage} where something is neither a list nor a file */
export function mustBeCopies(files: readonly string[], known: readonly string[]): void {
  const missing = files.find((file) => !existsSync(file));
  if (missing === undefined) return;
  throw new WrongUsage(`There is no list ${missing} and no such file; there are ${known.join(' and ')}.`);
}

/** What has changed since a copy was written; `undefined` where that can no longer be reported. */
async function changesSince(
  items: AccountList,
  { since, filters }: CopyEnd,
  signal: AbortSignal,
): Promise<Map<number, string | null> | undefined> {
  const changes = new Map<number, string | null>();
  try {
    for await (const { data, more } of items.follow({ ...filters, since }, { signal })) {
      for (const { id, item } of data) changes.set(id, item === null ? null : JSON.stringify(item));
      if (!more) break;
    }
  } catch (error) {
    if (error instanceof Problem && error.code === 'changes-gone') return undefined;
    throw error;
  }
  return changes;
}

interface Comparison {
  readonly held: number;
  /** Where the two part ways; `undefined` where they are the same. */
  readonly difference: string | undefined;
}

const itemOf = (line: string | undefined) =>
  line === undefined ? 'its end' : `id ${ID.exec(line)?.[1] ?? '?'}`;

/** How a line of a copy and the row in its place differ. */
function differing(line: string, row: string | undefined): string {
  const [held, listed] = [itemOf(line), itemOf(row)];
  return held === listed
    ? `the values of ${held} are others than in the list`
    : `the copy has ${held} and the list ${listed}`;
}

/** Walks the lines of a copy and of an export side by side. */
async function compare(
  copy: AsyncIterable<string>,
  exported: AsyncGenerator<string, void, void>,
): Promise<Comparison> {
  const nextRow = async () => (await exported.next()).value ?? undefined;
  let held = 0;
  let difference: string | undefined;
  try {
    for await (const line of copy) {
      held += 1;
      if (difference !== undefined) continue;
      const row = await nextRow();
      if (row !== line) difference = `at item ${count(held)} ${differing(line, row)}`;
    }
    const rest = difference === undefined ? await nextRow() : undefined;
    if (rest !== undefined) difference = `the copy ends before ${itemOf(rest)}`;
  } catch (error) {
    if (!(error instanceof CopyDiffers)) throw error;
    difference ??= `behind item ${count(held)} it has one twice or out of order`;
  } finally {
    await exported.return();
  }
  return { held, difference };
}

/** One comparison of a copy with the list as it is now. */
async function compareNow(path: string, end: CopyEnd, items: AccountList, signal: AbortSignal) {
  const changes = await changesSince(items, end, signal);
  const exported = await items.export(end.filters, { signal });
  const lines = changedLines(path, changes ?? new Map());
  const { held, difference } = await compare(lines, linesOf(exported.bytes()));
  return { held, difference, changes: changes?.size };
}

/**
 * Verifies a copy and prints what was found.
 * @returns whether it is the list, with what has changed since.
 * @throws {Failed} {Problem}
 */
export async function verifyFile(
  path: string,
  connection: (list: List) => Promise<Connection>,
  signal: AbortSignal,
): Promise<boolean> {
  const end = await readEnd(path);
  const list = Object.values<List>(lists).find(({ name }) => name === end?.list);
  if (end === undefined || list === undefined)
    throw new Failed(`${path} is no copy that \`sync\` has written.`);
  const connected = await connection(list);
  const { items, url } = connected;
  const { id } = await connected.account({ signal });
  mustBeOf(path, end, { list: list.name, url, account: id, filters: end.filters });
  for (let tries = 1; ; tries += 1) {
    const { held, difference, changes } = await compareNow(path, end, items, signal);
    if (difference === undefined) {
      const behind =
        changes === undefined || changes === 0 ? '' : ` with the ${count(changes)} changed since`;
      await print([`${path}: ${counted(held, list)}${behind}, byte for byte the list as it is now.\n`]);
      return true;
    }
    if (changes === undefined) {
      const why = 'what has changed since it was written can no longer be reported';
      await print([`${path}: not the list as it is now, and ${why}: \`sync\` makes it anew.\n`]);
      return false;
    }
    if (tries === TRIES) {
      await print([`${path}: not the list: ${difference}.\n`]);
      return false;
    }
    say(`${path}: ${difference}. The list may have changed meanwhile: comparing again.`);
  }
}
