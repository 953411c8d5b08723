// Where an answer is computed that no index gives. Pure.
//
// The request thread computes what takes microseconds: rows by their key, and everything of a small list. The
// rest would hold up other requests, and goes to a worker thread. So do large pages of a database server: to
// receive their rows and to make them a text takes milliseconds; and queries with thousands of values.

import { MAX_LIST_VALUES } from '@linecard/client/contract';
import type { Query } from '@linecard/client/contract/query';

/** A list with more rows is large: a full scan of it takes a worker thread. */
const LARGE_ROWS = 2_000;
/** A page of more rows is large. */
const LARGE_PAGE = 200;

/** What has to be read for an answer. */
export type Reads =
  /** Rows by their key. */
  | 'rows'
  /** A full scan of a list, where no index helps. */
  | 'list'
  /** The counts of several columns of a list, where no index helps. */
  | 'counts'
  /** A complete list, as a stream. */
  | 'stream';

export type Place = 'request thread' | 'worker thread';

/** Whether a query has more values than a list in a URL: to write or to look them up takes milliseconds. */
function isLong({ filters }: Query): boolean {
  let values = 0;
  for (const { value } of filters) values += Array.isArray(value) ? value.length : 1;
  return values > MAX_LIST_VALUES;
}

/** Whether an index of the list helps; one takes longer than the database with thousands of values. */
export function isIndexed(reads: Reads, query: Query): boolean {
  return (reads === 'list' || reads === 'counts') && !isLong(query);
}

/**
 * @param rows of the list, before any filter; absent where there is no full scan.
 * @param receivesRows whether rows come over a connection.
 */
export function placeOf(
  reads: Reads,
  query: Query,
  { rows = 0, receivesRows }: { readonly rows?: number | undefined; readonly receivesRows: boolean },
): Place {
  const isLarge = receivesRows && query.page_size > LARGE_PAGE;
  if (reads === 'counts' || reads === 'stream') return 'worker thread';
  return rows > LARGE_ROWS || isLarge || isLong(query) ? 'worker thread' : 'request thread';
}
