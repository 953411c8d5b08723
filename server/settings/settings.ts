// Settings as a table: name, default, how a text is read, and a sentence. Command-line options, environment
// variables and docs/generated/settings.md are made from it.

import { DEFAULT_MAX_PAGE_SIZE } from '@linecard/client/contract';
import { databaseSettings } from './database.ts';
import { intakeSettings } from './intake.ts';
import {
  anyText,
  currencyCode,
  delimiter,
  duration,
  flag,
  integer,
  itemLimit,
  memory,
  networks,
  oneOf,
  optionalText,
  pastTime,
  setting,
  share,
  texts,
  urlPath,
} from './kinds.ts';
import { networkSettings } from './network.ts';
import { origins } from './origins.ts';

/** Every setting; the option is its name with dashes, the variable its name in capitals after `LINECARD_`. */
export const settings = {
  config: setting({
    ...optionalText,
    value: 'file',
    about: 'a JSON file of settings by name, such as {"port": 9000}; options and variables take precedence',
  }),
  ...databaseSettings,
  host: setting({ ...anyText, value: 'address', default: '127.0.0.1', about: 'the address to listen on' }),
  port: setting({
    ...integer(0, 65_535, 'port'),
    default: 8080,
    about: 'the port to listen on; 0 for any free one',
  }),
  ...networkSettings,
  workers: setting({
    ...integer(1, 64),
    default: 1,
    about: 'processes that answer on the one port, such as one for each core',
  }),
  base_path: setting({
    ...urlPath,
    default: '',
    about: 'the path at which a proxy serves Linecard, such as /numbers',
  }),
  max_page_size: setting({
    ...integer(1, 10_000),
    default: DEFAULT_MAX_PAGE_SIZE,
    about: 'the largest page_size that a request may ask for',
  }),
  cache: setting({
    ...memory,
    default: 64,
    scalesWithMemory: true,
    about:
      'memory for answers cached until their account changes, in MiB over all processes; 0 for none; by default less where the machine or its container has less than a GiB',
  }),
  indexes: setting({
    ...memory,
    default: 128,
    scalesWithMemory: true,
    about:
      'memory for indexes of lists that are queried again and again, in MiB over all processes; 0 for none; by default less where there is less than a GiB',
  }),
  cors_origin: setting(origins),
  rate_limit: setting({
    ...integer(0, 1_000_000_000),
    default: 600,
    about: 'requests per minute per token, over all processes; 0 for no limit',
  }),
  currency: setting({
    ...currencyCode,
    about: 'the ISO 4217 code of the currency of all accounts that have none of their own, such as EUR',
  }),
  trust_proxy: setting({
    ...networks,
    value: 'address',
    default: [] as readonly string[],
    about: 'a proxy in front, by address or network such as 10.0.0.0/8, whose X-Forwarded-For is believed',
  }),
  create: setting({
    ...flag,
    about: 'make the database, or the file of its tokens, where there is none at that path',
  }),
  demo: setting({ ...flag, about: 'fill an empty database with sample accounts and print a token to try' }),
  log_level: setting({
    ...oneOf('silent', 'error', 'warn', 'info', 'debug'),
    value: 'level',
    default: 'info',
    about:
      'what to log: silent, error, warn, info (one line a request) or debug; where it answers, or why not, is always said',
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
    about: 'the share of successful requests that are logged, such as 0.01; every other request is',
  }),
  account: setting({ ...optionalText, value: 'id', about: 'the account' }),
  accounts: setting({
    ...texts,
    option: 'account',
    value: 'id',
    about: 'the account; of an operator, an account that may be written: all where none is named',
  }),
  operator: setting({
    ...flag,
    about: 'a token that writes the lists over HTTP (intake), not one of a customer',
  }),
  name: setting({
    allowed: 'a text',
    read: (text: string) => text,
    value: 'name',
    default: undefined as string | undefined,
    about: 'a name to recognise it',
  }),
  account_currency: setting({
    ...currencyCode,
    option: 'currency',
    about: "the ISO 4217 code of the account's currency, such as EUR; none: that of the deployment",
  }),
  expires_in: setting({
    ...duration(),
    default: undefined as number | undefined,
    about: 'how long the token is valid, such as 12h or 90d; forever when not given',
  }),
  overlap: setting({
    ...duration(true),
    default: undefined as number | undefined,
    about: 'how long the old token stays valid, such as 30m; 24h when not given, 0m ends it immediately',
  }),
  import_age: setting({
    ...duration(),
    default: undefined as number | undefined,
    about: 'how old the last import of a list may be, such as 26h; 2d when not given',
  }),
  since: setting({
    ...pastTime,
    default: undefined as string | undefined,
    about: 'only what was done since: a timestamp, a day, or how long ago such as 7d',
  }),
  yes: setting({ ...flag, about: 'do not ask first' }),
  json: setting({ ...flag, about: 'print the result as JSON on standard output' }),
  format: setting({
    ...oneOf('csv', 'ndjson'),
    value: 'format',
    default: undefined as 'csv' | 'ndjson' | undefined,
    about: 'csv or ndjson, for files whose name does not say it and for standard input',
  }),
  delimiter: setting({
    ...delimiter,
    default: undefined as string | undefined,
    about: 'the character between cells of CSV if it is not a comma, such as ; or tab',
  }),
  encoding: setting({
    ...oneOf('utf-8', 'utf-16', 'utf-16le', 'utf-16be', 'windows-1250', 'windows-1251', 'windows-1252'),
    value: 'name',
    default: undefined as string | undefined,
    about: 'the encoding of the files if it is not UTF-8, such as windows-1252 or utf-16',
  }),
  from: setting({ ...optionalText, value: 'url', about: 'the database to copy or to pull from' }),
  to: setting({ ...optionalText, value: 'url', about: 'the database to copy to; it must be empty' }),
  watch: setting({
    ...optionalText,
    value: 'folder',
    about:
      'a folder that files are dropped into: each is imported when complete, then moved to done/ or failed/',
  }),
  query: setting({
    ...optionalText,
    value: 'file',
    about: 'the file of the SQL query whose rows are pulled; - reads standard input',
  }),
  every: setting({
    ...duration(),
    default: undefined as number | undefined,
    about: 'pull again and again, this long from start to start, such as 5m; failures do not end it',
  }),
  dry_run: setting({ ...flag, about: 'read everything, say what would be done, and change nothing' }),
  update: setting({
    ...flag,
    about: 'change items that are there: only the columns that the files have, account_id and id among them',
  }),
  replace: setting({
    ...flag,
    about: 'also remove the items of the accounts in the files that the files do not name',
  }),
  replace_all: setting({
    ...flag,
    about: 'the files are the whole list: also remove the items of all accounts that they do not name',
  }),
  max_removed: setting({
    ...itemLimit,
    about: 'refuse to remove more, before anything changes; 20% and at least 100 where --replace is given',
  }),
  max_moved: setting({
    ...itemLimit,
    about:
      'refuse to move more items from one account to another; 1% of the rows and at least 100 when not given',
  }),
  changes_kept: setting({
    ...duration(),
    default: undefined as number | undefined,
    about:
      'how long customers can ask for what has changed, such as 90d: what is older is forgotten; 30d when not given',
  }),
  expect_rows: setting({
    ...integer(0, 9_999_999_999),
    default: undefined as number | undefined,
    about: 'refuse files that have more rows or fewer, such as those of a dump that was cut off',
  }),
  ...intakeSettings,
} as const;

export type SettingName = keyof typeof settings;
export type Settings = { [N in SettingName]: (typeof settings)[N]['default'] };
