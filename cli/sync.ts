// `linecard … sync FILE`: a copy of a list in a file, NDJSON or SQLite. It is made by an export and then
// updated with changes.

import type { ChangesPage } from '@linecard/client';
import { type AnyList, type ListParams, listOf } from '@linecard/client/client/any-list';
import { SINCE_NOW } from '@linecard/client/contract/changes';
import type { Item } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import type { Problem } from '@linecard/client/contract/problems';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { count } from '@linecard/client/contract/wording';
import { connect, type ListCall } from './connect.ts';
import { CopyDiffers, type CopyEnd, type CopyStore, fileCopy, type LineChanges } from './copy-file.ts';
import { oneLine } from './explain.ts';
import { optionName } from './options.ts';
import { Failed, WrongUsage } from './outcome.ts';
import { counted, say } from './print.ts';
import { tracked } from './progress.ts';
import { removeStaleParts } from './whole-file.ts';

/** After this number of rebuilds, another would not help. */
const TRIES = 3;
/** Tokens expire even where nothing changes, so the file is written at least once a day. */
const FRESH_MS = 86_400_000;
const DATABASE = /\.(?:db|sqlite3?)$/i;
const NO_COPY = /\.(?:csv|xlsx|gz|zip|json)$/i;

/** The part of the last line that does not change. */
type CopyOf = Pick<CopyEnd, 'list' | 'url' | 'account' | 'filters' | 'charges'>;

const inOrder = (a: string | number, b: string | number) => (String(a) < String(b) ? -1 : 1);

/** Filters in a canonical form, to compare them. */
function tidied(params: ListParams): ListParams {
  const tidy: ListParams = {};
  for (const [name, value] of Object.entries(params).toSorted(([a], [b]) => inOrder(a, b))) {
    tidy[name] = typeof value === 'object' ? [...new Set(value)].toSorted(inOrder) : value;
  }
  return tidy;
}

function filtersShown(filters: ListParams): string {
  const given = Object.entries(filters).map(([name, value]) => ` --${optionName(name)} ${String(value)}`);
  return given.length === 0 ? 'without filters' : `with${given.join('')}`;
}

function described({ list, url, account, filters, charges }: CopyOf): string[] {
  return [
    `of ${list.replaceAll('_', ' ')}`,
    `from ${url}`,
    `of the account ${account}`,
    filtersShown(filters),
    charges === false ? 'without charges' : 'with charges',
  ];
}

/** @throws {Failed} where the copy is of something else */
function mustBeOf(path: string, end: CopyEnd, wanted: CopyOf): void {
  const shall = described(wanted);
  for (const [i, is] of described(end).entries()) {
    if (is === shall[i]) continue;
    throw new Failed(`${path} is a copy ${is}, and not ${shall[i]}. Name another file, or remove this one.`);
  }
}

/** @throws {WrongUsage} for a path that looks like an option or an export */
function mustBeNamedWell(path: string): void {
  // Of a variable of a script that is not set.
  if (path === '')
    throw new WrongUsage('The file has no name: say where the copy is, such as numbers.ndjson.');
  const [ending] = NO_COPY.exec(path) ?? [];
  if (ending === undefined) return;
  throw new WrongUsage(
    `A copy is NDJSON or SQLite, so "${path}" must not end in ${ending}: call it .ndjson or .db.`,
  );
}

/** Whether the account of a copy has another id now: its history has what the copy was read from. */
async function isRenamed(items: AnyList, { since, filters }: CopyEnd, signal: AbortSignal): Promise<boolean> {
  try {
    await items.changes({ ...filters, since }, { signal });
    return true;
  } catch (error) {
    const { code = '' } = error as Partial<Problem>;
    if (code === 'changes-gone' || code === 'invalid-cursor') return false;
    throw error;
  }
}

type OnWhole = (summary: string, hasChanged: boolean) => boolean;

interface Work {
  readonly path: string;
  readonly copy: CopyStore;
  readonly list: List;
  readonly items: AnyList;
  readonly of: CopyOf;
  readonly signal: AbortSignal;
}

class FileCopy {
  readonly #work: Work;
  /** What the file says of itself, if a copy can continue from it. */
  #end: CopyEnd | undefined;
  /** Whether the items of the file have been counted; written here, they have. */
  #isCounted = false;
  #isRebuilt = false;
  #tries = 0;

  constructor(work: Work, end: CopyEnd | undefined) {
    this.#work = work;
    this.#end = end;
  }

