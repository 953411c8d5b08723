// A query to another system's PostgreSQL: a cursor in a transaction that can only read, every value as the
// text that the server writes.

import { Client, DatabaseError, type FieldDef, type QueryConfig } from 'pg';
import { certificateFault, driverUrl } from '../../postgres-url.ts';
import {
  BATCH_ROWS,
  CONNECT_MILLISECONDS,
  messageOf,
  type SourceColumn,
  SourceFault,
  type SourceQuery,
  type SourceResult,
  withoutSpareZeros,
} from './source.ts';

const BYTEA = 17;
const TIMESTAMP = 1114;
const NUMERIC = 1700;
const NUMBERS = [20, 21, 23, 700, 701, NUMERIC];

/** A time without a zone is refused, so that of the session changes nothing but how times look. */
const SETTINGS = [
  'begin isolation level repeatable read, read only',
  `set local time zone 'UTC'`,
  `set local datestyle = 'ISO'`,
  // All rows are read, so the plan that ends first is better than the one that begins first.
  'set local cursor_tuple_fraction = 1',
  // The writing half may be slow, or wait for another import.
  'set local idle_in_transaction_session_timeout = 0',
].join('; ');
const DECLARE = 'declare linecard_rows no scroll cursor without hold for ';
const FETCH = `fetch forward ${BATCH_ROWS} from linecard_rows`;

const KEEP_ALIVE_MILLISECONDS = 10_000;
const SEVERAL = /multiple commands/;
const AS_TEXT = { getTypeParser: () => (text: string) => text };

function columnOf({ name, dataTypeID }: FieldDef): SourceColumn {
  if (dataTypeID === BYTEA)
    return { name, fault: `holds bytes (bytea); give text, such as encode(…, 'hex') as ${name}.` };
  if (dataTypeID !== TIMESTAMP) return { name, isNumber: NUMBERS.includes(dataTypeID) };
  return {
    name,
    zoneFault: `is a timestamp without time zone; say in the query which zone it is in: … at time zone 'UTC' as ${name}.`,
  };
}

/** What an error means: a fault of the query, with its line, or of the database. */
function faultOf(error: unknown, { sql }: SourceQuery): SourceFault {
  if (!(error instanceof DatabaseError)) {
    const reason = certificateFault(error) ?? `${messageOf(error)}.`;
    return new SourceFault(`The database cannot be reached: ${reason}`, { cause: error });
  }
  const { code = '', position, hint } = error;
  const message = messageOf(error);
  if (SEVERAL.test(message))
    return new SourceFault('holds several statements; it must be one.', { line: 0, cause: error });
  const advice = hint === undefined ? '' : ` ${hint}`;
  // Class 42 is about what a statement says, 0A about what a cursor takes, 25 about what may only be read.
  if (position === undefined && !/^(?:42|0A|25006)/.test(code))
    return new SourceFault(`PostgreSQL says: ${message} (${code}).${advice}`, { cause: error });
  const before = sql.slice(0, Math.max(0, Number(position ?? 1) - 1 - DECLARE.length));
  const line = position === undefined ? 0 : before.split('\n').length;
  return new SourceFault(`PostgreSQL says: ${message}.${advice}`, { line, cause: error });
}

function resultOf(client: Client, query: SourceQuery, fields: readonly FieldDef[]): SourceResult {
  const decimals = fields.flatMap(({ dataTypeID }, i) => (dataTypeID === NUMERIC ? [i] : []));
  const fetch = () => {
    const fetched = client.query<(string | null)[]>({ text: FETCH, rowMode: 'array', types: AS_TEXT });
    // What fails while nobody waits for it is thrown where it is waited for.
    fetched.catch(() => {});
    return fetched;
  };
  const trimmed = (row: (string | null)[]) => {
    for (const i of decimals) row[i] &&= withoutSpareZeros(row[i]);
    return row;
  };
  return {
    columns: fields.map(columnOf),
    async *batches() {
      let next = fetch();
      try {
        for (;;) {
          const { rows } = await next;
          if (rows.length === 0) break;
          // The server works on the next rows while these are read.
          next = fetch();
          yield rows.map(trimmed);
        }
        await client.query('commit');
      } catch (error) {
        throw faultOf(error, query);
      }
    },
    close: () => void client.connection.stream.destroy(),
  };
}

/** @throws {SourceFault} when the database or the query is at fault. */
export async function openPostgres(query: SourceQuery): Promise<SourceResult> {
  const client = new Client({
    connectionString: driverUrl(query.url),
    fallback_application_name: 'linecard pull',
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
  });
  // A connection that breaks fails what is in flight.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(SETTINGS);
    // The extended protocol takes one statement alone; the declarations of the driver do not know how to ask.
    await client.query({ text: DECLARE + query.sql, queryMode: 'extended' } as QueryConfig);
    const { fields } = await client.query({ text: 'fetch forward 0 from linecard_rows', rowMode: 'array' });
    return resultOf(client, query, fields);
  } catch (error) {
    client.connection.stream.destroy();
    throw faultOf(error, query);
  }
}
