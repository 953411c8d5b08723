// Every limit of the service, from which refusals and documentation are generated (intake: intake-limits.ts).

import { MAX_TOOL_RESULT_BYTES, MAX_TOOL_RESULTS_BYTES } from '@linecard/client/contract';
import type { ProblemCode } from '@linecard/client/contract/problems';
import { scaledToMemory } from '../memory.ts';
import { type SettingName, settings } from '../settings/settings.ts';

export const [KIB, MIB] = [1_024, 1_048_576];
/** The maximum that a request would exceed: `each`, per key, or `total`, of the process. */
export type Exceeded = 'each' | 'total';
/** The same, or the share of the total that one token may hold. */
export type Full = Exceeded | 'share';

export interface Limit {
  /** What is limited, as it reads after a number. */
  readonly what: string;
  /** Added in parentheses in the documentation. */
  readonly note?: string;
  readonly unit?: 'bytes' | 'characters' | 'milliseconds' | 'seconds' | 'minutes';
  /** What `each` applies to, as a word. A client is an account, or an address if there is no token. */
  readonly key?: string;
  readonly each?: number;
  readonly total?: number;
  /** Whether one token, or one subject of an issuer, holds at most a quarter of the total. */
  readonly isShared?: true;
  /** Which maximums are lowered on machines with less than 1 GiB of memory. */
  readonly scales?: 'total' | 'both';
  readonly setting?: SettingName;
  /** The problem returned when the limit is exceeded, or what happens instead. */
  readonly beyond: string | { readonly [F in Full]?: ProblemCode };
  /** The detail of that problem, where the generated sentence does not fit. */
  readonly sentence?: (maximum: number) => string;
  /** What the caller can do, as it reads before "in 5 seconds". */
  readonly advice?: string;
  readonly retrySeconds?: number;
}

/** 429 if this key or token is over its maximum, 503 if the process is. */
export const REFUSED = { each: 'rate-limited', share: 'rate-limited', total: 'unavailable' } as const;
export const BUSY = { each: 'unavailable', total: 'unavailable' } as const;
export const LATE = { each: 'request-timeout' } as const;
export const TOO_LARGE = { each: 'content-too-large' } as const;
const [WAITS, CLOSED, ABSENT] = ['waits', 'closed', 'counts as absent'];
const WAITING_READS = { key: 'account', beyond: WAITS };

/** Those that customers can meet, in the order of the reference. */
export const customersLimits = {
  requests: {
    what: 'requests a minute',
    note: 'unless the token has a limit of its own',
    key: 'token',
    each: settings.rate_limit.default,
    setting: 'rate_limit',
    beyond: REFUSED,
    sentence: (maximum) => `This token is limited to ${maximum} requests per minute.`,
  },
  exports: {
    what: 'exports running',
    key: 'account',
    each: 4,
    // Each export buffers up to 2 MiB while its client is slow.
    total: 128,
    isShared: true,
    scales: 'total',
    beyond: REFUSED,
    advice: 'Try again when one has ended, such as',
    retrySeconds: 5,
  },
  exportTime: { what: 'duration of an export', unit: 'minutes', key: 'request', each: 30, beyond: 'cut off' },
  waiting: {
    what: 'requests waiting for a change',
    note: '`Prefer: wait`; of each account that it reads',
    key: 'token',
    each: 10,
    total: 2_000,
    isShared: true,
    beyond: 'answered immediately',
  },
  waitTime: {
    what: 'duration of that wait',
    unit: 'seconds',
    key: 'request',
    // Load balancers often close a request after a minute without data.
    each: 55,
    beyond: 'answered',
  },
  bodies: {
    what: 'request bodies in flight',
    unit: 'bytes',
    key: 'account',
    each: 8 * MIB,
    total: 64 * MIB,
    isShared: true,
    scales: 'total',
    beyond: REFUSED,
    retrySeconds: 2,
  },
  answers: {
    what: 'unread answers',
    note: 'of 16 KiB or more; exports are not counted',
    unit: 'bytes',
    key: 'client',
    // 140 pages of 1,000 items in total.
    each: 16 * MIB,
    total: 64 * MIB,
    isShared: true,
    scales: 'both',
    beyond: REFUSED,
    retrySeconds: 2,
  },
  connections: {
    what: 'connections open',
    key: 'address',
    each: 500,
    total: 4_000,
    beyond: BUSY,
    advice: 'Use those, or try again',
    retrySeconds: 5,
  },
  url: { what: 'URL', unit: 'bytes', key: 'request', each: 64 * KIB, beyond: { each: 'uri-too-long' } },
  headers: {
    what: 'headers',
    note: 'names and values together',
    unit: 'bytes',
    key: 'request',
    each: 16 * KIB,
    beyond: { each: 'headers-too-large' },
  },
  listHeader: {
    what: 'header that is a list',
    note: '`Accept-Encoding`, `Accept-Language`, `Content-Type`, `If-None-Match`, `Prefer`; `Accept` is `406`',
    unit: 'characters',
    key: 'header',
    each: 1_024,
    beyond: ABSENT,
  },
  listEntries: { what: 'entries of such a header', key: 'header', each: 64, beyond: ABSENT },
  toolResult: {
    what: 'result of a tool for agents',
    unit: 'bytes',
    key: 'call',
    each: MAX_TOOL_RESULT_BYTES,
    beyond: 'an error that says how to ask for less',
  },
  toolResults: {
    what: 'results of a batch at `/mcp`',
    note: 'reserved among the unread answers before its calls run, one after the other',
    unit: 'bytes',
    key: 'request',
    each: MAX_TOOL_RESULTS_BYTES,
    beyond: 'an error for each call that is left',
  },
  body: { what: 'body of a `QUERY`', unit: 'bytes', key: 'request', each: MIB, beyond: TOO_LARGE },
  arrival: {
    what: 'arrival of a request',
    note: 'a connection without one is closed after the same time',
    unit: 'seconds',
    key: 'request',
    each: 10,
    beyond: LATE,
  },
  unread: {
    what: 'unread answer',
    note: 'of a client that reads nothing of it',
    unit: 'seconds',
    key: 'connection',
    each: 20,
    beyond: CLOSED,
  },
} as const satisfies Record<string, Limit>;

