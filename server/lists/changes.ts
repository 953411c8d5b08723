// What has changed in a list since a token (docs/api.md, "Changes"), page by page or in one stream.
//
// A copy is brought up to date in passes. Without a token, a walk over the whole list by id; from then on,
// the entries of the log behind `base`. Each page carries items as they are now and not as they were, so a
// page of entries is one read, and applying one twice is harmless. A pass that comes to its end has returned
// everything up to the sequence of its last answer: what changes during a walk stands behind its base in the
// log, and is read by the pass that follows. A list that was filled since `base` when it had been empty has
// no entries of that: a walk comes behind the pass.
//
// Revision, log, items and total of a page are from one snapshot, and so is everything of a stream.

import { MAX_INTEGER } from '@linecard/client/contract';
import { SINCE_NOW } from '@linecard/client/contract/changes';
import { Problem } from '@linecard/client/contract/problems';
import type { Query } from '@linecard/client/contract/query';
import { changesStatement } from '../store/change-statements.ts';
import { changesHeadStatement } from '../store/heads.ts';
import { rowsStatement, type Selection } from '../store/sql.ts';
import type { ResultRow, Snapshot, Store } from '../store/store.ts';
import type { Table } from '../store/tables.ts';
import { invalidToken } from '../store/tokens.ts';
import {
  type ChangePosition,
  type ChangeToken,
  readToken,
  type TokenScope,
  tokenScope,
  writeToken,
} from './change-token.ts';
import { projectionOf } from './fields.ts';
import { BY_ID, selectionOf } from './plan.ts';
import { isOfHistory, readingAt } from './reading.ts';

/** A page of changes as it leaves, and what its headers need. */
export interface ChangesPage {
  /** Of a worker thread as UTF-8. */
  readonly body: string | Uint8Array;
  readonly revision: string;
  /** There is nothing in it, and nothing to go on with. */
  readonly isEmpty: boolean;
}

/** How many items match at a revision, where that is known already. */
export interface KnownTotal {
  readonly revision: string;
  readonly total: number;
}

/** What is read of the account and of the log's state. */
interface Head {
  readonly revision: string;
  readonly total: number;
  readonly sequence: number;
  readonly revisionAtSeen: string | null;
  readonly oldest: number;
  readonly newest: number;
  readonly pruned: number;
  readonly rebuilt: number;
  readonly filled: number;
}

/** One read of changes: the texts of their lines, and how to go on. */
export interface Step {
  readonly head: Head;
  readonly lines: readonly string[];
  readonly token: ChangeToken;
  readonly more: boolean;
}

/** What is requested, before anything is read. */
export interface ChangesRequest {
  readonly selection: Selection;
  readonly scope: TokenScope;
  readonly since: ChangeToken | typeof SINCE_NOW | undefined;
  readonly page_size: number;
  readonly project: (item: string) => string;
}

type Reads = Pick<Snapshot, 'read'>;

function headOf([row]: readonly ResultRow[]): Head {
  if (row === undefined) throw invalidToken();
  const [revision, , , revisionAtSeen] = row as [string, unknown, unknown, string | null];
  const [total, sequence] = [Number(row[1]), Number(row[2])];
  const [oldest = sequence, newest = 0, pruned = 0, rebuilt = 0, filled = 0] = row
    .slice(4)
    .map((value) => (value === null ? undefined : Number(value)));
  return { revision, total, sequence, revisionAtSeen, oldest, newest, pruned, rebuilt, filled };
}

/** @throws {Problem} `changes-gone`, where what a token lacks can no longer be reported. */
function mustBeKnown(token: ChangeToken, head: Head): void {
  const gone = (why: string) => new Problem('changes-gone', `${why} Take the whole list again.`);
  if (!isOfHistory(token, head, head.revisionAtSeen)) {
    if (token.seen < head.oldest) throw gone('The token is older than the changes that are retained.');
    throw gone('The database was restored from a backup that is older than this token.');
  }
  if (token.base < head.rebuilt) throw gone('The list was rebuilt at once since this token.');
  if (token.base < head.pruned) throw gone('The token is older than the changes that are retained.');
}

const lineOf = (id: unknown, item: string) => `{"id":${String(id)},"item":${item}}`;

/** Where a walk goes on: behind the rows of a page, if there are more, else with what changed meanwhile. */
function afterWalk(head: Head, base: number, rows: readonly ResultRow[], page_size: number) {
  const last = rows.length > page_size ? rows[page_size - 1] : undefined;
  if (last !== undefined) return { token: { ...readingAt(head, base), place: Number(last[1]) }, more: true };
  const more = head.newest > base || head.filled > base;
  return { token: readingAt(head, more ? base : head.sequence), more };
}

