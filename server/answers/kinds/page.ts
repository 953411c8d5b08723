// A page of a list: query -> plan -> statements -> envelope.
//
// Why one snapshot: the revision, the total and the rows are read together, so that they agree and the ETag
// always matches the body. They are two statements, because in one transaction of SQLite the pair costs half
// of the best single statement.
//
// Why the tie-break: every order ends with the id, in the direction of the sort, and is therefore total.
// Descending is ascending reversed, and a walk over the pages returns every row once.
//
// Why the cursor (keyset pagination): a page number counts rows, so rows that are inserted or deleted before
// it shift the page, and the database reads all rows that it skips. A cursor contains the sort key and id of
// the last row; the next page starts after it.
//
// Why the index: filters, orders and searches of a large account read all of its rows. An index in memory
// determines the ids and the total of a page; the database returns only those rows, with the revision. If
// that is not the revision of the index, the page is computed again without it.

import { formatSelection, type Query } from '@linecard/client/contract/query';
import { inStepsFromNow } from '../../limits/steps.ts';
import type { FoundRows } from '../../list-index/list-index.ts';
import { monitorOf } from '../../lists/change-token.ts';
import {
  type CursorScope,
  digestOf,
  invalidCursor,
  type Position,
  readCursor,
  standsOn,
  writeCursor,
} from '../../lists/cursor.ts';
import { projectionOf } from '../../lists/fields.ts';
import { planOf } from '../../lists/plan.ts';
import { type Reading, readingOfPages } from '../../lists/reading.ts';
import { headStatement, revisionStatement } from '../../store/lists/heads.ts';
import { keyStatement, type Plan, rowsByIdStatement, rowsStatement } from '../../store/sql.ts';
import type { ItemRow, Table } from '../../store/tables.ts';
import { type Answer, jsonAnswer, type PageLinks, pageLink } from '../answer.ts';
import { type Engine, type IndexHint, itemBytesOf, notTooLong, pathOf, tableOf } from '../engine.ts';
import { fieldsOf, knownRow, type ListQuestion } from '../question.ts';

const START = '{"data":[';

interface PageRequest {
  readonly table: Table;
  readonly query: Query;
  readonly scope: CursorScope;
  /** Matches from the start of the page; after a cursor, to the first row after it. */
  readonly plan: Plan;
  readonly page: number;
  readonly position: Position | undefined;
  readonly selection: string;
}

interface ItemLinks extends Omit<PageLinks, 'next'> {
  /** Of the next page; absent on the last page. */
  readonly cursor: string | undefined;
}

interface PageHead {
  readonly revision: string;
  readonly total: number;
  readonly reading: Reading | undefined;
}

/** @throws {Problem} `invalid-cursor` if the cursor belongs to another query. */
export function requestOf(engine: Engine, question: ListQuestion): PageRequest {
  const { cursorKey } = engine;
  const { query, owner } = question;
  const { account_id } = owner;
  const table = tableOf(question);
  // `fields` may change between the pages of a walk.
  const { fields, ...scoped } = query;
  const { page_size } = query;
  const scope = { account_id, list: table.list.name, selection: formatSelection(scoped), page_size };
  const selection = fields === undefined ? scope.selection : formatSelection(query);
  const position = query.cursor === undefined ? undefined : readCursor(cursorKey, scope, query.cursor);
  const offset = Math.min((query.page - 1) * page_size, Number.MAX_SAFE_INTEGER);
  const plan: Plan = {
    ...planOf(table, account_id, query),
    itemBytes: itemBytesOf(engine, page_size),
    // After a cursor, one row more than the page shows whether another page follows; else the total does.
    ...(position === undefined ? { offset, limit: page_size } : { limit: page_size + 1 }),
  };
  if (position !== undefined) mustBeKey(table, plan, position);
  return { table, query, scope, plan, page: position?.page ?? query.page, position, selection };
}

/** @throws {Problem} `invalid-cursor` if it was made by a version that folded text in another way. */
function mustBeKey({ columns }: Table, { order }: Plan, { key }: Position): void {
  if (typeof key !== 'string') return;
  const column = columns.find(({ name }) => name === order.column);
  if (column !== undefined && column.derive(key) !== key)
    throw invalidCursor('The cursor was made before the service was upgraded.');
}

/**
 * A page of a query. With an index, `undefined` if it is outdated or does not contain the row of the cursor.
 * @throws {Problem} `invalid-cursor`
 */
export async function readPage(
  engine: Engine,
  question: ListQuestion,
  index?: IndexHint,
): Promise<Answer | undefined> {
  const request = requestOf(engine, question);
  if (index !== undefined) return readByIndex(engine, question, request, index);
  const { table, position } = request;
  const { store } = engine;
  const plan =
    position === undefined
      ? request.plan
      : { ...request.plan, after: await rowBefore(engine, request, position) };
  const [[row], rows] = await store.read(
    headStatement(store.dialect, plan, position?.reading?.seen),
    rowsStatement(store.dialect, plan),
  );
  const [revision, total, sequence, revisionAtSeen] = knownRow(row) as [string, number, number, string?];
  const now = { revision, sequence: Number(sequence), shape: table.own?.shape };
  const reading = readingOfPages(position, now, revisionAtSeen);
  return pageOf(engine, question, request, { revision, reading, total }, rows);
}

