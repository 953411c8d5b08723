// Statements framed as a transaction of PostgreSQL: how it begins and ends, what is set only within it, and,
// with row security, whose rows it may see. Pure functions.

import { escapeLiteral } from 'pg';
import { type Owner, type Statement, statement } from '../sql.ts';
import type { ConnectionSettings } from './connect.ts';

const BEGIN = {
  read: statement('begin isolation level repeatable read read only'),
  write: statement('begin isolation level read committed read write'),
} as const;
export const COMMIT = statement('commit');
export const ROLLBACK = statement('rollback');

/** Settings that the policies of row security look at; each kind of owner has its own. */
export const OWNER_SETTINGS = {
  account_id: 'linecard.account_id',
  token_hash: 'linecard.token_hash',
  token_id: 'linecard.token_id',
  parent_id: 'linecard.parent_id',
  operator_id: 'linecard.operator_id',
} as const satisfies Record<Owner['kind'], string>;

const NO_OWNER: Owner = { kind: 'account_id', value: '' };
const KINDS = Object.keys(OWNER_SETTINGS) as Owner['kind'][];
const SET_OWNER = `select ${KINDS.map((kind, i) => `set_config('${OWNER_SETTINGS[kind]}', $${i + 1}, true)`).join(', ')}`;
/**
 * What is set for readers: no processes that help with one statement, so that one search takes one processor
 * from others, and not all of them; and no rows in memory for keys that come again, because none does.
 */
export const FOR_READERS: Readonly<Record<string, string>> = {
  max_parallel_workers_per_gather: '0',
  enable_memoize: 'off',
};
/** PostgreSQL before 17 has no limit on a whole transaction, and refuses its name. */
export const NO_TRANSACTION_TIMEOUT = `case when current_setting('server_version_num')::int >= 170000
  then set_config('transaction_timeout', '0', true) end`;
const SET_TIMEOUTS = `select set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true),
  set_config('idle_in_transaction_session_timeout', '0', true), ${NO_TRANSACTION_TIMEOUT}`;
const SET_READER = [
  SET_TIMEOUTS,
  ...Object.entries(FOR_READERS).map(([setting, value]) => `set_config('${setting}', '${value}', true)`),
].join(', ');

/** Sets whose rows may be seen from here on; it returns the account, which is checked like any owner. */
function setOwner({ kind, value }: Owner): Statement {
  const values = KINDS.map((one) => (one === kind ? value : ''));
  return { text: SET_OWNER, values, owner: { kind: 'account_id', value: values[0] ?? '' } };
}

/** Only what is set in this way is sent to a node; the row guard checks what comes back all the same. */
export const PROPAGATE_SETTINGS = `set local citus.propagate_set_commands = 'local'`;

function propagateOwner({ kind, value }: Owner): Statement[] {
  const own = KINDS.map(
    (one) => `set local ${OWNER_SETTINGS[one]} = ${escapeLiteral(one === kind ? value : '')}`,
  );
  return [PROPAGATE_SETTINGS, ...own].map((text) => statement(text));
}

/** Statements framed for one round trip, and the position of each of them in it. */
export interface Framed {
  readonly statements: Statement[];
  readonly positions: number[];
}

/** How a transaction begins; the time-out is that of each statement. */
export function beginning(kind: keyof typeof BEGIN, timeoutMs: number): Statement[] {
  return [BEGIN[kind], statement(kind === 'read' ? SET_READER : SET_TIMEOUTS, String(timeoutMs))];
}

/** Statements within a transaction; `before` is what comes before them in the same round trip. */
export function within(
  { rowSecurity, isDistributed }: ConnectionSettings,
  own: readonly Statement[],
  before: readonly Statement[] = [],
): Framed {
  const statements = [...before];
  const positions: number[] = [];
  let seen = NO_OWNER;
  for (const one of own) {
    const owner = one.owner ?? NO_OWNER;
    if (rowSecurity && (owner.kind !== seen.kind || owner.value !== seen.value)) {
      statements.push(...(isDistributed ? propagateOwner(owner) : [setOwner(owner)]));
      seen = owner;
    }
    positions.push(statements.length);
    statements.push(one);
  }
  return { statements, positions };
}

/**
 * A whole reading transaction in one round trip; a single statement that needs nothing set is one by itself.
 */
export function reading(settings: ConnectionSettings, own: readonly Statement[]): Framed {
  const { pooler, rowSecurity, timeoutMs } = settings;
  const direct = pooler === 'none';
  if (direct && !rowSecurity && own.length === 1) return { statements: [...own], positions: [0] };
  // Without a pooler the session has its time-out already.
  const before = direct ? [BEGIN.read] : beginning('read', timeoutMs);
  const { statements, positions } = within(settings, own, before);
  return { statements: [...statements, COMMIT], positions };
}

/** A whole writing transaction in one round trip. */
export function writing(settings: ConnectionSettings, own: readonly Statement[]): Framed {
  const { statements, positions } = within(settings, own, beginning('write', settings.timeoutMs));
  return { statements: [...statements, COMMIT], positions };
}
