// The operation of activity, and the JSON Schema of its answer.

import {
  ACTIVITY_EVENTS,
  ACTIVITY_FILTERS,
  type ActivityEntry,
  activity,
  activityEnvelope,
  activityItem,
  SHOWN_IDS,
} from '../contract/activity.ts';
import { lists } from '../contract/contract.ts';
import { type EventRule, fieldOf, type List } from '../contract/list.ts';
import { jsonAnswers } from './answers.ts';
import { LIST_REQUEST } from './failures.ts';
import { ACCOUNT_HEADERS } from './headers.ts';
import { type AccountOperation, inQuery } from './list-operations.ts';
import type { Parameter } from './page-parameters.ts';
import { parametersOf } from './parameters.ts';
import { fieldSchema, INTEGER, object, refTo, type Schema, TEXT } from './schemas.ts';

const ENTRIES = [
  {
    at: activity.fields.at.example,
    list: 'virtual_numbers',
    event: 'spam_flagged',
    count: 2,
    ids: [48151, 48152],
    items: [
      { id: 48151, label: '+442079460018', from: { is_spammed: false }, to: { is_spammed: true } },
      { id: 48152, label: '+442079460019' },
    ],
  },
  {
    at: '2026-11-20T02:00:07.301552Z',
    list: 'virtual_numbers',
    event: 'replaced',
    count: 46,
    ids: [],
    items: [],
  },
];
const SINCE = '2026-10-25T02:00:04.118420Z';

function activityParameters(max_page_size: number): Parameter[] {
  const filters: Readonly<Record<string, string>> = ACTIVITY_FILTERS;
  return parametersOf(activity, max_page_size, 'activity').map((parameter) => ({
    ...parameter,
    about: filters[parameter.name] ?? parameter.about,
  }));
}

const events = Object.entries(ACTIVITY_EVENTS)
  .map(([name, about]) => `- \`${name}\`: ${about}`)
  .join('\n');

const { at, list, event, count, ids } = activity.fields;

/** The fields of the events of all lists. */
const eventFields = Object.fromEntries(
  Object.values<List>(lists).flatMap((one) =>
    Object.values<EventRule>(one.events).flatMap((rule) =>
      rule.fields.map((name) => [name, fieldSchema(fieldOf(one, name))]),
    ),
  ),
);
const values = object(eventFields, {
  title: 'ActivityValues',
  description: 'Fields of an event.',
  required: [],
});
const activityItemSchema = object(
  {
    id: { description: activityItem.id, ...INTEGER },
    label: { description: activityItem.label, ...TEXT, examples: ['+442079460018'] },
    from: { description: activityItem.from, ...refTo(values) },
    to: { description: activityItem.to, ...refTo(values) },
  } satisfies Record<keyof typeof activityItem, Schema>,
  { title: 'ActivityItem', description: 'An item of an entry.', required: ['id'] },
);
const entrySchema = object(
  {
    at: fieldSchema(at),
    list: fieldSchema(list),
    event: fieldSchema(event),
    count: fieldSchema(count),
    ids: { description: ids.about, type: 'array', maxItems: activity.filters.ids.max, items: INTEGER },
    items: {
      description: 'The items of these ids.',
      type: 'array',
      maxItems: activity.filters.ids.max,
      items: refTo(activityItemSchema),
    },
  } satisfies Record<keyof ActivityEntry, Schema>,
  { title: 'ActivityEntry', description: 'What an import did to items of a list.' },
);

function activitySchema(max_page_size: number): Schema {
  const { data, since } = activityEnvelope;
  return object(
    {
      data: { description: data, type: 'array', maxItems: max_page_size, items: refTo(entrySchema) },
      since: { ...fieldSchema(at), description: since, examples: [SINCE] },
    } satisfies Record<keyof typeof activityEnvelope, Schema>,
    { title: activity.title, description: activity.about },
  );
}

export function activityOperation(max_page_size: number): AccountOperation {
  const parameters = activityParameters(max_page_size);
  const examples = { activity: { summary: 'Two entries', value: { data: ENTRIES, since: SINCE } } };
  const about = `${activity.about} An entry names the first ${SHOWN_IDS} items; \`rel="next"\` in \`Link\` leads to older entries, and stays good while imports go on.`;
  return {
    operationId: 'list_activity',
    tag: activity.title,
    summary: 'What has happened',
    description: `${about}\n\n${events}`,
    parameters: parameters.map(inQuery),
    answers: jsonAnswers(activitySchema(max_page_size), [...ACCOUNT_HEADERS, 'ETag', 'Link'], examples),
    codes: LIST_REQUEST,
    sample: parameters.filter(({ name }) => name === 'events'),
  };
}
