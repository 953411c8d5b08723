// Members that several operations take: ids of accounts, lists, charges and pages.

import { lists } from '@linecard/client/contract';
import { accountIdFault, newAccountIdFault } from '../store/access/accounts.ts';
import type { ListName } from '../store/tables.ts';
import { type Field, integerField, type Schema, someOfField, trueOrFalse, Wrong } from './field.ts';
import { type Shape, shapeSchema } from './shape.ts';

export const LIST_NAMES = Object.keys(lists) as ListName[];
const MAX_PAGE_SIZE = 1_000;
const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE = 1_000_000;

function accountField(about: string, faultOf: typeof accountIdFault): Field<string> {
  return {
    about,
    example: 'C1001',
    schema: { type: 'string', minLength: 1, maxLength: 100 },
    read(value) {
      if (typeof value !== 'string') return new Wrong('must be a text: the id of an account');
      const fault = faultOf(value);
      return fault === undefined ? value : new Wrong(fault);
    },
  };
}

/** The id of an account that may exist. */
export const accountId = (about: string): Field<string> => accountField(about, accountIdFault);
/** The id of an account that may be created. */
export const newAccountId = (about: string): Field<string> => accountField(about, newAccountIdFault);

export const listsField = (about: string, otherwise: string): Field<readonly ListName[]> =>
  someOfField(LIST_NAMES, { about, example: ['virtual_numbers'] }, otherwise);

export const chargesField = trueOrFalse({
  about: 'Whether it sees charges, their sums and their currency.',
  example: true,
});

/** The page of a list of records. */
export const PAGE = {
  page: {
    ...integerField({ min: 1, max: MAX_PAGE }, { about: 'Which page, from 1 on.', example: 1 }),
    fallback: 1,
  },
  page_size: {
    ...integerField({ min: 1, max: MAX_PAGE_SIZE }, { about: 'How many a page has.', example: 100 }),
    fallback: DEFAULT_PAGE_SIZE,
  },
} as const satisfies Shape;

export interface PageOf<T> {
  readonly data: readonly T[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
  readonly total_pages: number;
}

export const pageOf = <T>(
  data: readonly T[],
  { page, page_size }: { readonly page: number; readonly page_size: number },
  total: number,
): PageOf<T> => ({ data, page, page_size, total, total_pages: Math.ceil(total / page_size) });

const count = (about: string): Schema => ({ type: 'integer', minimum: 0, description: about });

/** The schema of a page of records. */
export const pageSchema = (title: string, record: Shape): Schema => ({
  title: `${title}Page`,
  type: 'object',
  properties: {
    data: { type: 'array', description: 'Those of this page.', items: shapeSchema(record, title) },
    page: count('Which page it is.'),
    page_size: count('How many a page has.'),
    total: count('How many there are, over all pages.'),
    total_pages: count('How many pages there are; 0 where there is none.'),
  },
  required: ['data', 'page', 'page_size', 'total', 'total_pages'],
  additionalProperties: false,
});

/** Members that an answer has: what they are, without how they would be read. */
export const answered = (
  about: string,
  schema: Schema,
  example: unknown,
): Field<unknown> & { readonly missing: string } => ({
  about,
  schema,
  example,
  missing: 'is missing',
  read: (value) => value,
});

export const TIME: Schema = { type: 'string', format: 'date-time' };
export const TIME_OR_NULL: Schema = { type: ['string', 'null'], format: 'date-time' };
export const EXAMPLE_TIME = '2026-11-28T09:00:00.000000Z';
