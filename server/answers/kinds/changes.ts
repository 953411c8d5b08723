// The changes of a list since a token (docs/generated/api.md, "Changes").
//
// A copy is brought up to date in passes: without a token, a walk over the complete list by id; then over the
// entries of the change log after `base`. Pages contain items as they are now, not as they were, so a page of
// entries is one read and applying an item twice is harmless. When a pass ends, the copy has everything up to
// the sequence of its last page: items that change during a walk have log entries after its base, which the
// next pass reads. A list that was empty at `base` and filled since has no entries for that, so the pass is
// followed by a walk.
//
// The revision, log, items and total of a page, and all of a stream, are from one snapshot.

import { MAX_INTEGER } from '@linecard/client/contract';
import { SINCE_NOW } from '@linecard/client/contract/changes';
import { Problem } from '@linecard/client/contract/problems';
import { formatSelection } from '@linecard/client/contract/query';
import { inStepsFromNow } from '../../limits/steps.ts';
import type { FoundRows } from '../../list-index/list-index.ts';
import {
  type ChangePosition,
  type ChangeToken,
  invalidToken,
  readToken,
  type TokenScope,
  tokenScope,
  writeToken,
} from '../../lists/change-token.ts';
import { type Projection, projectionOf } from '../../lists/fields.ts';
import { BY_ID, planOf, selectionOf } from '../../lists/plan.ts';
import { isOfHistory, readingAt } from '../../lists/reading.ts';
import { changesHeadStatement } from '../../store/lists/heads.ts';
import { declaredStatement, settlesAt } from '../../store/lists/own-fields.ts';
import { changesStatement } from '../../store/log/change-log.ts';
import { rowsStatement, type Selection } from '../../store/sql.ts';
import type { ReadOnlyStore, ResultRow, Snapshot } from '../../store/store.ts';
import { type Answer, collectionLink, jsonAnswer } from '../answer.ts';
import { type Engine, type IndexHint, itemBytesOf, notTooLong, pathOf, tableOf } from '../engine.ts';
import { fieldsOf, knownRow, type ListQuestion, type StreamQuestion } from '../question.ts';

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

export interface Step {
  readonly head: Head;
  readonly lines: readonly string[];
  readonly token: ChangeToken;
  readonly more: boolean;
}

export interface ChangesRequest {
  readonly selection: Selection;
  readonly scope: TokenScope;
  readonly since: ChangeToken | typeof SINCE_NOW | undefined;
  readonly page_size: number;
  readonly project: Projection;
  /** The `Link` header to the list, for tokens that are too old. */
  readonly link: () => Readonly<Record<string, string>>;
}

type Reads = Pick<Snapshot, 'read'>;

function headOf([found]: readonly ResultRow[]): Head {
  const row = knownRow(found);
  const [revision, , , revisionAtSeen] = row as [string, unknown, unknown, string | null];
  const [total, sequence] = [Number(row[1]), Number(row[2])];
  const [oldest = sequence, newest = 0, pruned = 0, rebuilt = 0, filled = 0] = row
    .slice(4)
    .map((value) => (value === null ? undefined : Number(value)));
  return { revision, total, sequence, revisionAtSeen, oldest, newest, pruned, rebuilt, filled };
}

/** @throws {Problem} `changes-gone` if changes since the token are no longer known; `invalid-cursor` */
function mustBeKnown(token: ChangeToken, head: Head, link: ChangesRequest['link']): void {
  const gone = (why: string) =>
    new Problem('changes-gone', `${why} Take the whole list again.`, { headers: link() });
  if (!isOfHistory(token, head, head.revisionAtSeen)) {
    if (token.isOfOtherId === true) throw invalidToken();
    if (token.seen < head.oldest) throw gone('The token is older than the changes that are retained.');
    throw gone('The database was restored from a backup that is older than this token.');
  }
  if (token.hadOtherFields === true) throw gone('The fields of the list have changed since this token.');
  if (token.base < head.rebuilt) throw gone('The list was rebuilt at once since this token.');
  if (token.base < head.pruned) throw gone('The token is older than the changes that are retained.');
}

const lineOf = (id: unknown, item: string) => `{"id":${String(id)},"item":${item}}`;

/** After a page of a walk: the next page, or else the changes since the walk began. */
function afterWalk(head: Head, base: number, rows: readonly (readonly unknown[])[], page_size: number) {
  const last = rows.length > page_size ? rows[page_size - 1] : undefined;
  if (last !== undefined)
    return { token: { ...readingAt(head, base), position: Number(last[1]) }, more: true };
  const more = head.newest > base || head.filled > base;
  return { token: readingAt(head, more ? base : head.sequence), more };
}

/** After a page of log entries: the next page, or else a walk if the list was filled. */
function afterEntries(head: Head, base: number, entries: readonly (readonly unknown[])[], page_size: number) {
  const isFilled = base < head.filled;
  const last = entries.length > page_size ? entries[page_size - 1] : undefined;
  if (last === undefined) {
    const token: ChangeToken = readingAt(head, head.sequence);
    return { token: isFilled ? { ...token, position: 0 } : token, more: isFilled };
  }
  const position: ChangePosition = [Number(last[0]), Number(last[1])];
  // The walk that follows needs log entries since `base`, so it must not advance.
  return { token: { ...readingAt(head, isFilled ? base : position[0] - 1), position }, more: true };
}

