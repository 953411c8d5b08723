// The tables of one shard as they are on the node that has it: a statement on the deployment's tables -> the
// same on those.
//
// Why not the names of the deployment: the node would plan each execution of a statement as one of all nodes
// before it finds that it has the rows itself, which takes longer than to read them. The guard: in the same
// snapshot the node says whether the shard is its own, because the tables of a shard that has moved away stay
// for a while.

import type { Owner, Statement } from '../../sql.ts';
import { StoreUnavailable } from '../../store-errors.ts';
import type { Stored } from '../../tables.ts';

/** A table that is read, and the name that the statement gives it. */
const TABLE = /\b(from|join) (\w+)( as \w+)?\b/g;
const MAX_TEXTS = 100;
const IS_HERE = `select $2::text, count(*) from pg_dist_placement
  where shardid = $1 and groupid = (select groupid from pg_dist_local_group)`;

/** The node does not have the shard: it was moved, split or dropped. */
export class ShardMoved extends StoreUnavailable {
  constructor() {
    super('The rows have moved to another node.');
  }
}

export class Shard {
  readonly #id: string;
  /** As JSON: the id of the shard by the name of its table. */
  readonly tables: string;
  readonly #names: ReadonlyMap<string, string>;
  /** Texts of statements with the names of this shard. */
  readonly #texts = new Map<string, string>();

  constructor(id: string, tables: string) {
    this.#id = id;
    this.tables = tables;
    const ids = JSON.parse(tables) as Readonly<Record<string, number>>;
    this.#names = new Map(Object.entries(ids).map(([table, shard]) => [table, `${table}_${shard}`]));
  }

  /** Statements of an owner on the tables of the shard, and how many placements of it the node has. */
  own(statements: readonly Statement[], owner: Owner): Statement[] {
    const isHere = { text: IS_HERE, values: [this.#id, owner.value], owner };
    return [...statements.map((one) => ({ ...one, text: this.#textOf(one.text) })), isHere];
  }

  /**
   * What was read by these statements.
   * @throws {ShardMoved} where the node did not have it.
   */
  rowsOf<R>(results: readonly (readonly R[])[]): R[][] {
    const [[count] = []] = (results.at(-1) ?? []) as readonly (readonly Stored[])[];
    if (count !== 1) throw new ShardMoved();
    return results.slice(0, -1) as R[][];
  }

  #textOf(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear();
    const own = text.replace(TABLE, (found, word: string, table: string, alias = ` as ${table}`) => {
      const name = this.#names.get(table);
      return name === undefined ? found : `${word} ${name}${alias}`;
    });
    this.#texts.set(text, own);
    return own;
  }
}
