// Statements that go to PostgreSQL in one trip and come back in order. Each row is checked to belong to whom its statement
// asks for. It must not know of pools, deadlines or what a statement means.
//
// Why not the driver's own queries: those are one trip each, and a page is two statements in one transaction. Sent
// together, and with those of other requests that wait for the same connection, they cost a third.

import type { Client, Connection, Submittable } from 'pg';
import type { Bound, Statement } from '../sql.ts';
import { type Row, StoreUnavailable } from '../store.ts';
import type { Stored } from '../tables.ts';

/** Statements that are kept prepared on a connection; the least recently used makes room. */
const KEPT_STATEMENTS = 200;
const KEPT_SHAPES = 1_000;
const INTEGER_TYPES = new Set([20, 21, 23]);

/** What one statement gave. */
export interface Outcome {
  readonly rows: Row[];
  /** How many rows it changed or gave. */
  readonly count: number;
}

/** What came back did not belong to what was asked: nothing of it may be used. */
export class ForeignAnswer extends StoreUnavailable {
  constructor() {
    super('The database answered something that was not asked. The connection was dropped.');
  }
}

let last_name = 0;

/** What is known of statements: which columns are integers, and what is prepared on which connection under which name. */
export class Preparations {
  /** Absent where statements cannot be kept, because the next trip may end at another server. */
  readonly #names: WeakMap<Connection, Map<string, string>> | undefined;
  readonly #integers = new Map<string, readonly boolean[]>();

  constructor(keep: boolean) {
    this.#names = keep ? new WeakMap() : undefined;
  }

  integersOf(text: string): readonly boolean[] | undefined {
    return this.#integers.get(text);
  }

  learn(text: string, integers: readonly boolean[]): void {
    if (this.#integers.size >= KEPT_SHAPES) this.#integers.delete(firstOf(this.#integers));
    this.#integers.set(text, integers);
  }

  /** The name of a statement on a connection, after having it prepared where it is not. */
  prepare(connection: Connection, text: string): string {
    const names = this.#namesOn(connection);
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
    if (names.size >= KEPT_STATEMENTS) {
      const text = firstOf(names);
      connection.close({ type: 'S', name: names.get(text) }, true);
      names.delete(text);
    }
    last_name += 1;
    return `linecard_${last_name}`;
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

/** One trip; on an error, what was sent behind the statement that failed was not done. */
export class Batch implements Submittable {
  readonly #statements: readonly Statement[];
  readonly #preparations: Preparations;
  readonly #ended = Promise.withResolvers<unknown>();
  /** For each statement, which of its columns are integers. */
  readonly #integers: (readonly boolean[] | undefined)[] = [];
  #rows: Row[] = [];
  /** Of the statements that are complete. */
  readonly outcomes: Outcome[] = [];
  #foreign = false;

  constructor(statements: readonly Statement[], preparations: Preparations) {
    this.#statements = statements;
    this.#preparations = preparations;
  }

  /** Makes the trip; gives what went wrong, if anything. */
  async travel(client: Client): Promise<unknown> {
    try {
      client.query(this);
    } catch (error) {
      return error;
    }
    return this.#ended.promise;
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    for (const { text, values } of this.#statements) {
      this.#integers.push(this.#preparations.integersOf(text));
      const statement = this.#preparations.prepare(connection, text);
      connection.bind({ statement, values: values.map(boundText) }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: { dataTypeID: number }[] }): void {
    this.#learn(fields.map(({ dataTypeID }) => INTEGER_TYPES.has(dataTypeID)));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const place = this.outcomes.length;
    const owner = this.#statements[place]?.owner;
    const integers = this.#integers[place];
    const row = fields as Stored[];
    for (let i = 0; i < row.length; i++) {
      if (integers?.[i] === true && row[i] !== null) row[i] = Number(row[i]);
    }
    if (owner !== undefined && row.shift() !== owner.value) this.#foreign = true;
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const place = this.outcomes.length;
    if (this.#integers[place] === undefined) this.#learn([]);
    const count = Number(/\d+$/.exec(text)?.[0] ?? 0);
    // A statement that gives rows gave as many as it says.
    if (this.#integers[place]?.length !== 0 && count !== this.#rows.length) this.#foreign = true;
    this.outcomes.push({ rows: this.#rows, count });
    this.#rows = [];
  }

  handleReadyForQuery(): void {
    const complete = !this.#foreign && this.outcomes.length === this.#statements.length;
    this.#ended.resolve(complete ? undefined : new ForeignAnswer());
  }

  handleError(error: unknown): void {
    this.#ended.resolve(this.#foreign ? new ForeignAnswer() : error);
  }

  handleEmptyQuery(): void {
    this.#foreign = true;
  }

  handlePortalSuspended(): void {
    this.#foreign = true;
  }

  #learn(integers: readonly boolean[]): void {
    const place = this.outcomes.length;
    const statement = this.#statements[place];
    // More came back than was asked for.
    if (statement === undefined) this.#foreign = true;
    else this.#preparations.learn(statement.text, integers);
    this.#integers[place] = integers;
  }
}
