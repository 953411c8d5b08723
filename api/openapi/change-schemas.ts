// The JSON Schema of changes, with examples.

import { changesEnvelope } from '../contract/changes.ts';
import { MAX_INTEGER } from '../contract/contract.ts';
import type { List } from '../contract/list.ts';
import { exactly, INTEGER, inPascalCase, itemExample, itemSchema, refTo, type Schema } from './schemas.ts';

const TOKEN = 'Yx0cUQJk4mG1l9b7fTqg2nWzE1syMDQ4LG51bGxd';

export function changesSchema(list: List, max_page_size: number): Schema {
  const item = `The ${list.one} as it is now; \`null\` where the list, with these filters, does not have it.`;
  const change = exactly({
    id: { description: `The \`id\` of the ${list.one}.`, ...INTEGER },
    item: { description: item, anyOf: [refTo(itemSchema(list)), { type: 'null' }] },
  });
  const { data, since, more, total } = changesEnvelope;
  return exactly(
    {
      data: { description: data, type: 'array', maxItems: max_page_size, items: change },
      since: { description: since, type: 'string', examples: [TOKEN] },
      more: { description: more, type: 'boolean' },
      total: { description: total, type: 'integer', format: 'int64', minimum: 0, maximum: MAX_INTEGER },
    } satisfies Record<keyof typeof changesEnvelope, Schema>,
    {
      title: `${inPascalCase(list.title)}Changes`,
      description: `What has changed among ${list.title.toLowerCase()}.`,
    },
  );
}

function exampleChanges(list: List) {
  const item = itemExample(list);
  const id = Number(item['id']);
  return [
    { id, item },
    { id: id + 1, item: null },
  ];
}

export function changesExamples(list: List): Record<string, { summary: string; value: object }> {
  const page = { since: TOKEN, more: false, total: 46 };
  return {
    changes: {
      summary: 'One has changed or come, one has gone',
      value: { data: exampleChanges(list), ...page },
    },
    nothing: { summary: 'Nothing has changed', value: { data: [], ...page } },
  };
}

/** One change per line, and the last line. */
export function changesStreamExample(list: List): string {
  const lines = [...exampleChanges(list), { since: TOKEN, total: 46 }];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
