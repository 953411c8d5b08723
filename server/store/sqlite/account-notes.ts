// What an import notes of the accounts whose rows it stores: in memory, and written down where there are
// many.

import type { StatementSync } from 'node:sqlite';

/** Accounts whose notes are in memory at once, and ids of items. */
const MAX_ACCOUNTS = 10_000;
const MAX_IDS = 200_000;

/**
 * What is known of an account, as bits: the files name it; a customer can see that its list changed; its list
 * may have another number of items.
 */
export const NAMED = 1;
export const CHANGED = 2;
export const COUNTED = 4;

/** What is known of an account, and how many of its rows come and go. */
interface AccountNote {
  known: number;
  inserted: number;
  updated: number;
  removed: number;
  /** Rows that came from other accounts, less those that went to them. */
  moved: number;
  /** Items of its list that change. */
  readonly changed: number[];
  /** Whether its list had no items before the import; `undefined` while that is not known. */
  wasEmpty: boolean | undefined;
}

interface Statements {
  /** Adds the values of a note to what is written down of an account. */
  readonly noteAccount: StatementSync;
  /** Writes down which items of an account change: their ids as a JSON array. */
  readonly noteChanges: StatementSync;
  /** One row `[items]`: how many items the account's list has. */
  readonly listed: StatementSync;
}

export class AccountNotes {
  readonly #notes = new Map<string, AccountNote>();
  readonly #sql: Statements;
  #ids = 0;

  constructor(statements: Statements) {
    this.#sql = statements;
  }

  /** What is noted since it was last written down, to be changed. */
  of(account_id: string): AccountNote {
    const cached = this.#notes.get(account_id);
    if (cached !== undefined) return cached;
    const note: AccountNote = {
      known: 0,
      inserted: 0,
      updated: 0,
      removed: 0,
      moved: 0,
      changed: [],
      wasEmpty: undefined,
    };
    this.#notes.set(account_id, note);
    return note;
  }

  /**
   * Notes that an item of an account's list changes. All items of a list that was empty are new: their ids
   * are not noted.
   * @param counted `COUNTED` where it comes or goes, else 0.
   */
  changes(note: AccountNote, account_id: string, id: number, counted: number): void {
    note.known |= CHANGED | counted;
    note.wasEmpty ??= Number(this.#sql.listed.get(account_id)?.['items'] ?? 0) === 0;
    if (note.wasEmpty) return;
    note.changed.push(id);
    this.#ids += 1;
  }

  writeIfMany(): void {
    if (this.#notes.size >= MAX_ACCOUNTS || this.#ids >= MAX_IDS) this.write();
  }

  write(): void {
    for (const [account_id, { known, inserted, updated, removed, moved, changed }] of this.#notes) {
      this.#sql.noteAccount.run(account_id, known, inserted, updated, removed, moved, changed.length);
      if (changed.length > 0) this.#sql.noteChanges.run(account_id, JSON.stringify(changed));
    }
    this.#notes.clear();
    this.#ids = 0;
  }
}
