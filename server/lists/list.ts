// THE ENGINE: list + account + query -> plan -> statements -> page.
//
// Why one snapshot: the account's revision, the total and the rows are read together, so a page never says
// "46 in all" over rows of another snapshot, and its ETag is never newer or older than its body. They are two
// plain statements rather than one that joins them: in one transaction of SQLite the pair costs half of the
// best single statement.
//
// Why the tie-break: every order ends with the id, in the direction of the sort. So every order is total,
// descending is ascending reversed, and a walk over the pages gives every row once.
//
// Why the cursor (keyset pagination): a page number counts rows, so a row that comes or goes before it shifts
// what follows, and the database walks all that it skips. A cursor names the last row seen, by sort key and
// id: the next page starts behind it.
//
// Why the index: a filter, an order or a search of a large account looks at all of its rows. Where an index
// of the account is in memory, it says which rows are on the page and how many match; the database only gives
// out those rows, and the revision with them: where that is another than the index was made at, the page is
// worked out anew without it.

import { formatSelection, type Query } from '@linecard/client/contract/query';
import { type Awaitable, andThen } from '../awaitable.ts';
import type { FoundRows, ListIndex } from '../list-index/list-index.ts';
import { headStatement, revisionStatement } from '../store/heads.ts';
import { keyStatement, type Plan, rowsByIdStatement, rowsStatement } from '../store/sql.ts';
import type { ResultRow, Store } from '../store/store.ts';
import type { Table } from '../store/tables.ts';
import { invalidToken } from '../store/tokens.ts';
import { monitorOf } from './change-token.ts';
import {
  type CursorScope,
  digestOf,
  invalidCursor,
  type Position,
  readCursor,
  standsOn,
  writeCursor,
} from './cursor.ts';
import { projectionOf } from './fields.ts';
import { envelopeText, type Page } from './page.ts';
import { BY_ID, planOf, selectionOf } from './plan.ts';
import { type Reading, readingOfPages } from './reading.ts';

/** The rows of a page as an index of this revision has found them. */
export type FoundPage = FoundRows & Pick<ListIndex, 'revision'>;

/** One item as JSON text, and the revision at which the account has it, or has none of that id. */
export interface FoundItem {
  readonly text: string | undefined;
  readonly revision: string;
}

/** What a page is read by, before anything is read. */
interface PageRequest {
  readonly table: Table;
  readonly query: Query;
  readonly scope: CursorScope;
  /** All that matches, from the page's start on and as far as its first row too many. */
  readonly plan: Plan;
  readonly page: number;
  readonly position: Position | undefined;
  /** For the links: the scope's, and the fields. */
  readonly selection: string;
  readonly project: (item: string) => string;
}

/** Reads pages of one store; `cursorKey` is the deployment's. */
export class Lists {
  readonly #store: Store;
  readonly #cursorKey: string;

  constructor(store: Store, cursorKey: string) {
    this.#store = store;
    this.#cursorKey = cursorKey;
  }

  /**
   * One page of a query.
   * @throws {Problem} `invalid-cursor`
   * @throws {StoreUnavailable}
   */
  page(table: Table, account_id: string, query: Query): Awaitable<Page> {
    const request = this.#requestOf(table, account_id, query);
    const { plan, position } = request;
    if (position === undefined) return this.#read(request, plan);
    return andThen(this.#rowBehind(plan, position), (after) => this.#read(request, { ...plan, after }));
  }

  /** @throws {Problem} `invalid-cursor` where a query has a cursor that is not its own. */
  checkCursor(table: Table, account_id: string, query: Query): void {
    this.#requestOf(table, account_id, query);
  }

  /**
   * The same page by an index of the account's list; `undefined` where the index is no longer true or does
   * not know the row that a cursor stands on.
   * @throws {Problem} `invalid-cursor`
   * @throws {StoreUnavailable}
   */
  pageByIndex(
    index: Pick<ListIndex, 'find' | 'revision'>,
    table: Table,
    account_id: string,
    query: Query,
  ): Awaitable<Page | undefined> {
    const request = this.#requestOf(table, account_id, query);
    const { plan, position } = request;
    const found = index.find(plan, position?.id);
    if (found === undefined) return undefined;
    const { dialect } = this.#store;
    const read = this.#store.read(
      revisionStatement(dialect, account_id, position?.reading?.seen),
      rowsByIdStatement(dialect, plan, found.ids, plan.order.column),
      ...(position === undefined ? [] : [keyStatement(dialect, plan, position.id)]),
    ) as Awaitable<[ResultRow[], ResultRow[], ResultRow[]?]>;
    return andThen(read, ([accounts, unordered, keys]) => {
      const [revision, sequence, revisionAtSeen] = (accounts[0] ?? []) as [string?, number?, string?];
      if (revision !== index.revision || unordered.length !== found.ids.length) return undefined;
      const byId = new Map(unordered.map((row) => [row[1] as number, row]));
      const rows = found.ids.map((id) => byId.get(id) as ResultRow);
      if (position !== undefined && !standsOn(position, plan, keys?.[0]?.[0])) return undefined;
      const reading = readingOfPages(position, { revision, sequence: Number(sequence) }, revisionAtSeen);
      return this.#pageOf(request, { revision, reading, total: found.total }, rows);
    });
  }

