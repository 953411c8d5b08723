// What an import notes of the accounts whose rows it stores: in memory, and written down where there are
// many. It must not know what a row is.

import type { StatementSync } from 'node:sqlite';

/** Accounts whose notes are in memory at once. */
const MAX_ACCOUNTS = 10_000;

/** What is known of an account, as bits, and how many of its rows come and go. */
export interface AccountNote {
  known: number;
  inserted: number;
  updated: number;
  removed: number;
  /** Rows that came from other accounts, less those that went to them. */
  moved: number;
  /** Items whose change is told one by one. */
  logged: number;
  /** Whether its list had no items before the import; `undefined` while that is not known. */
  wasEmpty: boolean | undefined;
}

export class AccountNotes {
  readonly #notes = new Map<string, AccountNote>();
  readonly #noteAccount: StatementSync;

  /** The statement adds the values of a note to what is written down of an account. */
  constructor(noteAccount: StatementSync) {
    this.#noteAccount = noteAccount;
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
      logged: 0,
      wasEmpty: undefined,
    };
    this.#notes.set(account_id, note);
    return note;
  }

  writeIfMany(): void {
    if (this.#notes.size >= MAX_ACCOUNTS) this.write();
  }

  write(): void {
    for (const [id, { known, inserted, updated, removed, moved, logged }] of this.#notes)
      this.#noteAccount.run(id, known, inserted, updated, removed, moved, logged);
    this.#notes.clear();
  }
}
