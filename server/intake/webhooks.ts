// What operators do to webhook endpoints, by command or over HTTP: made, changed, tested, rotated, replayed.
// Every answer is of one form; a secret is in the answer that makes it, and nowhere else.

import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@linecard/client/contract/problems';
import { attemptOf, type WebhookAttempt, webhookLists } from '@linecard/client/contract/webhooks';
import { accountIdFault, hasAccount } from '../store/accounts.ts';
import type { EventOrigin } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import { newTokenId } from '../store/token-text.ts';
import {
  changeScope,
  deleteWebhook,
  enableWebhook,
  endTest,
  insertWebhook,
  pauseWebhook,
  replayWebhook,
  rotateWebhook,
  testWebhook,
} from '../store/webhook-changes.ts';
import { secretsOf } from '../store/webhook-secrets.ts';
import {
  findWebhook,
  listAttempts,
  listWebhooks,
  readAttempts,
  readDeliverers,
  type Webhook,
  withSoundTimes,
} from '../store/webhooks.ts';
import { rejected } from './json-routes.ts';
import { type GivenScope, readScope } from './webhook-scope.ts';

const TEST_MILLISECONDS = 20_000;
const LOOK_MILLISECONDS = 250;
const OVERLAP_MILLISECONDS = 86_400_000;

/** An endpoint as operators see it. */
export function webhookView(stored: Webhook) {
  const webhook = withSoundTimes(stored);
  const { id, account_id, name, url, format, lists, events, fields, charges, status, reason } = webhook;
  const { created_at, succeeded_at, failing_since, next_at, secret_version, overlap_until } = webhook;
  const scope = { lists: webhookLists(lists), events, fields, charges };
  const progress = { status, reason, created_at, succeeded_at, failing_since, next_at };
  return { id, account_id, name, url, format, ...scope, ...progress, secret_version, overlap_until };
}

export type WebhookView = ReturnType<typeof webhookView>;

/** With its last attempts, newest first. */
type ShownWebhook = WebhookView & { readonly attempts: readonly WebhookAttempt[] };

export interface WebhookSettings {
  readonly maxWebhooks: number;
  /** Private networks that may be delivered to. */
  readonly allow: readonly string[];
  /**
   * The signing keys, the current one first.
   * @throws {Error} when there are none.
   */
  readonly keys: () => readonly Buffer[];
  /** How long a test may take until it is sent and answered; shorter for tests of this. */
  readonly testMs?: number | undefined;
}

/** Who changes endpoints, and of which accounts; all if absent. */
export interface WebhookActor extends EventOrigin {
  readonly accounts?: readonly string[] | undefined;
}

const unknownWebhook = (id: string) => new Problem('not-found', `There is no webhook ${JSON.stringify(id)}.`);
const unknownAccount = (id: string) => new Problem('not-found', `There is no account ${JSON.stringify(id)}.`);

const isOf = ({ accounts }: WebhookActor, account_id: string) => accounts?.includes(account_id) ?? true;

const accountFault = (id: unknown) =>
  typeof id === 'string' ? accountIdFault(id) : 'must be the id of an account, as text';

/** Every method throws a problem `not-found` for an endpoint or an account that there is not. */
export class Webhooks {
  readonly #store: Store;
  readonly #settings: WebhookSettings;
  readonly #by: WebhookActor;

  constructor(store: Store, settings: WebhookSettings, by: WebhookActor) {
    this.#store = store;
    this.#settings = settings;
    this.#by = by;
  }