async function walk(
  reads: Reads,
  store: ReadOnlyStore,
  request: ChangesRequest,
  token: ChangeToken | undefined,
): Promise<Step> {
  const { selection, page_size, project } = request;
  const { dialect } = store;
  const id = Number(token?.position ?? 0);
  const plan = { ...selection, order: BY_ID, limit: page_size + 1, after: { key: null, id } };
  const [heads, rows] = await reads.read(
    changesHeadStatement(dialect, selection, token?.seen ?? 0),
    rowsStatement(dialect, plan),
  );
  const head = headOf(heads);
  if (token !== undefined) mustBeKnown(token, head, request.link);
  const lines = rows.slice(0, page_size).map(([item, of]) => lineOf(of, project(notTooLong(item))));
  return { head, lines, ...afterWalk(head, token?.base ?? head.sequence, rows, page_size) };
}

async function readEntries(
  reads: Reads,
  store: ReadOnlyStore,
  request: ChangesRequest,
  token: ChangeToken,
): Promise<Step> {
  const { selection, page_size, project } = request;
  const { dialect } = store;
  const { base, position = [base, MAX_INTEGER] } = token;
  const range = { after: position as readonly [number, number], limit: page_size + 1 };
  const [heads, entries] = await reads.read(
    changesHeadStatement(dialect, selection, token.seen),
    changesStatement(dialect, selection, range),
  );
  const head = headOf(heads);
  mustBeKnown(token, head, request.link);
  // An item that changed several times appears once per page.
  const items = new Map(entries.slice(0, page_size).map(([, id, item]) => [id, item]));
  const lines = Array.from(items, ([id, item]) =>
    lineOf(id, item === null ? 'null' : project(notTooLong(item))),
  );
  return { head, lines, ...afterEntries(head, base, entries, page_size) };
}

/** A copy of the list may be read elsewhere, by a process that has not noticed which fields it has now. */
async function onlyToken(
  reads: Reads,
  { dialect }: ReadOnlyStore,
  { selection, scope }: ChangesRequest,
): Promise<Step> {
  const head = changesHeadStatement(dialect, selection, 0);
  const [heads, declared] = await reads.read(head, declaredStatement(scope.list));
  const now = headOf(heads);
  const token = { ...readingAt(now, now.sequence), settlesAt: settlesAt(declared) };
  return { head: now, lines: [], token, more: false };
}

/** Whether it reads the list, and not the log of its changes. */
export const isWalk = ({ since }: Pick<ChangesRequest, 'since'>) =>
  since === undefined || (since !== SINCE_NOW && typeof since.position === 'number');

/** @throws {Problem} `changes-gone` */
export async function step(reads: Reads, store: ReadOnlyStore, request: ChangesRequest): Promise<Step> {
  const { since } = request;
  if (since === SINCE_NOW) return onlyToken(reads, store, request);
  if (since === undefined) return walk(reads, store, request, since);
  const read = typeof since.position === 'number' ? walk : readEntries;
  const next = await read(reads, store, request, since);
  return { ...next, token: { ...next.token, settlesAt: since.settlesAt } };
}

/** @throws {Problem} `invalid-cursor` */
export function requestOf(engine: Engine, question: ListQuestion | StreamQuestion): ChangesRequest {
  const { query, owner } = question;
  const table = tableOf(question);
  const scope = tokenScope(table, owner.account_id, query);
  const { since, page_size } = query;
  return {
    selection: { ...selectionOf(table, owner.account_id, query), itemBytes: itemBytesOf(engine, page_size) },
    scope,
    since: since === undefined || since === SINCE_NOW ? since : readToken(engine.cursorKey, scope, since),
    page_size,
    project: projectionOf(table.list, fieldsOf(question)),
    // Links cannot contain filters from a body.
    link: () =>
      question.isInBody ? {} : { link: collectionLink(pathOf(engine, question), formatSelection(query)) },
  };
}

export function countMatching(
  _: Engine,
  question: ListQuestion,
  index: IndexHint,
): Promise<FoundRows | undefined> {
  const plan = planOf(tableOf(question), question.owner.account_id, question.query);
  return inStepsFromNow(plan.account_id, index.find({ ...plan, limit: 0 }));
}

/**
 * A page of changes. An index saves counting the matches; `undefined` if it cannot or is outdated.
 * @throws {Problem} `invalid-cursor`, `changes-gone`
 */
export async function readChanges(
  engine: Engine,
  question: ListQuestion,
  index?: IndexHint,
): Promise<Answer | undefined> {
  const { store, cursorKey } = engine;
  const known = index && (await countMatching(engine, question, index));
  if (index !== undefined && known === undefined) return undefined;
  const { selection, ...rest } = requestOf(engine, question);
  // With an index, the stored total of the unfiltered list is read, which costs nothing, and ignored.
  const request = { ...rest, selection: known === undefined ? selection : { ...selection, whole: true } };
  let read = await step(store, store, request);
  // A page without changes that is not the last is followed immediately.
  while (read.more && read.lines.length === 0)
    read = await step(store, store, { ...request, since: read.token });
  const { head, lines, token, more } = read;
  const { revision } = head;
  if (index !== undefined && index.revision !== revision) return undefined;
  const since = writeToken(cursorKey, request.scope, token);
  const total = known?.total ?? head.total;
  const body = `{"data":[${lines.join(',')}],"since":"${since}","more":${String(more)},"total":${total}}`;
  const isRequested = question.query.since !== undefined && question.query.since !== SINCE_NOW;
  const isOfBody = token.settlesAt !== undefined;
  return {
    ...jsonAnswer(question, revision, body, { isOfBody }),
    isEmpty: isRequested && lines.length === 0 && !more,
  };
}
