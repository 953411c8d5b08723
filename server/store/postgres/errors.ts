// What an error of PostgreSQL or of the connection to it means for Linecard.

import { DatabaseError } from 'pg';
import { certificateFault } from '../../postgres-url.ts';
import { schemaSteps } from '../migrations.ts';
import { StoreFull, StoreRefused, StoreRolledBack, StoreUnavailable } from '../store-errors.ts';

/** SQLSTATE codes and classes that Linecard distinguishes. */
const TRANSIENT_CLASSES = [
  '08', // connection
  '40', // rolled back otherwise
  '53', // disk full, out of memory, too many connections
  '57', // cancelled, shutting down, starting up
  '58', // a system call failed
];
/** A serialization failure, a deadlock: nothing was committed. */
const ROLLED_BACK = ['40001', '40P01'];
const QUERY_CANCELED = '57014';
const DISK_FULL = '53100';
export const INSUFFICIENT_PRIVILEGE = '42501';
/** Of Citus: what it has no code for. */
export const INTERNAL_ERROR = 'XX000';
const UNDEFINED_STATEMENT = '26000';
const DUPLICATE_STATEMENT = '42P05';
const PROTOCOL_VIOLATION = '08P01';
const UNDEFINED_SETTING = '42704';
/** A prepared statement whose table has changed. */
export const STALE_PLAN = '0A000';

/** Codes with which a server refuses a connection, and what to say. */
const CONNECTION_REFUSED: Readonly<Record<string, string>> = {
  '28P01': 'The database does not take this user name and password.',
  '28000': 'The database does not let this user in.',
  '3D000':
    'There is no such database on the server. Make it with: createdb --encoding UTF8 --template template0 NAME',
};

const ended = (says: string) => `The database ended the transaction (PostgreSQL says: ${says}).`;
/** Codes of what may be over later, and what to say. */
const PASSING: Readonly<Record<string, (says: string) => string>> = {
  // A transaction that was idle, or went on, for longer than it may.
  '25P03': ended,
  '25P04': ended,
  '25006': () => 'The database takes no changes: it is a replica, or was made read-only.',
  '53300': (says) =>
    `The database has no connection left (PostgreSQL says: ${says}). Raise its limit, or have fewer taken (--database-connections).`,
  '55P03': () => 'Another command is writing to the database. Try again when it has ended.',
};

const UNDEFINED_TABLE = '42P01';

/** Whether a table that a step makes was dropped: any other was never there, and the statement is wrong. */
function isOfLostTable(code: string, message: string): boolean {
  if (code !== UNDEFINED_TABLE) return false;
  const named = new Set(message.match(/\w+/g));
  const made = schemaSteps('postgres').flatMap((step) => [...step.matchAll(/^create table (\w+)/gm)]);
  return made.some(([, name = '']) => named.has(name));
}

export const POOLER_HINT =
  'There is a connection pooler between Linecard and PostgreSQL. Say how it pools: --database-pooler transaction (or session).';

/** The SQLSTATE of an error that the server sent. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/**
 * Prepared statements that are missing: the sign of a connection pooler that changes servers between
 * transactions.
 */
function isPoolersFault(error: DatabaseError): boolean {
  const { code, message } = error;
  if (code === UNDEFINED_STATEMENT || code === DUPLICATE_STATEMENT) return true;
  return code === PROTOCOL_VIOLATION && message.includes('startup parameter');
}

/**
 * The error for the caller: `StoreUnavailable` where trying again may help, `StoreRefused` where it will not.
 */
export function storeErrorOf(error: unknown): Error {
  if (error instanceof StoreUnavailable || error instanceof StoreRefused) return error;
  if (!(error instanceof DatabaseError)) {
    if (error instanceof TypeError || error instanceof RangeError) return error;
    const reason = certificateFault(error) ?? socketMessage(error);
    return new StoreUnavailable(`The database cannot be reached: ${reason}`);
  }
  const { code = '', message } = error;
  if (isPoolersFault(error)) return new StoreRefused(`${POOLER_HINT} (PostgreSQL says: ${message})`);
  const refusal = CONNECTION_REFUSED[code];
  if (refusal !== undefined) return new StoreRefused(`${refusal} (PostgreSQL says: ${message})`);
  if (code === INSUFFICIENT_PRIVILEGE) {
    return new StoreRefused(
      `The database does not allow this to the role of the URL (PostgreSQL says: ${message}). Use the URL of the role that owns the tables; of a role that serves or takes imports, give it its rights again: linecard-server migrate --serving-role ROLE, or --intake-role ROLE, as the owner.`,
    );
  }
  if (code === UNDEFINED_SETTING && message.includes('linecard.')) {
    return new StoreUnavailable(
      'Row security has been set up since this service was started: start it again.',
    );
  }
  if (code === QUERY_CANCELED) return StoreUnavailable.late();
  if (code === DISK_FULL)
    return new StoreFull(
      `The disk of the database is full (PostgreSQL says: ${message}). Nothing was changed.`,
    );
  if (ROLLED_BACK.includes(code)) {
    return new StoreRolledBack(`Another change came in the way. Try again (PostgreSQL says: ${message}).`);
  }
  if (isOfLostTable(code, message))
    return new StoreUnavailable(`A table is not there any more (PostgreSQL says: ${message}).`);
  const passing = PASSING[code];
  if (passing !== undefined) return new StoreUnavailable(passing(message));
  if (TRANSIENT_CLASSES.includes(code.slice(0, 2))) {
    return new StoreUnavailable(`The database cannot be reached: ${message} (${code})`);
  }
  // Class 22 is about values, and its messages show them.
  return new Error(
    `PostgreSQL refused a statement: ${code.startsWith('22') ? 'a value' : message} (${code})`,
  );
}

/** The message of a socket's error; where several addresses were tried, that of the last. */
function socketMessage(error: unknown): string {
  const { message, errors } = error as { message: string; errors?: Error[] };
  // What the driver says of a connection that had broken before it was given a statement.
  if (message.endsWith('is not queryable')) return 'the connection was lost';
  return message === '' ? (errors?.at(-1)?.message ?? 'no connection') : message;
}

/**
 * Whether it is the statement that failed, on a connection that is sound: another would do no better. A node
 * behind the server that is lost is such a fault, of the statements that need it.
 */
export function isStatementsFault(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR' && error.code !== STALE_PLAN;
}

/** Whether Citus refuses to make a table because shards of its group are on the move. */
export function isMove(error: unknown): boolean {
  return (
    sqlState(error) === INTERNAL_ERROR && (error as Error).message.startsWith('could not acquire the lock')
  );
}
