// THE ENGINE: list + account + query -> plan -> statements -> page. It must not know of HTTP or of a driver.
//
// Why one snapshot: the account's revision, the total and the rows are read together, so a page never says "46 in all"
// over rows of another moment, and its ETag is never newer or older than its body. They are two plain statements rather
// than one that joins them: in one transaction of SQLite the pair costs half of the best single statement.
//
// Why the tie-break: every order ends with the id, in the direction of the sort. So every order is total, descending is
// ascending reversed, and a walk over the pages gives every row once.
//
// Why the cursor: a page number counts rows, so a row that comes or goes before it shifts what follows, and the database
// walks all that it skips. A cursor names the last row seen, by sort key and id: the next page starts behind it.

import { formatSelection, type Query } from '@linecard/client';
import {
  type CursorScope,
  digestOf,
  invalidCursor,
  type Position,
  readCursor,
  writeCursor,
} from './cursor.ts';
import { planOf } from './plan.ts';
import { headStatement, keyStatement, type Plan, rowsStatement } from './sql.ts';
import type { Row, Store } from './store.ts';
import type { Table } from './tables.ts';

/** One page as it leaves: the envelope's JSON text, and what its headers need. */
export interface Page {
  readonly body: string;
  readonly revision: string;
  readonly page: number;
  readonly page_size: number;
  readonly total_pages: number;
  /** Filters and order as a query string, for the links. */
  readonly selection: string;
  /** Where the next page starts; absent on the last one. */
  readonly next?: string;
}

/** The envelope as JSON text around items that are JSON text already. */
function envelopeText(
  items: readonly unknown[],
  page: number,
  page_size: number,
  total: number,
  total_pages: number,
) {
  return `{"data":[${items.join(',')}],"page":${page},"page_size":${page_size},"total":${total},"total_pages":${total_pages}}`;
}

/** Reads pages of one store; `cursor_key` is the deployment's. */
export class Lists {
  readonly #store: Store;
  readonly #cursor_key: string;

  constructor(store: Store, cursor_key: string) {
    this.#store = store;
    this.#cursor_key = cursor_key;
  }

  /**
   * The page that a query asks for.
   * @throws {Problem} `invalid-cursor`
   * @throws {StoreUnavailable}
   */
  async page(table: Table, account_id: string, query: Query): Promise<Page> {
    const { page_size } = query;
    const selection = formatSelection(query);
    const scope: CursorScope = { account_id, list: table.list.name, selection, page_size };
    const position =
      query.cursor === undefined ? undefined : readCursor(this.#cursor_key, scope, query.cursor);
    const page = position?.page ?? query.page;
    const offset = Math.min((query.page - 1) * page_size, Number.MAX_SAFE_INTEGER);
    const all = planOf(table, account_id, query);
    const plan: Plan = {
      ...all,
      // One row more than the page holds, to see whether another page follows.
      limit: page_size + 1,
      ...(position === undefined ? { offset } : { after: await this.#place(all, position) }),
    };
    const { dialect } = this.#store;
    const [[head], rows] = await this.#store.read(headStatement(dialect, plan), rowsStatement(dialect, plan));
    if (head === undefined) throw new Error(`The account ${account_id} is gone.`);

    const [revision, total] = head as [string, number];
    const items = rows.length > page_size ? rows.slice(0, page_size) : rows;
    const last = rows.length > page_size ? items.at(-1) : undefined;
    const total_pages = Math.ceil(total / page_size);
    return {
      body: envelopeText(
        items.map((row) => row[0]),
        page,
        page_size,
        total,
        total_pages,
      ),
      revision,
      page,
      page_size,
      total_pages,
      selection,
      ...(last === undefined ? {} : { next: this.#cursorBehind(scope, last, page + 1) }),
    };
  }

  /** The whole sort key of a row that a cursor names by its digest. */
  async #place(plan: Plan, { id, key }: Position): Promise<NonNullable<Plan['after']>> {
    if (typeof key !== 'object' || key === null) return { id, key };
    const [[row]] = await this.#store.read(keyStatement(this.#store.dialect, plan, id));
    const whole = row?.[0];
    if (typeof whole === 'string' && digestOf(whole) === key.digest) return { id, key: whole };
    throw invalidCursor('The item that the cursor stands on has changed or is gone.');
  }

  #cursorBehind(scope: CursorScope, [, id, key = null]: Row, page: number): string {
    return writeCursor(this.#cursor_key, scope, { page, key, id: id as number });
  }
}
