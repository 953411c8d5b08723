// The types of settings and options: how each is parsed, and which values are allowed.

import { isIP, isIPv6 } from 'node:net';
import { readPastTime, TIME_FORM } from '@linecard/client/agent/times';
import { parseDate, parseTimestamp, timestampOf } from '@linecard/client/contract/timestamp';

/** A setting of a process, or an option of one command. */
export interface Parameter<T> {
  /** The placeholder of the option's value in the help; absent for a flag. */
  readonly value?: string;
  /** The option's name, if it differs from its own because other commands use it for something else. */
  readonly option?: string;
  readonly default: T;
  readonly about: string;
  /** Whether the default is lowered on machines with less than 1 GiB of memory. */
  readonly scalesWithMemory?: boolean;
  /** Whether its value must never be shown, not even in an error. */
  readonly isSecret?: boolean;
  /** Whether the option can be repeated; the values are joined with this separator. */
  readonly several?: ' ' | '\n';
  /** What is allowed, as it reads after "must be". */
  readonly allowed: string;
  /** Returns `undefined` if the text is not allowed. */
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
  value: 'fraction',
  allowed: 'a fraction from 0 to 1, such as 0.01',
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
const PERSON = /^(?=\S)[^\p{Cc}]{1,100}(?<=\S)$/u;
export const personName = {
  allowed: 'a text of 1 to 100 characters, none of them control',
  read: (text: string) => (PERSON.test(text) ? text : undefined),
};
/** One text or more, of which each must be allowed; none by default. */
export function textsOf(
  allowed: string,
  isAllowed: (text: string) => boolean = () => true,
  separator: string | RegExp = /[\s,]+/,
) {
  return {
    several: separator === '\n' ? ('\n' as const) : (' ' as const),
    default: [] as readonly string[],
    allowed,
    read: (text: string): readonly string[] | undefined => {
      const given = text.split(separator).filter(Boolean);
      return given.length > 0 && given.every(isAllowed) ? given : undefined;
    },
  };
}

/** `[::1]`, as in a URL, is `::1`. */
export const withoutBrackets = (text: string) =>
  text.replaceAll(/(?<![^\s,])\[([\da-f:.]+(?:%\w+)?)\](?=[\s,/]|$)/gi, '$1');

/** An IP address, or a network in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, more] = text.split('/');
  const bits = new Map([
    [4, 32],
    [6, 128],
  ]).get(isIP(address));
  const length = prefix === undefined ? 0 : INTEGER.test(prefix) ? Number(prefix) : Number.NaN;
  return more === undefined && bits !== undefined && length <= bits;
}

const manyNetworks = textsOf('one or more IP addresses or networks', isNetwork);
export const networks = { ...manyNetworks, read: (text: string) => manyNetworks.read(withoutBrackets(text)) };

const HOST_NAME = /^[^\s/:[\]]+$/;
/** Where to listen. IPv6 addresses are canonical, so that each way to write `::` is every address. */
export const listenAddress = {
  value: 'address',
  allowed: 'an address such as 127.0.0.1, ::1 or [::1], or a host name, without a port',
  read: (text: string) => {
    const address = withoutBrackets(text);
    if (!isIPv6(address)) return HOST_NAME.test(text) ? text : undefined;
    return URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? address;
  },
};

export const urlPath = {
  value: 'path',
  allowed: 'a path such as /numbers, without a slash at its end',
  read: (text: string) => (URL_PATH.test(text) ? text : undefined),
};

type Kind<T> = Pick<Parameter<T>, 'allowed' | 'read' | 'value' | 'several'>;
type More = Partial<Pick<Parameter<unknown>, 'value' | 'option' | 'isSecret'>>;

/** One that has no default. */
export const optional = <T>(kind: Kind<T>, about: string, more: More = {}) =>
  parameter<T | undefined>({ ...kind, default: undefined, about, ...more });
export const text = (value: string, about: string, more: More = {}) =>
  optional(anyText, about, { value, ...more });
/** True or false, and false by default. */
export const flag = (about: string, more: More = {}) =>
  parameter<boolean>({
    default: false,
    allowed: 'true or false',
    read: (given: string) => FLAGS.get(given),
    about,
    ...more,
  });

/** A duration in milliseconds; at least a minute, or 0 if `mayBeNone`. */
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

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;
/** A time of the day in milliseconds after midnight. */
export const timeOfDay = {
  value: 'time',
  allowed: 'a time in UTC such as 06:00',
  read: (text: string) => {
    const [, hours, minutes] = TIME_OF_DAY.exec(text) ?? [];
    return hours === undefined
      ? undefined
      : Number(hours) * MILLISECONDS.h + Number(minutes) * MILLISECONDS.m;
  },
};

/** A time in the past, read as a timestamp; and in minutes, which `7m` is only here. */
export const pastTime = {
  value: 'time',
  allowed: `${TIME_FORM}, or how many minutes ago (30m)`,
  read: (text: string) => {
    const time = readPastTime(text, 'from');
    if (time !== undefined) return parseTimestamp(parseDate(time) === undefined ? time : `${time}T00:00:00Z`);
    const ago = duration().read(text);
    return ago === undefined ? undefined : timestampOf(Date.now() - ago);
  },
};

/** A short duration in milliseconds; at least a second, or 0 if `mayBeNone`. */
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

export function parameter<T>(definition: Parameter<T>): Parameter<T> {
  return definition;
}

/** Separates two URLs: a comma only if a URL follows it, because a URL may contain one. */
const URL_SEPARATOR = /\s+|,(?=[a-z]+:\/\/)/;

export const urls = {
  // An invalid URL is reported when it is opened, without its password.
  ...textsOf('one or more URLs', undefined, URL_SEPARATOR),
  value: 'url',
};

const DELIMITER = /^[!-/:-@[-`{-~]$/;
/** A punctuation character that no column name contains, and not a quote. */
export const delimiter = {
  value: 'character',
  allowed: 'one character such as ; or |, or tab',
  read: (text: string) => {
    if (text === 'tab' || text === '\t') return '\t';
    return DELIMITER.test(text) && !'"\'_+-'.includes(text) ? text : undefined;
  },
};

/** A URL may have other characters, such as * and ;, which no host has. */
const HOST = /^[\w.:[\]-]+$/;

/** The origin of a page, as browsers send it in `Origin` (RFC 6454). */
function originOf(url: string): string | undefined {
  const parsed = URL.parse(url);
  const isWeb = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  return isWeb && HOST.test(parsed.host) ? parsed.origin : undefined;
}
/**
 * Origins, or `any` of them. Each must be written exactly as browsers send it; any other would never match.
 */
export const origins = (any?: '*') => ({
  ...textsOf(
    `${any === undefined ? '' : `${any} or `}origins such as https://app.example.com, without a path or a slash at the end`,
    (one) => one === any || originOf(one) === one,
  ),
  value: 'origin',
});
