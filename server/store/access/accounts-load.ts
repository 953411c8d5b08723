// One import of accounts, into any store: rows are staged in a table of the import, compared with the stored
// accounts, checked as a tree and written, all in one transaction. All statements are about sets, and those
// that read `accounts` join it with nothing, as Citus distributes it.

import { randomUUID } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { Values } from '../conditions.ts';
import type { ImportTransaction } from '../import-transaction.ts';
import type { LoadSummary } from '../load-summary.ts';
import { type EventOrigin, recordTokens } from '../log/audit.ts';
import { inParts, objectsOf, type Statement, separate, statement } from '../sql.ts';
import type { Duplicates, Load, LoadOptions, OtherAccount, Store } from '../store.ts';
import type { Stored } from '../tables.ts';
import {
  CHANGES,
  ROW_COLUMNS,
  recordImportedAccounts,
  TABLES,
  treeStatements,
  writeStatements,
} from './accounts-statements.ts';

/** A loop of parents, or a path that is too long, is named up to this number of accounts. */
const MAX_NAMED = 64;
const TOKENS_AT_ONCE = 1_000;

/** What all imports do with what they load. */
export type AnyLoad = Pick<
  Load,
  'add' | 'read' | 'duplicates' | 'prepare' | 'outside' | 'write' | 'commit' | 'rollback'
>;

/** What is wrong with the parent that a row names: it is unknown, or the path above an account is. */
export interface ParentFault {
  readonly line: number;
  readonly kind: 'unknown' | 'loop' | 'deep';
  /** The unknown parent; or an account, its parent, and so on: of a loop the last is the first again. */
  readonly path: readonly string[];
}

/** What an import does to an account; each is 0 or 1. */
export interface AccountEffects {
  readonly account_id: string;
  readonly inserted: number;
  readonly updated: number;
  readonly disabled: number;
  readonly enabled: number;
}

export class AccountsLoad implements AnyLoad {
  readonly #transaction: ImportTransaction;
  readonly #by: EventOrigin;
  #isIndexed = false;
  #areCompared = false;
  #prepared: LoadSummary | undefined;

  private constructor(transaction: ImportTransaction, by: EventOrigin) {
    this.#transaction = transaction;
    this.#by = by;
  }

  /** @throws {StoreUnavailable} when another import does not end in time. */
  static async begin(store: Store, by: EventOrigin, options?: LoadOptions): Promise<AccountsLoad> {
    const transaction = await store.beginImport(options);
    try {
      for (const [name, select] of TABLES) await transaction.make(name, select);
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
    return new AccountsLoad(transaction, by);
  }

  /** Takes rows in: the values of `ROW_COLUMNS` after the line; null leaves as it is, empty empties. */
  async add(rows: readonly (readonly Stored[])[], lines: readonly number[]): Promise<void> {
    const staged = rows.map((row, i) => [lines[i] as number, ...row]);
    await this.#transaction.insert('import_rows', ROW_COLUMNS, staged);
  }

  async read(one: Statement) {
    return (await this.#transaction.run(one))[0]?.rows ?? [];
  }

  async duplicates(limit: number): Promise<Duplicates> {
    await this.#index();
    const [result] = await this.#transaction.run(statement(CHANGES.duplicates, limit));
    const rows = (result?.rows ?? []) as readonly [number, string, number, number][];
    const total = rows[0]?.[0] ?? 0;
    // What else is wrong is found as if the first row of each account were the only one.
    if (total > 0) await this.#transaction.run(statement(CHANGES.forgetDuplicates));
    return { total, first: rows.map(([, id, line, firstLine]) => ({ id, line, firstLine })) };
  }

  /** The rows whose parent is wrong, up to the limit, in the order of their lines. */
  async parentFaults(limit: number): Promise<{ total: number; first: readonly ParentFault[] }> {
    await this.#compare();
    const [unknown, moved] = await this.#transaction.run(
      statement(CHANGES.unknownParents, limit),
      statement(CHANGES.countMoved),
    );
    const faults = (unknown?.rows ?? []).map(
      ([, line, path]): ParentFault => ({ line: Number(line), kind: 'unknown', path: [String(path)] }),
    );
    const deep = moved?.rows[0]?.[0] === 0 ? { total: 0, first: [] } : await this.#misplaced(limit);
    const first = [...faults, ...deep.first].toSorted((a, b) => a.line - b.line);
    return { total: Number(unknown?.rows[0]?.[0] ?? 0) + deep.total, first: first.slice(0, limit) };
  }

  /** Rows that make a loop, or put an account on a level that is too deep. */
  async #misplaced(limit: number) {
    const transaction = this.#transaction;
    const { steps, deep } = treeStatements(transaction.dialect);
    for (const { name, select, fill, indexed } of steps) {
      await transaction.make(name, select);
      await transaction.run(...fill.map((text) => statement(text)));
      for (const column of indexed) await transaction.index(name, column);
    }
    const [found] = await transaction.run(statement(deep, limit));
    const rows = (found?.rows ?? []) as readonly [total: number, line: number, id: string][];
    const paths = await this.#paths(rows.map(([, , id]) => id));
    const first = rows.map(([, line, id]): ParentFault => {
      const path = paths.get(id) ?? [id];
      const begin = path.indexOf(path.at(-1) ?? id);
      const isLoop = begin < path.length - 1;
      return { line, kind: isLoop ? 'loop' : 'deep', path: isLoop ? path.slice(begin) : path };
    });
    return { total: rows[0]?.[0] ?? 0, first };
  }

