// The JSON Schemas of the account and of those below it, and examples of them.

import { accounts } from '../contract/accounts.ts';
import { lists } from '../contract/contract.ts';
import { CURRENCY, exactly, fieldSchema, itemName, type Schema, TEXT, TIMESTAMP } from './schemas.ts';

export const ACCOUNT_SCHEMA = 'Account';

const UPDATED_AT = '2026-11-20T06:00:12.482913Z';
const EXPIRES_AT = '2027-11-20T00:00:00.000000Z';

const totals = Object.values(lists).map(({ name, title }): [string, Schema] => {
  const description = `How many ${title.toLowerCase()} the account has; null where the token may not see them.`;
  return [name, { description, type: ['integer', 'null'], format: 'int64', minimum: 0, examples: [46] }];
});

const tokenSchema = exactly(
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
      examples: [EXPIRES_AT],
    },
    lists: {
      description: 'The lists that it may see.',
      type: 'array',
      items: { type: 'string', enum: Object.keys(lists) },
      examples: [Object.keys(lists)],
    },
    charges: {
      description: 'Whether it may see charges. Without them they are in no item, no file and no facets.',
      type: 'boolean',
      examples: [true],
    },
    reach: {
      description: 'The account alone, or (`tree`) also the accounts below it.',
      type: 'string',
      enum: ['account', 'tree'],
      examples: ['account'],
    },
  },
  { title: 'AccountToken', description: 'The token of this request.' },
);

const own = {
  id: fieldSchema(accounts.fields.id),
  name: fieldSchema(accounts.fields.name),
  currency: CURRENCY,
};
const updated_at: Schema = {
  description: 'When anything of the account last changed.',
  ...TIMESTAMP,
  examples: [UPDATED_AT],
};

export const accountSchema: Schema = exactly(
  { ...own, ...Object.fromEntries(totals), updated_at, token: tokenSchema },
  { title: ACCOUNT_SCHEMA, description: 'Whose token this is, and how many items each list has.' },
);

/** An account in the list of those below another. */
export const accountBelowSchema: Schema = exactly(
  {
    ...own,
    ...Object.fromEntries(totals),
    accounts: {
      description: 'How many accounts are directly below it.',
      type: 'integer',
      format: 'int64',
      minimum: 0,
      examples: [3],
    },
    updated_at,
  },
  { title: itemName(accounts), description: 'An account directly below the one that is read.' },
);

export function exampleOf({ properties = {} }: Schema): Record<string, unknown> {
  const members = Object.entries(properties).map(([name, member]): [string, unknown] => [
    name,
    member.properties === undefined ? member.examples?.[0] : exampleOf(member),
  ]);
  return Object.fromEntries(members) as Record<string, unknown>;
}
