// What stands around statements in a transaction of PostgreSQL: how it begins and ends, what holds only within it, and, with
// row security, whose rows it may see. Pure.

import type { Owner, Statement } from '../sql.ts';
import type { Settings } from './connect.ts';

const plain = (text: string, ...values: string[]): Statement => ({ text, values });

const BEGIN = {
  read: plain('begin isolation level repeatable read read only'),
  write: plain('begin isolation level read committed read write'),
} as const;
export const COMMIT = plain('commit');

/** Settings that the policies of row security look at; each kind of owner has its own. */
export const OWNER_SETTINGS = {
  account_id: 'linecard.account_id',
  token_hash: 'linecard.token_hash',
  token_id: 'linecard.token_id',
} as const satisfies Record<Owner['kind'], string>;

const NOBODY: Owner = { kind: 'account_id', value: '' };
const KINDS = Object.keys(OWNER_SETTINGS) as Owner['kind'][];
const SET_OWNER = `select ${KINDS.map((kind, i) => `set_config('${OWNER_SETTINGS[kind]}', $${i + 1}, true)`).join(', ')}`;
const SET_TIMEOUTS = `select set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true),
  set_config('idle_in_transaction_session_timeout', '0', true)`;

/** Says whose rows may be seen from here on; it answers with the account, which is checked like any owner. */
function setOwner({ kind, value }: Owner): Statement {
  const values = KINDS.map((one) => (one === kind ? value : ''));
  return { text: SET_OWNER, values, owner: { kind: 'account_id', value: values[0] ?? '' } };
}

/** Statements framed for one trip, and where in the trip each of them stands. */
export interface Framed {
  readonly statements: Statement[];
  readonly places: number[];
}

/** How a transaction begins whose statements may take so long, each. */
export function beginning(kind: keyof typeof BEGIN, timeout_ms: number): Statement[] {
  return [BEGIN[kind], plain(SET_TIMEOUTS, String(timeout_ms))];
}

/** Statements as they stand within a transaction; `before` is what stands before them in the same trip. */
export function within(
  { row_security }: Settings,
  asked: readonly Statement[],
  before: readonly Statement[] = [],
): Framed {
  const statements = [...before];
  const places: number[] = [];
  let seen = NOBODY;
  for (const statement of asked) {
    const owner = statement.owner ?? NOBODY;
    if (row_security && (owner.kind !== seen.kind || owner.value !== seen.value)) {
      statements.push(setOwner(owner));
      seen = owner;
    }
    places.push(statements.length);
    statements.push(statement);
  }
  return { statements, places };
}

/** A whole reading transaction in one trip; a statement that is alone and needs nothing set is one by itself. */
export function reading(settings: Settings, asked: readonly Statement[]): Framed {
  const { pooler, row_security, timeout_ms } = settings;
  const direct = pooler === 'none';
  if (direct && !row_security && asked.length === 1) return { statements: [...asked], places: [0] };
  // Where the session is ours, it has its time-out already.
  const before = direct ? [BEGIN.read] : beginning('read', timeout_ms);
  const { statements, places } = within(settings, asked, before);
  return { statements: [...statements, COMMIT], places };
}

/** A whole writing transaction in one trip. */
export function writing(settings: Settings, asked: readonly Statement[]): Framed {
  const { statements, places } = within(settings, asked, beginning('write', settings.timeout_ms));
  return { statements: [...statements, COMMIT], places };
}
