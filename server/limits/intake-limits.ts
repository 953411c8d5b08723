// The limits of the intake, in the form of those of the service.

import { settings } from '../settings/settings.ts';
import { BUSY, KIB, LATE, type Limit, MIB, REFUSED, TOO_LARGE } from './limits.ts';

const GIB = 1_024 * MIB;
const DELETED = 'oldest deleted';

export const intakeLimits = {
  requests: {
    what: 'requests in flight',
    note: 'of one kind, such as imports or sign-ins',
    total: 64,
    isShared: true,
    beyond: REFUSED,
    advice: 'Try again when one has ended, such as',
    retrySeconds: 5,
  },
  deliveryBody: {
    what: 'body of an import',
    note: 'unpacked, and at most 200 times the size received, or 64 MiB if that is more',
    unit: 'bytes',
    key: 'request',
    each: GIB,
    beyond: TOO_LARGE,
  },
  jsonBody: { what: 'any other body', unit: 'bytes', key: 'request', each: 64 * KIB, beyond: TOO_LARGE },
  deliverySilence: { what: 'silence within a body', unit: 'seconds', key: 'request', each: 8, beyond: LATE },
  bodyPace: {
    what: 'body of less than 4 kB a second',
    unit: 'seconds',
    key: 'request',
    each: 30,
    beyond: LATE,
  },
  deliveryTime: { what: 'arrival of a body', unit: 'minutes', key: 'request', each: 60, beyond: LATE },
  importTime: { what: 'duration of an import', unit: 'minutes', key: 'request', each: 30, beyond: LATE },
  importWait: {
    what: 'wait for another import to end',
    unit: 'seconds',
    key: 'request',
    each: settings.import_timeout.default,
    setting: 'import_timeout',
    beyond: BUSY,
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
  recordedRuns: { what: 'imports recorded', note: 'for 30 days', key: 'feed', each: 1_000, beyond: DELETED },
  recordedFeeds: { what: 'feeds recorded', note: 'by mode', key: 'sender', each: 100, beyond: DELETED },
} as const satisfies Record<string, Limit>;
