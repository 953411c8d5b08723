// What the two databases spell differently, as a table. It must not know what is read or written.

/** What the two databases spell differently. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  placeholder(position: number): string;
  /** The column is one of a bound list. */
  among(column: string, placeholder: string, type: 'text' | 'bigint'): string;
  /** The column contains the bound text, every character of it ordinary. */
  contains(column: string, placeholder: string): string;
  /** The column begins with the bound text, every character of it ordinary. */
  begins(column: string, placeholder: string): string;
  /**
   * A statement that finds each row of a bound list of ids by itself; `select` writes what finds those whose
   * id passes a test.
   */
  byIds(placeholder: string, select: (test: string) => string): string;
  /** How many rows, of a bound number. */
  limit(placeholder: string): string;
}

export const sqlite: Dialect = {
  name: 'sqlite',
  placeholder: (position) => `?${position}`,
  among: (column, placeholder) => `${column} in (select value from json_each(${placeholder}))`,
  contains: (column, placeholder) => `instr(${column}, ${placeholder}) > 0`,
  begins: (column, placeholder) => `instr(${column}, ${placeholder}) = 1`,
  byIds: (placeholder, select) => select(`in (select value from json_each(${placeholder}))`),
  // SQLite plans by a number that is bound by itself, and so prepares the statement anew for each execution.
  limit: (placeholder) => `${placeholder} + 0`,
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
  limit: (placeholder) => placeholder,
};
