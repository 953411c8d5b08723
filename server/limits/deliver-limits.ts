// The limits of a deliverer, from which the documentation is generated: how many receivers it waits for, and
// what it takes of each.

import type { Limit } from './limits.ts';

const KIB = 1_024;
const [WAITS, FAILED] = ['waits', 'the attempt has failed'];

export const deliverLimits = {
  connections: {
    what: 'webhooks that are sent to at the same time',
    note: 'by a process',
    key: 'account',
    each: 4,
    total: 256,
    beyond: WAITS,
  },
  failing: {
    what: 'of these, webhooks whose last attempt failed or that have not answered for a second',
    note: 'in their place others are sent to',
    key: 'account',
    each: 1,
    total: 64,
    beyond: WAITS,
  },
  open: {
    what: 'webhooks that are sent to, with those that have not answered for a second',
    total: 1_024,
    beyond: WAITS,
  },
  attempt: {
    what: 'time to an answer',
    unit: 'seconds',
    key: 'attempt',
    each: 15,
    beyond: FAILED,
  },
  interimAnswers: {
    what: 'interim responses',
    note: 'such as `103`',
    key: 'attempt',
    each: 20,
    beyond: FAILED,
  },
  answerHead: {
    what: 'what a receiver sends before the content of its answer',
    note: 'interim responses and headers',
    unit: 'bytes',
    key: 'attempt',
    each: 64 * KIB,
    beyond: FAILED,
  },
  answer: {
    what: 'content of an answer that is read',
    unit: 'bytes',
    key: 'attempt',
    each: 64 * KIB,
    beyond: 'not read',
  },
} as const satisfies Record<string, Limit>;
