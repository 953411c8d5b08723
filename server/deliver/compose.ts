// The next delivery of a range, composed from what the log and the lists have.

import type { EventName } from '@linecard/client/contract/list';
import { timestampOf } from '@linecard/client/contract/timestamp';
import {
  listWithEvent,
  MAX_MESSAGE_ITEMS,
  PAYMENTS_DUE,
  TEST_TYPE,
  type WebhookEvent,
} from '@linecard/client/contract/webhooks';
import { selectionOf } from '../lists/plan.ts';
import { declaredTable } from '../store/lists/own-fields.ts';
import { rowsStatement } from '../store/sql.ts';
import type { WithStore } from '../store/store.ts';
import type { ListName } from '../store/tables.ts';
import type { Webhook, WebhookValues } from '../store/webhooks/webhooks.ts';
import { isStill, labelOf, MAX_NAMED, sentenceBody, testSentence } from './chat.ts';
import { messageId } from './claims.ts';
import type { PageItem } from './entries.ts';
import { bodyText, dueData, eventData, IS_TEST, readDue, replacedData, testData } from './message.ts';
import type { RangeReader, RangeState } from './range.ts';
import { type Pending, stepOf } from './steps.ts';

export interface ComposeOptions {
  readonly read: WithStore;
  /** In milliseconds since 1970. */
  readonly now: () => number;
  readonly itemsAPage?: number | undefined;
}

/** The reads of one sentence for chat. */
const ITEMS_A_READ = 1_000;
/** The id of a message about a day depends on no range. */
const NO_PLACE = { from_sequence: 0, from_revision: '', to_sequence: 0, to_revision: '' } as const;

/** A delivery, and where the endpoint stands once it is answered. */
export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly next: WebhookValues;
}

/** What comes instead of a delivery: another position, or the range is read again. */
type Composed = Delivery | { readonly next: WebhookValues } | 'again';

interface Current {
  readonly webhook: Webhook;
  readonly state: RangeState;
  readonly range: RangeReader;
}

/** @param after where the endpoint stands when all pages of the event are answered. */
export async function compose(
  options: ComposeOptions,
  current: Current,
  pending: Pending,
  after: WebhookValues,
): Promise<Composed> {
  const { kind } = pending.step;
  if (kind === 'replaced') return replaced(options, current, pending, after);
  if (kind === PAYMENTS_DUE) return paymentsDue(options, current, pending, after);
  if (current.webhook.format === 'text') return sentence(current, { ...pending, kind }, after);
  return page(options, current, { ...pending, kind }, after);
}

const happenedAt = ({ now }: ComposeOptions, { state }: Current) => state.head.endedAt ?? timestampOf(now());

async function replaced(
  options: ComposeOptions,
  current: Current,
  { step, reason }: Pending,
  next: WebhookValues,
): Promise<Delivery> {
  const { webhook, state } = current;
  const { type, list } = step;
  const total = state.head.totals.get(list) ?? 0;
  const body =
    webhook.format === 'text'
      ? await sentenceBody(webhook, step, total, [])
      : bodyText(step, happenedAt(options, current), replacedData(webhook, step, total, reason));
  return { id: messageId(webhook, type, 0), type, body, next };
}

async function paymentsDue(
  { read, now }: ComposeOptions,
  { webhook, range }: Current,
  { step }: Pending,
  next: WebhookValues,
): Promise<Composed> {
  const { type, list } = step;
  const due = await read((store) => readDue(store, webhook, list, now()));
  if (due.items.length === 0) return (await range.isThere(webhook)) ? { next } : 'again';
  const body =
    webhook.format === 'text'
      ? await sentenceBody(webhook, step, due.count, due.items)
      : bodyText(step, timestampOf(now()), dueData(webhook, due));
  const id = messageId({ ...webhook, ...NO_PLACE }, type, String(webhook.due_day));
  return { id, type, body, next };
}

type PendingEvent = Pending & { readonly kind: EventName };

async function page(
  options: ComposeOptions,
  current: Current,
  { step, after, kind }: PendingEvent,
  following: WebhookValues,
): Promise<Composed> {
  const { itemsAPage: limit = MAX_MESSAGE_ITEMS } = options;
  const { webhook, state, range } = current;
  const { type, list } = step;
  const found = await range.page(webhook, { after, list, kind, limit });
  const last = found.items.at(-1)?.id;
  // The log was pruned, or the account renamed, since the range was read.
  if (last === undefined) return 'again';
  const more = last < (state.lastIds.get(type) ?? 0);
  const body = bodyText(step, happenedAt(options, current), eventData(webhook, found, more));
  const next = more ? { step: type, after_id: last } : following;
  return { id: messageId(webhook, type, last), type, body, next };
}

/** All of an event in one sentence, if any of it is still so. */
async function sentence(
  { webhook, range }: Current,
  { step, after, kind }: PendingEvent,
  next: WebhookValues,
): Promise<Composed> {
  const { list, type } = step;
  const named: PageItem[] = [];
  let count = 0;
  for (let last = after; ; ) {
    const { items } = await range.page(webhook, { list, kind, after: last, limit: ITEMS_A_READ });
    if (items.length === 0 && last === after) return 'again';
    const still = items.filter((item) => isStill(kind, item));
    count += still.length;
    named.push(...still.slice(0, MAX_NAMED - named.length));
    last = items.at(-1)?.id ?? last;
    if (items.length < ITEMS_A_READ) break;
  }
  if (count === 0) return { next };
  const body = await sentenceBody(webhook, step, count, named);
  return { id: messageId(webhook, type, 0), type, body, next };
}

/** The first item of a list, as an event has it; none where the list is empty. */
async function anItem(options: ComposeOptions, { account_id }: Webhook, list: ListName, event: WebhookEvent) {
  const [table, rows] = await options.read(async (store) => {
    const declared = await declaredTable(store, list);
    const order = { ...declared.ordered('id'), descending: false };
    const plan = { ...selectionOf(declared, account_id, { filters: [] }), order, limit: 1 };
    const [found] = await store.read(rowsStatement(store.dialect, plan));
    return [declared, found] as const;
  });
  const items = rows.map(([item, id]): PageItem => {
    const one = { id, label: null, item };
    return event === 'removed' ? { id, label: labelOf(list, one), item: null } : one;
  });
  return { table, items };
}

/** What an endpoint is sent as a test: `webhook.test`, or what an event looks like, and moves nothing. */
export async function composeTest(
  options: ComposeOptions,
  webhook: Webhook,
  event: WebhookEvent | undefined,
): Promise<Pick<Delivery, 'type' | 'body'>> {
  const at = timestampOf(options.now());
  const isText = webhook.format === 'text';
  const list = event && listWithEvent(webhook, event);
  if (event === undefined || list === undefined) {
    const body = isText ? testSentence(webhook) : bodyText({ type: TEST_TYPE }, at, testData(webhook));
    return { type: TEST_TYPE, body };
  }
  const step = stepOf(list, event);
  const due =
    event === PAYMENTS_DUE
      ? await options.read((store) => readDue(store, webhook, list, options.now()))
      : undefined;
  const found = due ?? (await anItem(options, webhook, list, event));
  const count = due?.count ?? found.items.length;
  if (isText)
    return { type: step.type, body: await sentenceBody(webhook, step, count, found.items, 'Test: ') };
  const data = due ? dueData(webhook, due) : eventData(webhook, { ...found, count }, false);
  return { type: step.type, body: bodyText(step, at, [...data, IS_TEST]) };
}
