// Everything that one endpoint is sent while its claim holds, one delivery after the other.

import { randomUUID } from 'node:crypto';
import type { EventName } from '@linecard/client/contract/list';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { PAYMENTS_DUE } from '@linecard/client/contract/webhooks';
import { type EventOrigin, newId } from '../store/audit.ts';
import type { Statement } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { recordWebhooks } from '../store/webhook-records.ts';
import { secretsOf } from '../store/webhook-secrets.ts';
import { recordAttempt, type Webhook } from '../store/webhooks.ts';
import { isStill, MAX_NAMED, sentenceBody, testSentence } from './chat.ts';
import { dayOf, heldStatement, isDueToday, messageId, NO_RANGE, type Ready } from './claims.ts';
import { bodyText, dueData, eventData, MAX_ITEMS, readDue, replacedData, testData } from './message.ts';
import { delayAfter, disabledAfter, isSuccess } from './outcome.ts';
import { type PageItem, type RangeState, readPage, readRange } from './range.ts';
import type { Outcome, Send } from './sending.ts';
import { dueSteps, type Pending, pendingOf } from './steps.ts';

/** Of a database that may be replaced by a backup, which is then opened instead. */
export type WithStore = <T>(work: (store: Store) => Promise<T>) => Promise<T>;

export interface EndpointOptions {
  readonly read: WithStore;
  readonly write: WithStore;
  readonly send: Send;
  /** The signing keys, the current one first. */
  readonly keys: readonly Buffer[];
  /** After midnight in UTC. */
  readonly dueAtMs: number;
  /** Identifies the deliverer. */
  readonly holder: string;
  readonly by: EventOrigin;
  readonly now: () => number;
  readonly itemsAPage?: number | undefined;
  /** Whether another endpoint is to be served, or the deliverer stops. */
  readonly isToEnd: (servedSince: number) => boolean;
  readonly onAttempt: (webhook: Webhook, outcome: Outcome) => void;
}

/** The reads of one text for chat. */
const ITEMS_A_READ = 1_000;
/** A claim that was not renewed for so long is renewed before an attempt. */
const RENEW_MILLISECONDS = 20_000;
const TEST_TYPE = 'webhook.test';

type Position = Parameters<typeof heldStatement>[2];

/** A delivery, and where the endpoint stands once it is answered. */
interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly next: Position;
}

/** What comes instead of a delivery: another position, or the same range is looked at again. */
type Step = Delivery | { readonly next: Position } | 'again';

export class ClaimedEndpoint {
  readonly #options: EndpointOptions;
  #renewedAt: number;
  /** As it was read last, or as it is since the last change. */
  #webhook: Webhook;

  constructor(options: EndpointOptions, { webhook, sequence, revision }: Ready, claimedAt: number) {
    this.#options = options;
    this.#renewedAt = claimedAt;
    const { to_sequence, to_revision } = webhook;
    this.#webhook =
      to_sequence === null
        ? { ...webhook, to_sequence: sequence, to_revision: revision }
        : { ...webhook, to_sequence, to_revision };
  }

