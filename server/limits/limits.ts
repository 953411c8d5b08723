// Every limit of the service in one table: of what, for whom, how much, and what happens beyond it. What a
// refused caller reads is made from it, and so are the limits in docs/operations.md and in the reference.

import type { ProblemCode } from '@linecard/client/contract/problems';
import { scaledToMemory } from '../memory.ts';
import { type SettingName, settings } from '../settings/settings.ts';

const [KIB, MIB, GIB] = [1_024, 1_048_576, 1_073_741_824];

/** Which maximum leaves no room: that of one key, or that of all together. */
export type Exceeded = 'each' | 'total';

export interface Limit {
  /** What is limited, to follow a number. */
  readonly what: string;
  /** More of it, for the documents. */
  readonly note?: string;
  readonly unit?: 'bytes' | 'milliseconds' | 'seconds' | 'minutes';
  /** Whose maximum `each` is. A client is an account, or an address without a token. */
  readonly key?: 'account' | 'address' | 'client' | 'connection' | 'request' | 'token';
  readonly each?: number;
  /** The maximum of a process. */
  readonly total?: number;
  /** Which of the two is lower where there is less memory than a GiB. */
  readonly scales?: 'total' | 'both';
  /** The setting of `each`. */
  readonly setting?: SettingName;
  /** How the rest is refused, or what happens to it. */
  readonly beyond: string | { readonly [E in Exceeded]?: ProblemCode };
  /** What a refused caller reads, where that does not follow from the rest. */
  readonly sentence?: (maximum: number) => string;
  /** What it can do, to precede "in 5 seconds". */
  readonly advice?: string;
  readonly retrySeconds?: number;
}

/** 429 for one that has too much, 503 where all together have. */
const REFUSED = { each: 'rate-limited', total: 'unavailable' } as const;
const LATE = { each: 'request-timeout' } as const;
const TOO_LARGE = { each: 'content-too-large' } as const;
const [WAITS, CLOSED] = ['waits', 'closed'];

