// What a source is: another system's database that a query reads, every value as text.

/** How long connecting may take. */
export const CONNECT_MILLISECONDS = 30_000;
/** Rows that are read at a time. */
export const BATCH_ROWS = 1_000;

/** A value as its text, nothing (NULL), or why it is neither. */
export type SourceValue = string | null | { readonly fault: string };

export interface SourceColumn {
  readonly name: string;
  /** Whether the database has it as numbers, whose decimal sign is a point. */
  readonly isNumber?: boolean;
  /** Why no value of it can be taken, to follow its name. */
  readonly fault?: string;
  /** Why it cannot be read as a timestamp, to follow its name: its texts do not say their time zone. */
  readonly zoneFault?: string;
}

/** The result of one query, of one snapshot of the database. */
export interface SourceResult {
  readonly columns: readonly SourceColumn[];
  /** @throws {SourceFault} when it cannot be read to its end. */
  batches(): AsyncIterable<readonly (readonly SourceValue[])[]>;
  /** Gives up the connection, whatever it is doing. */
  close(): void;
}

/** What is to be read, and from where. */
export interface SourceQuery {
  /** The address of the database, password included. */
  readonly url: string;
  readonly sql: string;
  /** Whether times without a zone are given as they are, because the reader knows their zone. */
  readonly hasLocalTimes?: boolean;
  /** How long the database may send nothing before it counts as gone, where it is not ten minutes. */
  readonly silenceMs?: number;
}

/** Opens a connection, which can only read, and begins the query. */
export type OpenSource = (query: SourceQuery) => Promise<SourceResult>;

/** The query cannot be answered, or not to its end. */
export class SourceFault extends Error {
  override readonly name = 'SourceFault';
  /** The line of the query that is at fault, 0 for all of it; absent where it is the database. */
  readonly line: number | undefined;

  constructor(message: string, options: ErrorOptions & { line?: number | undefined } = {}) {
    super(message, options);
    this.line = options.line;
  }
}

/** A decimal without those zeros at its end that no charge has; every other digit stays. */
export function withoutSpareZeros(decimal: string): string {
  return decimal.replace(/(\.\d{6})0+$/, '$1');
}

/** The message of an error on one line, without its full stop; of several addresses that of the last. */
export function messageOf(error: unknown): string {
  const { message, errors } = error as { message: string; errors?: Error[] };
  const text = message || errors?.at(-1)?.message || 'no connection';
  return text
    .replace(/^Connection lost: /, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\.$/, '');
}
