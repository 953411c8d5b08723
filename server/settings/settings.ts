// The settings of a process or of a deployment as a table: default, parser and description. Each is an
// option, an environment variable and a key of the file of --config (docs/generated/settings.md).

import { DEFAULT_MAX_PAGE_SIZE } from '@linecard/client/contract';
import { brandSettings } from './brand.ts';
import { databaseSettings } from './database.ts';
import { identitySettings } from './identity.ts';
import { intakeSettings } from './intake.ts';
import {
  duration,
  flag,
  integer,
  listenAddress,
  memory,
  networks,
  oneOf,
  optional,
  origins,
  parameter,
  personName,
  share,
  shortTime,
  text,
  urlPath,
} from './kinds.ts';
import { billingMonths, currencyCode } from './money.ts';
import { MAX_RATE_LIMIT } from './tokens.ts';
import { webhookSettings } from './webhooks.ts';

/** The option is the name with dashes; the variable is the name in capitals after `LINECARD_`. */
export const settings = {
  config: text(
    'file',
    'a JSON file of settings by name, such as {"port": 9000}; options and variables take precedence',
  ),
  ...databaseSettings,
  actor: optional(
    personName,
    'who does it, for the audit log: recorded after the user of the system; the user of sudo if not given',
    { option: 'as', value: 'name' },
  ),
  host: parameter({
    ...listenAddress,
    default: '127.0.0.1',
    about: 'the address to listen on; :: for every address, 0.0.0.0 for those of IPv4',
  }),
  port: parameter({
    ...integer(0, 65_535, 'port'),
    default: 8080,
    about: 'the port to listen on; 0 for any free port',
  }),
  socket: text('path', 'a Unix socket to listen on instead of --host and --port; its group has access'),
  tls_cert: text('file', 'the TLS certificate with its chain, in PEM format; reloaded when the file changes'),
  tls_key: text('file', 'the private key of --tls-cert, in PEM format'),
  keep_alive: parameter({
    ...integer(1, 3_600, 'seconds'),
    default: 75,
    about: 'how long an idle connection stays open; longer than the idle timeout of the proxy in front',
  }),
  drain: parameter({
    ...shortTime(true),
    default: 0,
    about: 'how long to keep answering after SIGTERM, while /readyz fails and idle connections are closed',
  }),
  metrics_port: optional(
    integer(0, 65_535, 'port'),
    'the port for GET /metrics, for Prometheus, such as 9464; disabled if not given',
  ),
  metrics_host: parameter({
    ...listenAddress,
    default: '127.0.0.1',
    about: 'the address for /metrics; anyone who can reach it can read them',
  }),
  workers: parameter({
    ...integer(1, 64),
    default: 1,
    about: 'number of processes that share the port, such as one for each core',
  }),
  base_path: parameter({
    ...urlPath,
    default: '',
    about: 'the path under which a proxy serves Linecard, such as /numbers',
  }),
  max_page_size: parameter({
    ...integer(1, 10_000),
    default: DEFAULT_MAX_PAGE_SIZE,
    about: 'the largest page_size that a request may have',
  }),
  cache: parameter({
    ...memory,
    default: 64,
    scalesWithMemory: true,
    about:
      'memory for cached answers, in MiB over all processes; 0 disables the cache; the default is lower on machines or containers with less than 1 GiB',
  }),
  indexes: parameter({
    ...memory,
    default: 128,
    scalesWithMemory: true,
    about:
      'memory for indexes of frequently queried lists, in MiB over all processes; 0 disables them; the default is lower with less than 1 GiB',
  }),
  cors_origin: parameter({
    ...origins('*'),
    about: 'an origin whose pages may read answers in a browser; * for all',
  }),
  frame_ancestors: parameter({
    ...origins(),
    about: 'an origin that may show the console in a frame, such as https://portal.example.com',
  }),
  rate_limit: parameter({
    ...integer(0, MAX_RATE_LIMIT),
    default: 600,
    about: 'requests per minute per token that has no limit of its own, over all processes; 0 for no limit',
  }),
  no_mcp: flag('no tools for agents at /mcp (Model Context Protocol)'),
  ...identitySettings,
  ...brandSettings,
  currency: optional(
    currencyCode,
    'the ISO 4217 code of the currency of all accounts that do not set their own, such as EUR',
  ),
  billing_months: parameter({
    ...billingMonths,
    about:
      'how many months a payment covers, by frequency, such as monthly=1,quarterly=3: for payments by day',
  }),
  trust_proxy: parameter({
    ...networks,
    value: 'address',
    about: 'a proxy in front, by address or network such as 10.0.0.0/8, whose X-Forwarded-For is trusted',
  }),
  log_level: parameter({
    ...oneOf('silent', 'error', 'warn', 'info', 'debug'),
    value: 'level',
    default: 'info',
    about:
      'what to log: silent, error, warn, info (one line per request) or debug; the address, or why it failed to start, is always logged',
  }),
  log_format: parameter({
    ...oneOf('auto', 'json', 'pretty'),
    value: 'format',
    default: 'auto',
    about: 'json, pretty, or auto: pretty on a terminal, json elsewhere',
  }),
  log_sample: parameter({
    ...share,
    default: 1,
    about: 'the fraction of successful requests to log, such as 0.01; all others are always logged',
  }),
  from: text('url', 'the database to copy or to pull from'),
  changes_kept: optional(
    duration(),
    'how long customers can query changes, such as 90d: older ones are deleted, and so are more changes than a list has items; 30d if not given',
  ),
  audit_days: parameter({
    ...integer(1, 36_500, 'days'),
    default: 400,
    about:
      'how many days the entries of the audit log stay when audit --prune runs; those of imports at most 400',
  }),
  ...intakeSettings,
  ...webhookSettings,
} as const;

export type SettingName = keyof typeof settings;
export type Settings = { [N in SettingName]: (typeof settings)[N]['default'] };