  /**
   * The rows of a page by an index, for another thread; `undefined` where it does not know that of a cursor.
   * @throws {Problem} `invalid-cursor`
   */
  find(index: ListIndex, table: Table, account_id: string, query: Query): FoundPage | undefined {
    const { plan, position } = this.#requestOf(table, account_id, query);
    const found = index.find(plan, position?.id);
    return found && { ...found, revision: index.revision };
  }

  /**
   * The item of an id.
   * @throws {StoreUnavailable}
   */
  async item(table: Table, account_id: string, id: number): Promise<FoundItem> {
    const { dialect } = this.#store;
    const listed = selectionOf(table, account_id, { filters: [] });
    const where = [...listed.where, { column: 'id', test: 'is', value: id } as const];
    const [[account], [row]] = await this.#store.read(
      revisionStatement(dialect, account_id),
      rowsStatement(dialect, { ...listed, where, whole: false, order: BY_ID }),
    );
    if (account === undefined) throw invalidToken();
    return { text: row?.[0] as string | undefined, revision: account[0] as string };
  }

  #requestOf(table: Table, account_id: string, query: Query): PageRequest {
    // Which fields are shown may change from page to page.
    const { fields, ...scoped } = query;
    const { page_size } = query;
    const scope = { account_id, list: table.list.name, selection: formatSelection(scoped), page_size };
    const selection = fields === undefined ? scope.selection : formatSelection(query);
    const position =
      query.cursor === undefined ? undefined : readCursor(this.#cursorKey, scope, query.cursor);
    const offset = Math.min((query.page - 1) * page_size, Number.MAX_SAFE_INTEGER);
    const plan: Plan = {
      ...planOf(table, account_id, query),
      // One row more than the page holds, to see whether another page follows.
      limit: page_size + 1,
      ...(position === undefined ? { offset } : {}),
    };
    const project = projectionOf(table.list, fields);
    const page = position?.page ?? query.page;
    return { table, query, scope, plan, page, position, selection, project };
  }

  /** The page by a plan, which may know more than that of the request. */
  #read(request: PageRequest, plan: Plan): Awaitable<Page> {
    const { position } = request;
    const { dialect } = this.#store;
    const read = this.#store.read(
      headStatement(dialect, plan, position?.reading?.seen),
      rowsStatement(dialect, plan),
    );
    return andThen(read, ([[head], rows]) => {
      if (head === undefined) throw invalidToken();
      const [revision, total, sequence, revisionAtSeen] = head as [string, number, number, string?];
      const reading = readingOfPages(position, { revision, sequence: Number(sequence) }, revisionAtSeen);
      return this.#pageOf(request, { revision, reading, total }, rows);
    });
  }

  #pageOf(request: PageRequest, { revision, reading, total }: PageHead, rows: readonly ResultRow[]): Page {
    const { table, query, scope, page, selection, project } = request;
    const { page_size, account_id } = scope;
    const items = rows.length > page_size ? rows.slice(0, page_size) : rows;
    const last = rows.length > page_size ? items.at(-1) : undefined;
    const total_pages = Math.ceil(total / page_size);
    const texts = items.map((row) => project(row[0] as string));
    const key = this.#cursorKey;
    return {
      body: envelopeText(texts, page, page_size, total, total_pages),
      revision,
      page,
      page_size,
      total_pages,
      selection,
      ...(last === undefined ? {} : { next: cursorBehind(key, scope, last, { page: page + 1, reading }) }),
      ...(reading === undefined ? {} : { monitor: monitorOf(key, table, account_id, query, reading) }),
    };
  }

  /** The row that a page starts behind, with its whole sort key, which the cursor may name by its digest. */
  #rowBehind(plan: Plan, { id, key }: Position): Awaitable<NonNullable<Plan['after']>> {
    if (typeof key !== 'object' || key === null) return { id, key };
    return andThen(this.#store.read(keyStatement(this.#store.dialect, plan, id)), ([[row]]) => {
      const whole = row?.[0];
      if (typeof whole === 'string' && digestOf(whole) === key.digest) return { id, key: whole };
      throw invalidCursor('The item that the cursor stands on has changed or is gone.');
    });
  }
}

/** What a page says beside its rows. */
interface PageHead {
  readonly revision: string;
  readonly total: number;
  readonly reading: Reading | undefined;
}

function cursorBehind(
  cursorKey: string,
  scope: CursorScope,
  [, id, key = null]: ResultRow,
  of: Pick<Position, 'page' | 'reading'>,
): string {
  return writeCursor(cursorKey, scope, { ...of, key, id: id as number });
}
