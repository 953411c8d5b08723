// Tokens of customers as data: what a new one is created with, and what is shown of one.

import { MAX_RATE_LIMIT, REACHES } from '../settings/tokens.ts';
import {
  durationField,
  integerField,
  nameField,
  oneOfField,
  orNull,
  required,
  withDefault,
} from './field.ts';
import {
  accountId,
  answered,
  chargesField,
  EXAMPLE_TIME,
  listsField,
  TIME,
  TIME_OR_NULL,
} from './members.ts';
import { networksField } from './networks.ts';
import { type Shape, shapeSchema } from './shape.ts';

const ALL = 'for all';
const EXAMPLE_TOKEN = 'lc_…';

const name = nameField({ about: 'A name to recognize it by.', example: 'phone book' });
const lists = listsField('The lists that it may see; null for all.', '');
const addresses = networksField('The networks from which it may be used; null for any address.');
const rate_limit = integerField(
  { min: 1, max: MAX_RATE_LIMIT },
  {
    about: 'Requests a minute that it may make; null for as many as tokens without a limit of their own.',
    example: 60,
  },
);
const reach = oneOfField(REACHES, {
  about: '`account`: only its own account; `tree`: also the accounts below it.',
  example: 'account',
});

/** What limits a new token. */
export const LIMITS = {
  lists: withDefault(orNull(lists, ALL), null),
  charges: withDefault(chargesField, true),
  addresses: withDefault(orNull(addresses, 'for any address'), null),
  rate_limit: withDefault(orNull(rate_limit, 'for the limit of all tokens'), null),
  reach: withDefault(reach, 'account'),
} as const;

const expires_in = durationField({
  about: 'How long it is valid, such as 12h or 90d; null, or left out, for a token that does not expire.',
  example: '90d',
});

/** What a new token is created with. */
export const NEW = {
  account_id: required(accountId('The account that it is of.')),
  name: withDefault(name, ''),
  expires_in: withDefault(orNull(expires_in, 'for a token that does not expire'), null),
  ...LIMITS,
} as const;

const time = (about: string) => answered(about, TIME_OR_NULL, null);

/** Members of a new token as they are shown of one. */
const shownOf = <S extends Shape>(members: S) =>
  Object.fromEntries(
    Object.entries(members).map(([name, { about, schema, example }]) => [
      name,
      answered(about, schema, example),
    ]),
  ) as Record<keyof S, ReturnType<typeof answered>>;

/** A token as it is shown. */
export const TOKEN = {
  id: answered('Its id, for where the token itself must not be shown.', { type: 'string' }, '4fTq0Vb2LxYz'),
  account_id: answered(NEW.account_id.about, { type: 'string' }, 'C1001'),
  kind: answered('What it was created for.', { type: 'string', enum: ['token', 'sign_in'] }, 'token'),
  ...shownOf(LIMITS),
  name: answered(name.about, name.schema, 'phone book'),
  created_at: answered('When it was created.', TIME, EXAMPLE_TIME),
  expires_at: time('When it expires; null for never.'),
  revoked_at: time('When it was revoked; null if it was not.'),
  last_used_at: time('When it was last used, within half a minute; null for never.'),
};

const { id, ...others } = TOKEN;
/** A token that has just been created. */
export const NEW_TOKEN = {
  id,
  token: answered(
    'The token itself. No other answer has it: only its hash is stored.',
    { type: 'string' },
    EXAMPLE_TOKEN,
  ),
  ...others,
};
/** One that replaces another. */
export const ROTATED_TOKEN = {
  ...NEW_TOKEN,
  replaces: answered(
    'The token that it replaces, and when that expires.',
    shapeSchema({ id, expires_at: others.created_at }),
    { id: 'Q2mZ8sT1kKpA', expires_at: EXAMPLE_TIME },
  ),
};