export const limits = {
  ...customersLimits,
  failures: {
    what: 'requests a minute without a valid token or signature, or from an address that the token excludes',
    key: 'address',
    each: 60,
    beyond: REFUSED,
    sentence: () => 'Too many requests from this address had no valid token.',
  },
  reference: {
    what: 'requests a minute for the reference',
    note: '`/docs`, `/docs.md` and `/llms.txt`',
    key: 'address',
    each: 120,
    beyond: { each: 'rate-limited' },
    sentence: (maximum) => `This address is limited to ${maximum} requests per minute for the reference.`,
  },
  refusedConnections: { what: 'connections open that are only refused', total: 100, beyond: CLOSED },
  idle: {
    what: 'silence between two requests',
    unit: 'seconds',
    key: 'connection',
    each: settings.keep_alive.default,
    setting: 'keep_alive',
    beyond: CLOSED,
  },
  pipelined: {
    what: 'requests sent ahead (pipelining)',
    note: 'while an earlier one of the connection is answered',
    key: 'connection',
    each: 100,
    total: 10_000,
    scales: 'total',
    beyond: CLOSED,
  },
  requestThread: {
    what: 'time on the request thread',
    note: 'in one iteration of its event loop',
    unit: 'milliseconds',
    key: 'account',
    each: 2,
    beyond: WAITS,
  },
  taskWait: { what: 'wait for a worker thread', unit: 'seconds', key: 'request', each: 10, beyond: BUSY },
  largeReads: {
    what: 'large reads in flight',
    note: 'of over 200 rows from PostgreSQL, while other accounts read as well',
    ...WAITING_READS,
    each: 2,
  },
  manyAccountsReads: {
    what: 'round trips of reads in flight',
    note: 'to PostgreSQL; of a token that reads many accounts, while other callers read as well',
    setting: 'database_connections',
    total: settings.database_connections.default,
    isShared: true,
    beyond: WAITS,
  },
  firstReads: {
    what: 'first reads in flight',
    note: 'from PostgreSQL, before it is known how large they are',
    ...WAITING_READS,
    each: 8,
  },
} as const satisfies Record<string, Limit>;

/** How much of what all share one token holds at most, and always what one account may. */
export function shareOf({ each = 1, total, isShared }: Pick<Limit, Exceeded | 'isShared'>): number {
  if (isShared !== true || total === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(each, Math.floor(total / 4));
}

/** The limit, scaled to the memory of this machine. */
export function onThisMachine<const L extends Limit>(limit: L): L & Pick<Limit, Exceeded> {
  const { each, total, scales } = limit;
  if (scales === undefined || each === undefined || total === undefined) return limit;
  const own = scales === 'both' ? scaledToMemory(each) : each;
  return { ...limit, each: own, total: Math.max(own, scaledToMemory(total)) };
}
