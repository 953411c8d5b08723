// What an import does to the stored rows: how many it inserts, changes and removes; and how many it
// changes by column, with the first of them for people to look at.

import { chargeOf } from '@linecard/client/contract/charge';
import type { OwnField } from '@linecard/client/contract/list';
import { memberTexts } from './item-text.ts';
import { ownValue } from './own-columns.ts';
import { type Stored, storedColumns, type Table } from './tables.ts';

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

/** Of an item, its text and the values in columns of their own, in the order of `separate`. */
type Before = readonly [item: string, ...separate: Stored[]];

interface SeparateValue {
  readonly position: number;
  readonly json: (value: Stored | undefined) => string;
}

/** The JSON text of a value that is in a column of its own, as an item has it. */
function separateJson(own: OwnField | undefined, stored: Stored): string {
  const value = own === undefined ? stored : ownValue(own, stored);
  return JSON.stringify(own?.kind === 'charge' ? chargeOf(Number(value)) : value);
}

export class ColumnChanges {
  readonly #table: Table;
  readonly #names: readonly string[];
  /** What reads the values that are in columns of their own: of a row that was read, and of a new one. */
  readonly #separate: readonly SeparateValue[];
  readonly #counts = new Map<string, number>();
  readonly examples: ColumnExample[] = [];

  constructor(table: Table) {
    this.#table = table;
    this.#names = [...Object.keys(table.base.fields), ...table.separate.map(({ field }) => field)];
    this.#separate = table.separate.map(({ column, own }) => ({
      position: storedColumns(table).indexOf(column),
      json: (value) => separateJson(own, value ?? null),
    }));
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      this.#names.flatMap((name) => {
        const count = this.#counts.get(name);
        return count === undefined ? [] : [[name, count]];
      }),
    );
  }

  record([item, ...separate]: Before, row: readonly Stored[]): void {
    const text = String(row.at(-1));
    const { base } = this.#table;
    const before = [...memberTexts(base, item), ...this.#separate.map(({ json }, i) => json(separate[i]))];
    const after = [
      ...memberTexts(base, text),
      ...this.#separate.map(({ json, position }) => json(row[position])),
    ];
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
