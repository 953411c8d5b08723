// Accounts as data: what one is created and changed with, and what is shown of one.

import { lists, MAX_TEXT_CHARACTERS } from '@linecard/client/contract';
import { trimmed } from '@linecard/client/contract/trimmed';
import { textUpTo } from '../import/values.ts';
import { currencyCode, NO_CURRENCY } from '../settings/money.ts';
import { type Field, orNull, required, Wrong } from './field.ts';
import { accountId, answered, EXAMPLE_TIME, newAccountId, TIME, TIME_OR_NULL } from './members.ts';
import type { Shape } from './shape.ts';

const NAME = textUpTo(MAX_TEXT_CHARACTERS);

/** What is wrong with a name is said as of a file. */
function readName(value: unknown): string | Wrong {
  if (typeof value !== 'string' || !value.isWellFormed()) return new Wrong('must be a text');
  const text = trimmed(value);
  return NAME.read(text) === undefined ? new Wrong(NAME.complaint(text).replace(/\.$/, '')) : text;
}

const name: Field<string> = {
  about: 'What the account is called; null, or an empty text, for no name.',
  example: 'Harbour Dental',
  schema: { type: 'string', maxLength: MAX_TEXT_CHARACTERS },
  read: readName,
};

const currency: Field<string> = {
  about: "The ISO 4217 code of the account's currency; null for that of the deployment.",
  example: 'EUR',
  schema: { type: 'string', pattern: '^[A-Z]{3}$' },
  read(value) {
    const isCode = typeof value === 'string' && value !== NO_CURRENCY;
    const code = isCode ? currencyCode.read(value) : undefined;
    return code ?? new Wrong('must be an ISO 4217 code in upper case, such as EUR');
  },
};

/** The path of one. */
export const PATH = '/accounts/{id}';
export const ID = newAccountId('Your own customer id, any text of 1 to 100 characters.');

/** What may be changed of an account. */
export const CHANGE = {
  name: orNull(name, 'for none'),
  currency: orNull(currency, "for the deployment's"),
  parent_id: orNull(accountId('The account above it, at most 8 levels in all; null for none.'), 'for none'),
} as const;

export const NEW = { id: required(ID), ...CHANGE } as const;

const counts = Object.fromEntries(
  Object.values(lists).map((list) => [
    list.name,
    answered(
      `How many ${list.title.toLowerCase()} it has; null if the token does not see them.`,
      { type: ['integer', 'null'], minimum: 0 },
      12,
    ),
  ]),
);

const nullable = ({ about, schema, example }: Field, shown: unknown = example) =>
  answered(about, { ...schema, type: ['string', 'null'] }, shown);

/** An account as it is shown. */
export const ACCOUNT: Shape = {
  id: answered(ID.about, ID.schema, 'C1001'),
  name: answered('What the account is called.', name.schema, name.example),
  currency: nullable(currency),
  parent_id: nullable(accountId('The account above it; null for none.'), null),
  disabled: answered('Whether its tokens are rejected.', { type: 'boolean' }, false),
  ...counts,
  created_at: answered('When it was created.', TIME, EXAMPLE_TIME),
  updated_at: answered('When anything last changed that its customer can see.', TIME_OR_NULL, EXAMPLE_TIME),
  disabled_at: answered('Since when its tokens are rejected; null if they are not.', TIME_OR_NULL, null),
};