  /** Sends until nothing is left, an attempt fails or the claim is over. */
  async serve(): Promise<void> {
    const { read, isToEnd, now } = this.#options;
    const start = now();
    while (!isToEnd(start)) {
      const state = await read((store) => readRange(store, this.#webhook.id, this.#webhook));
      if (state?.webhook.claimed_by !== this.#options.holder) return;
      this.#webhook = state.webhook;
      if (!(await this.#step(state))) return;
    }
    await this.#change({}, true);
  }

  /** One delivery or change of the position; false where the claim has ended. */
  async #step(state: RangeState): Promise<boolean> {
    const { status, next_at, test_id } = this.#webhook;
    const now = this.#options.now();
    if (test_id !== null) return this.#test(test_id);
    if (status !== 'active' || state.head.isDisabled || (next_at ?? '') > timestampOf(now))
      return this.#change({}, true);
    if (state.isLost) return this.#change(this.#lostRange(state));
    const [first, following] = pendingOf(this.#webhook, state);
    if (first === undefined) return this.#change(this.#afterEvents());
    const after =
      following === undefined ? this.#afterEvents() : { step: following.step.type, after_id: null };
    const delivery = await this.#deliveryOf(state, first, after);
    if (delivery === 'again') return true;
    return 'id' in delivery ? this.#attempt(delivery) : this.#change(delivery.next);
  }

  /** The history does not have the end of the range: all lists are sent as replaced, up to what is now. */
  #lostRange({ head }: RangeState): Position {
    return {
      ...NO_RANGE,
      from_revision: `restored ${randomUUID()}`,
      to_sequence: head.sequence,
      to_revision: head.revision,
    };
  }

  /** The payments of the day, or the end of the range. */
  #afterEvents(): Position {
    const { now, dueAtMs } = this.#options;
    const { step, to_sequence, to_revision } = this.#webhook;
    const [due] = dueSteps(this.#webhook);
    const isBegun = step?.endsWith(`.${PAYMENTS_DUE}`) === true;
    if (due !== undefined && !isBegun && isDueToday(this.#webhook, now(), dueAtMs))
      return { step: due.type, after_id: null, due_day: dayOf(now() - dueAtMs) };
    return { ...NO_RANGE, from_sequence: to_sequence, from_revision: to_revision as string };
  }

  async #deliveryOf(state: RangeState, pending: Pending, after: Position): Promise<Step> {
    const { step, reason } = pending;
    const { kind, list, type } = step;
    const webhook = this.#webhook;
    const isText = webhook.format === 'text';
    const { read, now } = this.#options;
    const happened = state.head.endedAt ?? timestampOf(now());
    if (kind === 'replaced') {
      const total = state.head.totals.get(list) ?? 0;
      const body = isText
        ? await sentenceBody(webhook, step, total, [])
        : bodyText(step, happened, replacedData(webhook, step, total, reason));
      return { id: messageId(webhook, type, 0), type, body, next: after };
    }
    if (kind === PAYMENTS_DUE) {
      const due = await read((store) => readDue(store, webhook, list, now()));
      if (due === undefined) return { next: after };
      const body = isText
        ? await sentenceBody(webhook, step, due.count, due.items)
        : bodyText(step, timestampOf(now()), dueData(webhook, step, due));
      return {
        id: messageId({ ...webhook, ...NO_PLACE }, type, String(webhook.due_day)),
        type,
        body,
        next: after,
      };
    }
    if (isText) return this.#sentence(pending, kind, after);
    const { itemsAPage: limit = MAX_ITEMS } = this.#options;
    const page = await read((store) => readPage(store, webhook, { ...pending, list, kind, limit }));
    const last = page.items.at(-1)?.id;
    // The log was pruned since the range was read.
    if (last === undefined) return 'again';
    const more = last < (state.lastIds.get(type) ?? 0);
    const body = bodyText(step, happened, eventData(webhook, step, page, more));
    return {
      id: messageId(webhook, type, last),
      type,
      body,
      next: more ? { step: type, after_id: last } : after,
    };
  }

  /** All of an event in one sentence, if any of it is still so. */
  async #sentence({ step, after }: Pending, kind: EventName, next: Position): Promise<Step> {
    const named: PageItem[] = [];
    let count = 0;
    for (let last = after; ; ) {
      const part = { list: step.list, kind, after: last, limit: ITEMS_A_READ };
      const { items } = await this.#options.read((store) => readPage(store, this.#webhook, part));
      const still = items.filter((item) => isStill(kind, item));
      count += still.length;
      named.push(...still.slice(0, MAX_NAMED - named.length));
      last = items.at(-1)?.id ?? last;
      if (items.length < ITEMS_A_READ) break;
    }
    if (count === 0) return { next };
    const body = await sentenceBody(this.#webhook, step, count, named);
    return { id: messageId(this.#webhook, step.type, 0), type: step.type, body, next };
  }

  /** Sends `webhook.test`, which moves nothing. */
  async #test(id: string): Promise<boolean> {
    const webhook = this.#webhook;
    const at = timestampOf(this.#options.now());
    const body =
      webhook.format === 'text'
        ? testSentence(webhook)
        : bodyText({ type: TEST_TYPE }, at, testData(webhook));
    const { record } = await this.#sent({ id, type: TEST_TYPE, body });
    return this.#change({ test_id: null }, false, record(null));
  }

  async #sent({ id, type, body }: Omit<Delivery, 'next'>) {
    const { send, keys, now, onAttempt } = this.#options;
    const { id: webhook_id, account_id, url } = this.#webhook;
    const [at, start, attempt] = [timestampOf(now()), performance.now(), newId()];
    const outcome = await send({ id, url, body, secrets: secretsOf(keys, this.#webhook) });
    onAttempt(this.#webhook, outcome);
    const { status = null, fault = null } = outcome;
    const ms = Math.round(performance.now() - start);
    const attempted = { id: attempt, webhook_id, account_id, at, message_id: id, type, status, fault, ms };
    const record = (next_at: string | null) => (store: Pick<Store, 'dialect'>) =>
      recordAttempt(store.dialect, { ...attempted, next_at });
    return { outcome, record };
  }

  async #attempt(delivery: Delivery): Promise<boolean> {
    const { now, by } = this.#options;
    const isOld = now() - this.#renewedAt > RENEW_MILLISECONDS;
    if (isOld && !(await this.#change({}))) return false;
    const { outcome, record } = await this.#sent(delivery);
    const { id, attempt, failing_since } = this.#webhook;
    const at = timestampOf(now());
    if (isSuccess(outcome)) {
      const healthy = { attempt: 0, next_at: null, failing_since: null, succeeded_at: at };
      return this.#change({ ...delivery.next, ...healthy }, false, record(null));
    }
    const reason = disabledAfter(this.#webhook, outcome, now());
    const next = timestampOf(now() + delayAfter(attempt + 1, outcome, now()));
    const next_at = reason === undefined ? next : null;
    const disabled = reason === undefined ? {} : { status: 'disabled', reason };
    const failing = { attempt: attempt + 1, next_at, failing_since: failing_since ?? at, ...disabled };
    return this.#change(failing, true, (store) => [
      ...record(next_at)(store),
      ...(reason === undefined ? [] : [recordWebhooks(store, 'disabled', { id }, by)]),
    ]);
  }

  /**
   * Changes the endpoint, if the claim holds, and renews the claim, or ends it with the range or if `isLast`.
   * @returns whether the claim holds.
   */
  async #change(
    changes: Position,
    isLast = false,
    also: (store: Pick<Store, 'dialect'>) => Statement[] = () => [],
  ): Promise<boolean> {
    const { write, holder } = this.#options;
    const now = this.#options.now();
    const { id } = this.#webhook;
    const ends = isLast || changes.to_sequence === null;
    const [changed] = await write((store) =>
      store.write(heldStatement(store.dialect, { id, holder, now }, changes, ends), ...also(store)),
    );
    this.#renewedAt = now;
    this.#webhook = { ...this.#webhook, ...changes } as Webhook;
    return changed === 1 && !ends;
  }
}

/** What the id of a message about a day does not depend on. */
const NO_PLACE = { from_sequence: 0, from_revision: '', to_sequence: 0, to_revision: '' } as const;
