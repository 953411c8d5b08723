// The options of tokens: of whom they are, how long they are valid, and what limits them.

import { lists } from '@linecard/client/contract';
import { duration, flag, integer, oneOf, optional, parameter, text, textsOf } from './kinds.ts';

/** The account alone, or also the accounts below it. */
export const REACHES = ['account', 'tree'] as const;
/** In requests per minute. */
export const MAX_RATE_LIMIT = 1_000_000_000;
/** What an operator token may be used for. */
export const OPERATIONS = [
  'import',
  'sign-in',
  'webhooks',
  'accounts',
  'tokens',
  'fields',
  'audit',
  'read',
] as const;

/** Some of these values, in any number of options. */
function someOf<const T extends string>(...values: T[]) {
  return {
    several: ' ' as const,
    allowed: `one or more of ${values.join(', ')}`,
    read(text: string) {
      const given = text.split(/[\s,]+/).filter(Boolean);
      const known = values.filter((value) => given.includes(value));
      return given.length > 0 && known.length === new Set(given).size ? known : undefined;
    },
  };
}

export const tokenOptions = {
  operator: flag(
    'an operator token, which writes the lists over HTTP (intake) or, with --may read, reads them as customers do, instead of a customer token',
  ),
  accounts: optional(
    textsOf('one or more texts, each on a line of its own', undefined, '\n'),
    'the account; for an operator token, an account it may read or write: all accounts if none is given',
    { option: 'account', value: 'id' },
  ),
  accounts_file: text(
    'file',
    'a CSV or NDJSON file with account_id and, to create a token for each account, if you like name; - for standard input',
    { option: 'accounts' },
  ),
  output: parameter({
    ...oneOf('csv', 'ndjson'),
    value: 'format',
    default: 'csv',
    about: 'the format of the tokens that --accounts prints: csv or ndjson',
  }),
  lists: optional(
    someOf(...Object.keys(lists).map((name) => name.replaceAll('_', '-'))),
    'a list that the token may see; all lists if none is given',
    { value: 'list' },
  ),
  without_charges: flag('the token sees no charges, no sums of them and no currency'),
  addresses: optional(
    textsOf('one or more networks such as 203.0.113.0/24'),
    'a network from which the token may be used, such as 203.0.113.0/24; any address if none is given',
    { option: 'from', value: 'cidr' },
  ),
  token_rate_limit: optional(
    integer(1, MAX_RATE_LIMIT),
    'requests per minute of the token, in place of --rate-limit of the process that it is used with',
    { option: 'rate_limit' },
  ),
  reach: parameter({
    ...oneOf(...REACHES),
    value: 'reach',
    default: REACHES[0],
    about: 'account: only its own account; tree: also the accounts below it',
  }),
  may: optional(
    someOf(...OPERATIONS),
    `what an operator token may do: ${OPERATIONS.join(', ')}; import if none is given`,
    { value: 'operation' },
  ),
  expires_in: optional(
    duration(),
    'how long the token is valid, such as 12h or 90d; it does not expire if not given',
  ),
  expiring: optional(duration(), 'only tokens that end within this time, such as 14d'),
  overlap: optional(
    duration(true),
    'how long the old token stays valid, such as 30m; 24h if not given, 0m ends it immediately',
  ),
} as const;
