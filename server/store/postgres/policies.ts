// Row security in PostgreSQL: what a role that serves sees of each table, as policies.

import { LOG_TABLES } from '../log/change-log.ts';
import { tables } from '../tables.ts';
import { OWNER_SETTINGS } from './transaction.ts';

/** What holds rows of accounts, the owner in `account_id`. */
export const OF_ACCOUNTS = [...Object.keys(tables), ...LOG_TABLES, 'webhooks', 'webhook_attempts'];

const setting = (kind: keyof typeof OWNER_SETTINGS, mayBeMissing = true) =>
  `current_setting('${OWNER_SETTINGS[kind]}'${mayBeMissing ? ', true' : ''})`;

/**
 * An account and its token are found in one statement; on Citus in two, and no policy may read another table.
 */
const OF_TOKEN = ` or exists (
      select from tokens where tokens.account_id = accounts.id and tokens.hash = ${setting('token_hash')})`;

/** The accounts directly below some, whose ids are separated by line breaks. */
const BELOW = ` or parent_id = any (string_to_array(${setting('parent_id')}, chr(10)))`;

/** Every account, for a token of an operator that reads all; on Citus no policy may read another table. */
const ofOperator = (isDistributed: boolean) =>
  isDistributed
    ? ` or ${setting('operator_id')} <> ''`
    : ` or exists (select from operator_tokens where operator_tokens.id = ${setting('operator_id')}
      and operator_tokens.accounts is null and operator_tokens.revoked_at is null
      and operator_tokens.may like '%"read"%')`;

/**
 * What the role sees of each table. The one of tokens fails where nothing was set: a service that was started
 * before row security would otherwise take every token for unknown.
 */
function policies(isDistributed: boolean): (readonly [table: string, command: string, sees: string])[] {
  return [
    ...OF_ACCOUNTS.map((name) => [name, 'select', `account_id = ${setting('account_id')}`] as const),
    [
      'accounts',
      'select',
      `id = ${setting('account_id')}${BELOW}${isDistributed ? '' : OF_TOKEN}${ofOperator(isDistributed)}`,
    ],
    ['tokens', 'select', `hash = ${setting('token_hash', false)} or id = ${setting('token_id')}`],
    ['tokens', 'update', `id = ${setting('token_id')}`],
    ['operator_tokens', 'select', `hash = ${setting('token_hash')} or id = ${setting('operator_id')}`],
    ['operator_tokens', 'update', `id = ${setting('operator_id')}`],
    ['token_events', 'insert', `token_id = ${setting('token_id')} or token_id = ${setting('operator_id')}`],
  ];
}

/** Whether row security is in force for this role: for any table, and for all that have a policy. */
export const IS_SECURED = `select bool_or(row_security_active(name))::int, bool_and(row_security_active(name))::int
  from unnest('{${[...new Set(policies(false).map(([table]) => table))].join()}}'::text[]) as name`;

/** The roles of a policy but for one. */
export const OTHERS_OF_POLICY = `select rolname as name from pg_policy join pg_roles on pg_roles.oid = any(polroles)
  where polrelid = 'accounts'::regclass and polname = $1 and rolname <> $2 order by rolname`;

/**
 * The transactions that have roles see one account at a time: at no moment is a service that runs without a
 * policy.
 */
export function securing(names: string, { isDistributed }: { readonly isDistributed: boolean }): string[][] {
  return policies(isDistributed).map(([table, command, sees]) => [
    `alter table ${table} enable row level security`,
    `drop policy if exists linecard_${command} on ${table}`,
    `create policy linecard_${command} on ${table} for ${command} to ${names} ${command === 'insert' ? 'with check' : 'using'} (${sees})`,
  ]);
}

/** Where row security is in force, now or later, roles of another kind see every row all the same. */
export function exempting(names: string, kind: 'intake' | 'deliver'): string[][] {
  return ['accounts', 'tokens', 'operator_tokens', 'token_events', ...OF_ACCOUNTS].map((table) => [
    `drop policy if exists linecard_${kind} on ${table}`,
    `create policy linecard_${kind} on ${table} for all to ${names} using (true) with check (true)`,
  ]);
}
