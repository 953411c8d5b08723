// The tables of a store and their columns, in the order of a copy.

import { ACCOUNT_COLUMNS } from './access/accounts.ts';
import { DELETED_ACCOUNTS } from './access/deleted-accounts.ts';
import { SCOPES } from './access/token-scopes.ts';
import { DATES } from './access/tokens.ts';
import { RUNS_TABLE } from './imports/import-runs.ts';
import { type Declared, FIELD_EVENTS, OWN_FIELDS } from './lists/own-fields.ts';
import { AUDIT_TABLES } from './log/audit.ts';
import { changesTable } from './log/change-log.ts';
import { type ListName, type Stored, storedColumns, tables, tableWith } from './tables.ts';
import { restoredPosition, WEBHOOK_EVENT_COLUMNS } from './webhooks/webhook-records.ts';
import { ATTEMPT_COLUMNS, WEBHOOK_COLUMNS } from './webhooks/webhooks.ts';

export interface Part {
  readonly name: string;
  readonly columns: readonly string[];
  /** Its table is separate from the lists: with the tokens. */
  readonly isSeparate?: true;
  /** How many of the columns, the first ones, are its key; one where that is left out. */
  readonly keys?: number;
  /** Values that every row of a copy has, whatever the original has. */
  readonly always?: Readonly<Record<string, Stored>>;
}

const LIST_NAMES = Object.keys(tables) as ListName[];

export const DEPLOYMENT: Part = { name: 'deployment', columns: ['name', 'value'] };
export const ACCOUNTS: Part = {
  name: 'accounts',
  columns: [...ACCOUNT_COLUMNS, 'revision', 'sequence', ...Object.keys(tables)],
};
/** What tokens of both kinds have, in addition to their scope. */
const OF_TOKENS = ['hash', 'id', 'name', ...DATES];
export const TOKENS: Part = {
  name: 'tokens',
  isSeparate: true,
  columns: [...OF_TOKENS, 'suspended_at', ...SCOPES.customer.columns],
};
const OPERATOR_TOKENS: Part = {
  name: 'operator_tokens',
  isSeparate: true,
  columns: [...OF_TOKENS, ...SCOPES.operator.columns],
};
/** A copy must not send what the original sends, until `enable` says that it may. */
const PAUSED = { ...restoredPosition(), status: 'paused', reason: 'restored' };
const WEBHOOKS: readonly Part[] = [
  { name: 'webhooks', isSeparate: true, columns: WEBHOOK_COLUMNS, always: PAUSED },
  { name: 'webhook_attempts', isSeparate: true, columns: ATTEMPT_COLUMNS },
  { name: 'webhook_events', isSeparate: true, columns: WEBHOOK_EVENT_COLUMNS },
];
const FEEDS: Part = { name: 'feeds', columns: ['id', 'name', 'sequence', 'committed_at'] };
const DELIVERIES: Part = { name: 'deliveries', columns: ['id', 'committed_at', 'summary'] };
/** The lists, with the columns of the fields that are declared. */
export const listParts = (declared: Declared) =>
  LIST_NAMES.map((name) => {
    const table = tableWith(name, declared[name]);
    return { table, name, columns: storedColumns(table) };
  });
/** What has changed in the lists, so that tokens of changes are valid for the copy as well. */
export const LOGS: readonly Part[] = [
  { name: 'revisions', columns: ['account_id', 'sequence', 'revision', 'ended_at'], keys: 2 },
  {
    name: 'change_logs',
    columns: ['account_id', 'list', 'newest', 'entries', 'pruned', 'rebuilt', 'filled', 'events_after'],
    keys: 2,
  },
  ...Object.keys(tables).map(
    (list): Part => ({
      name: changesTable(list),
      columns: ['account_id', 'sequence', 'id', 'what', 'label', 'from_to'],
      keys: 3,
    }),
  ),
];
/** What is copied row by row, in this order. */
export const ROWS: readonly Part[] = [
  ACCOUNTS,
  ...LOGS,
  TOKENS,
  OPERATOR_TOKENS,
  ...WEBHOOKS,
  FEEDS,
  DELIVERIES,
  ...AUDIT_TABLES,
  RUNS_TABLE,
  OWN_FIELDS,
  FIELD_EVENTS,
  DELETED_ACCOUNTS,
  DEPLOYMENT,
];
export const partsOf = (declared: Declared): readonly Part[] => [...listParts(declared), ...ROWS];
