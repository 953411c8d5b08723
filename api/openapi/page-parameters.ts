// What a parameter is; and those that choose a page, and those of changes, facets and workbooks alone.

import { SINCE_NOW } from '../contract/changes.ts';
import { MAX_LIST_VALUES } from '../contract/contract.ts';
import { MAX_DUE_DAYS } from '../contract/facets.ts';
import { LANGUAGES } from '../contract/labels.ts';
import type { List } from '../contract/list.ts';
import type { Query } from '../contract/query.ts';
import { choice, INTEGER, type Scalar, type Schema } from './schemas.ts';

export interface Parameter {
  readonly name: string;
  readonly group: 'filter' | 'search' | 'order' | 'page' | 'fields' | 'money' | 'workbook' | 'ranges';
  /** Markdown. */
  readonly about: string;
  readonly schema: Schema;
  readonly example: Scalar | readonly Scalar[];
}

export const NO_CONTROLS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

export function pageParameters(defaults: Query, max_page_size: number, limit: string): Parameter[] {
  return [
    {
      name: 'page',
      group: 'page',
      about: 'Which page, from 1. One past the last is empty, not an error.',
      schema: { ...INTEGER, default: defaults.page },
      example: 2,
    },
    {
      name: 'page_size',
      group: 'page',
      about: `How many items to a page, at most ${limit}.`,
      schema: { ...INTEGER, maximum: max_page_size, default: defaults.page_size },
      example: Math.min(50, max_page_size),
    },
    {
      name: 'cursor',
      group: 'page',
      about:
        'Where to go on, taken from a `Link` header together with the rest of that address; never made by hand. Not together with `page`.',
      schema: { type: 'string', minLength: 1, pattern: NO_CONTROLS },
      example: 'eyJhZnRlciI6NDgxNTF9',
    },
  ];
}

/** Those of ranges alone. */
export function rangesParameters({ splits = [] }: List): Parameter[] {
  return [
    {
      name: 'split_by',
      group: 'ranges',
      about:
        'A new range also begins where one of these changes. Ranges have these as members then, after `country_code`.',
      schema: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_LIST_VALUES,
        items: choice('RangeSplit', splits, 'A field by which ranges are split.'),
      },
      example: ['provider', 'status'],
    },
    {
      name: 'min_count',
      group: 'ranges',
      about: 'Only ranges of at least this many items; `total` counts these alone.',
      schema: { ...INTEGER, default: 1 },
      example: 10,
    },
  ];
}

/** Those of changes, of facets and of a workbook alone. */
export const OWN_PARAMETERS: readonly Parameter[] = [
  {
    name: 'since',
    group: 'page',
    about:
      'The token of the answer before, or of a `Link` header with `rel="monitor"`; never made by hand. `now` for a token alone; without it the whole list comes first.',
    schema: { type: 'string', minLength: 1, pattern: NO_CONTROLS },
    example: SINCE_NOW,
  },
  {
    name: 'due_days',
    group: 'money',
    about:
      'For this many days from today on, in UTC: every payment of each day, and what is overdue. A payment is `monthly` times the months that the `frequency` of the item covers, and is repeated when they have passed.',
    schema: { ...INTEGER, format: 'int32', maximum: MAX_DUE_DAYS },
    example: 84,
  },
  {
    name: 'charges',
    group: 'money',
    about: 'Each value of a filter also has the sum of the monthly charges of its items.',
    schema: { type: 'boolean' },
    example: true,
  },
  {
    name: 'headings',
    group: 'workbook',
    about:
      'Makes the workbook for people: its headings in this language, charges in the currency of the account, and their sums below the last row. Without it, columns have the names of the fields.',
    schema: choice('Language', LANGUAGES, 'A language of headings.'),
    example: 'en',
  },
];
