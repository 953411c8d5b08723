// A webhook endpoint's secret replaced, its position moved back, and a test sent to it.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  attemptOf,
  eventOfTest,
  listWithEvent,
  testIdOf,
  WEBHOOK_EVENTS,
  type WebhookAttempt,
  type WebhookEvent,
} from '@linecard/client/contract/webhooks';
import type { Store } from '../store/store.ts';
import { newTokenId } from '../store/token-text.ts';
import { endTest, replayWebhook, rotateWebhook, testWebhook } from '../store/webhooks/webhook-changes.ts';
import { readAttempts, readDeliverers } from '../store/webhooks/webhooks.ts';
import { oneOfField, withDefault } from './field.ts';
import { type Context, operation, Unable } from './operation.ts';
import { shapeSchema } from './shape.ts';
import {
  ID,
  keysOf,
  mustFind,
  nameOf,
  noWebhook,
  ONE,
  routeOf,
  type WebhookSettings,
  withSecret,
} from './webhook-one.ts';
import { ATTEMPT, OVERLAP, REPLAY_FROM, REPLAYED, WITH_SECRET, webhookView } from './webhook-shape.ts';

const TEST_MILLISECONDS = 20_000;
const LOOK_MILLISECONDS = 250;
const OVERLAP_MILLISECONDS = 86_400_000;

export const rotateOperation = (settings: WebhookSettings) =>
  operation({
    words: 'webhook rotate',
    title: 'Replace the secret of a webhook',
    about: 'Create a new secret; the old one signs as well until the overlap ends.',
    of: 'the request',
    id: ID,
    takes: { overlap: withDefault(OVERLAP, OVERLAP_MILLISECONDS) },
    shown: ['overlap'],
    route: routeOf('POST', `${ONE}/rotate`, WITH_SECRET),
    async run(context, { overlap }, id) {
      const keys = keysOf(settings);
      await mustFind(context, id);
      const rotated = await rotateWebhook(context.store, id, overlap, context.by);
      if (rotated === undefined) throw noWebhook(id);
      return withSecret(keys, rotated);
    },
    said({ overlap_until, ...rotated }) {
      const old = overlap_until === null ? 'no longer signs' : `signs until ${overlap_until}`;
      return `New secret of webhook ${nameOf({ overlap_until, ...rotated })}. The old secret ${old}.`;
    },
  });

export const replayOperation = operation({
  words: 'webhook replay',
  title: 'Deliver again',
  about: 'Move a webhook endpoint back to a time, to deliver everything since then again.',
  of: 'the request',
  id: ID,
  takes: { from: REPLAY_FROM },
  shown: ['from'],
  route: routeOf('POST', `${ONE}/replay`, REPLAYED),
  async run(context, { from }, id) {
    await mustFind(context, id);
    const replayed = await replayWebhook(context.store, id, from, context.by);
    return { ...webhookView(await mustFind(context, id)), replayed_from: replayed?.from ?? null };
  },
  said: ({ replayed_from, ...webhook }) =>
    replayed_from === null
      ? `Nothing changed: of webhook ${nameOf(webhook)} everything since then is still to be delivered, or nothing happened.`
      : `Moved webhook ${nameOf(webhook)} back to the import of ${replayed_from}.`,
});

/** @throws {Unable} when no deliverer runs: nobody would send a test. */
async function mustBeDelivered(store: Store): Promise<void> {
  if ((await readDeliverers(store)).length > 0) return;
  const start = 'Start one: linecard-server deliver, or with SQLite linecard-server serve --deliver.';
  throw new Unable('unavailable', `Nothing was sent: no deliverer runs. ${start}`);
}

const look = ({ waits: { signal } = {} }: Context) =>
  sleep(LOOK_MILLISECONDS, undefined, signal === undefined ? {} : { signal });

/**
 * Asks for a test, unless one of the same event waits already; one of another is waited for.
 * @returns its message id; `undefined` at the end of the time.
 */
async function beginTest(context: Context, id: string, own_id: string, end: number) {
  while (performance.now() < end) {
    await mustFind(context, id);
    await mustBeDelivered(context.store);
    const test_id = await testWebhook(context.store, id, own_id);
    if (test_id === undefined) continue;
    if (eventOfTest(test_id) === eventOfTest(own_id)) return test_id;
    await look(context);
  }
  return undefined;
}

const EVENT = oneOfField(Object.keys(WEBHOOK_EVENTS) as WebhookEvent[], {
  about:
    'Send what this event looks like, of an item of the list, marked as a test; `webhook.test` if left out.',
  example: 'spam_flagged',
});

export const testOperation = ({ testMs = TEST_MILLISECONDS }: WebhookSettings) =>
  operation({
    words: 'webhook test',
    title: 'Test a webhook',
    about:
      'Have a deliverer send webhook.test, or what an event looks like, within 20 seconds, whatever the status, and show the answer.',
    of: 'the request',
    id: ID,
    takes: { event: EVENT },
    shown: ['event'],
    route: {
      ...routeOf('POST', `${ONE}/test`),
      answer: { schema: shapeSchema(ATTEMPT, 'Attempt'), about: 'What the receiver answered.' },
    },
    async run(context, { event }, id): Promise<WebhookAttempt> {
      const { store } = context;
      const webhook = await mustFind(context, id);
      if (event !== undefined && listWithEvent(webhook, event) === undefined)
        throw new Unable('conflict', `Nothing was sent: no list of webhook ${id} has the event ${event}.`);
      const own_id = testIdOf(`msg_${newTokenId()}`, event);
      const end = performance.now() + testMs;
      const test_id = await beginTest(context, id, own_id, end);
      try {
        while (performance.now() < end) {
          const attempts = await readAttempts(store, id);
          const sent = attempts.find(({ message_id }) => message_id === test_id);
          if (sent !== undefined) return attemptOf(sent);
          await mustBeDelivered(store);
          await look(context);
        }
      } finally {
        await endTest(store, id, own_id);
      }
      const why = 'the deliverers had no time for it. Look at their logs, and try again.';
      throw new Unable('unavailable', `Nothing was sent within ${testMs / 1_000} seconds: ${why}`);
    },
  });
