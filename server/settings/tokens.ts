// The settings of tokens: of whom they are, how long they are valid, and what limits them.

import { lists } from '@linecard/client/contract';
import { duration, flag, oneOf, optional, optionalText, setting, texts, textsOf } from './kinds.ts';

/** The account alone, or also the accounts below it. */
export const REACHES = ['account', 'tree'] as const;
/** What an operator token may be used for. */
export const OPERATIONS = ['import', 'sign-in', 'webhooks'] as const;

/** Some of these values, in any number of options. */
function someOf<const T extends string>(...values: T[]) {
  return {
    several: ' ' as const,
    default: undefined as readonly T[] | undefined,
    allowed: `one or more of ${values.join(', ')}`,
    read(text: string) {
      const given = text.split(/[\s,]+/).filter(Boolean);
      const known = values.filter((value) => given.includes(value));
      return given.length > 0 && known.length === new Set(given).size ? known : undefined;
    },
  };
}

export const tokenSettings = {
  operator: setting({
    ...flag,
    about: 'an operator token, which writes the lists over HTTP (intake), instead of a customer token',
  }),
  accounts: setting({
    ...texts,
    option: 'account',
    value: 'id',
    about: 'the account; for an operator token, an account it may write: all accounts if none is given',
  }),
  accounts_file: setting({
    ...optionalText('file'),
    option: 'accounts',
    about:
      'a CSV or NDJSON file with account_id, and name if wanted: a token for each account; - for standard input',
  }),
  output: setting({
    ...oneOf('csv', 'ndjson'),
    value: 'format',
    default: 'csv',
    about: 'the format that the tokens of --accounts are printed in: csv or ndjson',
  }),
  lists: setting({
    ...someOf(...Object.keys(lists).map((name) => name.replaceAll('_', '-'))),
    value: 'list',
    about: 'a list that the token may see; all lists if none is given',
  }),
  without_charges: setting({
    ...flag,
    about: 'the token sees no charges, no sums of them and no currency',
  }),
  addresses: setting({
    ...optional(textsOf('one or more networks such as 203.0.113.0/24')),
    option: 'from',
    value: 'cidr',
    about: 'a network that the token may be used from, such as 203.0.113.0/24; any address if none is given',
  }),
  reach: setting({
    ...oneOf(...REACHES),
    value: 'reach',
    default: REACHES[0],
    about: 'account: its own account alone; tree: also the accounts below it',
  }),
  may: setting({
    ...someOf(...OPERATIONS),
    value: 'operation',
    about: `what an operator token may do: ${OPERATIONS.join(', ')}; import if none is given`,
  }),
  expires_in: setting({
    ...optional(duration()),
    about: 'how long the token is valid, such as 12h or 90d; it does not expire if not given',
  }),
  overlap: setting({
    ...optional(duration(true)),
    about: 'how long the old token stays valid, such as 30m; 24h if not given, 0m ends it immediately',
  }),
} as const;
