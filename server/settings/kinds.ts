// The kinds of settings: how the text of each is read, and what is allowed.

import { isIP } from 'node:net';
import { parseDate, parseTimestamp, TIME_FORM, timestampOf } from '@linecard/client/contract/timestamp';
import { isCurrency } from './currencies.ts';

export interface Setting<T> {
  /** How the help names the option's value; absent for a flag. */
  readonly value?: string;
  /** The option's name where it is not the setting's: one that means another thing in another command. */
  readonly option?: string;
  readonly default: T;
  readonly about: string;
  /** Whether the default is for a GiB of memory and more, and less where there is less. */
  readonly scalesWithMemory?: boolean;
  /** Whether its value must not be shown, not even where it is wrong. */
  readonly isSecret?: boolean;
  /** Whether the option may be given more than once; its texts are read as one, with this between. */
  readonly several?: ' ' | '\n';
  /** What is allowed, to follow "must be". */
  readonly allowed: string;
  /** The value of a text, or `undefined` when the text is not allowed. */
  read(text: string): T | undefined;
}

const INTEGER = /^(?:0|[1-9]\d{0,9})$/;
const DURATION = /^(0|[1-9]\d{0,4})([mhdw])$/;
const SHORT_TIME = /^([1-9]\d{0,3})([sm])$/;
const URL_PATH = /^(?:\/[\w.~-]+)+$/;
const MILLISECONDS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const FLAGS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

export const NO_CURRENCY = 'none';

export function integer(min: number, max: number, value = 'n') {
  return {
    value,
    allowed: `an integer from ${min} to ${max}`,
    read: (text: string) =>
      INTEGER.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
  };
}

const SHARE = /^(?:0(?:\.\d{1,6})?|1)$/;
export const share = {
  value: 'share',
  allowed: 'a share from 0 to 1, such as 0.01',
  read: (text: string) => (SHARE.test(text) ? Number(text) : undefined),
};

export function oneOf<const T extends string>(...values: T[]) {
  return {
    allowed: `one of ${values.join(', ')}`,
    read: (text: string) => values.find((value) => value === text),
  };
}

export const waitingTime = integer(100, 60_000, 'milliseconds');
export const memory = integer(0, 65_536, 'mib');
export const anyText = {
  allowed: 'a text that is not empty',
  read: (text: string) => (text === '' ? undefined : text),
};
/** An IP address, or a network as its first address and the length of its prefix. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, more] = text.split('/');
  const bits = new Map([
    [4, 32],
    [6, 128],
  ]).get(isIP(address));
  const length = prefix === undefined ? 0 : INTEGER.test(prefix) ? Number(prefix) : Number.NaN;
  return more === undefined && bits !== undefined && length <= bits;
}

/** Several of them. */
export const networks = {
  several: ' ' as const,
  allowed: 'one or more IP addresses or networks',
  read: (text: string) => {
    const given = text.split(/[\s,]+/).filter(Boolean);
    return given.length > 0 && given.every(isNetwork) ? given : undefined;
  },
};
/** A path to put in front of others. */
export const urlPath = {
  value: 'path',
  allowed: 'a path such as /numbers, without a slash at its end',
  read: (text: string) => (URL_PATH.test(text) ? text : undefined),
};
export const optionalText = { ...anyText, default: undefined as string | undefined };
/** Texts with line breaks between, because each may have spaces. */
export const texts = {
  several: '\n' as const,
  default: undefined as readonly string[] | undefined,
  allowed: 'one or more texts, each on a line of its own',
  read: (text: string) => {
    const given = text.split('\n').filter(Boolean);
    return given.length > 0 ? given : undefined;
  },
};
export const flag = {
  default: false as boolean,
  allowed: 'true or false',
  read: (text: string) => FLAGS.get(text),
};

/** A length of time in milliseconds; at least a minute, unless it may be none at all. */
export function duration(mayBeNone = false) {
  return {
    value: 'duration',
    allowed: `a number of minutes, hours, days or weeks such as 30m, 12h, 90d or 4w${mayBeNone ? ', or 0m' : ''}`,
    read: (text: string) => {
      const [, n, unit] = DURATION.exec(text) ?? [];
      if (unit === undefined || (n === '0' && !mayBeNone)) return undefined;
      return Number(n) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
    },
  };
}

/** A time that is past: a timestamp, a day, or how long ago; it is read as a timestamp. */
export const pastTime = {
  value: 'time',
  allowed: `${TIME_FORM}, or how long ago such as 12h or 7d`,
  read: (text: string) => {
    const ago = duration().read(text);
    if (ago !== undefined) return timestampOf(Date.now() - ago);
    const day = parseDate(text);
    return day === undefined ? parseTimestamp(text) : parseTimestamp(`${day}T00:00:00Z`);
  },
};

/** A short time in milliseconds; at least a second, unless it may be none at all. */
export function shortTime(mayBeNone = false) {
  return {
    value: 'time',
    allowed: `a number of seconds or minutes such as 30s or 5m${mayBeNone ? ', or 0' : ''}`,
    read: (text: string) => {
      if (mayBeNone && text === '0') return 0;
      const [, n, unit] = SHORT_TIME.exec(text) ?? [];
      if (unit === undefined) return undefined;
      return Number(n) * (unit === 's' ? 1_000 : MILLISECONDS.m);
    },
  };
}

/** The code of a currency; `none` takes one away. */
export const currencyCode = {
  value: 'code',
  default: undefined as string | undefined,
  allowed: 'an ISO 4217 code in upper case, such as EUR, or none',
  read: (text: string) => (text === NO_CURRENCY || isCurrency(text) ? text : undefined),
};

export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}

/** Between two URLs; a comma only where the next URL follows, because a URL may contain one. */
const URL_SEPARATOR = /\s+|,(?=[a-z]+:\/\/)/;

/** URLs, of which the option takes one at a time. */
export const urls = {
  value: 'url',
  several: ' ' as const,
  allowed: 'one or more URLs',
  // What is not a URL is reported when it is opened, without its password.
  read: (text: string) => (text.trim() === '' ? undefined : text.trim().split(URL_SEPARATOR)),
};

const DELIMITER = /^[!-/:-@[-`{-~]$/;
/** One character that no name has; a quote is something else in CSV. */
export const delimiter = {
  value: 'character',
  allowed: 'one character such as ; or |, or tab',
  read: (text: string) => {
    if (text === 'tab' || text === '\t') return '\t';
    return DELIMITER.test(text) && !'"\'_+-'.includes(text) ? text : undefined;
  },
};

/** A number of items, or a share of a total. */
export type ItemLimit = { readonly items: number } | { readonly percent: number };

const ITEM_LIMIT = /^(0|[1-9]\d{0,15})(%?)$/;

/** `500` or `20%`; `undefined` for anything else. */
export function readItemLimit(text: string): ItemLimit | undefined {
  const [, number, sign] = ITEM_LIMIT.exec(text) ?? [];
  if (number === undefined) return undefined;
  if (sign === '') return { items: Number(number) };
  return Number(number) <= 100 ? { percent: Number(number) } : undefined;
}

export const itemLimit = {
  value: 'n',
  default: undefined as ItemLimit | undefined,
  allowed: 'a number of items such as 500, or a share such as 20%',
  read: readItemLimit,
};
