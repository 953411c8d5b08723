// What the two databases spell differently, as a table. It must not know what is read or written.

/** What the two databases spell differently. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /**
   * Whether each row begins with its owner (the row guard): rows come over a connection that many requests
   * share.
   */
  readonly rowsCarryOwner: boolean;
  placeholder(position: number): string;
  /** The column is one of a bound list. */
  among(column: string, placeholder: string, type: 'text' | 'bigint'): string;
  /** The column contains the bound text, every character of it ordinary. */
  contains(column: string, placeholder: string): string;
  /** The column begins with the bound text, every character of it ordinary. */
  begins(column: string, placeholder: string): string;
  /** How many rows, of a bound number. */
  limit(placeholder: string): string;
}

export const sqlite: Dialect = {
  name: 'sqlite',
  rowsCarryOwner: false,
  placeholder: (position) => `?${position}`,
  among: (column, placeholder) => `${column} in (select value from json_each(${placeholder}))`,
  contains: (column, placeholder) => `instr(${column}, ${placeholder}) > 0`,
  begins: (column, placeholder) => `instr(${column}, ${placeholder}) = 1`,
  // SQLite plans by a number that is bound by itself, and so prepares the statement anew for each execution.
  limit: (placeholder) => `${placeholder} + 0`,
};

export const postgres: Dialect = {
  name: 'postgres',
  rowsCarryOwner: true,
  placeholder: (position) => `$${position}`,
  among: (column, placeholder, type) => `${column} = any(${placeholder}::${type}[])`,
  contains: (column, placeholder) => `strpos(${column}, ${placeholder}::text) > 0`,
  begins: (column, placeholder) => `starts_with(${column}, ${placeholder}::text)`,
  limit: (placeholder) => placeholder,
};
