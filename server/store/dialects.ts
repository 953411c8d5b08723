// What the databases spell differently, as a table.

import type { ColumnType } from './tables.ts';

/** What the databases spell differently. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres' | 'citus';
  placeholder(position: number): string;
  /** The column is one of a bound list. */
  among(column: string, placeholder: string, type: ColumnType): string;
  /** The column contains the bound text, every character of it ordinary. */
  contains(column: string, placeholder: string): string;
  /** The column begins with the bound text, every character of it ordinary. */
  begins(column: string, placeholder: string): string;
  /**
   * A statement that finds each row of a bound list of ids by itself; `select` writes what finds those whose
   * id passes a test.
   */
  byIds(placeholder: string, select: (test: string) => string): string;
  /**
   * `from … where …` for rows of a list, by conditions on what its index has of them, and others. Whose a row
   * is must be read from the row itself, not from the entry that led to it: the row guard looks at that.
   */
  fromRows(list: string, ofEntries: readonly string[], ofRows: readonly string[]): string;
  /** The id of such a row, in whose order the entries of an account are. */
  readonly entryId: string;
  /** How many rows, of a bound number. */
  limit(placeholder: string): string;
  /**
   * Whether a statement with a bound limit is planned for each execution, because a plan for any number looks
   * worse. The first page of a whole list, whose plan is always the same, has its limit in the text then.
   */
  readonly plansBoundLimits: boolean;
  /** A new revision of the account of that id, where a random text may be needed for it. */
  revision(random: string, account_id: string): string;
  /**
   * The statement by which a transaction locks the account of a bound id, so that it is there until the end:
   * for itself (`update`), or with others. None where a writer has the whole file to itself.
   */
  lockAccount(placeholder: string, strength: 'update' | 'key share'): string | undefined;
  /** The statement that lets no import run until the end, where imports cannot lock their accounts. */
  readonly lockImports: string | undefined;
  /**
   * Whether each account is on a node of its own: what is of two of them, or of an account and its token, is
   * read apart.
   */
  readonly isDistributed: boolean;
}

/** `LNCI`: the advisory lock that an import takes, and what must not come between. */
export const IMPORT_LOCK = 0x4c4e4349;

export const sqlite: Dialect = {
  name: 'sqlite',
  placeholder: (position) => `?${position}`,
  among: (column, placeholder) => `${column} in (select value from json_each(${placeholder}))`,
  contains: (column, placeholder) => `instr(${column}, ${placeholder}) > 0`,
  begins: (column, placeholder) => `instr(${column}, ${placeholder}) = 1`,
  byIds: (placeholder, select) => select(`in (select value from json_each(${placeholder}))`),
  // SQLite reads each column from the index where that has it, and the entry of a damaged one may lead to a
  // row of another account. In a join the index is read for the entry alone, which costs nothing more.
  fromRows: (list, ofEntries, ofRows) => {
    const entries = `(select id as entry_id from ${list} where ${ofEntries.join(' and ')})`;
    return `from ${entries} cross join ${list} on ${['id = entry_id', ...ofRows].join(' and ')}`;
  },
  entryId: 'entry_id',
  // SQLite plans by a number that is bound by itself, and so prepares the statement anew for each execution.
  limit: (placeholder) => `${placeholder} + 0`,
  plansBoundLimits: false,
  revision: () => 'lower(hex(randomblob(16)))',
  lockAccount: () => undefined,
  lockImports: undefined,
  isDistributed: false,
};

export const postgres: Dialect = {
  name: 'postgres',
  placeholder: (position) => `$${position}`,
  among: (column, placeholder, type) => `${column} = any(${placeholder}::${type}[])`,
  contains: (column, placeholder) => `strpos(${column}, ${placeholder}::text) > 0`,
  begins: (column, placeholder) => `starts_with(${column}, ${placeholder}::text)`,
  // Planned for an account of the usual size, `= any` looks through all of a large one in another index.
  byIds: (placeholder, select) =>
    `select found.* from unnest(${placeholder}::bigint[]) as wanted (wanted_id)
      cross join lateral (${select('= wanted_id')} offset 0) as found`,
  fromRows: (list, ofEntries, ofRows) => `from ${list} where ${[...ofEntries, ...ofRows].join(' and ')}`,
  entryId: 'id',
  limit: (placeholder) => placeholder,
  plansBoundLimits: true,
  // Out of one random text for all accounts, because Citus lets no update call a function of chance.
  revision: (random, account_id) =>
    `left(encode(sha256((${random} || replace(${account_id}, E'\\\\', E'\\\\\\\\'))::bytea), 'hex'), 32)`,
  lockAccount: (placeholder, strength) => `select from accounts where id = ${placeholder} for ${strength}`,
  lockImports: undefined,
  isDistributed: false,
};

/** PostgreSQL whose rows are spread over the nodes of Citus, those of an account in one shard. */
export const citus: Dialect = {
  ...postgres,
  name: 'citus',
  lockImports: `select pg_advisory_xact_lock(${IMPORT_LOCK})`,
  isDistributed: true,
};
