// Decides on which thread an answer is computed without an index. Pure.
//
// The request thread computes what takes microseconds: rows by key, and everything of a small list. Anything
// else would delay other requests and runs on a worker thread. That includes large pages from a database
// server, which take milliseconds to receive and write, and queries with thousands of values.

import { MAX_LIST_VALUES } from '@linecard/client/contract';
import type { Query } from '@linecard/client/contract/query';

/** A longer list is scanned on a worker thread. */
const LARGE_ROWS = 2_000;
const LARGE_PAGE = 200;

export type Reads =
  | 'rows'
  /** A full scan of a list, unless an index can be used. */
  | 'list'
  /** Counts of several columns of a list, unless an index can be used. */
  | 'counts'
  /** The log of an account, all of it at worst. */
  | 'log'
  /** A complete list, as a stream. */
  | 'stream';

export type Thread = 'request thread' | 'worker thread';

/** Whether a query has more values than fit in a URL: writing or looking them up takes milliseconds. */
function isLong({ filters }: Query): boolean {
  let values = 0;
  for (const { value } of filters) values += Array.isArray(value) ? value.length : 1;
  return values > MAX_LIST_VALUES;
}

/** Whether an index can be used. With thousands of values it is slower than the database. */
export function isIndexed(reads: Reads, query: Query): boolean {
  return (reads === 'list' || reads === 'counts') && !isLong(query);
}

/**
 * @param rows number of rows in the list, without filters; only for full scans.
 * @param isRemote whether rows are received over a connection.
 */
export function threadFor(
  reads: Reads,
  query: Query,
  { rows = 0, isRemote }: { readonly rows?: number | undefined; readonly isRemote: boolean },
): Thread {
  const isLarge = isRemote && query.page_size > LARGE_PAGE;
  if (reads === 'counts' || reads === 'log' || reads === 'stream') return 'worker thread';
  const isLongScan = reads === 'list' && rows > LARGE_ROWS;
  return isLongScan || isLarge || isLong(query) ? 'worker thread' : 'request thread';
}
