// Webhook endpoints: created, listed, shown, changed, tested, paused, enabled, rotated, replayed and deleted.
// A secret is in the answer that makes it, and nowhere else.

import { attemptOf } from '@linecard/client/contract/webhooks';
import { hasAccount } from '../store/access/accounts.ts';
import { listsWith, readDeclared } from '../store/lists/own-fields.ts';
import {
  changeScope,
  deleteWebhook,
  enableWebhook,
  insertWebhook,
  pauseWebhook,
  skipWebhook,
} from '../store/webhooks/webhook-changes.ts';
import { listAttempts, listWebhooks, readAttempts } from '../store/webhooks/webhooks.ts';
import { noAccount } from './account-writing.ts';
import { accountId } from './members.ts';
import { type AnyOperation, type Context, mustBeOwn, operation } from './operation.ts';
import { ShapeRefused } from './shape.ts';
import { replayOperation, rotateOperation, testOperation } from './webhook-acts.ts';
import {
  act,
  ID,
  keysOf,
  mustFind,
  nameOf,
  ONE,
  routeOf,
  type WebhookSettings,
  withSecret,
} from './webhook-one.ts';
import { fittedScope, liveFields } from './webhook-scope.ts';
import { changeOf, LIST, newOf, SHOWN, WITH_SECRET, webhookView } from './webhook-shape.ts';

const declaredLists = async (store: Context['store']) => listsWith(await readDeclared(store));

const list = operation({
  words: 'webhook list',
  title: 'List webhooks',
  about: 'Show webhook endpoints, the state of each, and since when it fails.',
  of: 'the request',
  takes: { account: accountId('Only those of this account.') },
  route: {
    ...routeOf('GET', '/webhooks'),
    answer: {
      schema: LIST,
      about: 'Endpoints, each with its last attempts.',
    },
  },
  async run({ store, by }, { account }) {
    if (account !== undefined) mustBeOwn(by, account, 'read');
    const accounts = account === undefined ? by.accounts : [account];
    const all = await listWebhooks(store, accounts);
    if (account !== undefined && all.length === 0 && !(await hasAccount(store, account)))
      throw await noAccount({ store }, account);
    const attempts = await listAttempts(store, accounts);
    const data = all.map((one) => ({
      ...webhookView(one),
      attempts: (attempts.get(one.id) ?? []).map(attemptOf),
    }));
    return { data };
  },
});

const create = (settings: WebhookSettings) =>
  operation({
    words: 'webhook create',
    title: 'Create a webhook',
    about: 'Create a webhook endpoint of an account, and its secret, which is in this answer alone.',
    of: 'a webhook',
    takes: newOf(settings.allow),
    shown: ['account_id', 'url', 'events'],
    route: { ...routeOf('POST', '/webhooks', WITH_SECRET), status: 201, hasLocation: true },
    async run({ store, by }, { account_id, ...given }) {
      const keys = keysOf(settings);
      const scope = fittedScope(given, await declaredLists(store));
      mustBeOwn(by, account_id, 'create webhooks of');
      const { maxWebhooks } = settings;
      const made = await insertWebhook(store, account_id, scope, maxWebhooks, by);
      if (made === undefined) throw await noAccount({ store }, account_id);
      if (made !== 'full') return withSecret(keys, made);
      const what = `names an account that has ${maxWebhooks} webhooks, which is the maximum (--max-webhooks)`;
      throw new ShapeRefused([{ member: 'account_id', what, hint: 'Delete one first.' }]);
    },
    said: (made) => `Created webhook ${nameOf(made)}. Its secret, for the receiver:`,
  });

const show = operation({
  words: 'webhook show',
  title: 'Show a webhook',
  about: 'Show a webhook endpoint and the last attempts to deliver to it, newest first.',
  of: 'the request',
  id: ID,
  takes: {},
  route: routeOf('GET', ONE, SHOWN),
  async run(context, _given, id) {
    const webhook = await mustFind(context, id);
    const attempts = await readAttempts(context.store, id);
    return { ...webhookView(webhook), attempts: attempts.map(attemptOf) };
  },
});

const update = ({ allow }: WebhookSettings) =>
  operation({
    words: 'webhook update',
    title: 'Change a webhook',
    about: 'Change the address of a webhook endpoint, and what it subscribes to, from the next delivery on.',
    of: 'a webhook',
    id: ID,
    takes: changeOf(allow),
    shown: ['events'],
    route: routeOf('PATCH', ONE),
    async run(context, given, id) {
      const { name, url, format, lists, events, fields, charges } = await mustFind(context, id);
      const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const all = await declaredLists(context.store);
      const stored = { name, url, format, lists, events, fields: liveFields(fields, all), charges };
      fittedScope({ ...stored, ...changes }, all);
      // Only these members: of two changes at once each keeps its own.
      await changeScope(context.store, id, changes, context.by);
      return webhookView(await mustFind(context, id));
    },
    said: (changed) => `Changed webhook ${nameOf(changed)}.`,
  });

const remove = operation({
  words: 'webhook delete',
  title: 'Delete a webhook',
  about: 'Delete a webhook endpoint and its attempts.',
  of: 'the request',
  id: ID,
  takes: {},
  route: { method: 'DELETE', path: ONE, status: 204, permission: 'webhooks', on: 'own' },
  async run(context, _given, id) {
    const webhook = await mustFind(context, id);
    await deleteWebhook(context.store, id, context.by);
    return webhookView(webhook);
  },
  said: (deleted) => `Deleted webhook ${nameOf(deleted)}.`,
});

/** All of them, by the second word of their commands. */
export const webhookOperations = (settings: WebhookSettings) =>
  ({
    list,
    create: create(settings),
    show,
    update: update(settings),
    test: testOperation(settings),
    pause: act(
      ['pause', 'Paused'],
      'Pause a webhook',
      'Stop deliveries to a webhook endpoint; its position stays.',
      pauseWebhook,
    ),
    enable: act(
      ['enable', 'Enabled'],
      'Enable a webhook',
      'Continue deliveries to a webhook endpoint, from its position.',
      enableWebhook,
    ),
    skip: act(
      ['skip', 'Skipped what was not delivered to'],
      'Skip deliveries',
      'Move a webhook endpoint forward to now, and leave out all that is not delivered yet.',
      skipWebhook,
    ),
    rotate: rotateOperation(settings),
    replay: replayOperation,
    delete: remove,
  }) satisfies Record<string, AnyOperation>;
