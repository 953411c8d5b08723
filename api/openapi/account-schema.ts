// The JSON Schemas of the account and of those below it.

import { accounts } from '../contract/accounts.ts';
import { lists } from '../contract/contract.ts';
import { itemName } from '../contract/wording.ts';
import {
  CURRENCY,
  choice,
  fieldSchemas,
  namesOf,
  object,
  refTo,
  type Schema,
  TEXT,
  TIMESTAMP,
} from './schemas.ts';

const REACHES = ['account', 'tree', 'operator'];

const tokenSchema = object(
  {
    id: { description: 'What the operator knows the token by.', ...TEXT, examples: ['4Jx0aQm2Rz7B'] },
    name: {
      description: 'What it was called; empty when it has no name.',
      ...TEXT,
      examples: ['back office'],
    },
    expires_at: {
      description: 'When it is no longer good; null for never.',
      ...TIMESTAMP,
      type: ['string', 'null'],
      examples: ['2027-11-20T00:00:00.000000Z'],
    },
    lists: {
      description: 'The lists that it may see.',
      ...namesOf(TEXT),
      examples: [Object.keys(lists)],
    },
    charges: {
      description: 'Whether it may see charges. Without them they are in no item, no file and no facets.',
      type: 'boolean',
      examples: [true],
    },
    reach: {
      ...refTo(
        choice(
          'Reach',
          REACHES,
          'The account alone, also the accounts below it (`tree`), or those that a token of the operator is for (`operator`).',
        ),
      ),
      examples: REACHES,
    },
  },
  { title: 'AccountToken', description: 'The token of this request.' },
);

const below: Readonly<Record<string, Schema>> = { ...fieldSchemas(accounts), currency: CURRENCY };
const { accounts: _below, ...own } = below;

export const accountSchema = object(
  { ...own, token: refTo(tokenSchema) },
  { title: 'Account', description: 'Whose token this is, and how many items each list has.' },
);

/** An account in the list of those below another. */
export const accountBelowSchema = object(below, {
  title: itemName(accounts),
  description: 'An account directly below the one that is read.',
});
