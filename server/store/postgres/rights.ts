// Least rights in PostgreSQL: the role that serves owns nothing and can only read, and note when tokens were
// used; with row security the database itself shows it one account at a time. The role of intake writes the
// lists, the accounts and what belongs to them, creates sign-ins, and sees no hash of a customer's token. The
// role of deliver reads the lists and writes how far webhooks are delivered.

import { type Client, escapeIdentifier } from 'pg';
import { TOKENS } from '../copy-parts.ts';
import { LOG_TABLES } from '../log/change-log.ts';
import { EVENT_TABLES } from '../log/erasure.ts';
import type { StoreOptions } from '../store.ts';
import { StoreRefused } from '../store-errors.ts';
import { tables } from '../tables.ts';
import { connect, hangUp, settingsOf } from './connect.ts';
import { distributionOf } from './distribution.ts';
import { INSUFFICIENT_PRIVILEGE, sqlState, storeErrorOf } from './errors.ts';
import { exempting, OF_ACCOUNTS, OTHERS_OF_POLICY, securing } from './policies.ts';

const LISTS = Object.keys(tables);
const EVENTS = EVENT_TABLES.map(({ name }) => name);
const OF_ALL = ['deployment', 'accounts', 'tokens', 'imports', 'import_runs', 'deliverers', 'own_fields'];
const READ = [...OF_ALL, ...OF_ACCOUNTS];
/** What an intake writes and deletes as a whole. */
const WRITTEN = ['deleted_accounts', 'feeds'];
const OWN = [...READ, 'operator_tokens', ...WRITTEN, 'deliveries', 'import_moves', ...EVENTS];

/** The condition that the role `$1` has a right, and the right as in `grant`, such as `select on tokens`. */
type Right = readonly [may: string, what: string];

export type RoleKind = 'serving' | 'intake' | 'deliver';

const SCHEMA = `(select relnamespace from pg_class where oid = 'accounts'::regclass)`;

/** Where the tables are, quoted for a statement. */
interface Location {
  readonly database: string;
  readonly schema: string;
  readonly isDistributed: boolean;
}

/** What an administrator has to do, where the role of the URL may not. */
export interface Rights {
  /** Statements without which the role cannot serve. */
  readonly missing: readonly string[];
  /** Statements that revoke what the role does not need. */
  readonly advised: readonly string[];
}

/**
 * Runs transactions that the role of the URL may not be allowed; returns the statements of those that it was
 * not. Citus takes one statement at a time.
 */
async function attempt(client: Client, transactions: readonly (readonly string[])[]): Promise<string[]> {
  const missing: string[] = [];
  for (const statements of transactions) {
    const framed = ['begin', ...statements, 'commit'];
    try {
      for (const statement of framed) await client.query(statement);
    } catch (error) {
      await client.query('rollback');
      if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error;
      missing.push(...(statements.length === 1 ? statements : framed).map((one) => `${one};`));
    }
  }
  return missing;
}

async function isTrue(client: Client, condition: string, ...values: string[]): Promise<boolean> {
  const { rows } = await client.query<{ holds: boolean }>(`select (${condition}) as holds`, values);
  return rows[0]?.holds === true;
}

/** The role must be one that rights can limit. */
async function mustBeLimited(client: Client, role: string, kind: RoleKind): Promise<void> {
  const above = await isTrue(
    client,
    'exists (select from pg_roles where rolname = $1 and (rolsuper or rolbypassrls))',
    role,
  );
  const owner = await isTrue(
    client,
    `exists (select from pg_class where oid = any($2::regclass[]) and pg_has_role($1, relowner, 'member'))`,
    role,
    `{${OWN.join(',')}}`,
  );
  if (!above && !owner) return;
  throw new StoreRefused(
    `The role ${role} ${above ? 'is a superuser or bypasses row security' : 'owns the tables or can SET ROLE to their owner'}. Use a role that does neither for --${kind}-role.`,
  );
}