  async list(account_id: string | undefined): Promise<ShownWebhook[]> {
    if (account_id !== undefined && !isOf(this.#by, account_id)) throw unknownAccount(account_id);
    const accounts = account_id === undefined ? this.#by.accounts : [account_id];
    const all = await listWebhooks(this.#store, accounts);
    if (account_id !== undefined && all.length === 0 && !(await hasAccount(this.#store, account_id)))
      throw unknownAccount(account_id);
    const attempts = await listAttempts(this.#store, accounts);
    return all.map((one) => ({ ...webhookView(one), attempts: (attempts.get(one.id) ?? []).map(attemptOf) }));
  }

  async show(id: string): Promise<ShownWebhook> {
    const webhook = await this.#find(id);
    const attempts = await readAttempts(this.#store, id);
    return { ...webhookView(webhook), attempts: attempts.map(attemptOf) };
  }

  /**
   * @throws {ScopeRefused}
   * @throws {Problem} `rejected` for one more than the account may have.
   */
  async create(account_id: unknown, given: GivenScope): Promise<WebhookView & { readonly secret: string }> {
    const keys = this.#settings.keys();
    const { allow, maxWebhooks } = this.#settings;
    const what = accountFault(account_id);
    const faults = what === undefined ? [] : [{ member: 'account_id', what }];
    const scope = readScope(given, { allow, faults });
    const id = account_id as string;
    const made = isOf(this.#by, id)
      ? await insertWebhook(this.#store, id, scope, maxWebhooks, this.#by)
      : undefined;
    if (made === undefined) throw unknownAccount(id);
    if (made === 'full') {
      const detail = `The account has ${maxWebhooks} webhooks, which is the maximum (--max-webhooks): delete one first.`;
      throw rejected([{ member: 'account_id', detail }]);
    }
    return { ...webhookView(made), secret: String(secretsOf(keys, made)[0]) };
  }

  /** @throws {ScopeRefused} */
  async change(id: string, given: GivenScope): Promise<WebhookView> {
    const scope = readScope(given, { allow: this.#settings.allow, before: await this.#find(id) });
    await changeScope(this.#store, id, scope, this.#by);
    return this.#view(id);
  }

  readonly pause = (id: string) => this.#changed(id, pauseWebhook);
  readonly enable = (id: string) => this.#changed(id, enableWebhook);

  async delete(id: string): Promise<WebhookView> {
    const webhook = await this.#find(id);
    await deleteWebhook(this.#store, id, this.#by);
    return webhookView(webhook);
  }

  async rotate(
    id: string,
    overlapMs = OVERLAP_MILLISECONDS,
  ): Promise<WebhookView & { readonly secret: string }> {
    const keys = this.#settings.keys();
    await this.#find(id);
    const rotated = await rotateWebhook(this.#store, id, overlapMs, this.#by);
    if (rotated === undefined) throw unknownWebhook(id);
    return { ...webhookView(rotated), secret: String(secretsOf(keys, rotated)[0]) };
  }

  /** Returns when the first import was that is delivered again; null if all since then are still to come. */
  async replay(id: string, time: string): Promise<WebhookView & { readonly replayed_from: string | null }> {
    await this.#find(id);
    const replayed = await replayWebhook(this.#store, id, time, this.#by);
    return { ...(await this.#view(id)), replayed_from: replayed?.from ?? null };
  }

  /**
   * Has a deliverer send `webhook.test`, and waits for the answer.
   * @throws {Problem} `unavailable` when no deliverer runs, or nothing was sent in time.
   */
  async test(id: string, signal?: AbortSignal): Promise<WebhookAttempt> {
    const { testMs = TEST_MILLISECONDS } = this.#settings;
    const own_id = `msg_${newTokenId()}`;
    let test_id: string | undefined;
    do {
      await this.#find(id);
      await this.#mustBeDelivered();
      test_id = await testWebhook(this.#store, id, own_id);
    } while (test_id === undefined);
    try {
      for (const end = performance.now() + testMs; performance.now() < end; ) {
        const attempts = await readAttempts(this.#store, id);
        const sent = attempts.find(({ message_id }) => message_id === test_id);
        if (sent !== undefined) return attemptOf(sent);
        await this.#mustBeDelivered();
        await sleep(LOOK_MILLISECONDS, undefined, signal === undefined ? {} : { signal });
      }
    } finally {
      await endTest(this.#store, id, own_id);
    }
    const why = 'the deliverers had no time for it. Look at their logs, and try again.';
    throw new Problem('unavailable', `Nothing was sent within ${testMs / 1_000} seconds: ${why}`);
  }

  /** @throws {Problem} `unavailable` when no deliverer runs: nobody would send a test. */
  async #mustBeDelivered(): Promise<void> {
    const deliverers = await readDeliverers(this.#store);
    if (deliverers.length > 0) return;
    const start = 'Start one: linecard-server deliver, or with SQLite linecard-server serve --deliver.';
    throw new Problem('unavailable', `Nothing was sent: no deliverer runs. ${start}`);
  }

  async #find(id: string): Promise<Webhook> {
    const webhook = await findWebhook(this.#store, id);
    if (webhook === undefined || !isOf(this.#by, webhook.account_id)) throw unknownWebhook(id);
    return webhook;
  }

  async #changed(id: string, change: typeof pauseWebhook): Promise<WebhookView> {
    await this.#find(id);
    await change(this.#store, id, this.#by);
    return this.#view(id);
  }

  async #view(id: string): Promise<WebhookView> {
    return webhookView(await this.#find(id));
  }
}
