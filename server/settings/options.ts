// The options as a table: what one run of a command is about. They are given on its command line and nowhere
// else, so that no variable and no file can make another command delete, replace or reveal something.

import { trimmed } from '@linecard/client/contract/trimmed';
import { fieldOptions, LIST_WORDS } from './fields.ts';
import { intakeOptions } from './intake.ts';
import { columnLimits, itemLimit } from './item-limits.ts';
import { delimiter, duration, flag, integer, oneOf, optional, pastTime, text, textsOf } from './kinds.ts';
import { currencyCode } from './money.ts';
import { tokenOptions } from './tokens.ts';
import { webhookOptions } from './webhooks.ts';

/** As `--parent`: below no other account. */
export const NO_PARENT = 'none';

export const options = {
  create: flag('create the database, or its token file, if there is none at that path'),
  demo: flag('fill an empty database with sample accounts and print a token to try'),
  account: text('id', 'the account'),
  name: optional({ value: 'name', allowed: 'a text', read: trimmed }, 'a name to recognize it by'),
  account_currency: optional(
    currencyCode,
    "the ISO 4217 code of the account's currency, such as EUR; none: use the deployment's",
    { option: 'currency' },
  ),
  parent: text('id', 'the account above it, at most 8 levels in all; none: no account above it'),
  import_age: optional(
    duration(),
    'the maximum age of the last import of a list, such as 26h; 2d if not given',
  ),
  since: optional(
    pastTime,
    'only events since then: yesterday, "last week", 7d (ago), a date or a timestamp',
  ),
  prune: flag(
    'delete the entries that are older than --audit-days instead of showing any, after confirmation; on PostgreSQL as the owner of the tables',
  ),
  file: text('file', 'the file to write, its format by its name: .csv, .ndjson or .xlsx', { option: 'file' }),
  where: optional(
    textsOf('one or more filters, such as country_codes=GB,FR', undefined, '\n'),
    'only items that match a filter of the API, such as country_codes=GB,FR or q=harbour; all of several must match',
    { value: 'filter' },
  ),
  yes: flag('do not ask for confirmation'),
  json: flag('print the result as JSON on standard output'),
  format: optional(
    oneOf('csv', 'ndjson', 'json', 'xlsx'),
    'csv, ndjson, json or xlsx, for standard input and for files whose name does not tell',
    { value: 'format' },
  ),
  delimiter: optional(delimiter, 'the delimiter of CSV if it is not a comma, such as ; or tab'),
  encoding: optional<string>(
    oneOf(
      'utf-8',
      'utf-16',
      'utf-16le',
      'utf-16be',
      'windows-1250',
      'windows-1251',
      'windows-1252',
      'iso-8859-15',
      'cp850',
      'macintosh',
    ),
    'the encoding of the files if it is not UTF-8, such as windows-1252 or utf-16',
    { value: 'name' },
  ),
  mapping: text(
    'file',
    "a JSON file that translates the columns, dates and decimals of the rows into Linecard's",
  ),
  mapping_output: text('file', 'a new file for the mapping, in place of standard output', {
    option: 'output',
  }),
  list: optional(
    oneOf(...LIST_WORDS, 'accounts'),
    'what the file contains; found from its columns if not given',
    { value: 'list' },
  ),
  to: text('url', 'the database to copy to; it must be empty'),
  watch: text(
    'folder',
    'a folder to watch: each file is imported when complete, then moved to done/ or failed/',
  ),
  query: text('file', 'the file with the SQL query to pull; - reads standard input'),
  every: optional(duration(), 'pull repeatedly at this interval, such as 5m; failures do not end it'),
  dry_run: flag('read everything, report what would be done, and change nothing'),
  update: flag(
    'change existing items, only in the columns of the files, which must include account_id and id',
  ),
  defaults: flag(
    'give existing items the defaults of columns that the files do not have, instead of what they have',
  ),
  replace: flag('also remove items that the files do not contain, from the accounts that they contain'),
  replace_all: flag(
    'the files are the complete list: also remove items of all accounts that they do not contain',
  ),
  skip_deleted: flag(
    'leave out rows of accounts that were deleted, and count them, instead of refusing the files',
  ),
  max_removed: optional(
    itemLimit,
    'the most items to remove: more is rejected before anything changes; 20% and at least 100 with --replace',
  ),
  max_changed: optional(
    columnLimits,
    'the most items of which a column may change, as monthly=20% or comment=500; of each charge 20% and at least 100 if not given',
  ),
  max_moved: optional(
    itemLimit,
    'the most items to move from one account to another; 1% of the rows and at least 100 if not given',
  ),
  expect_rows: optional(
    integer(0, 9_999_999_999),
    'reject files with more or fewer rows than this, such as a dump that was cut off',
  ),
  // Of `migrate`, which sets up their rights.
  serving_role: text(
    'role',
    'the PostgreSQL role used for serving: created if missing, with read access only',
  ),
  intake_role: text(
    'role',
    'the PostgreSQL role used by the intake: created if missing, writes lists, accounts, webhooks and sign-ins, and cannot read the hash of a customer token',
  ),
  deliver_role: text(
    'role',
    'the PostgreSQL role used by deliver: created if missing, reads the lists and writes the positions of webhooks',
  ),
  ...fieldOptions,
  ...intakeOptions,
  ...tokenOptions,
  ...webhookOptions,
} as const;

export type OptionName = keyof typeof options;
export type Options = { [N in OptionName]: (typeof options)[N]['default'] };
