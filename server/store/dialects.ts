// Where the SQL of the databases differs, as a table.

import type { ColumnType } from './tables.ts';

/** Where the SQL of the databases differs. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres' | 'citus';
  /** The column is one of a bound list. */
  among(column: string, placeholder: string, type: ColumnType): string;
  /** The column contains the bound text; no character has a special meaning. */
  contains(column: string, placeholder: string): string;
  /** A text as JSON, in quotes. */
  jsonText(text: string): string;
  /** The text of a JSON object that has no objects in it, with another end: more members, and the brace. */
  withEnd(json: string, end: string): string;
  /** One text of several that are not null. */
  joined(texts: readonly string[]): string;
  /** A charge in millionths as its decimal, which is JSON. */
  decimal(millionths: string): string;
  /** The text of a member of a JSON object. */
  member(json: string, name: string): string;
  /** The column begins with the bound text; no character has a special meaning. */
  begins(column: string, placeholder: string): string;
  /**
   * A statement that looks up each row of a bound list of ids; `select` returns the statement that finds the
   * rows whose id passes a test.
   */
  byIds(placeholder: string, select: (test: string) => string): string;
  /**
   * `from … where …` for rows of a list, by conditions on the columns of its index, and on others. The owner
   * must be read from the row itself, not from the index entry that led to it: the row guard checks it.
   */
  fromRows(list: string, ofEntries: readonly string[], ofRows: readonly string[]): string;
  /** The id of such a row; the index entries of an account are in its order. */
  readonly entryId: string;
  /** The function that returns the larger of two values, and that of the smaller. */
  readonly greatest: 'greatest' | 'max';
  readonly least: 'least' | 'min';
  /** A number of accounts.id, if possible always the same, that is as good as random. */
  readonly accountHash: string;
  /** `limit` of a bound number. */
  limit(placeholder: string): string;
  /**
   * Whether a statement with a bound limit is planned for each execution, because a generic plan looks worse.
   * Then the first page of an unfiltered list, whose plan is always the same, has its limit in the text.
   */
  readonly plansBoundLimits: boolean;
  /** A new revision of the account of that id; `random` is a random text for databases that need one. */
  revision(random: string, account_id: string): string;
  /**
   * The statement by which a transaction locks the account of a bound id until its end: exclusively
   * (`update`) or together with others. None if a writer locks the complete file.
   */
  lockAccount(strength: 'update' | 'key share'): string | undefined;
  /** The statement that locks out imports until the end, if they cannot lock their accounts. */
  readonly lockImports: string | undefined;
  /** The statement by which creations of webhooks wait for each other, so that each counts them all. */
  readonly lockWebhooks: string | undefined;
  /**
   * Whether accounts are spread over nodes: rows of two accounts, or of an account and its token, are then
   * read by separate statements.
   */
  readonly isDistributed: boolean;
}

/** `LNCI`: the advisory lock of imports, and of what must not run during one. */
export const IMPORT_LOCK = 0x4c4e4349;
/** `LNCW` */
const WEBHOOK_LOCK = 0x4c4e4357;

export const sqlite: Dialect = {
  name: 'sqlite',
  among: (column, placeholder) => `${column} in (select value from json_each(${placeholder}))`,
  contains: (column, placeholder) => `instr(${column}, ${placeholder}) > 0`,
  jsonText: (text) => `json_quote(${text})`,
  // Reads nothing but the end: no member of an item ends with a brace itself, as an object would.
  withEnd: (json, end) => `rtrim(${json}, '}') || ${end}`,
  // In one call, because each `||` copies all so far.
  joined: (texts) => `concat(${texts.join(', ')})`,
  // Fifteen digits, which every charge fits in.
  decimal: (millionths) => `cast(${millionths} / 1000000.0 as text)`,
  member: (json, name) => `${json} ->> '$.${name}'`,
  begins: (column, placeholder) => `instr(${column}, ${placeholder}) = 1`,
  byIds: (placeholder, select) => select(`in (select value from json_each(${placeholder}))`),
  // SQLite reads each column from the index where that has it, and the entry of a damaged one may lead to a
  // row of another account. In a join the index is read for the entry alone, which costs nothing more.
  fromRows: (list, ofEntries, ofRows) => {
    const entries = `(select id as entry_id from ${list} where ${ofEntries.join(' and ')})`;
    return `from ${entries} cross join ${list} on ${['id = entry_id', ...ofRows].join(' and ')}`;
  },
  entryId: 'entry_id',
  greatest: 'max',
  least: 'min',
  accountHash: 'random()',
  // SQLite plans by the value of a bound number, and would prepare the statement again for each execution.
  limit: (placeholder) => `${placeholder} + 0`,
  plansBoundLimits: false,
  revision: () => 'lower(hex(randomblob(16)))',
  lockAccount: () => undefined,
  lockImports: undefined,
  lockWebhooks: undefined,
  isDistributed: false,
};

export const postgres: Dialect = {
  name: 'postgres',
  among: (column, placeholder, type) => `${column} = any(${placeholder}::${type}[])`,
  contains: (column, placeholder) => `strpos(${column}, ${placeholder}::text) > 0`,
  jsonText: (text) => `to_json(${text})::text`,
  withEnd: (json, end) => `left(${json}, -1) || ${end}`,
  joined: (texts) => `(${texts.join(' || ')})`,
  decimal: (millionths) => `trim_scale(${millionths} * 0.000001)::text`,
  member: (json, name) => `${json}::json ->> '${name}'`,
  begins: (column, placeholder) => `starts_with(${column}, ${placeholder}::text)`,
  // With a plan for an account of average size, `= any` scans all of a large one in another index.
  byIds: (placeholder, select) =>
    `select found.* from unnest(${placeholder}::bigint[]) as wanted (wanted_id)
      cross join lateral (${select('= wanted_id')} offset 0) as found`,
  fromRows: (list, ofEntries, ofRows) => `from ${list} where ${[...ofEntries, ...ofRows].join(' and ')}`,
  entryId: 'id',
  greatest: 'greatest',
  least: 'least',
  accountHash: 'hashtext(accounts.id)',
  limit: (placeholder) => placeholder,
  plansBoundLimits: true,
  // From one random text for all accounts, because Citus allows no volatile function in an update.
  revision: (random, account_id) =>
    `left(encode(sha256((${random} || replace(${account_id}, E'\\\\', E'\\\\\\\\'))::bytea), 'hex'), 32)`,
  lockAccount: (strength) => `select from accounts where id = $1 for ${strength}`,
  lockImports: undefined,
  lockWebhooks: `select pg_advisory_xact_lock(${WEBHOOK_LOCK})`,
  isDistributed: false,
};

/** PostgreSQL whose rows are spread over the nodes of Citus, those of an account in one shard. */
export const citus: Dialect = {
  ...postgres,
  name: 'citus',
  lockImports: `select pg_advisory_xact_lock(${IMPORT_LOCK})`,
  isDistributed: true,
};
