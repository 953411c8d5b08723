// Tokens for many accounts: their rows are staged in a table of the transaction, checked, and created by it,
// all of them or none. No part of it holds more than some rows in memory, and no import is waited for.

import { randomBytes } from 'node:crypto';
import { Failed } from '../../errors.ts';
import type { ImportTransaction } from '../import-transaction.ts';
import { recordTokens } from '../log/audit.ts';
import { inParts, type Statement, statement } from '../sql.ts';
import type { Duplicates, Store } from '../store.ts';
import type { Stored } from '../tables.ts';
import { newToken, newTokenId, type RandomBytes, repeatableBytes } from '../token-text.ts';
import { lockAccount } from '../write-lock.ts';
import { CHANGES } from './accounts-statements.ts';
import { type BatchOptions, type Created, insertTokens, type NewToken } from './token-batch.ts';
import type { CreatedToken } from './tokens.ts';

/** What is in memory of each part is freed early: more would let the heap grow by some ten megabytes. */
const ROWS_AT_ONCE = 100;
const ROWS = 'import_rows';
const ROW_COLUMNS = ['line', 'account_id', 'name', 'known'] as const;
const COLUMNS_OF = 'select cast(0 as bigint) as line, id as account_id, name, 0 as known from accounts';

/** A row of an account that does not exist. */
export interface UnknownAccount {
  readonly line: number;
  readonly account_id: string;
}

export type AccountToken = CreatedToken & Pick<NewToken, 'account_id'>;

const tokenOf = (account_id: string, random: RandomBytes): AccountToken => ({
  account_id,
  id: newTokenId(random),
  token: newToken('lc_', random),
});

export class TokensLoad {
  readonly #transaction: ImportTransaction;
  /** Tokens can be shown once they are committed: they are made of it again, which takes no memory. */
  readonly #key = randomBytes(32);
  /** Those that have a token, some to a text. */
  readonly #accounts: string[] = [];

  private constructor(transaction: ImportTransaction) {
    this.#transaction = transaction;
  }

  static async begin(store: Store): Promise<TokensLoad> {
    const transaction = await store.beginImport({ isOfTokens: true });
    try {
      await transaction.make(ROWS, COLUMNS_OF);
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
    return new TokensLoad(transaction);
  }

  /** Takes rows in: an account and, if it has one, the name of its token. */
  async add(rows: readonly (readonly Stored[])[], lines: readonly number[]): Promise<void> {
    const among = this.#transaction.dialect.among('id', '$1', 'text');
    for (const [part, some] of inParts(rows, ROWS_AT_ONCE).entries()) {
      const ids = some.map(([id]) => String(id));
      const [found] = await this.#transaction.run(statement(`select id from accounts where ${among}`, ids));
      const known = new Set(found?.rows.map(([id]) => id));
      const staged = some.map(([id = null, name = null], i) => {
        const line = lines[part * ROWS_AT_ONCE + i] as number;
        return [line, id, name, Number(known.has(id))];
      });
      await this.#transaction.insert(ROWS, ROW_COLUMNS, staged);
    }
  }

  /** What is wrong with the accounts of the rows, up to the limit each: they came twice, or do not exist. */
  async faults(limit: number) {
    await this.#transaction.index(ROWS, 'account_id');
    const [repeated] = await this.#transaction.run(statement(CHANGES.duplicates, limit));
    const twice = (repeated?.rows ?? []).map(([, id, line, firstLine]) => ({
      id: String(id),
      line: Number(line),
      firstLine: Number(firstLine),
    }));
    const duplicates: Duplicates = { total: Number(repeated?.rows[0]?.[0] ?? 0), first: twice };
    // Of an account that came twice, the first row says whether it exists.
    if (duplicates.total > 0) await this.#transaction.run(statement(CHANGES.forgetDuplicates));
    const [missing] = await this.#transaction.run(
      statement(
        `select count(*) over (), line, account_id from ${ROWS} where known = 0 order by line limit $1`,
        limit,
      ),
    );
    const first = (missing?.rows ?? []).map(
      ([, line, id]): UnknownAccount => ({ line: Number(line), account_id: String(id) }),
    );
    return { duplicates, unknown: { total: Number(missing?.rows[0]?.[0] ?? 0), first } };
  }

  /**
   * Creates a token for each row, in the order of their lines, and returns their number; a commit or a
   * rollback follows.
   * @param otherName that of a row that has none.
   * @throws {Failed} when an account does not exist any more.
   */
  async create(options: BatchOptions, otherName: string): Promise<number> {
    await this.#transaction.index(ROWS, 'line');
    await this.#transaction.lockTokens?.();
    const random = repeatableBytes(this.#key);
    for (let last = -1, count = 0; ; ) {
      const next = `select line, account_id, name from ${ROWS} where line > $1 order by line limit ${ROWS_AT_ONCE}`;
      const [read] = await this.#transaction.run(statement(next, last));
      const rows = read?.rows ?? [];
      if (rows.length === 0) return count;
      const accounts = rows.map(([, account_id]) => String(account_id));
      const made = accounts.map((account_id, i) => ({
        name: String(rows[i]?.[2] || otherName),
        ...tokenOf(account_id, random),
      }));
      await this.#insert(made, options);
      this.#accounts.push(JSON.stringify(accounts));
      last = Number(rows.at(-1)?.[0]);
      count += rows.length;
    }
  }

  /** The tokens that were created, in their order, some at a time. */
  *created(): Generator<readonly AccountToken[]> {
    const random = repeatableBytes(this.#key);
    for (const some of this.#accounts)
      yield (JSON.parse(some) as string[]).map((account_id) => tokenOf(account_id, random));
  }

  async #insert(created: readonly Created[], options: BatchOptions): Promise<void> {
    const { dialect } = this.#transaction;
    const locks = created.flatMap(({ account_id }): Statement[] =>
      lockAccount({ dialect }, account_id, 'key share'),
    );
    const among = created.map(({ id }) => id);
    const record = recordTokens({ dialect }, 'created', { column: 'id', among });
    const results = await this.#transaction.run(...locks, insertTokens(created, options), record);
    if (results[locks.length]?.count !== created.length)
      throw new Failed(
        'An account was deleted in the meantime. No token was created: run the command again.',
      );
  }

  async commit(): Promise<void> {
    await this.#transaction.commit(0);
  }

  async rollback(): Promise<void> {
    await this.#transaction.rollback();
  }
}
