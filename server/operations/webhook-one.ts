// What operations on webhook endpoints have in common: how one is found, named and shown, and their routes.

import { Failed } from '../errors.ts';
import type { EventOrigin } from '../store/log/audit.ts';
import type { Store } from '../store/store.ts';
import { secretsOf } from '../store/webhooks/webhook-secrets.ts';
import { findWebhook, type Webhook } from '../store/webhooks/webhooks.ts';
import type { Schema } from './field.ts';
import { anyId, type Context, isOf, type OperationRoute, operation, Unable } from './operation.ts';
import { VIEW, type WebhookView, webhookView } from './webhook-shape.ts';

export const ID = anyId('The id of the webhook.', '4fTq0Vb2LxYz');
export const ONE = '/webhooks/{id}';

export interface WebhookSettings {
  readonly maxWebhooks: number;
  /** Private networks that may be delivered to. */
  readonly allow: readonly string[];
  /**
   * The signing keys, the current one first.
   * @throws {Failed} when there are none.
   */
  readonly keys: () => readonly Buffer[];
  /** How long a test may take until it is sent and answered; shorter for tests of this. */
  readonly testMs?: number | undefined;
}

export const noWebhook = (id: string) =>
  new Unable('not-found', `There is no webhook ${id}.`, { words: 'webhook list' });

/** @throws {Unable} for an endpoint of an account that the actor may not write, as if it were not there. */
export async function mustFind({ store, by }: Context, id: string): Promise<Webhook> {
  const found = await findWebhook(store, id);
  if (found === undefined || !isOf(by, found.account_id)) throw noWebhook(id);
  return found;
}

/** @throws {Unable} when the signing key is missing, or is not valid. */
export function keysOf({ keys }: WebhookSettings): readonly Buffer[] {
  try {
    return keys();
  } catch (error) {
    throw error instanceof Failed ? new Unable('unavailable', error.message) : error;
  }
}

export const withSecret = (keys: readonly Buffer[], webhook: Webhook) => ({
  ...webhookView(webhook),
  secret: String(secretsOf(keys, webhook)[0]),
});

/** How a command names an endpoint. */
export const nameOf = ({ id, name, account_id }: WebhookView): string =>
  `${id}${name === '' ? '' : ` (${name})`} of ${account_id}`;

export const routeOf = (
  method: OperationRoute['method'],
  path: string,
  schema: Schema = VIEW,
): OperationRoute => ({
  ...{ method, path, status: 200, permission: 'webhooks', on: 'own' },
  answer: { schema, about: 'The webhook.' },
});

/** What changes one endpoint, takes nothing, and answers what it is then. */
export function act(
  [word, done]: readonly [word: string, done: string],
  title: string,
  about: string,
  change: (store: Store, id: string, by: EventOrigin) => Promise<unknown>,
) {
  return operation({
    words: `webhook ${word}`,
    title,
    about,
    of: 'the request',
    id: ID,
    takes: {},
    route: routeOf('POST', `${ONE}/${word}`),
    async run(context, _given, id) {
      await mustFind(context, id);
      await change(context.store, id, context.by);
      return webhookView(await mustFind(context, id));
    },
    said: (changed) => `${done} webhook ${nameOf(changed)}.`,
  });
}
