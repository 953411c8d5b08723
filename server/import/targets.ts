// What an import can be into, as a table: a list or the accounts, each with its columns and how its rows are
// stored.

import { MAX_TEXT_CHARACTERS } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import {
  type ListName,
  type OwnFields,
  type RowValues,
  type Stored,
  storedRow,
  type Table,
  tables,
  tableWith,
} from '../store/tables.ts';
import { type Finder, findersOf, type ImportColumn, importColumns, REMOVED } from './columns.ts';
import { ACCOUNTS, type TargetName } from './job.ts';
import { accountId, currency, flag, textUpTo, type ValueReader } from './values.ts';

/** How the files of an import are read. */
export interface ImportTarget {
  readonly list: Pick<List, 'name' | 'title'>;
  /** The column that no two rows have the same value in. */
  readonly key: 'id' | 'account_id';
  /** Whether rows with faults are loaded, because more may be wrong with all of them together. */
  readonly loadsFaultyRuns: boolean;
  readonly finders: readonly Finder[];
  /** `account_id` is not required where the run is for one account. */
  readonly columns: (account_id?: string) => readonly ImportColumn[];
  /** A checked row as a load takes it. */
  readonly rowOf: (values: RowValues) => Stored[];
}

/** A row of a list: a complete item, or the keys of one that is to be removed. */
export function rowOf(table: Table, values: RowValues): Stored[] {
  const account_id = String(values['account_id']);
  return values[REMOVED] === true
    ? [values['id'] as number, account_id]
    : storedRow(table, account_id, values);
}

const listTarget = (table: Table): ImportTarget => ({
  list: table.list,
  key: 'id',
  loadsFaultyRuns: false,
  finders: findersOf(table.list),
  columns: (account_id) => importColumns(table.list, account_id),
  rowOf: (values) => rowOf(table, values),
});

/** A column of texts; one that is not required may be absent, and then what is stored stays as it is. */
const column = (name: string, reader: ValueReader, about: string, required = false): ImportColumn => ({
  ...reader,
  name,
  kind: 'text',
  isGuarded: true,
  about,
  required,
  mayBeAbsent: !required,
  fallback: '',
});
const NAME = textUpTo(MAX_TEXT_CHARACTERS);

const ACCOUNT_COLUMNS: readonly ImportColumn[] = [
  column(
    'account_id',
    accountId(undefined),
    'Your own customer id. An account that does not exist is created.',
    true,
  ),
  column('name', NAME, 'What the account is called.'),
  column('currency', currency, "The account's currency; empty for that of the deployment."),
  column(
    'parent_id',
    accountId(undefined),
    'The account that it is below, of the same import or a stored one; empty for none.',
  ),
  {
    ...flag,
    name: 'disabled',
    kind: 'flag',
    about: 'Whether its tokens are rejected, as by `account disable` and `account enable`. Never empty.',
    // An empty cell says neither, and to take it for one would enable what is disabled.
    required: true,
    mayBeAbsent: true,
    fallback: false,
  },
];

const accounts: ImportTarget = {
  list: ACCOUNTS.list,
  key: 'account_id',
  loadsFaultyRuns: true,
  finders: [],
  columns: () => ACCOUNT_COLUMNS,
  rowOf: ({ account_id, name = null, currency: code = null, parent_id = null, disabled = null }) =>
    [account_id ?? null, name, code, parent_id, disabled === null ? null : Number(disabled)] as Stored[],
};

/** The accounts that a command makes tokens of. */
const tokens: ImportTarget = {
  list: { name: 'tokens', title: 'Tokens' },
  key: 'account_id',
  loadsFaultyRuns: true,
  finders: [],
  columns: () => [
    column('account_id', accountId(undefined), 'The account of the token.', true),
    column('name', NAME, 'A name to recognize the token by.'),
  ],
  rowOf: ({ account_id, name = null }) => [account_id, name] as Stored[],
};

/** Where rows go; a list with what is declared of it. */
export const targetOf = (name: TargetName, own: OwnFields | undefined): ImportTarget =>
  own === undefined || name === ACCOUNTS.name || name === 'tokens'
    ? targets[name]
    : listTarget(tableWith(name, own));

export const targets: Readonly<Record<TargetName, ImportTarget>> = {
  ...(Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [name, listTarget(table)]),
  ) as Readonly<Record<ListName, ImportTarget>>),
  accounts,
  tokens,
};
