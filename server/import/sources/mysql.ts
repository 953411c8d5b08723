// A query to another system's MySQL or MariaDB: streamed in a transaction that can only read, every value as
// the text that the server writes.

import { once } from 'node:events';
import { type Connection, createConnection, type FieldPacket } from 'mysql2';
import { mysqlAddress } from './mysql-address.ts';
import {
  BATCH_ROWS,
  CONNECT_MILLISECONDS,
  messageOf,
  type SourceColumn,
  SourceFault,
  type SourceQuery,
  type SourceResult,
  type SourceValue,
  withoutSpareZeros,
} from './source.ts';

/** Types of the protocol; whether it is text or bytes, the character set says. */
const TIMESTAMP = 7;
const DATETIME = 12;
const DECIMALS = [0, 246];
const NUMBERS = [...DECIMALS, 1, 2, 3, 4, 5, 8, 9];
const BIT = 16;
const TEXTS = [15, 249, 250, 251, 252, 253, 254];
const ALWAYS_BYTES = [242, 255];
const BINARY = 63;

/** A value without a time zone is of that of the session: UTC. The reader may pause, for another import. */
const SETTINGS = [
  `set session time_zone = '+00:00', session net_write_timeout = 3600`,
  // What ends this transaction begins another that can only read.
  'set session transaction isolation level repeatable read, read only',
  'start transaction with consistent snapshot, read only',
];

const ZERO_DATE = /^0000-00-00/;
const SYNTAX = 1064;
const AT_LINE = / at line (\d+)$/;

type Decode = (value: Buffer) => SourceValue;

const text: Decode = (value) => value.toString();

/** What a driver's error means once there is a connection. */
function faultOf(error: unknown, sql: string, hasRows: boolean): SourceFault {
  const { errno, sqlState, message } = error as { errno?: number; sqlState?: string; message: string };
  if (sqlState === undefined || sqlState === '')
    return new SourceFault(`The connection was lost: ${messageOf(error)}.`, { cause: error });
  const said = `The server says: ${messageOf(error)} (${errno}).`;
  if (hasRows) return new SourceFault(said, { cause: error });
  if (errno === SYNTAX && /;\s*\S/.test(sql))
    return new SourceFault(`must be one statement. ${said}`, { line: 0, cause: error });
  return new SourceFault(said, { line: Number(AT_LINE.exec(message)?.[1] ?? 0), cause: error });
}

function isBytes({ columnType = 0, characterSet, columnLength }: FieldPacket): boolean {
  if (ALWAYS_BYTES.includes(columnType)) return true;
  // A column that is NULL throughout is of binary texts without a length.
  return TEXTS.includes(columnType) && characterSet === BINARY && columnLength !== 0;
}

function columnOf(field: FieldPacket): SourceColumn {
  const { name, columnType = 0, columnLength } = field;
  if (isBytes(field)) return { name, fault: `holds bytes; give text, such as hex(…) as ${name}.` };
  if (columnType === BIT && columnLength !== 1)
    return { name, fault: `holds ${columnLength} bits; give a number, such as … + 0 as ${name}.` };
  return { name, isNumber: NUMBERS.includes(columnType) };
}

function decoderOf({ name, columnType = 0 }: FieldPacket, { hasLocalTimes }: SourceQuery): Decode {
  if (DECIMALS.includes(columnType)) return (value) => withoutSpareZeros(value.toString());
  if (columnType === BIT) return (value) => String(value[0]);
  if (columnType !== TIMESTAMP && columnType !== DATETIME) return text;
  const zone = columnType === DATETIME && hasLocalTimes === true ? '' : 'Z';
  return (value) => {
    const time = value.toString();
    if (!ZERO_DATE.test(time)) return time + zone;
    return {
      fault: `was ${time}, which is no time; where it means none, write nullif(…, 0) as ${name}.`,
    };
  };
}

/** Waits for the columns of a query, whose rows are then streamed. */
async function begin(connection: Connection, query: SourceQuery): Promise<SourceResult> {
  const found = connection
    .query({ sql: query.sql, rowsAsArray: true, typeCast: false })
    .stream({ highWaterMark: BATCH_ROWS });
  // The driver reports a query's fault to the query, and the end of the connection to the connection alone.
  connection.on('error', (error: Error) => found.destroy(error));
  // What fails while nobody reads is thrown where the rows are read.
  found.on('error', () => {});
  const [fields] = (await once(found, 'fields')) as [readonly FieldPacket[] | undefined];
  if (fields === undefined) throw new SourceFault('returns no rows; it must be one SELECT.', { line: 0 });
  const decoders = fields.map((field) => decoderOf(field, query));
  return {
    columns: fields.map(columnOf),
    async *batches() {
      try {
        let rows: SourceValue[][] = [];
        for await (const row of found as AsyncIterable<(Buffer | null)[]>) {
          rows.push(row.map((value, i) => (value === null ? null : (decoders[i] as Decode)(value))));
          if (rows.length < BATCH_ROWS) continue;
          yield rows;
          rows = [];
        }
        if (rows.length > 0) yield rows;
      } catch (error) {
        throw faultOf(error, query.sql, true);
      }
    },
    close: () => connection.destroy(),
  };
}

async function connect({ url }: SourceQuery): Promise<Connection> {
  const connection = createConnection({
    ...mysqlAddress(url),
    charset: 'utf8mb4',
    connectTimeout: CONNECT_MILLISECONDS,
    // Names of columns are not put into code that is evaluated.
    disableEval: true,
  });
  try {
    await once(connection, 'connect');
  } catch (error) {
    connection.destroy();
    const isAnswer = Boolean((error as { sqlState?: string }).sqlState);
    const what = isAnswer ? 'The database refuses the connection' : 'The database cannot be reached';
    throw new SourceFault(`${what}: ${messageOf(error)}.`, { cause: error });
  }
  // A connection that breaks fails what is in flight.
  connection.on('error', () => {});
  return connection;
}

/** @throws {SourceFault} when the database or the query is at fault. */
export async function openMysql(query: SourceQuery): Promise<SourceResult> {
  const connection = await connect(query);
  try {
    for (const setting of SETTINGS) await connection.promise().query(setting);
    return await begin(connection, query);
  } catch (error) {
    connection.destroy();
    throw error instanceof SourceFault ? error : faultOf(error, query.sql, false);
  }
}
