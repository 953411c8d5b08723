// Settings as a table: name, default, how a text is read, and a sentence. Command-line options and environment variables
// are made from it. Only this file reads the environment.

import { DEFAULT_MAX_PAGE_SIZE } from '@linecard/client/contract';
import { nearest } from '@linecard/client/contract/suggestion';
import { WrongUsage } from './errors.ts';

interface Setting<T> {
  /** How the option shows its value; absent for a flag. */
  readonly value?: string;
  readonly default: T;
  readonly about: string;
  /** Whether the option may be given more than once; its texts are read as one, with spaces between. */
  readonly several?: boolean;
  /** What is allowed, to stand after "must be". */
  readonly allowed: string;
  /** The value, or `undefined` when the text is none. */
  read(text: string): T | undefined;
}

const MAX_PORT = 65_535;
const MAX_MAX_PAGE_SIZE = 10_000;
const MAX_WORKERS = 64;
const MAX_RATE = 1_000_000_000;
const MAX_CONNECTIONS = 100;
const MIN_TIMEOUT_MILLISECONDS = 100;
const MAX_TIMEOUT_MILLISECONDS = 60_000;
const MIN_LAG_MILLISECONDS = 100;
const MAX_LAG_MILLISECONDS = 60_000;
const MAX_KEEP_MEBIBYTES = 65_536;
const INTEGER = /^(?:0|[1-9]\d{0,9})$/;
/** A comma may stand in a URL; one that separates has the next URL behind it. */
const BETWEEN_URLS = /\s+|,(?=[a-z]+:\/\/)/;
const DURATION = /^([1-9]\d{0,4})([mhdw])$/;
const MILLISECONDS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

function integer(min: number, max: number) {
  return {
    allowed: `an integer from ${min} to ${max}`,
    read: (text: string) =>
      INTEGER.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
  };
}

function oneOf<const T extends string>(...values: T[]) {
  return {
    allowed: `one of ${values.join(', ')}`,
    read: (text: string) => values.find((value) => value === text),
  };
}

const text = {
  allowed: 'a text that is not empty',
  read: (given: string) => (given === '' ? undefined : given),
};
const optional_text = { ...text, default: undefined as string | undefined };
const FLAGS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
const flag = {
  default: false as boolean,
  allowed: 'true or false',
  read: (given: string) => FLAGS.get(given),
};

function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}