export const limits = {
  requests: {
    what: 'requests a minute',
    key: 'token',
    each: settings.rate_limit.default,
    setting: 'rate_limit',
    beyond: REFUSED,
    sentence: (maximum) => `This token may ask ${maximum} times a minute.`,
  },
  failures: {
    what: 'requests a minute without a valid token or signature',
    key: 'address',
    each: 60,
    beyond: REFUSED,
    sentence: () => 'Too many requests from this address had no valid token.',
  },
  connections: {
    what: 'connections open',
    key: 'address',
    each: 500,
    total: 4_000,
    beyond: { each: 'unavailable', total: 'unavailable' },
    advice: 'Use those, or try again',
    retrySeconds: 5,
  },
  refusedConnections: { what: 'connections open that are only refused', total: 100, beyond: CLOSED },
  exports: {
    what: 'exports running',
    key: 'account',
    each: 4,
    // Each takes up to two MiB while its client is slow.
    total: 128,
    scales: 'total',
    beyond: REFUSED,
    advice: 'Try again when one has ended, such as',
    retrySeconds: 5,
  },
  exportTime: { what: 'duration of an export', unit: 'minutes', key: 'request', each: 30, beyond: 'cut off' },
  waiting: {
    what: 'requests waiting for a change',
    note: '`Prefer: wait`',
    key: 'token',
    each: 10,
    total: 2_000,
    beyond: 'answered immediately',
  },
  waitTime: {
    what: 'duration of that wait',
    unit: 'seconds',
    key: 'request',
    // Balancers commonly cut off a request that is silent for a minute.
    each: 55,
    beyond: 'answered',
  },
  bodies: {
    what: 'request bodies in flight',
    unit: 'bytes',
    key: 'account',
    each: 8 * MIB,
    total: 64 * MIB,
    scales: 'total',
    beyond: REFUSED,
    retrySeconds: 2,
  },
  answers: {
    what: 'unread answers',
    note: 'of 16 KiB or more; exports are not counted',
    unit: 'bytes',
    key: 'client',
    // All together: 140 pages of a thousand items.
    each: 16 * MIB,
    total: 64 * MIB,
    scales: 'both',
    beyond: REFUSED,
    retrySeconds: 2,
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
  body: { what: 'body of a `QUERY`', unit: 'bytes', key: 'request', each: MIB, beyond: TOO_LARGE },
  arrival: {
    what: 'arrival of a request',
    note: 'a connection without one is closed after the same time',
    unit: 'seconds',
    key: 'request',
    each: 10,
    beyond: LATE,
  },
  idle: {
    what: 'silence between two requests',
    unit: 'seconds',
    key: 'connection',
    each: settings.keep_alive.default,
    setting: 'keep_alive',
    beyond: CLOSED,
  },
  unread: {
    what: 'unread answer',
    note: 'of a client that reads nothing of it',
    unit: 'seconds',
    key: 'connection',
    each: 20,
    beyond: CLOSED,
  },
  pipelined: {
    what: 'requests read ahead',
    note: 'while an earlier one of the connection is answered',
    key: 'connection',
    each: 16,
    total: 10_000,
    scales: 'total',
    beyond: 'not read yet',
  },
  requestThread: {
    what: 'time on the request thread',
    note: 'in one iteration of its event loop',
    unit: 'milliseconds',
    key: 'account',
    each: 2,
    beyond: WAITS,
  },
  taskWait: {
    what: 'wait for a worker thread',
    unit: 'seconds',
    key: 'request',
    each: 10,
    beyond: { each: 'unavailable' },
  },
  largeReads: {
    what: 'large reads in flight',
    note: 'of over 200 rows from PostgreSQL, while other accounts read as well',
    key: 'account',
    each: 2,
    beyond: WAITS,
  },
  firstReads: {
    what: 'first reads in flight',
    note: 'from PostgreSQL, before it is known how large they are',
    key: 'account',
    each: 8,
    beyond: WAITS,
  },
} as const satisfies Record<string, Limit>;

/** Those of `intake` alone. */
export const intakeLimits = {
  deliveries: { what: 'imports in flight', total: 64, beyond: REFUSED, retrySeconds: 5 },
  deliveryBody: {
    what: 'body of an import',
    note: 'once unpacked; 64 MiB or 200 times as large as it came, where that is less',
    unit: 'bytes',
    key: 'request',
    each: GIB,
    beyond: TOO_LARGE,
  },
  deliverySilence: { what: 'silence within a body', unit: 'seconds', key: 'request', each: 8, beyond: LATE },
  deliveryTime: { what: 'arrival of a body', unit: 'minutes', key: 'request', each: 60, beyond: LATE },
  importTime: { what: 'duration of an import', unit: 'minutes', key: 'request', each: 30, beyond: LATE },
  importWait: {
    what: 'wait for another import to end',
    unit: 'seconds',
    key: 'request',
    each: settings.import_timeout.default,
    setting: 'import_timeout',
    beyond: { each: 'unavailable' },
    retrySeconds: 5,
  },
  unverified: {
    what: 'unverified signed deliveries',
    note: 'beyond it the oldest is refused',
    key: 'address',
    each: 8,
    total: 32,
    beyond: REFUSED,
    retrySeconds: 5,
  },
  unverifiedBytes: {
    what: 'unverified signed deliveries',
    note: 'and so of one of them',
    unit: 'bytes',
    key: 'address',
    each: 64 * MIB,
    total: 256 * MIB,
    beyond: REFUSED,
    retrySeconds: 5,
  },
} as const satisfies Record<string, Limit>;

/** A limit as it is on this machine. */
export function onThisMachine<const L extends Limit>(limit: L): L & Pick<Limit, Exceeded> {
  const { each, total, scales } = limit;
  if (scales === undefined || each === undefined || total === undefined) return limit;
  const own = scales === 'both' ? scaledToMemory(each) : each;
  return { ...limit, each: own, total: Math.max(own, scaledToMemory(total)) };
}
