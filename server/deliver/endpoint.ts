// Everything that one endpoint is sent while its claim holds, one delivery after the other.

import { randomUUID } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { eventOfTest, PAYMENTS_DUE } from '@linecard/client/contract/webhooks';
import { type EventOrigin, newId } from '../store/log/audit.ts';
import type { Statement } from '../store/sql.ts';
import { soundTime } from '../store/stored-times.ts';
import { NO_RANGE, recordAttempt, recordWebhooks } from '../store/webhooks/webhook-records.ts';
import { secretsOf } from '../store/webhooks/webhook-secrets.ts';
import type { Webhook, WebhookValues } from '../store/webhooks/webhooks.ts';
import { dayOf, heldStatement, isDueToday, type Ready } from './claims.ts';
import { type ComposeOptions, compose, composeTest, type Delivery } from './compose.ts';
import { delayAfter, disabledAfter, isSuccess } from './outcome.ts';
import { RangeReader, type RangeState } from './range.ts';
import type { Outcome, Send } from './sending.ts';
import { dueSteps, pendingOf } from './steps.ts';
import type { WriteBatch } from './write-batch.ts';

export interface EndpointOptions extends ComposeOptions {
  readonly write: WriteBatch['write'];
  readonly send: Send;
  /** The signing keys, the current one first. */
  readonly keys: readonly Buffer[];
  /** After midnight in UTC. */
  readonly dueAtMs: number;
  /** Identifies the deliverer. */
  readonly holder: string;
  readonly by: EventOrigin;
  /** Whether another endpoint is to be served, or the deliverer stops. */
  readonly isToEnd: (servedSince: number) => boolean;
  readonly onAttempt: (webhook: Webhook, outcome: Outcome) => void;
}

/** A claim that was not renewed for so long is renewed before an attempt. */
const RENEW_MILLISECONDS = 20_000;

export class ClaimedEndpoint {
  readonly #options: EndpointOptions;
  readonly #range: RangeReader;
  #renewedAt: number;
  /** As it was read last, or as it is since the last change. */
  #webhook: Webhook;

  constructor(options: EndpointOptions, { webhook, sequence, revision }: Ready, claimedAt: number) {
    this.#options = options;
    this.#range = new RangeReader(options.read);
    this.#renewedAt = claimedAt;
    const { to_sequence, to_revision } = webhook;
    this.#webhook =
      to_sequence === null
        ? { ...webhook, to_sequence: sequence, to_revision: revision }
        : { ...webhook, to_sequence, to_revision };
  }

