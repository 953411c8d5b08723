// What an import does to the stored rows: how many it inserts, changes and removes; and how many it
// changes by column, with the first of them for people to look at.

import { memberTexts, type Stored, storedColumns, type Table } from './tables.ts';

/** How many items are shown of a column. */
export const EXAMPLES = 3;

/** What an import makes of one value of an item. */
export interface ColumnExample {
  readonly column: string;
  readonly id: number;
  readonly from: ItemValue;
  readonly to: ItemValue;
}

type ItemValue = string | number | boolean | null;

/** A value by its text in an item. */
export const itemValue = (text: unknown): ItemValue => JSON.parse(text as string) as ItemValue;

/** What an import does to the stored rows. */
export interface LoadSummary {
  readonly inserted: number;
  readonly updated: number;
  /** Those of the updated rows whose items came from another account. */
  readonly moved: number;
  /** Rows that were stored already, exactly the same. */
  readonly unchanged: number;
  readonly removed: number;
  /** Rows that were to remove an item that the account does not have. */
  readonly absent: number;
  readonly accounts_created: number;
  /** How many items each column changes of, where it does. */
  readonly changed: Readonly<Record<string, number>>;
  /** Some of these items, at most three a column. */
  readonly examples: readonly ColumnExample[];
}

export type ExampledColumns = (changed: LoadSummary['changed'], existing: number) => readonly string[];

/** Of an item, its text and the values of its hidden fields, in the order of the contract. */
type Before = readonly [item: string, ...hidden: Stored[]];

export class ColumnChanges {
  readonly #table: Table;
  readonly #names: readonly string[];
  /** The positions of hidden values in a row. */
  readonly #hidden: readonly number[];
  readonly #counts = new Map<string, number>();
  readonly examples: ColumnExample[] = [];

  constructor(table: Table) {
    this.#table = table;
    const hidden = Object.keys(table.list.hidden);
    this.#names = [...Object.keys(table.list.fields), ...hidden];
    this.#hidden = hidden.map((name) => storedColumns(table).indexOf(name));
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      this.#names.flatMap((name) => {
        const count = this.#counts.get(name);
        return count === undefined ? [] : [[name, count]];
      }),
    );
  }

  record([item, ...hidden]: Before, row: readonly Stored[]): void {
    const text = String(row.at(-1));
    const json = (value: Stored | undefined) => JSON.stringify(value ?? null);
    const before = [...memberTexts(this.#table.list, item), ...hidden.map(json)];
    const after = [...memberTexts(this.#table.list, text), ...this.#hidden.map((i) => json(row[i]))];
    for (const [i, column] of this.#names.entries()) {
      if (before[i] === after[i]) continue;
      const count = this.#counts.get(column) ?? 0;
      this.#counts.set(column, count + 1);
      if (count >= EXAMPLES) continue;
      const [from, to] = [itemValue(before[i]), itemValue(after[i])];
      this.examples.push({ column, id: Number(row[0]), from, to });
    }
  }
}
