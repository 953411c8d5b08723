// A pipeline: statements that go to PostgreSQL in one round trip, prepared, and come back in order. Each row
// is checked by the row guard: it must belong to the owner of its statement.
//
// Why not the driver's own queries: those are one round trip each, and a page is two statements in one
// transaction. In one batch, and with those of other requests that wait for the same connection, they cost a
// third.

import type { Client, Connection, Submittable } from 'pg';
import type { Bound } from '../conditions.ts';
import type { Statement } from '../sql.ts';
import type { ResultRow } from '../store.ts';
import { ForeignRows } from '../store-errors.ts';
import type { Stored } from '../tables.ts';

/** Prepared statements that a connection has in its cache; the least recently used is evicted. */
const CACHED_STATEMENTS = 200;
const CACHED_SHAPES = 1_000;
/** A statement that begins so has a value in its text: it is not cached, and returns nothing. */
const SETTING = 'set local ';
const NOTHING: readonly boolean[] = [];
const INTEGER_TYPES = new Set([20, 21, 23]);

export interface StatementResult {
  readonly rows: ResultRow[];
  /** How many rows it changed or returned. */
  readonly count: number;
}

let lastName = 0;

/**
 * The cache of statements: which columns are integers, and what is prepared on which connection under which
 * name.
 */
export class Preparations {
  /**
   * Absent if prepared statements cannot be cached, because the next round trip may reach another server.
   */
  readonly #names: WeakMap<Connection, Map<string, string>> | undefined;
  readonly #integers = new Map<string, readonly boolean[]>();

  constructor(cache: boolean) {
    this.#names = cache ? new WeakMap() : undefined;
  }

  integersOf(text: string): readonly boolean[] | undefined {
    if (text.startsWith(SETTING)) return NOTHING;
    return this.#integers.get(text);
  }

  learn(text: string, integers: readonly boolean[]): void {
    if (this.#integers.size >= CACHED_SHAPES) this.#integers.delete(firstOf(this.#integers));
    this.#integers.set(text, integers);
  }

  /**
   * The name of a prepared statement on a connection, which is prepared if it is not yet; empty if it is
   * planned for each execution.
   */
  prepare(connection: Connection, { text, hasManyValues }: Statement): string {
    if (text.startsWith(SETTING)) {
      connection.parse({ name: '', text, types: [] }, true);
      return '';
    }
    const names = hasManyValues ? undefined : this.#namesOn(connection);
    let name = names?.get(text);
    if (name === undefined) {
      name = names === undefined ? '' : this.#newName(connection, names);
      connection.parse({ name, text, types: [] }, true);
    } else names?.delete(text);
    names?.set(text, name);
    if (!this.#integers.has(text)) connection.describe({ type: 'S', name }, true);
    return name;
  }

  #namesOn(connection: Connection): Map<string, string> | undefined {
    let names = this.#names?.get(connection);
    if (names === undefined && this.#names !== undefined) {
      names = new Map();
      this.#names.set(connection, names);
    }
    return names;
  }

  #newName(connection: Connection, names: Map<string, string>): string {
    if (names.size >= CACHED_STATEMENTS) {
      const text = firstOf(names);
      connection.close({ type: 'S', name: names.get(text) }, true);
      names.delete(text);
    }
    lastName += 1;
    return `linecard_${lastName}`;
  }
}

function firstOf(map: ReadonlyMap<string, unknown>): string {
  const [first = ''] = map.keys();
  return first;
}

function elementText(value: string | number): string {
  return typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`;
}

/** A value as PostgreSQL reads it. */
function boundText(value: Bound): string | null {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : `{${value.map(elementText).join(',')}}`;
}

/** One round trip; on an error, the statements after the one that failed were not executed. */
export class Batch implements Submittable {
  readonly #statements: readonly Statement[];
  readonly #preparations: Preparations;
  readonly #ended = Promise.withResolvers<unknown>();
  /** For each statement, which of its columns are integers. */
  readonly #integers: (readonly boolean[] | undefined)[] = [];
  #rows: ResultRow[] = [];
  /** Of the statements that are complete. */
  readonly results: StatementResult[] = [];
  #foreign = false;

  constructor(statements: readonly Statement[], preparations: Preparations) {
    this.#statements = statements;
    this.#preparations = preparations;
  }

  /** Makes the round trip; returns the error, if there is one. */
  async send(client: Client): Promise<unknown> {
    try {
      client.query(this);
    } catch (error) {
      return error;
    }
    return this.#ended.promise;
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    for (const one of this.#statements) {
      this.#integers.push(this.#preparations.integersOf(one.text));
      const statement = this.#preparations.prepare(connection, one);
      connection.bind({ statement, values: one.values.map(boundText) }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: { dataTypeID: number }[] }): void {
    this.#learn(fields.map(({ dataTypeID }) => INTEGER_TYPES.has(dataTypeID)));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const position = this.results.length;
    const owner = this.#statements[position]?.owner;
    const integers = this.#integers[position];
    const row = fields as Stored[];
    for (let i = 0; i < row.length; i++) {
      if (integers?.[i] === true && row[i] !== null) row[i] = Number(row[i]);
    }
    if (owner !== undefined && row.shift() !== owner.value) this.#foreign = true;
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const position = this.results.length;
    if (this.#integers[position] === undefined) this.#learn([]);
    const count = Number(/ (\d+)$/.exec(text)?.[1] ?? 0);
    // A statement that returns rows returned as many as it says.
    if (this.#integers[position]?.length !== 0 && count !== this.#rows.length) this.#foreign = true;
    this.results.push({ rows: this.#rows, count });
    this.#rows = [];
  }

  handleReadyForQuery(): void {
    const complete = !this.#foreign && this.results.length === this.#statements.length;
    this.#ended.resolve(complete ? undefined : new ForeignRows());
  }

  handleError(error: unknown): void {
    this.#ended.resolve(this.#foreign ? new ForeignRows() : error);
  }

  handleEmptyQuery(): void {
    this.#foreign = true;
  }

  handlePortalSuspended(): void {
    this.#foreign = true;
  }

  #learn(integers: readonly boolean[]): void {
    const position = this.results.length;
    const statement = this.#statements[position];
    // More came back than statements were sent.
    if (statement === undefined) this.#foreign = true;
    else this.#preparations.learn(statement.text, integers);
    this.#integers[position] = integers;
  }
}
