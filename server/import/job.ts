// What an import is to do, and what it did: its options, in one table, and its summary.

import type { Readable } from 'node:stream';
import type { List } from '@linecard/client/contract/list';
import type { ParameterName, Values } from '../settings/config.ts';
import type { AccountEffects, AnyLoad } from '../store/access/accounts-load.ts';
import type { LoadSummary } from '../store/load-summary.ts';
import type { ImportProvenance } from '../store/log/audit.ts';
import type { AccountChanges, Store } from '../store/store.ts';
import { type Table, tables } from '../store/tables.ts';

/** The accounts, in the place of a list and its table. */
export const ACCOUNTS = { name: 'accounts', list: { name: 'accounts', title: 'Accounts' } } as const;

export type Importable = Table | typeof ACCOUNTS;
/** What is read from files; those of new tokens are no import. */
export type TargetName = keyof typeof tables | typeof ACCOUNTS.name | 'tokens';

/** All of them. */
export const importables: readonly Importable[] = [...Object.values(tables), ACCOUNTS];

export const isTable = (one: Importable): one is Table => one !== ACCOUNTS;

/** Where an option is taken in addition to the commands. */
interface OptionUse {
  /** The name of the parameter in a request to the intake. */
  readonly parameter?: string;
  /** A watched folder takes it, for each of its files. */
  readonly watch?: true;
  /** It is about how files are read, so a query has no use for it. */
  readonly file?: true;
  /** It is about the items of a list, so an import of accounts does not take it. */
  readonly items?: true;
}

/** The options of an import, by the names that they have in the command line and as fields of a job. */
const OPTIONS = {
  account: { parameter: 'account', watch: true, items: true },
  update: { watch: true, items: true },
  defaults: { parameter: 'defaults', watch: true, items: true },
  replace: { watch: true, items: true },
  replace_all: { parameter: 'all', watch: true, items: true },
  skip_deleted: { parameter: 'skip_deleted', watch: true },
  max_removed: { parameter: 'max_removed', watch: true, items: true },
  max_changed: { parameter: 'max_changed', watch: true, items: true },
  max_moved: { parameter: 'max_moved', watch: true, items: true },
  expect_rows: { parameter: 'expect_rows' },
  changes_kept: { watch: true, items: true },
  dry_run: { parameter: 'dry_run' },
  feed: { watch: true },
  format: { watch: true, file: true },
  delimiter: { parameter: 'delimiter', watch: true, file: true },
  encoding: { parameter: 'encoding', watch: true, file: true },
  mapping: { parameter: 'mapping', watch: true },
} as const satisfies Partial<Record<ParameterName, OptionUse>>;

export type ImportOption = keyof typeof OPTIONS;
type With<K extends keyof OptionUse> = {
  [N in ImportOption]: K extends keyof (typeof OPTIONS)[N] ? N : never;
}[ImportOption];

const names = Object.keys(OPTIONS) as ImportOption[];
const isWith = <K extends keyof OptionUse>(name: ImportOption, use: K): name is With<K> =>
  use in OPTIONS[name];

/** The options of files, those of rows wherever they come from, and which of these a watched folder takes. */
export const FILE_OPTIONS = names.filter((name) => isWith(name, 'file'));
export const ROW_OPTIONS = names.filter((name) => !isWith(name, 'file'));
export const WATCHED_OPTIONS = ROW_OPTIONS.filter((name) => isWith(name, 'watch'));
/** The options that only lists take, and what is said where one is given for accounts. */
export const ITEM_OPTIONS = names.filter((name) => isWith(name, 'items'));
export const ONLY_ITEMS =
  'is about the items of a list. An import of accounts creates and changes the accounts that it names, and deletes none.';
export const takesOption = (table: Importable, name: ImportOption): boolean =>
  isTable(table) || !isWith(name, 'items');
export const optionsByParameter: ReadonlyMap<string, With<'parameter'>> = new Map(
  names.flatMap((name) => (isWith(name, 'parameter') ? [[OPTIONS[name].parameter, name]] : [])),
);

export type ImportOptions = { readonly [N in ImportOption]?: Values[N] | undefined };

/** What becomes of items that are stored already. */
export type ImportMode = 'insert' | 'update' | 'replace' | 'replace-all';

export function modeOf({ update, replace, replace_all }: ImportOptions): ImportMode {
  if (update) return 'update';
  if (replace_all) return 'replace-all';
  return replace ? 'replace' : 'insert';
}

/** The options that the method of a request to the intake stands for; of a POST none. */
export const optionsOfMethod = (method: string): ImportOptions => ({
  update: method === 'PATCH',
  replace: method === 'PUT',
});

export interface ImportProgress {
  readonly doing: 'reading' | 'waiting' | 'finishing';
  readonly rows: number;
  /** Bytes read, and the total where it is known. */
  readonly bytes: number;
  readonly totalBytes: number | undefined;
}

export interface ImportJob extends ImportOptions {
  readonly store: Store;
  readonly table: Importable;
  /** Names of files; `-` is standard input. Absent for a body and for a query. */
  readonly files?: readonly string[];
  /** Opens a file, for the caller to close, where its name may later lead to another file. */
  readonly open?: ((name: string) => number) | undefined;
  readonly stdin?: Readable;
  /** The maximum size of each file, decompressed. */
  readonly maxBytes?: number | undefined;
  /** Stops the import, which leaves everything as it was. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** How long to wait for another import to end. */
  readonly lockTimeoutMs?: number | undefined;
  /** The origin that the audit log records; a command by default. */
  readonly provenance?: ImportProvenance | undefined;
  /** Whether the caller may learn that an account exists; all by default. */
  readonly mayWrite?: (account_id: string) => boolean;
  /**
   * Called when everything is computed and nothing is visible yet, in a dry run as well: what it writes
   * through the load is committed with the rows, and an error that it throws leaves everything as it was.
   */
  readonly beforeCommit?: (load: AnyLoad, summary: ImportSummary) => Promise<void> | void;
}

export interface ImportSummary extends LoadSummary {
  readonly rows: number;
  /** Rows that the mapping leaves out; they are not among the others. */
  readonly left_out: number;
  /** The columns that the rows had: of an item that is there, the others stay as they are. */
  readonly columns: readonly string[];
  /** How many rows have a charge below zero. */
  readonly negative: number;
  /** What was done all the same, and may not be what was meant, in a sentence each. */
  readonly warnings: readonly string[];
  /** Of a dry run: what would change for each account. */
  readonly accounts?: readonly (AccountChanges | AccountEffects)[];
  /** Of a dry run: why the same import would be refused. */
  readonly withheld?: string;
}

/** The summary for programs: `import --json` prints it, and the intake answers with it. */
export interface SummaryResult extends Omit<ImportSummary, 'examples'> {
  /** Of a dry run: some items that each column would change of. */
  readonly examples?: ImportSummary['examples'];
  readonly list: string;
  readonly dry_run: boolean;
  readonly seconds: number;
}

export function summaryResult(
  { name }: Pick<List, 'name'>,
  { accounts, ...counts }: ImportSummary,
  milliseconds: number,
): SummaryResult {
  const seconds = Math.round(milliseconds) / 1_000;
  const { examples, ...others } = counts;
  const result = { list: name, dry_run: accounts !== undefined, ...others, seconds };
  return accounts === undefined ? result : { ...result, examples, accounts };
}
