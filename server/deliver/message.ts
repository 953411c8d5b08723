// The body of a delivery as JSON: items as they are stored, byte for byte as in an answer of the API.

import { DUE_DAYS, DUE_FIELD } from '@linecard/client/contract/facets';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { MAX_MESSAGE_ITEMS, type ReplacedReason } from '@linecard/client/contract/webhooks';
import { sumsText } from '../lists/facets.ts';
import { sumsStatement } from '../lists/facets-statements.ts';
import { projectionOf, type VisibleFields, visibleFields } from '../lists/fields.ts';
import { selectionOf } from '../lists/plan.ts';
import { declaredTable } from '../store/lists/own-fields.ts';
import { rowsStatement } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { type ListName, summedColumns, type Table } from '../store/tables.ts';
import type { Webhook } from '../store/webhooks/webhooks.ts';
import type { Items, PageItem } from './entries.ts';
import type { Page } from './range.ts';
import type { Step } from './steps.ts';

const [DAYS] = DUE_DAYS;
const MILLISECONDS_A_DAY = 86_400_000;

/** Texts of JSON, in their order. */
type Members = readonly (readonly [name: string, json: string])[];

const objectText = (members: Members) =>
  `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;

/** @param timestamp when it happened. */
export function bodyText({ type }: Pick<Step, 'type'>, timestamp: string, data: Members): string {
  return objectText([
    ['type', JSON.stringify(type)],
    ['timestamp', JSON.stringify(timestamp)],
    ['data', objectText(data)],
  ]);
}

/** The fields of items that the endpoint receives. */
function fieldsOf({ fields, charges }: Webhook, { list }: Table): VisibleFields {
  const chosen =
    fields === null
      ? undefined
      : Object.keys(list.fields).filter((field) => field === 'id' || fields.includes(field));
  return visibleFields(list, chosen, charges);
}

/** What fields were, as a member of an item; empty if the endpoint receives none of them. */
function fromText(from: PageItem['from'], { names }: VisibleFields): string {
  const entries = Object.entries(from ?? {}).filter(([name]) => names?.includes(name) ?? true);
  return entries.length === 0 ? '' : `,"from":${JSON.stringify(Object.fromEntries(entries))}`;
}

function itemsText(webhook: Webhook, { table, items }: Items): string {
  const fields = fieldsOf(webhook, table);
  const project = projectionOf(table.list, fields);
  const texts = items.map(({ id, label, item, from }) => {
    const was = fromText(from, fields);
    if (item !== null) return `{"id":${id},"item":${project(item)}${was}}`;
    return `{"id":${id},"item":null${label === null ? '' : `,"label":${JSON.stringify(label)}`}${was}}`;
  });
  return `[${texts.join(',')}]`;
}

const account = ({ account_id }: Webhook) => ['account', JSON.stringify(account_id)] as const;

export function eventData(webhook: Webhook, page: Page, more: boolean): Members {
  return [
    account(webhook),
    ['count', String(page.count)],
    ['items', itemsText(webhook, page)],
    ['more', String(more)],
  ];
}

export function replacedData(
  webhook: Webhook,
  { list }: Step,
  total: number,
  reason: ReplacedReason | undefined,
): Members {
  return [
    account(webhook),
    ['list', JSON.stringify(list)],
    ['total', String(total)],
    ['reason', JSON.stringify(reason)],
  ];
}

/** What says that nothing happened: the operator tries the endpoint. */
export const IS_TEST = ['test', 'true'] as const;

export const testData = (webhook: Webhook): Members => [account(webhook)];

/** What of a list is due within 7 days, or is overdue. */
export interface Due extends Items {
  readonly count: number;
  /** As facets have it. */
  readonly due: string;
}

export async function readDue(
  store: Pick<Store, 'dialect' | 'read'>,
  { account_id, charges }: Webhook,
  name: ListName,
  now: number,
): Promise<Due> {
  const table = await declaredTable(store, name);
  const until = DUE_DAYS.map((days) => timestampOf(now + days * MILLISECONDS_A_DAY));
  const filter = { name: DUE_FIELD, field: DUE_FIELD, test: 'to', value: until[0] as string } as const;
  const { column, nullable } = table.ordered(DUE_FIELD);
  const plan = {
    ...selectionOf(table, account_id, { filters: [filter] }),
    order: { column, nullable, descending: false },
    limit: MAX_MESSAGE_ITEMS,
  };
  const [[sums], rows] = await store.read(
    sumsStatement(store.dialect, {
      summed: summedColumns(table),
      all: selectionOf(table, account_id, { filters: [] }),
      until,
    }),
    rowsStatement(store.dialect, plan),
  );
  // An account that was deleted meanwhile.
  if (sums === undefined) return { count: 0, due: '{}', table, items: [] };
  const { due } = sumsText(table.list, sums, charges);
  const { [DAYS]: first } = JSON.parse(`{${due}}`) as Record<string, { count: number }>;
  return {
    count: first?.count ?? rows.length,
    due: `{${due}}`,
    table,
    items: rows.map(([item, id]) => ({ id, label: null, item })),
  };
}

export function dueData(webhook: Webhook, due: Due): Members {
  return [
    account(webhook),
    ['count', String(due.count)],
    ['due', due.due],
    ['items', itemsText(webhook, due)],
    ['more', String(due.count > due.items.length)],
  ];
}
