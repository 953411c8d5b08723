// What an import changes of the lists that accounts see: notes it, and writes the log of it at the end. The
// ids are in memory some at a time, and else in a temporary table. It must not know what a row is.

import type { StatementSync } from 'node:sqlite';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { DEFAULT_RETENTION_MS } from '../change-log.ts';
import type { AccountNote } from './account-notes.ts';
import { CHANGED, IDS_AT_ONCE } from './load-statements.ts';

interface Statements {
  /** One row `[items]`: how many items the account's list has. */
  readonly listed: StatementSync;
  /** Takes `IDS_AT_ONCE` pairs of an account and an id. */
  readonly noteChanges: StatementSync;
  /** Takes one. */
  readonly noteChange: StatementSync;
  readonly renew: StatementSync;
  readonly history: StatementSync;
  readonly renewAccounts: StatementSync;
  readonly log: readonly StatementSync[];
  readonly cutOld: StatementSync;
  readonly isPruned: StatementSync;
  readonly forget: readonly StatementSync[];
}

export class ListChanges {
  readonly #sql: Statements;
  #pairs: (string | number)[] = [];

  constructor(statements: Statements) {
    this.#sql = statements;
  }

  /**
   * Notes that an item of an account's list changes. All items of a list that was empty are new: their ids
   * are not noted.
   */
  note(note: AccountNote, account_id: string, id: number): void {
    note.known |= CHANGED;
    note.wasEmpty ??= Number(this.#sql.listed.get(account_id)?.['items'] ?? 0) === 0;
    if (note.wasEmpty) return;
    note.logged += 1;
    if (this.#pairs.push(account_id, id) < 2 * IDS_AT_ONCE) return;
    this.#sql.noteChanges.run(...this.#pairs);
    this.#pairs = [];
  }

  /** Writes what is still in memory. */
  write(): void {
    for (let i = 0; i < this.#pairs.length; i += 2) {
      this.#sql.noteChange.run(this.#pairs[i] as string, this.#pairs[i + 1] as number);
    }
    this.#pairs = [];
  }

  /** Gives the accounts whose lists look different now their next revision, and logs what has changed. */
  renewAccounts(now: string, retentionMs = DEFAULT_RETENTION_MS): void {
    const { renew, history, renewAccounts, log, cutOld, isPruned, forget } = this.#sql;
    if (renew.run().changes === 0) return;
    history.run(now);
    renewAccounts.run(now);
    for (const one of log) one.run();
    cutOld.run(timestampOf(Date.now() - retentionMs));
    if (isPruned.get() !== undefined) for (const one of forget) one.run();
  }
}
