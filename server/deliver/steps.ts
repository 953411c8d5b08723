// The deliveries of a range in their one fixed order: of each list that it was replaced, or else its events;
// then the payments that are due. Pure.
//
// Which deliveries there are, and which ids are on a page, follows from the change log alone, never from the
// items as they are now, so that a repeated delivery has the same ids
// (docs/decisions/033-webhooks-without-a-queue.md).

import { CHARGES_EVENT, type EventName, eventsOf } from '@linecard/client/contract/list';
import { PAYMENTS_DUE, type ReplacedReason } from '@linecard/client/contract/webhooks';
import { type ListName, tables } from '../store/tables.ts';
import type { Webhook } from '../store/webhooks/webhooks.ts';

export type StepKind = EventName | 'replaced' | typeof PAYMENTS_DUE;

export interface Step {
  /** The type of its deliveries, such as `virtual_numbers.spam_flagged`. */
  readonly type: string;
  readonly list: ListName;
  readonly kind: StepKind;
}

const LISTS = Object.keys(tables) as ListName[];

export const stepOf = (list: ListName, kind: StepKind): Step => ({ type: `${list}.${kind}`, list, kind });

const STEPS: readonly Step[] = [
  ...LISTS.flatMap((list) => [
    stepOf(list, 'replaced'),
    ...eventsOf(tables[list].list).map((event) => stepOf(list, event)),
  ]),
  ...LISTS.map((list) => stepOf(list, PAYMENTS_DUE)),
];

/** The position of a step in the order; that of the first for a range of which nothing is delivered. */
const orderOf = (type: string | null) => (type === null ? 0 : STEPS.findIndex((step) => step.type === type));

/** Whether an endpoint receives deliveries of a step; it receives `replaced` whatever its events are. */
function isWanted(
  { lists, events, charges }: Pick<Webhook, 'lists' | 'events' | 'charges'>,
  { list, kind }: Step,
): boolean {
  if (lists !== null && !lists.includes(list)) return false;
  if (kind === CHARGES_EVENT && !charges) return false;
  return kind === 'replaced' || events.includes(kind);
}

export function dueSteps(webhook: Webhook): Step[] {
  return STEPS.filter((step) => step.kind === PAYMENTS_DUE && isWanted(webhook, step));
}

export interface RangeContents {
  /** The lists whose log does not reach back to its start. */
  readonly replaced: ReadonlyMap<ListName, ReplacedReason>;
  /** The last id of each type of event. */
  readonly lastIds: ReadonlyMap<string, number>;
}

/** A delivery to come, or the first of several pages. */
export interface Pending {
  readonly step: Step;
  /** Only ids after this one. */
  readonly after: number;
  readonly reason: ReplacedReason | undefined;
}

export function pendingOf(webhook: Webhook, { replaced, lastIds }: RangeContents): Pending[] {
  const at = orderOf(webhook.step);
  return STEPS.flatMap((step, i): Pending[] => {
    if (!isWanted(webhook, step)) return [];
    const reason = replaced.get(step.list);
    // Payments are begun at the end of a range, so there are none before.
    if (step.kind === PAYMENTS_DUE)
      return i < at || !isDue(webhook) ? [] : [{ step, after: 0, reason: undefined }];
    if (step.kind === 'replaced') {
      // It may become replaced in the middle of its events, and the next list comes after them.
      const isPassed = i < at && STEPS[at]?.list !== step.list;
      return reason === undefined || isPassed || isDue(webhook) ? [] : [{ step, after: 0, reason }];
    }
    if (reason !== undefined || i < at) return [];
    const after = i === at ? (webhook.after_id ?? 0) : 0;
    return (lastIds.get(step.type) ?? 0) > after ? [{ step, after, reason }] : [];
  });
}

/** Whether the events of the range are delivered, and its payments are not. */
function isDue({ step }: Webhook): boolean {
  return step?.endsWith(`.${PAYMENTS_DUE}`) === true;
}
