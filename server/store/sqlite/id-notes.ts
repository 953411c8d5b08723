// The ids of an import's rows with their line references, in temporary tables, so that an id that comes twice
// is found.

import { IDS_AT_ONCE, type statementsFor } from './load-statements.ts';

export class IdNotes {
  readonly #sql: ReturnType<typeof statementsFor>;

  constructor(sql: ReturnType<typeof statementsFor>) {
    this.#sql = sql;
  }

  /** Notes each id with its line reference; returns whether all of them were new. */
  add(ids: readonly number[], lines: readonly number[]): boolean {
    let areNew = true;
    for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
      const end = Math.min(start + IDS_AT_ONCE, ids.length);
      const pairs: number[] = [];
      for (let i = start; i < end; i++) pairs.push(ids[i] as number, lines[i] as number);
      if (this.#insert(pairs) === end - start) continue;
      areNew = false;
      this.#noteDuplicates(pairs);
    }
    return areNew;
  }

  /** Returns how many of the ids (id, line, id, line, …) were new. */
  #insert(pairs: readonly number[]): number {
    if (pairs.length === 2 * IDS_AT_ONCE) return Number(this.#sql.noteIds.run(...pairs).changes);
    let noted = 0;
    for (let i = 0; i < pairs.length; i += 2) {
      noted += Number(this.#sql.noteId.run(pairs[i] as number, pairs[i + 1] as number).changes);
    }
    return noted;
  }

  #noteDuplicates(pairs: readonly number[]): void {
    for (let i = 0; i < pairs.length; i += 2) {
      const [id, line] = [pairs[i] as number, pairs[i + 1] as number];
      const firstLine = this.#sql.firstLine.get(id)?.['line'] as number;
      if (firstLine !== line) this.#sql.noteDuplicate.run(id, line, firstLine);
    }
  }
}