/** The rows of a page according to an index, for another thread; `undefined` if it cannot find them. */
export function findPage(
  engine: Engine,
  question: ListQuestion,
  index: IndexHint,
): Promise<FoundRows | undefined> {
  const { plan, position } = requestOf(engine, question);
  return inStepsFromNow(plan.account_id, index.find(plan, position?.id));
}

async function readByIndex(
  engine: Engine,
  question: ListQuestion,
  request: PageRequest,
  index: IndexHint,
): Promise<Answer | undefined> {
  const { table, plan, position, scope } = request;
  const { store } = engine;
  const { dialect } = store;
  const found = await inStepsFromNow(plan.account_id, index.find(plan, position?.id));
  if (found === undefined) return undefined;
  const [[account], unordered, ...keys] = await store.read(
    revisionStatement(scope.account_id, position?.reading?.seen),
    rowsByIdStatement(dialect, plan, found.ids, plan.order.column),
    ...(position === undefined ? [] : [keyStatement(dialect, plan, position.id)]),
  );
  const [revision, sequence, revisionAtSeen] = (account ?? []) as [string?, number?, string?];
  if (revision !== index.revision || unordered.length !== found.ids.length) return undefined;
  if (position !== undefined && !standsOn(position, plan, keys[0]?.[0]?.[0])) return undefined;
  const byId = new Map(unordered.map((row) => [row[1], row]));
  const rows = found.ids.map((id) => byId.get(id) as ItemRow);
  const now = { revision, sequence: Number(sequence), shape: table.own?.shape };
  const reading = readingOfPages(position, now, revisionAtSeen);
  return pageOf(engine, question, request, { revision, reading, total: found.total }, rows);
}

/** The row before a page with its complete sort key, of which the cursor may contain only a digest. */
async function rowBefore(
  { store }: Engine,
  { plan }: PageRequest,
  { id, key }: Position,
): Promise<NonNullable<Plan['after']>> {
  if (typeof key !== 'object' || key === null) return { id, key };
  const [[row]] = await store.read(keyStatement(store.dialect, plan, id));
  const current = row?.[0];
  if (typeof current === 'string' && digestOf(current) === key.digest) return { id, key: current };
  throw invalidCursor('The item that the cursor refers to was changed or deleted.');
}

function headersOf(engine: Engine, question: ListQuestion, links: ItemLinks): Answer['headers'] {
  const { cursor, ...others } = links;
  if (question.isInBody) return cursor === undefined ? {} : { 'next-cursor': cursor };
  const next = cursor && `cursor=${cursor}`;
  const link = pageLink(pathOf(engine, question), { ...others, next });
  return link === '' ? {} : { link };
}

function pageOf(
  engine: Engine,
  question: ListQuestion,
  request: PageRequest,
  { revision, reading, total }: PageHead,
  rows: readonly ItemRow[],
): Answer {
  const { table, query, scope, page, position, selection } = request;
  const { page_size, account_id } = scope;
  const project = projectionOf(table.list, fieldsOf(question));
  const items = rows.length > page_size ? rows.slice(0, page_size) : rows;
  const total_pages = Math.ceil(total / page_size);
  const isLast = position === undefined ? page >= total_pages : rows.length <= page_size;
  const last = isLast ? undefined : items.at(-1);
  const texts = items.map((row) => project(notTooLong(row[0])));
  const { cursorKey } = engine;
  const links = {
    page,
    page_size,
    total_pages,
    selection,
    cursor: last && cursorAfter(cursorKey, scope, last, { page: page + 1, reading, shape: table.own?.shape }),
    monitor: reading && monitorOf(cursorKey, table, account_id, query, reading),
  };
  const end = `],"page":${page},"page_size":${page_size},"total":${total},"total_pages":${total_pages}}`;
  const body = engine.isRequestThread ? `${START}${texts.join(',')}${end}` : bytesOf(texts, end);
  return jsonAnswer(question, revision, body, { headers: headersOf(engine, question, links) });
}

/** The body as bytes, without the page as a string: a worker thread needs half the memory for long items. */
function bytesOf(texts: readonly string[], end: string): Uint8Array {
  let length = START.length + Math.max(0, texts.length - 1) + Buffer.byteLength(end);
  for (const text of texts) length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = bytes.write(START);
  for (const [i, text] of texts.entries()) {
    if (i > 0) at += bytes.write(',', at);
    at += bytes.write(text, at);
  }
  bytes.write(end, at);
  return bytes;
}

function cursorAfter(
  cursorKey: string,
  scope: CursorScope,
  [, id, key = null]: ItemRow,
  of: Omit<Position, 'key' | 'id'>,
): string {
  return writeCursor(cursorKey, scope, { ...of, key, id });
}