/** Every setting; the option is its name with dashes, the variable its name in capitals behind `LINECARD_`. */
export const settings = {
  database_url: setting({
    ...text,
    value: 'url',
    default: 'sqlite:data/linecard.db',
    about: 'the database: sqlite:PATH or postgres://user:password@host/database',
  }),
  database_pooler: setting<'none' | 'session' | 'transaction'>({
    ...oneOf('none', 'session', 'transaction'),
    value: 'kind',
    default: 'none',
    about:
      'what a connection pooler such as PgBouncer lends its connections for: none, session or transaction',
  }),
  database_connections: setting({
    ...integer(1, MAX_CONNECTIONS),
    value: 'n',
    default: 4,
    about: 'connections to PostgreSQL that each thread may have for quick reads, and as many for all else',
  }),
  database_timeout: setting({
    ...integer(MIN_TIMEOUT_MILLISECONDS, MAX_TIMEOUT_MILLISECONDS),
    value: 'milliseconds',
    default: 1_900,
    about: 'how long a request may wait for PostgreSQL before it is answered 503',
  }),
  replica_url: setting({
    value: 'url',
    several: true,
    default: [] as readonly string[],
    about:
      'a streaming replica of the database, to read lists from; several times for several, or separated by spaces',
    allowed: 'one or more URLs',
    // What is no URL is told when it is opened, without its password.
    read: (given) => (given.trim() === '' ? undefined : given.trim().split(BETWEEN_URLS)),
  }),
  replica_lag: setting({
    ...integer(MIN_LAG_MILLISECONDS, MAX_LAG_MILLISECONDS),
    value: 'milliseconds',
    default: 1_000,
    about: 'how far behind the database a replica may be that is asked',
  }),
  serving_role: setting({
    ...optional_text,
    value: 'role',
    about:
      'the PostgreSQL role that serves: it is made where it is missing, and given the right to read and no more',
  }),
  row_security: setting({
    ...flag,
    about:
      'have PostgreSQL itself show the rows of one account at a time, and no others, to the serving role',
  }),
  host: setting({ ...text, value: 'address', default: '127.0.0.1', about: 'the address to listen on' }),
  port: setting({
    ...integer(0, MAX_PORT),
    value: 'port',
    default: 8080,
    about: 'the port to listen on; 0 for any free one',
  }),
  workers: setting({
    ...integer(1, MAX_WORKERS),
    value: 'n',
    default: 1,
    about: 'processes that answer on the one port, such as one for each core',
  }),
  max_page_size: setting({
    ...integer(1, MAX_MAX_PAGE_SIZE),
    value: 'n',
    default: DEFAULT_MAX_PAGE_SIZE,
    about: 'the largest page_size that a caller may ask for',
  }),
  keep: setting({
    ...integer(0, MAX_KEEP_MEBIBYTES),
    value: 'mib',
    default: 64,
    about: 'memory for answers kept until their account changes, in MiB over all workers; 0 to keep none',
  }),
  indexes: setting({
    ...integer(0, MAX_KEEP_MEBIBYTES),
    value: 'mib',
    default: 256,
    about:
      'memory for indexes of lists that are filtered, sorted or searched again and again, in MiB over all workers; 0 for none',
  }),
  rate_limit: setting({
    ...integer(0, MAX_RATE),
    value: 'n',
    default: 600,
    about: 'requests per minute per token, over all workers; 0 for no limit',
  }),
  demo: setting({ ...flag, about: 'fill an empty database with sample accounts and print a token to try' }),
  log_level: setting({
    ...oneOf('silent', 'error', 'warn', 'info', 'debug'),
    value: 'level',
    default: 'info',
    about: 'what to log: silent, error, warn, info (one line a request) or debug',
  }),
  log_format: setting({
    ...oneOf('auto', 'json', 'pretty'),
    value: 'format',
    default: 'auto',
    about: 'json, pretty, or auto: pretty on a terminal, json elsewhere',
  }),
  account: setting({ ...optional_text, value: 'id', about: 'the account' }),
  name: setting({
    ...text,
    read: (given: string) => given,
    value: 'name',
    default: '',
    about: 'a name to recognise it by',
  }),
  expires_in: setting({
    value: 'duration',
    default: undefined as number | undefined,
    allowed: 'a number of minutes, hours, days or weeks such as 30m, 12h, 90d or 4w',
    about: 'how long the token is good for, such as 12h or 90d; for ever when not given',
    read: (given) => {
      const parts = DURATION.exec(given);
      return parts === null
        ? undefined
        : Number(parts[1]) * MILLISECONDS[parts[2] as keyof typeof MILLISECONDS];
    },
  }),
  output: setting<'table' | 'json'>({
    ...oneOf('table', 'json'),
    value: 'format',
    default: 'table',
    about: 'table, or json: one object a line',
  }),
  format: setting({
    ...oneOf('csv', 'ndjson'),
    value: 'format',
    default: undefined as 'csv' | 'ndjson' | undefined,
    about: 'csv or ndjson, for files whose name does not say it and for standard input',
  }),
  from: setting({ ...optional_text, value: 'url', about: 'the database to copy from' }),
  to: setting({ ...optional_text, value: 'url', about: 'the database to copy to; it must be empty' }),
  dry_run: setting({ ...flag, about: 'read everything and write nothing, to see what would be copied' }),
  replace: setting({
    ...flag,
    about: 'also remove the items of the accounts in the files that the files do not name',
  }),
} as const;

export type SettingName = keyof typeof settings;
export type Settings = { [N in SettingName]: (typeof settings)[N]['default'] };

const PREFIX = 'LINECARD_';

/** `max_page_size` -> `--max-page-size` */
export const optionOf = (name: SettingName) => `--${name.replaceAll('_', '-')}`;

/** `max_page_size` -> `LINECARD_MAX_PAGE_SIZE` */
export const variableOf = (name: SettingName) => PREFIX + name.toUpperCase();

function readOne(name: SettingName, source: string, given: string): unknown {
  const { allowed } = settings[name];
  const value = settings[name].read(given);
  if (value === undefined) throw new WrongUsage(`${source} must be ${allowed}, but was "${given}".`);
  return value;
}

/**
 * The settings named, each from the command line, else from the environment, else its default. An empty variable counts
 * as not set.
 * @throws {WrongUsage} when a text is not what the setting takes.
 */
export function readSettings<const N extends SettingName>(
  names: readonly N[],
  given: Readonly<Record<string, string | true | undefined>>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Pick<Settings, N> {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const option = given[name];
    const variable = environment[variableOf(name)];
    if (option !== undefined) values[name] = option === true || readOne(name, optionOf(name), option);
    else if (variable !== undefined && variable !== '')
      values[name] = readOne(name, variableOf(name), variable);
    else values[name] = settings[name].default;
  }
  return values as Pick<Settings, N>;
}

/** A sentence for each variable that begins like ours but is none: a mistyped setting would otherwise go unnoticed. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  const known = Object.keys(settings).map((name) => variableOf(name as SettingName));
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => {
      const meant = nearest(name.slice(PREFIX.length), Object.keys(settings));
      const hint = meant === undefined ? '' : ` Did you mean ${variableOf(meant as SettingName)}?`;
      return `${name} is not a setting and is ignored.${hint}`;
    });
}
