// What an import records of its rows while they come in: their ids, so that one that comes twice is found,
// and the accounts that they concern. Memory must not grow with the files, so both go to temporary tables.

import { ADDED, REMOVED } from '../events.ts';
import { CHANGED, COUNTED, IDS_AT_ONCE, type statementsFor } from './load-statements.ts';

/** Accounts that are recorded in memory at a time, and ids of items. */
const MAX_ACCOUNTS = 10_000;
const MAX_IDS = 200_000;
/** Texts count as ids by their length. */
const CHARACTERS_AN_ID = 8;

/** An item that is removed with what people know it by, or changed with what fields were and are. */
type ItemWithText = readonly [id: number, text: string];

const TEMPORARY_CACHE_KIB = 16_384;

const TABLES = {
  import_ids: 'id integer primary key, line integer not null',
  import_duplicates: 'line integer primary key, id integer not null, first_line integer not null',
  import_absent: 'id integer primary key',
  import_accounts: `id text primary key, known integer not null, inserted integer not null, updated integer not null,
    removed integer not null, moved_in integer not null, moved_out integer not null, logged integer not null`,
  import_pairs: `from_account_id text not null, to_account_id text not null, items integer not null,
    primary key (from_account_id, to_account_id)`,
  // By account and events; an item stands with its text, if it has one.
  import_changes: 'account_id text not null, what integer not null, ids text not null',
  import_renewed: `account_id text primary key, changed integer not null, before integer not null,
    sequence integer not null, outcome text not null`,
  // Looked up for each entry of the log that is pruned.
  import_pruned: `account_id text not null, list text not null, up_to integer not null,
    primary key (account_id, list, up_to)`,
};
export const TABLE_NAMES = Object.keys(TABLES);
const isByText = (columns: string) => /text primary key|primary key \(/.test(columns);
export const CREATE_TABLES = [
  `pragma temp.cache_size = -${TEMPORARY_CACHE_KIB}`,
  ...Object.entries(TABLES).map(
    ([name, columns]) => `create temp table ${name} (${columns})${isByText(columns) ? ' without rowid' : ''}`,
  ),
].join(';');

type Statements = ReturnType<typeof statementsFor>;

/** What is known of an account, and how many of its rows come and go. */
const newRecord = () => ({
  known: 0,
  inserted: 0,
  updated: 0,
  removed: 0,
  /** Rows that came from other accounts, and that went to them. */
  moved_in: 0,
  moved_out: 0,
  /** Items of its list that change, by their events. */
  changed: new Map<number, (number | ItemWithText)[]>(),
  /** The events of the last of them, and those that have the same. */
  what: 0,
  same: [] as (number | ItemWithText)[],
  items: 0,
  /** Whether its list had no items before the import; `undefined` while that is not known. */
  wasEmpty: undefined as boolean | undefined,
});

type AccountRecord = ReturnType<typeof newRecord>;

export class AccountRecords {
  readonly #records = new Map<string, AccountRecord>();
  readonly #sql: Statements;
  #ids = 0;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** What is in memory of an account, to be changed. */
  of(account_id: string): AccountRecord {
    return this.#records.getOrInsertComputed(account_id, newRecord);
  }

  /**
   * Records that an item of an account's list changes. All items of a list that was empty are new: their ids
   * are not recorded.
   * @param what the events
   * @param text of a removal what people know the item by; else what fields were and are, if it says that
   */
  changes(
    record: AccountRecord,
    account_id: string,
    what: number,
    id: number,
    text: string | null = null,
  ): void {
    record.known |= CHANGED | ((what & (ADDED | REMOVED)) === 0 ? 0 : COUNTED);
    record.wasEmpty ??= Number(this.#sql.compare.listed.get(account_id)?.['items'] ?? 0) === 0;
    if (record.wasEmpty) return;
    if (record.what !== what) {
      // Most items of an import have the same events as the one before.
      record.what = what;
      record.same = record.changed.get(what) ?? [];
      record.changed.set(what, record.same);
    }
    record.same.push(text === null ? id : [id, text]);
    record.items += 1;
    this.#ids += 1 + (text?.length ?? 0) / CHARACTERS_AN_ID;
  }

  writeIfMany(): void {
    if (this.#records.size >= MAX_ACCOUNTS || this.#ids >= MAX_IDS) this.write();
  }

  write(): void {
    const { account, changed: changedIds } = this.#sql.stage;
    for (const [account_id, one] of this.#records) {
      const { known, inserted, updated, removed, moved_in, moved_out, changed, items } = one;
      account.run(account_id, known, inserted, updated, removed, moved_in, moved_out, items);
      for (const [what, ids] of changed) changedIds.run(account_id, what, JSON.stringify(ids));
    }
    this.#records.clear();
    this.#ids = 0;
  }
}

export class IdRecords {
  readonly #sql: Statements['stage'];

  constructor({ stage }: Statements) {
    this.#sql = stage;
  }

  /** Records each id with its line reference; returns whether all of them were new. */
  add(ids: readonly number[], lines: readonly number[]): boolean {
    let areNew = true;
    for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
      const end = Math.min(start + IDS_AT_ONCE, ids.length);
      const pairs: number[] = [];
      for (let i = start; i < end; i++) pairs.push(ids[i] as number, lines[i] as number);
      if (this.#insert(pairs) === end - start) continue;
      areNew = false;
      this.#recordDuplicates(pairs);
    }
    return areNew;
  }

  /** Returns how many of the ids (id, line, id, line, …) were new. */
  #insert(pairs: readonly number[]): number {
    if (pairs.length === 2 * IDS_AT_ONCE) return Number(this.#sql.ids.run(...pairs).changes);
    let added = 0;
    for (let i = 0; i < pairs.length; i += 2) {
      added += Number(this.#sql.id.run(pairs[i] as number, pairs[i + 1] as number).changes);
    }
    return added;
  }

  #recordDuplicates(pairs: readonly number[]): void {
    for (let i = 0; i < pairs.length; i += 2) {
      const [id, line] = [pairs[i] as number, pairs[i + 1] as number];
      const firstLine = this.#sql.firstLine.get(id)?.['line'] as number;
      if (firstLine !== line) this.#sql.duplicate.run(id, line, firstLine);
    }
  }
}
