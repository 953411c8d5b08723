// The settings as a table: default, parser and description. Command-line options, environment variables and
// docs/generated/settings.md are generated from it.

import { DEFAULT_MAX_PAGE_SIZE, lists } from '@linecard/client/contract';
import { brandSettings } from './brand.ts';
import { databaseSettings } from './database.ts';
import { identitySettings } from './identity.ts';
import { intakeSettings } from './intake.ts';
import {
  anyText,
  delimiter,
  duration,
  flag,
  integer,
  itemLimit,
  memory,
  networks,
  oneOf,
  optional,
  origins,
  pastTime,
  setting,
  share,
  shortTime,
  text,
  urlPath,
} from './kinds.ts';
import { billingMonths, currencyCode } from './money.ts';
import { tokenSettings } from './tokens.ts';
import { webhookSettings } from './webhooks.ts';

/** As `--parent`: below no other account. */
export const NO_PARENT = 'none';

/** The option is the name with dashes; the variable is the name in capitals after `LINECARD_`. */
export const settings = {
  config: text(
    'file',
    'a JSON file of settings by name, such as {"port": 9000}; options and variables take precedence',
  ),
  ...databaseSettings,
  host: setting({ ...anyText, value: 'address', default: '127.0.0.1', about: 'the address to listen on' }),
  port: setting({
    ...integer(0, 65_535, 'port'),
    default: 8080,
    about: 'the port to listen on; 0 for any free port',
  }),
  socket: text('path', 'a Unix socket to listen on instead of --host and --port; its group has access'),
  tls_cert: text('file', 'the TLS certificate with its chain, in PEM format; reloaded when the file changes'),
  tls_key: text('file', 'the private key of --tls-cert, in PEM format'),
  keep_alive: setting({
    ...integer(1, 3_600, 'seconds'),
    default: 75,
    about: 'how long an idle connection stays open; longer than the idle timeout of the proxy in front',
  }),
  drain: setting({
    ...shortTime(true),
    default: 0,
    about: 'how long to keep answering after SIGTERM, while /readyz fails and idle connections are closed',
  }),
  metrics_port: optional(
    integer(0, 65_535, 'port'),
    'the port for GET /metrics, for Prometheus, such as 9464; disabled if not given',
  ),
  metrics_host: setting({
    ...anyText,
    value: 'address',
    default: '127.0.0.1',
    about: 'the address for /metrics; anyone who can reach it can read them',
  }),
  workers: setting({
    ...integer(1, 64),
    default: 1,
    about: 'number of processes that share the port, such as one for each core',
  }),
  base_path: setting({
    ...urlPath,
    default: '',
    about: 'the path under which a proxy serves Linecard, such as /numbers',
  }),
  max_page_size: setting({
    ...integer(1, 10_000),
    default: DEFAULT_MAX_PAGE_SIZE,
    about: 'the largest page_size that a request may have',
  }),
  cache: setting({
    ...memory,
    default: 64,
    scalesWithMemory: true,
    about:
      'memory for cached answers, in MiB over all processes; 0 disables the cache; the default is lower on machines or containers with less than 1 GiB',
  }),
  indexes: setting({
    ...memory,
    default: 128,
    scalesWithMemory: true,
    about:
      'memory for indexes of frequently queried lists, in MiB over all processes; 0 disables them; the default is lower with less than 1 GiB',
  }),
  cors_origin: setting({
    ...origins('*'),
    about: 'an origin whose pages may read answers in a browser; * for all',
  }),
  frame_ancestors: setting({
    ...origins(),
    about: 'an origin whose pages may show the console in a frame, such as https://portal.example.com',
  }),
  rate_limit: setting({
    ...integer(0, 1_000_000_000),
    default: 600,
    about: 'requests per minute per token, over all processes; 0 for no limit',
  }),
  no_mcp: flag('no tools for agents at /mcp (Model Context Protocol)'),
  ...identitySettings,
  ...brandSettings,
  currency: optional(
    currencyCode,
    'the ISO 4217 code of the currency of all accounts that do not set their own, such as EUR',
  ),
  billing_months: setting({
    ...billingMonths,
    about:
      'how many months a payment covers, by frequency, such as monthly=1,quarterly=3: for what is due by day',
  }),
  trust_proxy: setting({
    ...networks,
    value: 'address',
    about: 'a proxy in front, by address or network such as 10.0.0.0/8, whose X-Forwarded-For is trusted',
  }),
  create: flag('create the database, or its token file, if there is none at that path'),
  demo: flag('fill an empty database with sample accounts and print a token to try'),
  log_level: setting({
    ...oneOf('silent', 'error', 'warn', 'info', 'debug'),
    value: 'level',
    default: 'info',
    about:
      'what to log: silent, error, warn, info (one line per request) or debug; the address, or why it failed to start, is always logged',
  }),
  log_format: setting({
    ...oneOf('auto', 'json', 'pretty'),
    value: 'format',
    default: 'auto',
    about: 'json, pretty, or auto: pretty on a terminal, json elsewhere',
  }),
  log_sample: setting({
    ...share,
    default: 1,
    about: 'the fraction of successful requests to log, such as 0.01; all others are always logged',
  }),
  account: text('id', 'the account'),
  ...tokenSettings,
  name: optional({ value: 'name', allowed: 'a text', read: (given) => given }, 'a name to recognize it by'),
  account_currency: optional(
    currencyCode,
    "the ISO 4217 code of the account's currency, such as EUR; none: use the deployment's",
    { option: 'currency' },
  ),
  parent: text('id', 'the account that it is below, at most 8 levels in all; none: it is below no other'),
  import_age: optional(
    duration(),
    'the maximum age of the last import of a list, such as 26h; 2d if not given',
  ),
  since: optional(
    pastTime,
    'only events since then: yesterday, "last week", 7d (ago), a date or a timestamp',
  ),
  yes: flag('do not ask for confirmation'),
  json: flag('print the result as JSON on standard output'),
  format: optional(
    oneOf('csv', 'ndjson'),
    'csv or ndjson, for standard input and for files whose name does not tell',
    { value: 'format' },
  ),
  delimiter: optional(delimiter, 'the delimiter of CSV if it is not a comma, such as ; or tab'),
  encoding: optional<string>(
    oneOf('utf-8', 'utf-16', 'utf-16le', 'utf-16be', 'windows-1250', 'windows-1251', 'windows-1252'),
    'the encoding of the files if it is not UTF-8, such as windows-1252 or utf-16',
    { value: 'name' },
  ),
  mapping: text(
    'file',
    'a JSON file that says how the columns, dates and decimals of the rows become those of Linecard',
  ),
  list: optional(
    oneOf(...Object.values(lists).map(({ name }) => name.replaceAll('_', '-')), 'accounts'),
    'what the file is for; that whose columns it has if not given',
    { value: 'list' },
  ),
  from: text('url', 'the database to copy or to pull from'),
  to: text('url', 'the database to copy to; it must be empty'),
  watch: text(
    'folder',
    'a folder to watch: each file is imported when complete, then moved to done/ or failed/',
  ),
  query: text('file', 'the file with the SQL query whose rows are pulled; - reads standard input'),
  every: optional(duration(), 'pull repeatedly at this interval, such as 5m; failures do not end it'),
  dry_run: flag('read everything, report what would be done, and change nothing'),
  update: flag(
    'change existing items: only the columns that the files have, which must include account_id and id',
  ),
  replace: flag('also remove items that the files do not contain, of the accounts that they do'),
  replace_all: flag(
    'the files are the complete list: also remove items of all accounts that they do not contain',
  ),
  max_removed: optional(
    itemLimit,
    'the most items to remove: more is rejected before anything changes; 20% and at least 100 with --replace',
  ),
  max_moved: optional(
    itemLimit,
    'the most items to move from one account to another; 1% of the rows and at least 100 if not given',
  ),
  changes_kept: optional(
    duration(),
    'how long changes are kept for customers to query, such as 90d: older ones are deleted, and what is more than a list has items; 30d if not given',
  ),
  expect_rows: optional(
    integer(0, 9_999_999_999),
    'reject files with more or fewer rows than this, such as a dump that was cut off',
  ),
  ...intakeSettings,
  ...webhookSettings,
} as const;

export type SettingName = keyof typeof settings;
export type Settings = { [N in SettingName]: (typeof settings)[N]['default'] };
