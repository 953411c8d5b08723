// What an import can be into, as a table: a list or the accounts, each with its columns and how its rows are
// stored.

import { MAX_TEXT_CHARACTERS } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import { type RowValues, type Stored, storedRow, type Table, tables } from '../store/tables.ts';
import { type Finder, findersOf, type ImportColumn, importColumns, REMOVED } from './columns.ts';
import { ACCOUNTS, type TargetName } from './job.ts';
import { accountId, currency, flag, textUpTo } from './values.ts';

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

/** What a row does not have stays as it is. */
const OPTIONAL = { required: false, mayBeAbsent: true } as const;

const ACCOUNT_COLUMNS: readonly ImportColumn[] = [
  {
    ...accountId(undefined),
    name: 'account_id',
    kind: 'text',
    about: 'Your own customer id. An account that does not exist is created.',
    required: true,
    fallback: '',
  },
  {
    ...textUpTo(MAX_TEXT_CHARACTERS),
    ...OPTIONAL,
    name: 'name',
    kind: 'text',
    about: 'What the account is called.',
    fallback: '',
  },
  {
    ...currency,
    ...OPTIONAL,
    name: 'currency',
    kind: 'text',
    about: "The account's currency; empty for that of the deployment.",
    fallback: '',
  },
  {
    ...accountId(undefined),
    ...OPTIONAL,
    name: 'parent_id',
    kind: 'text',
    about: 'The account that it is below, of the same import or a stored one; empty for none.',
    fallback: '',
  },
  {
    ...flag,
    ...OPTIONAL,
    // An empty cell says neither, and to take it for one would enable what is disabled.
    required: true,
    name: 'disabled',
    kind: 'flag',
    about: 'Whether its tokens are rejected, as by `account disable` and `account enable`. Never empty.',
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

const ACCOUNT_ID = ACCOUNT_COLUMNS[0] as ImportColumn;

/** The accounts that a command makes tokens of. */
const tokens: ImportTarget = {
  list: { name: 'tokens', title: 'Tokens' },
  key: 'account_id',
  loadsFaultyRuns: true,
  finders: [],
  columns: () => [
    { ...ACCOUNT_ID, about: 'The account of the token.' },
    {
      ...textUpTo(MAX_TEXT_CHARACTERS),
      ...OPTIONAL,
      name: 'name',
      kind: 'text',
      about: 'A name to recognize the token by.',
      fallback: '',
    },
  ],
  rowOf: ({ account_id, name = null }) => [account_id, name] as Stored[],
};

export const targets: Readonly<Record<TargetName, ImportTarget>> = {
  virtual_numbers: listTarget(tables.virtual_numbers),
  additional_services: listTarget(tables.additional_services),
  accounts,
  tokens,
};
