// The JSON Schema of facets, with the example of a small account.

import {
  DUE_DAYS,
  facetFilters,
  MAX_DUE_DAYS,
  MAX_FACET_VALUES,
  PRICE_FIELD,
  summedFields,
} from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import { inPascalCase } from '../contract/wording.ts';
import { COUNT as ANY_COUNT, CURRENCY, object, refTo, type Schema } from './schemas.ts';

/** A sum of charges has no upper limit. */
const SUM: Schema = { type: 'number', examples: [103.5] };
const COUNT: Schema = { ...ANY_COUNT, examples: [3] };

const PAYMENTS: Readonly<Record<string, Schema>> = {
  count: { description: 'How many payments there are.', ...COUNT },
  amount: {
    description:
      'Their sum: of each, `monthly` times the months that the `frequency` of the item covers, which the operator decides; absent where the token may not see charges.',
    ...SUM,
  },
  unknown: {
    description:
      'How many are of a `frequency` whose months are not known: they are in no amount, and not repeated.',
    ...COUNT,
    examples: [0],
  },
};

function facetSchema(title: string, value: Schema): Schema {
  const counted = object(
    {
      value: { description: 'A value of the filter.', ...value },
      count: { description: 'How many items it would give.', ...COUNT },
      monthly: { description: 'Their monthly charges together; with `charges=true`.', ...SUM },
    },
    {
      title: `${title}Value`,
      description: 'A value of a filter, and how many items it would give.',
      required: ['value', 'count'],
    },
  );
  return object(
    {
      values: {
        description: 'The most frequent values, then by value.',
        type: 'array',
        maxItems: MAX_FACET_VALUES,
        items: refTo(counted),
      },
      others: { description: 'How many items have a value that is not among these.', ...COUNT },
    },
    { title, description: 'The values of one filter, counted without that filter and with all others.' },
  );
}

const TEXT_FACET = facetSchema('TextFacet', { type: 'string' });
const FLAG_FACET = facetSchema('FlagFacet', { type: 'boolean' });
const DUE = object(
  {
    count: { description: 'How many items fall due.', ...COUNT },
    monthly: {
      description: 'Their monthly charges together; absent where the token may not see charges.',
      ...SUM,
    },
  },
  {
    title: 'Due',
    description: 'What falls due within some days from now, overdue included.',
    required: ['count'],
  },
);
const OVERDUE = object(PAYMENTS, {
  title: 'Payments',
  description: 'Payments that are overdue.',
  required: ['count'],
});
const DAY = object(
  {
    day: { description: 'The day in UTC.', type: 'string', format: 'date', examples: ['2026-12-04'] },
    ...PAYMENTS,
  },
  { title: 'DayPayments', description: 'The payments of one day.', required: ['day', 'count'] },
);

/** @param part of the facets of the list, whose name it ends with */
function each(
  list: List,
  [part, description]: readonly [part: string, description: string],
  names: readonly string[],
  schema: (name: string) => Schema,
  required: readonly string[] = names,
): Schema {
  const members = Object.fromEntries(names.map((name) => [name, schema(name)]));
  const title = `${inPascalCase(list.title)}${part}`;
  return { description, ...refTo(object(members, { title, description, required })) };
}

export const dueSchema = (list: List): Schema =>
  each(
    list,
    ['Due', 'What falls due within this number of days from now, overdue included.'],
    DUE_DAYS.map(String),
    () => refTo(DUE),
  );

export function facetsSchema(list: List): Schema {
  const facet = (name: string) => refTo(list.filters[name]?.test === 'is' ? FLAG_FACET : TEXT_FACET);
  return object(
    {
      total: { description: 'How many items match.', ...COUNT, examples: [46] },
      currency: CURRENCY,
      sums: each(
        list,
        ['Sums', 'Charges added up over all matches, exactly; empty where the token may not see charges.'],
        summedFields(list),
        (name) => ({ description: list.fields[name]?.about ?? '', ...SUM }),
        [],
      ),
      due: dueSchema(list),
      overdue: {
        description: 'What fell due before today, in UTC, each item once; with `due_days`.',
        ...refTo(OVERDUE),
      },
      due_by_day: {
        description:
          'Every payment from today on, by day in UTC: the next of each item, and its repetitions each time the months of its `frequency` have passed; with `due_days`. Days with none are left out.',
        type: 'array',
        maxItems: MAX_DUE_DAYS,
        items: refTo(DAY),
      },
      facets: each(
        list,
        ['Values', 'The values of each filter that one can choose from, by the name of the filter.'],
        facetFilters(list),
        facet,
      ),
    },
    {
      title: `${inPascalCase(list.title)}Facets`,
      description: `What there is to choose from among ${list.title.toLowerCase()}.`,
      required: ['total', 'currency', 'sums', 'due', 'facets'],
    },
  );
}

export function facetsExample(list: List): object {
  const facet = (name: string): [string, object] => {
    const { field = '', test = 'any' } = list.filters[name] ?? {};
    const { example, known = [example] } = list.fields[field] ?? {};
    const [first, second] = test === 'is' ? [false, true] : known;
    const values = [{ value: first, count: second === undefined ? 46 : 44 }];
    if (second !== undefined) values.push({ value: second, count: 2 });
    return [name, { values, others: 0 }];
  };
  return {
    total: 46,
    currency: 'EUR',
    sums: Object.fromEntries(summedFields(list).map((name) => [name, name === PRICE_FIELD ? 103.5 : 12.5])),
    due: Object.fromEntries(DUE_DAYS.map((days) => [days, { count: days, monthly: days * 2.25 }])),
    facets: Object.fromEntries(facetFilters(list).map(facet)),
  };
}