async function locationOf(client: Client): Promise<Location> {
  const { rows } = await client.query<Omit<Location, 'isDistributed'>>(
    `select quote_ident(current_database()) as database, relnamespace::regnamespace::text as schema
     from pg_class where oid = 'accounts'::regclass`,
  );
  const { isDistributed } = await distributionOf(client);
  return { ...(rows[0] ?? { database: '', schema: '' }), isDistributed };
}

function onDatabase({ database }: Location, what: string): Right {
  return [`has_database_privilege($1, current_database(), '${what}')`, `${what} on database ${database}`];
}

function onSchema({ schema }: Location, what: string): Right {
  return [`has_schema_privilege($1, ${SCHEMA}, '${what}')`, `${what} on schema ${schema}`];
}

/** The right to something, such as `select`, on a table. */
function onTable(table: string, what: string): Right {
  return [`has_table_privilege($1, '${table}', '${what}')`, `${what} on ${table}`];
}

/** The right to do something to these columns of a table and to no others. */
function onColumns(table: string, what: string, columns: readonly string[]): Right {
  const may = columns.map((column) => `has_column_privilege($1, '${table}', '${column}', '${what}')`);
  return [may.join(' and '), `${what} (${columns.join(', ')}) on ${table}`];
}

const onTables = (tables: readonly string[], rights: readonly string[]): Right[] =>
  tables.flatMap((table) => rights.map((what) => onTable(table, what)));

/** What imports change of accounts. */
const OF_ACCOUNT = [
  ...['name', 'currency', 'parent_id', 'disabled_at', 'revision', 'sequence', 'updated_at'],
  ...LISTS,
];

const ALL = ['select', 'insert', 'update', 'delete'];
const isNoHash = (column: string) => column !== 'hash';

/** What a role needs of the tables: the condition that it may, and what for. */
export const NEEDED_RIGHTS: Readonly<Record<RoleKind, readonly Right[]>> = {
  serving: [
    ...onTables(READ, ['select']),
    onTable('operator_tokens', 'select'),
    ...['tokens', 'operator_tokens'].map((table) => onColumns(table, 'update', ['last_used_at'])),
    onTable('token_events', 'insert'),
  ],
  intake: [
    ...onTables([...LISTS, ...LOG_TABLES, ...WRITTEN, 'import_runs', 'webhooks'], ALL),
    ...onTables(['deployment', 'accounts', 'operator_tokens'], ['select']),
    onColumns('accounts', 'insert', [...OF_ACCOUNT, 'id', 'created_at']),
    onColumns('accounts', 'update', OF_ACCOUNT),
    onTable('accounts', 'delete'),
    // Those of customers, and sign-ins: never their hashes.
    onColumns('tokens', 'select', TOKENS.columns.filter(isNoHash)),
    onColumns('tokens', 'update', ['expires_at', 'revoked_at', 'suspended_at', 'account_id']),
    ...onTables(['tokens'], ['insert', 'delete']),
    ...onTables(EVENTS, ['select', 'insert']),
    // What is recorded of a deleted account may be erased.
    ...['account_events', 'webhook_events'].map((table) => onColumns(table, 'update', ['name'])),
    onColumns('token_events', 'update', ['name', 'actor']),
    onColumns('imports', 'update', ['source']),
    onColumns('operator_tokens', 'update', ['last_used_at', 'accounts']),
    ...onTables(['own_fields'], ['select', 'insert', 'update']),
    ...onTables(['deliveries', 'imports', 'import_moves'], ['select', 'insert', 'delete']),
    ...onTables(['webhook_attempts'], ['select', 'delete']),
    onColumns('webhook_attempts', 'update', ['account_id']),
    onTable('deliverers', 'select'),
  ],
  deliver: [
    ...onTables(['deployment', 'accounts', 'own_fields', ...LISTS, ...LOG_TABLES], ['select']),
    ...onTables(['webhooks'], ['select', 'update']),
    ...onTables(['webhook_attempts'], ['select', 'insert', 'delete']),
    onTable('webhook_events', 'insert'),
    ...onTables(['deliverers'], ALL),
  ],
};