  /** @param onWhole called with a summary each time the copy equals the list; returns whether to continue */
  async run(onWhole: OnWhole): Promise<void> {
    for (;;) {
      this.#tries += 1;
      try {
        return await this.#follow(this.#end ?? (await this.#make()), onWhole);
      } catch (error) {
        if (this.#tries === TRIES || !this.#mayHelp(error)) throw error;
      }
    }
  }

  /** Whether a rebuild may help. */
  #mayHelp(error: unknown): boolean {
    const { code = '', message = '' } = error as Partial<Problem>;
    // The client does not restart an export that stalls after its first row.
    const isBroken = code === 'broken-off' || (code === 'timeout' && this.#end === undefined);
    if (!isBroken && code !== 'changes-gone' && !(error instanceof CopyDiffers)) return false;
    if (!isBroken) this.#end = undefined;
    const why =
      code === 'changes-gone' ? 'What has changed since can no longer be reported.' : oneLine(message);
    const what = this.#end === undefined ? 'Reading all of the list.' : 'Trying again.';
    say(`${this.#work.path}: ${why} ${what}`);
    return true;
  }

  /** Writes the complete list, from one snapshot. */
  async #make(): Promise<CopyEnd> {
    const { copy, items, of, signal } = this.#work;
    let exported = await items.export(of.filters, { signal });
    let { since } = exported;
    if (since === undefined) {
      // The answer to filters too long for a URL has no Link. A token from before it works as well: changes
      // up to the snapshot are then applied twice.
      exported.cancel();
      ({ since } = await items.changes({ ...of.filters, since: SINCE_NOW }, { signal }));
      exported = await items.export(of.filters, { signal });
    }
    this.#isRebuilt = true;
    const { total } = exported;
    const rows = tracked(exported.bytes(), exported, true);
    return this.#write(since, total, (end) => copy.replace(rows, end));
  }

  async #follow(from: CopyEnd, onWhole: OnWhole): Promise<void> {
    const { items, of, signal } = this.#work;
    const changes = new Map<number, string | null>();
    let end = from;
    for await (const page of items.follow({ ...of.filters, since: from.since }, { signal })) {
      for (const { id, item } of page.data) changes.set(id, item === null ? null : JSON.stringify(item));
      if (page.more) continue;
      end = await this.#apply(end, page, changes);
      const goesOn = onWhole(this.#summary(end, changes.size), this.#isRebuilt || changes.size > 0);
      changes.clear();
      this.#isRebuilt = false;
      this.#tries = 0;
      if (!goesOn) return;
    }
  }

  async #apply(end: CopyEnd, { since, total }: ChangesPage<Item>, changes: LineChanges): Promise<CopyEnd> {
    if (changes.size === 0) {
      const held = this.#isCounted ? end.total : await this.#work.copy.held();
      if (held !== total)
        throw new CopyDiffers(`The copy holds ${count(held)} items, and the list has ${count(total)}.`);
      this.#isCounted = true;
      const isFresh = Math.abs(Date.now() - Date.parse(end.synced_at)) < FRESH_MS;
      const isSame = end.total === total && end.account === this.#work.of.account;
      if (isSame && (since === end.since || isFresh)) return end;
    }
    return this.#write(since, total, (next) => this.#work.copy.apply(changes, next));
  }

  async #write(since: string, total: number, write: (end: CopyEnd) => Promise<void>): Promise<CopyEnd> {
    const end = { since, total, ...this.#work.of, synced_at: timestampOf(Date.now()) };
    await write(end);
    this.#end = end;
    this.#isCounted = true;
    return end;
  }

  #summary({ total }: CopyEnd, changes: number): string {
    const { list, path } = this.#work;
    const some =
      changes === 0 ? 'nothing has changed' : `${count(changes)} ${changes === 1 ? 'change' : 'changes'}`;
    return `${counted(total, list)} in ${path}: ${this.#isRebuilt ? 'all of them read' : some}.`;
  }
}

/** Loads SQLite only for a file that is named for it. */
async function copyAt(path: string, list: List): Promise<CopyStore> {
  if (!DATABASE.test(path)) return fileCopy(path);
  const { DatabaseCopy } = await import('./copy-database.ts');
  return new DatabaseCopy(path, list);
}

/**
 * Updates a copy in a file, or creates it.
 * @throws {WrongUsage} {Failed} {Problem} the file is then as it was, or newer
 */
export async function syncFile(
  { list, given, signal }: ListCall,
  path: string,
  params: ListParams,
  watches: boolean,
): Promise<void> {
  mustBeNamedWell(path);
  const copy = await copyAt(path, list);
  const end = await copy.end();
  const { client, url } = await connect(given, watches);
  const { id, token } = await client.account({ signal });
  const charges = token.charges === false ? { charges: false } : {};
  const of = { list: list.name, url, account: id, filters: tidied(params), ...charges };
  const items = listOf(client, list);
  if (end !== undefined && end.account !== id) {
    mustBeOf(path, { ...end, account: id }, of);
    if (await isRenamed(items, end, signal)) say(`The account ${end.account} has the id ${id} now.`);
    else mustBeOf(path, end, of);
  } else if (end !== undefined) mustBeOf(path, end, of);
  await removeStaleParts(path);
  let isFirst = true;
  await new FileCopy({ path, copy, list, items, of, signal }, end).run((summary, hasChanged) => {
    if (isFirst || hasChanged) say(summary);
    if (isFirst && watches) say('Waiting for changes; Ctrl-C ends it.');
    isFirst = false;
    return watches;
  });
}
