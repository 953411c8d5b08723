// `linecard-server webhook`: its operations as commands, and what their answers look like.

import { visible } from '@linecard/client/contract/printable';
import type { WebhookAttempt } from '@linecard/client/contract/webhooks';
import { Failed, WrongUsage } from '../errors.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { WebhookSettings } from '../operations/webhook-one.ts';
import { webhookOperations } from '../operations/webhooks.ts';
import type { ParameterName } from '../settings/config.ts';
import type { OptionName } from '../settings/options.ts';
import type { Settings } from '../settings/settings.ts';
import { commandOrigin } from '../store/log/audit.ts';
import { restoreWebhooks } from '../store/webhooks/webhook-changes.ts';
import { signingKeys } from '../store/webhooks/webhook-secrets.ts';
import { type CommandDefinition, command, DATABASE, withStore } from './command.ts';
import { givenOf, perform, readOptions } from './operation.ts';
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
const SETTINGS = ['max_webhooks', 'deliver_allow', 'signing_key'] as const;

type Operations = ReturnType<typeof webhookOperations>;
type Word = keyof Operations;
type Member = { [W in Word]: keyof Operations[W]['takes'] & string }[Word];

/** By member: the option that says it. */
const OPTIONS: Readonly<Record<Member, OptionName>> = {
  account: 'account',
  account_id: 'account',
  url: 'webhook_url',
  name: 'name',
  format: 'webhook_format',
  lists: 'webhook_lists',
  events: 'webhook_events',
  fields: 'webhook_fields',
  charges: 'webhook_without_charges',
  overlap: 'overlap',
  from: 'replay_from',
  event: 'test_event',
};

/** What webhooks need of the settings of a command. */
export function webhookSettings({
  signing_key,
  max_webhooks = 0,
  deliver_allow = [],
}: Partial<Pick<Settings, (typeof SETTINGS)[number]>>): WebhookSettings {
  return { keys: () => signingKeys(signing_key ?? []), maxWebhooks: max_webhooks, allow: deliver_allow };
}

/** Prints what an operation answers: a secret alone, or an endpoint with it. */
async function printDone(json: boolean, out: object, sentence: string): Promise<void> {
  const secret = 'secret' in out ? String(out.secret) : undefined;
  if (json && secret === undefined) printJson(out);
  say(sentence);
  if (secret !== undefined) await deliver(json ? JSON.stringify(out) : secret);
}

/** How an answer is printed in place of the sentence of its operation. */
const PRINTERS: { readonly [W in Word]?: (json: boolean, out: never, id: string) => Promise<void> | void } = {
  list: printWebhooks,
  show: printWebhook,
  test: printTest,
};
const EXAMPLES: { readonly [W in Word]?: readonly string[] } = {
  create: [
    'linecard-server webhook create --account harbour-dental --url https://crm.example.com/hook --name CRM',
    'linecard-server webhook create --account harbour-dental --url https://dialler.example.com/flags --events spam_flagged,spam_cleared --fields did,is_spammed',
  ],
  list: [],
  update: ['linecard-server webhook update 4fTq0Vb2LxYz --url https://crm.example.com/next'],
  rotate: ['linecard-server webhook rotate 4fTq0Vb2LxYz --overlap 7d'],
  replay: ['linecard-server webhook replay 4fTq0Vb2LxYz --from 2026-11-20'],
};
/** The settings that a command needs in addition to its members. */
const NEEDS: { readonly [W in Word]?: readonly (typeof SETTINGS)[number][] } = {
  create: SETTINGS,
  update: ['deliver_allow'],
  rotate: ['signing_key'],
};

/** The command of an operation. */
function webhookCommand(word: Word): CommandDefinition {
  const { about, id: hasId, takes, route }: AnyOperation = webhookOperations(webhookSettings({}))[word];
  const options = (Object.keys(takes) as Member[]).map((member): ParameterName => OPTIONS[member]);
  return command({
    words: hasId === undefined ? word : `${word} <webhook_id>`,
    about,
    takes: [...DATABASE, ...options, ...(NEEDS[word] ?? []), 'json'] as readonly ParameterName[],
    examples: EXAMPLES[word] ?? [`linecard-server webhook ${word} 4fTq0Vb2LxYz`],
    async run([id = ''], { json, ...values }) {
      const operation: AnyOperation = webhookOperations(webhookSettings(values))[word];
      const read = readOptions(operation, givenOf(takes, values, OPTIONS), OPTIONS);
      const context = { id, options: OPTIONS };
      const out = await withStore(
        values,
        (store) => perform(operation as never, store, read, context),
        route.method === 'GET' ? 'read' : 'change',
      );
      const print = PRINTERS[word];
      if (print !== undefined) return print(json, out as never, id);
      await printDone(json, out as object, operation.said?.(out as never) ?? '');
    },
  });
}

type Answer<W extends Word> = Awaited<ReturnType<Operations[W]['run']>>;

async function printWebhooks(json: boolean, { data }: Answer<'list'>): Promise<void> {
  await printRows(json, COLUMNS, data, (one) => ({
    ...one,
    events: one.events.join(','),
    status: one.reason === null ? one.status : `${one.status} (${one.reason})`,
  }));
}

async function printWebhook(json: boolean, { attempts, ...webhook }: Answer<'show'>): Promise<void> {
  if (json) return printJson({ ...webhook, attempts });
  for (const [name, value] of Object.entries(webhook))
    process.stdout.write(`${name}: ${visible([value ?? '-'].flat().join(', '))}\n`);
  process.stdout.write('\n');
  await printRows(false, ATTEMPT_COLUMNS, attempts, (one) => ({ ...one, answer: one.status ?? one.fault }));
}

/** Prints an attempt; a receiver that has not accepted it is a failure. */
function printTest(json: boolean, attempt: WebhookAttempt, id: string): void {
  if (json) printJson(attempt);
  const { status, ms } = attempt;
  if (status !== null && status >= 200 && status < 300)
    return say(`The receiver of ${id} answered ${status} in ${count(ms)} ms.`);
  const what = status === null ? `could not be reached: ${attempt.fault}` : `answered ${status}, not 2xx`;
  throw new Failed(`The receiver of ${id} ${what} (${count(ms)} ms).`);
}

export const webhookCommands: readonly CommandDefinition[] = [
  ...(Object.keys(webhookOperations(webhookSettings({}))) as Word[]).map(webhookCommand),
  command({
    words: 'reset',
    about:
      'Pause all webhook endpoints because the database was restored or copied; then enable the endpoints of this database.',
    takes: [...DATABASE, 'all_webhooks', 'json'],
    examples: ['linecard-server webhook reset --all'],
    async run(_args, { all_webhooks: isMeant, json, ...database }) {
      if (!isMeant) throw new WrongUsage('Specify --all: every webhook endpoint of the database is paused.');
      const paused = await withStore(database, (store) => restoreWebhooks(store, commandOrigin()), 'change');
      if (json) printJson({ paused });
      say(`Paused ${counted(paused, 'webhook')}. Enable each with: webhook enable ID`);
    },
  }),
];