  /** Sends until nothing is left, an attempt fails or the claim is over. */
  async serve(): Promise<void> {
    const { isToEnd, now } = this.#options;
    const start = now();
    while (!isToEnd(start)) {
      const state = await this.#range.state(this.#webhook.id, this.#webhook);
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
    if (
      status !== 'active' ||
      state.head.isDisabled ||
      (soundTime('retry', next_at, now) ?? '') > timestampOf(now)
    )
      return this.#change({}, true);
    if (state.isLost) return this.#change(this.#lostRange(state));
    const [first, following] = pendingOf(this.#webhook, state);
    if (first === undefined) return this.#change(this.#afterEvents());
    const after =
      following === undefined ? this.#afterEvents() : { step: following.step.type, after_id: null };
    const current = { webhook: this.#webhook, state, range: this.#range };
    const delivery = await compose(this.#options, current, first, after);
    if (delivery === 'again') return true;
    return 'id' in delivery ? this.#attempt(delivery) : this.#change(delivery.next);
  }

  /** The history does not have the end of the range: all lists are sent as replaced, up to what is now. */
  #lostRange({ head }: RangeState): WebhookValues {
    return {
      ...NO_RANGE,
      from_revision: `restored ${randomUUID()}`,
      to_sequence: head.sequence,
      to_revision: head.revision,
    };
  }

  /** The payments of the day, or the end of the range. */
  #afterEvents(): WebhookValues {
    const { now, dueAtMs } = this.#options;
    const { step, to_sequence, to_revision } = this.#webhook;
    const [due] = dueSteps(this.#webhook);
    const isBegun = step?.endsWith(`.${PAYMENTS_DUE}`) === true;
    if (due !== undefined && !isBegun && isDueToday(this.#webhook, now(), dueAtMs))
      return { step: due.type, after_id: null, due_day: dayOf(now() - dueAtMs) };
    return { ...NO_RANGE, from_sequence: to_sequence, from_revision: to_revision };
  }

  /** Sends a test, which moves nothing. */
  async #test(id: string): Promise<boolean> {
    const test = await composeTest(this.#options, this.#webhook, eventOfTest(id));
    const { record } = await this.#sent({ id, ...test });
    // Another test may have been begun meanwhile: this one took too long.
    const sent = heldStatement(this.#claim, { test_id: null }, false, { test_id: id });
    return this.#change({}, false, [sent, ...record(null)]);
  }

  async #sent({ id, type, body }: Omit<Delivery, 'next'>) {
    const { send, keys, now, onAttempt } = this.#options;
    const { id: webhook_id, account_id, url } = this.#webhook;
    const sentAt = now();
    const [at, start, attempt] = [timestampOf(sentAt), performance.now(), newId()];
    const outcome = await send({ id, url, body, at: sentAt, secrets: secretsOf(keys, this.#webhook) });
    onAttempt(this.#webhook, outcome);
    const { status = null, fault = null } = outcome;
    const ms = Math.round(performance.now() - start);
    const attempted = { id: attempt, webhook_id, account_id, at, message_id: id, type, status, fault, ms };
    const record = (next_at: string | null, found: WebhookValues = {}) =>
      recordAttempt({ ...attempted, next_at }, { ...found, ...this.#held });
    return { outcome, record };
  }

  async #attempt(delivery: Delivery): Promise<boolean> {
    const { now, by } = this.#options;
    const isOld = now() - this.#renewedAt > RENEW_MILLISECONDS;
    if (isOld && !(await this.#change({}))) return false;
    const { outcome, record } = await this.#sent(delivery);
    const at = timestampOf(now());
    if (isSuccess(outcome)) {
      const healthy = { attempt: 0, next_at: null, failing_since: null, succeeded_at: at };
      return this.#change({ ...delivery.next, ...healthy }, false, record(null));
    }
    const { url, attempt, failing_since } = this.#webhook;
    const reason = disabledAfter(this.#webhook, outcome, now());
    const next = timestampOf(now() + delayAfter(attempt + 1, outcome, now()));
    const next_at = reason === undefined ? next : null;
    const disabled = reason === undefined ? {} : { status: 'disabled', reason };
    const failing = {
      attempt: attempt + 1,
      next_at,
      failing_since: soundTime('failing', failing_since, now()) ?? at,
      ...disabled,
    };
    // Where it was enabled or changed meanwhile, it is tried again immediately.
    return this.#change({}, true, [
      heldStatement(this.#claim, failing, false, { url, attempt, failing_since }),
      ...record(next_at, failing),
      ...record(at, { attempt: 0 }),
      ...(reason === undefined ? [] : [recordWebhooks('disabled', { ...failing, ...this.#held }, by)]),
    ]);
  }

  get #claim() {
    const { holder, now } = this.#options;
    return { id: this.#webhook.id, holder, now: now() };
  }

  /** The endpoint, while the claim holds. */
  get #held() {
    return { id: this.#webhook.id, claimed_by: this.#options.holder };
  }

  /**
   * Changes the endpoint, if the claim holds, and renews the claim, or ends it with the range or if `isLast`.
   * @param also what is written with it, whose conditions say that the claim holds: the first change locks
   *   the row, so that they find what it found.
   * @returns whether the claim holds.
   */
  async #change(changes: WebhookValues, isLast = false, also: readonly Statement[] = []): Promise<boolean> {
    const claim = this.#claim;
    const ends = isLast || changes.to_sequence === null;
    const endsAfter = ends && also.length > 0;
    const [changed] = await this.#options.write([
      heldStatement(claim, changes, ends && !endsAfter),
      ...also,
      ...(endsAfter ? [heldStatement(claim, {}, true)] : []),
    ]);
    this.#renewedAt = claim.now;
    this.#webhook = { ...this.#webhook, ...changes } as Webhook;
    return changed === 1 && !ends;
  }
}