  /** Each account with those above it, up to the first that has no parent, or that is there already. */
  async #paths(accounts: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const { parentsOf } = treeStatements(this.#transaction.dialect);
    const paths = new Map(accounts.map((id) => [id, [id]]));
    let open = [...paths.values()];
    while (open.length > 0) {
      const ids = open.map((path) => path.at(-1) ?? '');
      const results = await this.#transaction.run(...parentsOf.map((text) => statement(text, ids)));
      const parents = new Map(results.flatMap(({ rows }) => rows.map(([id, parent]) => [id, parent])));
      const goesOn = (path: string[]) => {
        const parent = parents.get(path.at(-1) ?? '');
        if (typeof parent !== 'string' || path.length === MAX_NAMED) return false;
        const isNew = !path.includes(parent);
        path.push(parent);
        return isNew;
      };
      open = open.filter(goesOn);
    }
    return paths;
  }

  async prepare(): Promise<LoadSummary> {
    await this.#compare();
    const { dialect, isTrial } = this.#transaction;
    const [counts] = await this.#transaction.run(statement(CHANGES.count));
    const [rows = 0, changed = 0, inserted = 0] = (counts?.rows[0] ?? []).map(Number);
    if (!isTrial) {
      const { renewed, written } = writeStatements(dialect, timestampOf(), randomUUID());
      await this.#transaction.run(renewed);
      await this.#transaction.lockRenewed?.();
      await this.#transaction.run(...written);
    }
    const others = { moved: 0, removed: 0, absent: 0, accounts_created: inserted, changed: {}, examples: [] };
    this.#prepared = { inserted, updated: changed - inserted, unchanged: rows - changed, ...others };
    return this.#prepared;
  }

  async effects(): Promise<readonly AccountEffects[]> {
    const [result] = await this.#transaction.run(statement(CHANGES.effects));
    const names = ['account_id', 'inserted', 'updated', 'disabled', 'enabled'] as const;
    return objectsOf<AccountEffects>(names, result?.rows ?? []);
  }

  /** An account other than these that a row is of, names as parent, or takes its account from below. */
  async outside(accounts: readonly string[]): Promise<OtherAccount | undefined> {
    await this.#compare();
    const isAmong = this.#transaction.dialect.among('account_id', '$1', 'text');
    const [result] = await this.#transaction.run(statement(CHANGES.outside(isAmong), accounts));
    const [row] = result?.rows ?? [];
    return row && { account_id: String(row[0]), named: Number(row[1]) };
  }

  async write(...statements: Statement[]): Promise<number[]> {
    return (await this.#transaction.run(...statements)).map(({ count }) => count);
  }

  async commit(): Promise<LoadSummary> {
    const summary = this.#prepared ?? (await this.prepare());
    await this.#transaction.run(...recordImportedAccounts(this.#by));
    // In this order, because the tokens may be in a file of their own: whatever is cut off, a token is
    // refused until all is committed, and from then on.
    const [resume, suspend] = [
      await this.#tokenStatements('resumed'),
      await this.#tokenStatements('suspended'),
    ];
    if (resume.length > 0) await this.#transaction.runOnTokens(...resume);
    await this.#transaction.run(...suspend);
    await this.#transaction.commit(summary.inserted + summary.updated);
    return summary;
  }

  async rollback(): Promise<void> {
    await this.#transaction.rollback();
  }

  /** The statements that suspend the tokens of accounts which were disabled, or resume them. */
  async #tokenStatements(event: 'suspended' | 'resumed'): Promise<Statement[]> {
    const { dialect } = this.#transaction;
    const [found] = await this.#transaction.run(statement(CHANGES[event]));
    const ids = (found?.rows ?? []).map(([id]) => String(id));
    const [to, was] = event === 'suspended' ? ['not null', 'null'] : ['null', 'not null'];
    return inParts(ids, TOKENS_AT_ONCE).flatMap((accounts) => {
      const values = new Values();
      const at = to === 'null' ? 'null' : values.bind(timestampOf());
      const text = `update tokens set suspended_at = ${at} where suspended_at is ${was}
        and ${dialect.among('account_id', values.bind(accounts), 'text')}`;
      return [
        recordTokens({ dialect }, event, { column: 'account_id', among: accounts }, this.#by),
        separate({ text, values: values.list }),
      ];
    });
  }

  async #index(): Promise<void> {
    if (this.#isIndexed) return;
    this.#isIndexed = true;
    await this.#transaction.index('import_rows', 'account_id');
  }

  /** Computes what changes, once. */
  async #compare(): Promise<void> {
    if (this.#areCompared) return;
    this.#areCompared = true;
    await this.#index();
    // They must stay until the rows that name them are committed.
    if (!this.#transaction.isTrial) await this.#transaction.lock?.(CHANGES.named);
    await this.#transaction.run(statement(CHANGES.stored));
    await this.#transaction.index('import_stored', 'id');
    await this.#transaction.run(statement(CHANGES.fill));
    await this.#transaction.index('import_changes', 'account_id');
  }
}