function needed(location: Location, kind: RoleKind): Right[] {
  const toEnter = [onDatabase(location, 'connect'), onSchema(location, 'usage')];
  if (kind !== 'intake') return [...toEnter, ...NEEDED_RIGHTS[kind]];
  // To make tables, where the rows of an import are compared with those that are there.
  return location.isDistributed
    ? [...toEnter, onSchema(location, 'create'), ...NEEDED_RIGHTS.intake]
    : [...toEnter, onDatabase(location, 'temporary'), ...NEEDED_RIGHTS.intake];
}

/** Rights that every role has by default. */
function needless(location: Location, kind: RoleKind): Right[] {
  return [
    ...(kind === 'intake' ? [] : [onDatabase(location, 'temporary')]),
    ...(kind === 'intake' && location.isDistributed ? [] : [onSchema(location, 'create')]),
  ];
}

/**
 * A role, and the others of its kind that row security has policies for: without these in its policies, a
 * service that still runs as one of them would see no row, and take every token for unknown.
 */
async function withOthers(client: Client, role: string, kind: RoleKind): Promise<string> {
  const policy = kind === 'serving' ? 'linecard_select' : `linecard_${kind}`;
  const { rows } = await client.query<{ name: string }>(OTHERS_OF_POLICY, [policy, role]);
  return [role, ...rows.map(({ name }) => name)].map((one) => escapeIdentifier(one)).join(', ');
}

async function grant(client: Client, role: string, kind: RoleKind, rowSecurity: boolean): Promise<Rights> {
  const name = escapeIdentifier(role);
  const exists = await isTrue(client, 'exists (select from pg_roles where rolname = $1)', role);
  if (!exists) {
    const missing = await attempt(client, [[`create role ${name} login`]]);
    if (missing.length > 0) return { missing, advised: [] };
  }
  await mustBeLimited(client, role, kind);
  const location = await locationOf(client);
  const missing: string[] = [];
  // By itself, because everybody has them until a careful administrator takes them away.
  const defaults = `grant connect, temporary on database ${location.database} to ${name}`;
  if (kind === 'intake') await attempt(client, [[defaults]]);
  for (const [may, what] of needed(location, kind)) {
    if (await isTrue(client, may, role)) continue;
    const statement = `grant ${what} to ${name}`;
    await attempt(client, [[statement]]);
    // Without the right to grant there is an error, or only a warning.
    if (!(await isTrue(client, may, role))) missing.push(`${statement};`);
  }
  const secured = await isTrue(
    client,
    `(select relrowsecurity from pg_class where oid = 'accounts'::regclass)`,
  );
  const names = await withOthers(client, role, kind);
  if (kind !== 'serving') missing.push(...(await attempt(client, exempting(names, kind))));
  else if (rowSecurity || secured) missing.push(...(await attempt(client, securing(names, location))));
  const advised: string[] = exists ? [] : [`alter role ${name} password '…';`];
  for (const [may, what] of needless(location, kind)) {
    if (await isTrue(client, may, role)) advised.push(`revoke ${what} from public;`);
  }
  return { missing, advised };
}

/**
 * Gives a role the rights to serve, or to write the lists, and no others; if wanted, has the database show
 * the one that serves one account at a time.
 * @throws {StoreRefused} when the role has rights that cannot be limited.
 */
export async function grantRights(
  url: string,
  options: StoreOptions,
  role: string,
  kind: RoleKind,
): Promise<Rights> {
  const client = await connect(settingsOf(url, options));
  try {
    return await grant(client, role, kind, options.rowSecurity ?? false);
  } catch (error) {
    throw storeErrorOf(error);
  } finally {
    hangUp(client);
  }
}
