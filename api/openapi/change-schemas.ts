// The JSON Schema of changes, with examples.

import { changesEnvelope } from '../contract/changes.ts';
import type { List } from '../contract/list.ts';
import { virtual_numbers } from '../contract/virtual-numbers.ts';
import { inPascalCase, itemName } from '../contract/wording.ts';
import {
  COUNT,
  INTEGER,
  itemExample,
  itemSchema,
  object,
  refTo,
  type Scalar,
  type Schema,
} from './schemas.ts';

const TOKEN = 'Yx0cUQJk4mG1l9b7fTqg2nWzE1syMDQ4LG51bGxd';

export function changesSchema(list: List, max_page_size: number): Schema {
  const item = `The ${list.one} as it is now; \`null\` where the list, with these filters, does not have it.`;
  const change = object(
    {
      id: { description: `The \`id\` of the ${list.one}.`, ...INTEGER },
      item: { description: item, anyOf: [refTo(itemSchema(list)), { type: 'null' }] },
    },
    { title: `${itemName(list)}Change`, description: `A ${list.one} that may be another than it was.` },
  );
  const { data, since, more, total } = changesEnvelope;
  return object(
    {
      data: { description: data, type: 'array', maxItems: max_page_size, items: refTo(change) },
      since: { description: since, type: 'string', examples: [TOKEN] },
      more: { description: more, type: 'boolean' },
      total: { description: total, ...COUNT },
    } satisfies Record<keyof typeof changesEnvelope, Schema>,
    {
      title: `${inPascalCase(list.title)}Changes`,
      description: `What has changed among ${list.title.toLowerCase()}.`,
    },
  );
}

/** Of an item, and of the one after it, which the list does not have. */
export function changesExample(item: object, id: Scalar = virtual_numbers.fields.id.example) {
  const data = [
    { id, item },
    { id: Number(id) + 1, item: null },
  ];
  return { data, since: TOKEN, more: false, total: 46 };
}

export function changesExamples(list: List): Record<string, { summary: string; value: object }> {
  const item = itemExample(list);
  const value = changesExample(item, item['id']);
  return {
    changes: { summary: 'One has changed or come, one has gone', value },
    nothing: { summary: 'Nothing has changed', value: { ...value, data: [] } },
  };
}
