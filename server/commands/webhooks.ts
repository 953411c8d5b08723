// `linecard-server webhook`: creates, lists, tests, pauses, rotates, replays and deletes webhook endpoints.

import { visible } from '@linecard/client/contract/printable';
import { Problem } from '@linecard/client/contract/problems';
import type { WebhookAttempt } from '@linecard/client/contract/webhooks';
import { Failed, WrongUsage } from '../errors.ts';
import { type ScopeMember, ScopeRefused } from '../intake/webhook-scope.ts';
import { type WebhookSettings, Webhooks, type WebhookView } from '../intake/webhooks.ts';
import { optionOf } from '../settings/config.ts';
import type { OptionName } from '../settings/options.ts';
import type { Settings } from '../settings/settings.ts';
import { processActor } from '../store/audit.ts';
import type { Purpose } from '../store/store.ts';
import { restoreWebhooks } from '../store/webhook-changes.ts';
import { signingKeys } from '../store/webhook-secrets.ts';
import { type CommandDefinition, command, DATABASE, type DatabaseSettings, withStore } from './command.ts';
import { count, counted, deliver, printJson, printRows, say } from './print.ts';

const COLUMNS = [
  'id',
  'account_id',
  'name',
  'url',
  'events',
  'status',
  'succeeded_at',
  'failing_since',
] as const;
const ATTEMPT_COLUMNS = ['at', 'type', 'answer', 'ms', 'next_at', 'message_id'] as const;
const OPTIONS: Readonly<Record<ScopeMember | 'account_id', OptionName>> = {
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
async function withWebhooks<T>(
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

const nameOf = ({ id, name, account_id }: WebhookView) =>
  `${id}${name === '' ? '' : ` (${name})`} of ${account_id}`;

function printWebhook(json: boolean, webhook: WebhookView, sentence: string): void {
  if (json) printJson(webhook);
  say(sentence);
}

/** Prints a secret, or an endpoint with it. */
async function printSecret(
  json: boolean,
  webhook: WebhookView & { readonly secret: string },
  sentence: string,
): Promise<void> {
  say(sentence);
  await deliver(json ? JSON.stringify(webhook) : webhook.secret);
}

/** Prints an attempt; a receiver that has not accepted it is a failure. */
function printTest(json: boolean, id: string, attempt: WebhookAttempt): void {
  if (json) printJson(attempt);
  const { status, ms } = attempt;
  if (status !== null && status >= 200 && status < 300)
    return say(`The receiver of ${id} answered ${status} in ${count(ms)} ms.`);
  const what = status === null ? `could not be reached: ${attempt.fault}` : `answered ${status}, not 2xx`;
  throw new Failed(`The receiver of ${id} ${what} (${count(ms)} ms).`);
}

const statusCommand = (word: 'pause' | 'enable' | 'delete', about: string, done: string) =>
  command({
    words: `${word} <webhook_id>`,
    about,
    takes: [...DATABASE, 'json'],
    examples: [`linecard-server webhook ${word} 4fTq0Vb2LxYz`],
    async run([id = ''], { json, ...database }) {
      const webhook = await withWebhooks(database, (webhooks) => webhooks[word](id));
      printWebhook(json, webhook, `${done} webhook ${nameOf(webhook)}.`);
    },
  });

export const webhookCommands: readonly CommandDefinition[] = [
  command({
    words: 'create',
    about: 'Create a webhook endpoint of an account, and print the secret with which the receiver verifies.',
    takes: [
      ...DATABASE,
      'account',
      'webhook_url',
      'webhook_events',
      'webhook_lists',
      'webhook_fields',
      'webhook_without_charges',
      'webhook_format',
      'name',
      'max_webhooks',
      'deliver_allow',
      'signing_key',
      'json',
    ],
    examples: [
      'linecard-server webhook create --account harbour-dental --url https://crm.example.com/hook --name CRM',
      'linecard-server webhook create --account harbour-dental --url https://dialler.example.com/flags --events spam_flagged,spam_cleared --fields did,is_spammed',
    ],
    async run(_args, { account, json, name, ...settings }) {
      if (account === undefined || settings.webhook_url === undefined)
        throw new WrongUsage('Specify the account and the address: --account ID --url https://…');
      const given = {
        url: settings.webhook_url,
        name,
        format: settings.webhook_format,
        lists: settings.webhook_lists?.map((list) => list.replaceAll('-', '_')),
        events: settings.webhook_events?.map((event) => event.replaceAll('-', '_')),
        fields: settings.webhook_fields,
        charges: !settings.webhook_without_charges,
      };
      await withWebhooks(settings, async (webhooks) => {
        const made = await webhooks.create(account, given);
        const sentence = `Created webhook ${nameOf(made)}. Its secret, for the receiver:`;
        await printSecret(json, made, sentence);
      });
    },
  }),
  command({
    words: 'list',
    about: 'Show webhook endpoints, the state of each, and since when it fails.',
    takes: [...DATABASE, 'account', 'json'],
    async run(_args, { account, json, ...database }) {
      const all = await withWebhooks(database, (webhooks) => webhooks.list(account), 'read');
      await printRows(json, COLUMNS, all, (one) => ({
        ...one,
        events: one.events.join(','),
        status: one.reason === null ? one.status : `${one.status} (${one.reason})`,
      }));
    },
  }),
  command({
    words: 'show <webhook_id>',
    about: 'Show a webhook endpoint and the last attempts to deliver to it, newest first.',
    takes: [...DATABASE, 'json'],
    examples: ['linecard-server webhook show 4fTq0Vb2LxYz'],
    async run([id = ''], { json, ...database }) {
      const show = (webhooks: Webhooks) => webhooks.show(id);
      const { attempts, ...webhook } = await withWebhooks(database, show, 'read');
      if (json) return printJson({ ...webhook, attempts });
      for (const [name, value] of Object.entries(webhook))
        process.stdout.write(`${name}: ${visible([value ?? '-'].flat().join(', '))}\n`);
      process.stdout.write('\n');
      await printRows(false, ATTEMPT_COLUMNS, attempts, (one) => ({
        ...one,
        answer: one.status ?? one.fault,
      }));
    },
  }),
  command({
    words: 'test <webhook_id>',
    about: 'Have a deliverer send webhook.test within 20 seconds, whatever the status, and show the answer.',
    takes: [...DATABASE, 'json'],
    examples: ['linecard-server webhook test 4fTq0Vb2LxYz'],
    async run([id = ''], { json, ...database }) {
      printTest(json, id, await withWebhooks(database, (webhooks) => webhooks.test(id)));
    },
  }),
  statusCommand('pause', 'Stop deliveries to a webhook endpoint; its position stays.', 'Paused'),
  statusCommand('enable', 'Continue deliveries to a webhook endpoint, from its position.', 'Enabled'),
  command({
    words: 'rotate <webhook_id>',
    about: 'Create a new secret and print it; the old one signs as well until the overlap ends.',
    takes: [...DATABASE, 'overlap', 'signing_key', 'json'],
    examples: ['linecard-server webhook rotate 4fTq0Vb2LxYz --overlap 7d'],
    async run([id = ''], { overlap, json, ...settings }) {
      await withWebhooks(settings, async (webhooks) => {
        const rotated = await webhooks.rotate(id, overlap);
        const until = rotated.overlap_until;
        const old = until === null ? 'The old secret no longer signs.' : `The old one signs until ${until}.`;
        await printSecret(json, rotated, `New secret of webhook ${nameOf(rotated)}. ${old}`);
      });
    },
  }),
  command({
    words: 'replay <webhook_id>',
    about: 'Move a webhook endpoint back to a time, to deliver everything since then again.',
    takes: [...DATABASE, 'replay_from', 'json'],
    examples: ['linecard-server webhook replay 4fTq0Vb2LxYz --from 2026-11-20'],
    async run([id = ''], { replay_from: from, json, ...database }) {
      if (from === undefined) throw new WrongUsage('Specify since when: --from 2026-11-20, or --from 12h.');
      const webhook = await withWebhooks(database, (webhooks) => webhooks.replay(id, from));
      const since = webhook.replayed_from;
      const sentence =
        since === null
          ? `Nothing changed: of webhook ${nameOf(webhook)} everything since ${from} is still to be delivered, or nothing happened.`
          : `Moved webhook ${nameOf(webhook)} back to the import of ${since}.`;
      printWebhook(json, webhook, sentence);
    },
  }),
  statusCommand('delete', 'Delete a webhook endpoint and its attempts.', 'Deleted'),
  command({
    words: 'reset',
    about:
      'Pause all webhook endpoints because the database was restored or copied; then enable the endpoints of this database.',
    takes: [...DATABASE, 'all_webhooks', 'json'],
    examples: ['linecard-server webhook reset --all'],
    async run(_args, { all_webhooks: isMeant, json, ...database }) {
      if (!isMeant) throw new WrongUsage('Specify --all: every webhook endpoint of the database is paused.');
      const by = { origin: 'command', actor: processActor() } as const;
      const paused = await withStore(database, (store) => restoreWebhooks(store, by), 'change');
      if (json) printJson({ paused });
      say(`Paused ${counted(paused, 'webhook')}. Enable each with: webhook enable ID`);
    },
  }),
];