/** The same for a pass over the log. */
function afterEntries(head: Head, base: number, entries: readonly ResultRow[], page_size: number) {
  const isFilled = base < head.filled;
  const last = entries.length > page_size ? entries[page_size - 1] : undefined;
  if (last === undefined) {
    const token: ChangeToken = readingAt(head, head.sequence);
    return { token: isFilled ? { ...token, place: 0 } : token, more: isFilled };
  }
  const place: ChangePosition = [Number(last[0]), Number(last[1])];
  // What is filled is returned by a walk behind the pass, which the base must not forget before.
  return { token: { ...readingAt(head, isFilled ? base : place[0] - 1), place }, more: true };
}

async function walk(
  reads: Reads,
  store: Store,
  request: ChangesRequest,
  token: ChangeToken | undefined,
): Promise<Step> {
  const { selection, page_size, project } = request;
  const { dialect } = store;
  const id = Number(token?.place ?? 0);
  const plan = { ...selection, order: BY_ID, limit: page_size + 1, after: { key: null, id } };
  const [heads, rows] = await reads.read(
    changesHeadStatement(dialect, selection, token?.seen ?? 0),
    rowsStatement(dialect, plan),
  );
  const head = headOf(heads);
  if (token !== undefined) mustBeKnown(token, head);
  const lines = rows.slice(0, page_size).map(([item, of]) => lineOf(of, project(item as string)));
  return { head, lines, ...afterWalk(head, token?.base ?? head.sequence, rows, page_size) };
}

async function readEntries(
  reads: Reads,
  store: Store,
  request: ChangesRequest,
  token: ChangeToken,
): Promise<Step> {
  const { selection, page_size, project } = request;
  const { dialect } = store;
  const { base, place = [base, MAX_INTEGER] } = token;
  const range = { after: place as readonly [number, number], limit: page_size + 1 };
  const [heads, entries] = await reads.read(
    changesHeadStatement(dialect, selection, token.seen),
    changesStatement(dialect, selection, range),
  );
  const head = headOf(heads);
  mustBeKnown(token, head);
  // An item that changed again and again is returned once a page.
  const items = new Map(entries.slice(0, page_size).map(([, id, item]) => [id, item as string | null]));
  const lines = Array.from(items, ([id, item]) => lineOf(id, item === null ? 'null' : project(item)));
  return { head, lines, ...afterEntries(head, base, entries, page_size) };
}

async function onlyToken(reads: Reads, { dialect }: Store, { selection }: ChangesRequest): Promise<Step> {
  const [heads] = await reads.read(changesHeadStatement(dialect, selection, 0));
  const head = headOf(heads);
  return { head, lines: [], token: readingAt(head, head.sequence), more: false };
}

/**
 * Reads on from a token, as much as a page holds.
 * @throws {Problem} `changes-gone`
 */
export function step(reads: Reads, store: Store, request: ChangesRequest): Promise<Step> {
  const { since } = request;
  if (since === SINCE_NOW) return onlyToken(reads, store, request);
  if (since === undefined || typeof since.place === 'number') return walk(reads, store, request, since);
  return readEntries(reads, store, request, since);
}

/** @throws {Problem} `invalid-cursor` */
export function requestOf(cursorKey: string, table: Table, account_id: string, query: Query): ChangesRequest {
  const scope = tokenScope(table, account_id, query);
  const { since, page_size, fields } = query;
  return {
    selection: selectionOf(table, account_id, query),
    scope,
    since: since === undefined || since === SINCE_NOW ? since : readToken(cursorKey, scope, since),
    page_size,
    project: projectionOf(table.list, fields),
  };
}

/**
 * A page of changes.
 * @param known spares counting what matches, where it is of the revision that is read.
 * @throws {Problem} `invalid-cursor`, `changes-gone`
 * @throws {StoreUnavailable}
 */
export async function changesPage(
  store: Store,
  cursorKey: string,
  table: Table,
  account_id: string,
  query: Query,
  known?: KnownTotal,
): Promise<ChangesPage | undefined> {
  const request = requestOf(cursorKey, table, account_id, query);
  // The total of the whole list costs nothing; it is not what is answered.
  const uncounted = known && { ...request, selection: { ...request.selection, whole: true } };
  let read = await step(store, store, uncounted ?? request);
  // A page of nothing but how to go on is gone on from at once.
  while (read.more && read.lines.length === 0)
    read = await step(store, store, { ...(uncounted ?? request), since: read.token });
  const { head, lines, token, more } = read;
  if (known !== undefined && known.revision !== head.revision) return undefined;
  const total = known?.total ?? head.total;
  const since = writeToken(cursorKey, request.scope, token);
  const body = `{"data":[${lines.join(',')}],"since":"${since}","more":${String(more)},"total":${total}}`;
  return { body, revision: head.revision, isEmpty: lines.length === 0 && !more };
}
