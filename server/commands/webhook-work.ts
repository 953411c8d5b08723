// What the commands of webhooks have in common: how they do their work, and what they print.

import { Problem } from '@linecard/client/contract/problems';
import type { WebhookAttempt } from '@linecard/client/contract/webhooks';
import { Failed, WrongUsage } from '../errors.ts';
import { type ScopeMember, ScopeRefused } from '../intake/webhook-scope.ts';
import { type WebhookSettings, Webhooks, type WebhookView } from '../intake/webhooks.ts';
import { optionOf } from '../settings/config.ts';
import type { SettingName, Settings } from '../settings/settings.ts';
import { processActor } from '../store/audit.ts';
import type { Purpose } from '../store/store.ts';
import { signingKeys } from '../store/webhook-secrets.ts';
import { type DatabaseSettings, withStore } from './command.ts';
import { count, deliver, printJson, say } from './print.ts';

const OPTIONS: Readonly<Record<ScopeMember | 'account_id', SettingName>> = {
  account_id: 'account',
  url: 'webhook_url',
  name: 'name',
  format: 'webhook_format',
  lists: 'webhook_lists',
  events: 'webhook_events',
  fields: 'webhook_fields',
  charges: 'webhook_without_charges',
};

/** What webhooks need of the settings of a command. */
export function webhookOptions({
  signing_key,
  max_webhooks = 0,
  deliver_allow = [],
}: Partial<Pick<Settings, 'signing_key' | 'max_webhooks' | 'deliver_allow'>>): WebhookSettings {
  return { keys: () => signingKeys(signing_key ?? []), maxWebhooks: max_webhooks, allow: deliver_allow };
}

/** An error as a command reports it: faults by option. */
function commandError(error: unknown): unknown {
  if (error instanceof ScopeRefused) {
    const named = error.faults.map(({ member, what }) => {
      const option = OPTIONS[member as keyof typeof OPTIONS];
      return `${option === undefined ? member : optionOf(option)} ${what}.`;
    });
    return new WrongUsage(named.join('\n'));
  }
  if (error instanceof Problem && error.code === 'not-found')
    return new Failed(`${error.message} See: linecard-server webhook list, and account list`);
  return error instanceof Problem ? new Failed(error.message) : error;
}

type WebhookSettingNames = 'signing_key' | 'max_webhooks' | 'deliver_allow';

/** @throws {Failed | WrongUsage} */
export async function withWebhooks<T>(
  settings: DatabaseSettings & Partial<Pick<Settings, WebhookSettingNames>>,
  work: (webhooks: Webhooks) => Promise<T>,
  purpose: Purpose = 'change',
): Promise<T> {
  const by = { origin: 'command', actor: processActor() } as const;
  try {
    const options = webhookOptions(settings);
    return await withStore(settings, (store) => work(new Webhooks(store, options, by)), purpose);
  } catch (error) {
    throw commandError(error);
  }
}

export const nameOf = ({ id, name, account_id }: WebhookView) =>
  `${id}${name === '' ? '' : ` (${name})`} of ${account_id}`;

export function printWebhook(json: boolean, webhook: WebhookView, sentence: string): void {
  if (json) printJson(webhook);
  say(sentence);
}

/** Prints a secret, or an endpoint with it. */
export async function printSecret(
  json: boolean,
  webhook: WebhookView & { readonly secret: string },
  sentence: string,
): Promise<void> {
  say(sentence);
  await deliver(json ? JSON.stringify(webhook) : webhook.secret);
}

/** Prints an attempt; a receiver that has not accepted it is a failure. */
export function printTest(json: boolean, id: string, attempt: WebhookAttempt): void {
  if (json) printJson(attempt);
  const { status, ms } = attempt;
  if (status !== null && status >= 200 && status < 300)
    return say(`The receiver of ${id} answered ${status} in ${count(ms)} ms.`);
  const what = status === null ? `could not be reached: ${attempt.fault}` : `answered ${status}, not 2xx`;
  throw new Failed(`The receiver of ${id} ${what} (${count(ms)} ms).`);
}
