// Which account has a number, an id or a title, or had it within the log of changes; what happened to it, by
// which import, and whose webhooks are sent that.

import { CHARGES_EVENT, EVENTS, type EventName, eventsOf } from '@linecard/client/contract/list';
import { WEBHOOK_STATUSES } from '@linecard/client/contract/webhooks';
import { projectionOf, visibleFields } from '../lists/fields.ts';
import { hasAccount } from '../store/access/accounts.ts';
import { type Finding, findIds, itemsOf, MAX_FOUND } from '../store/lists/found-items.ts';
import { type ChangingImport, historyOf, importsAt, type LogEntry } from '../store/lists/item-history.ts';
import { readDeclared } from '../store/lists/own-fields.ts';
import type { Snapshot, Store } from '../store/store.ts';
import { type ListName, type Table, tableWith } from '../store/tables.ts';
import { listWebhooks, type Webhook } from '../store/webhooks/webhooks.ts';
import { noAccount } from './account-writing.ts';
import { line, required, type Schema } from './field.ts';
import {
  accountId,
  answered,
  EXAMPLE_TIME,
  LIST_NAMES,
  PAGE,
  pageOf,
  pageSchema,
  TIME_OR_NULL,
} from './members.ts';
import { type Actor, mustBeOwn, operation } from './operation.ts';
import { ShapeRefused, shapeSchema } from './shape.ts';

const MAX_CHARACTERS = 1_000;
const TEXT: Schema = { type: 'string' };
const TEXT_OR_NULL: Schema = { type: ['string', 'null'] };

const IMPORT = {
  id: answered(
    'The id of its run; null if that is no longer retained.',
    TEXT_OR_NULL,
    '1796000000000000-7f3c',
  ),
  feed: answered('The feed that it named.', TEXT_OR_NULL, 'billing'),
  mode: answered('What becomes of items that are there.', TEXT, 'update'),
  origin: answered('Where it came from: `command`, `intake`, `pull` or `watch`.', TEXT, 'intake'),
  actor: answered('Who did it: a user and a machine, or the id of an operator token.', TEXT, 'Q2mZ8sT1kKpA'),
  source: answered('Its files, or an address.', TEXT, 'numbers.csv'),
};

const CHANGE = {
  at: answered('When it changed; null if that is no longer known.', TIME_OR_NULL, EXAMPLE_TIME),
  account_id: answered('On which account.', TEXT, 'C1001'),
  events: answered(
    'What happened.',
    { type: 'array', items: { type: 'string', enum: Object.keys(EVENTS) } },
    ['charges_changed', 'changed'],
  ),
  import: answered(
    'Which import did it; null if that is not recorded, or not for a token that is bound to accounts.',
    { ...shapeSchema(IMPORT), type: ['object', 'null'] },
    null,
  ),
};

const WEBHOOK = {
  id: answered('The id of the webhook.', TEXT, 'wh_4fTq0Vb2LxYz'),
  name: answered('Its name.', TEXT, 'CRM'),
  host: answered('The host that deliveries are sent to.', TEXT, 'crm.example.com'),
  status: answered('Its status.', { type: 'string', enum: Object.keys(WEBHOOK_STATUSES) }, 'active'),
};

const FOUND = {
  list: answered('The list of the item.', { type: 'string', enum: LIST_NAMES }, 'virtual_numbers'),
  id: answered('The id of the item.', { type: 'integer' }, 48_151),
  account_id: answered('The account that has it; null if none has it any more.', TEXT_OR_NULL, 'C1001'),
  label: answered('What people know it by: a number or a title.', TEXT_OR_NULL, '+442079460018'),
  item: answered(
    'The item, as its account reads it, without charges for a token that does not see them; null if no account has it.',
    { type: ['object', 'null'], additionalProperties: true },
    null,
  ),
  history: answered(
    'What happened to it, the newest first: at most 100 changes of those that the log of changes has.',
    { type: 'array', items: shapeSchema(CHANGE) },
    [],
  ),
  webhooks: answered(
    'The webhooks of the account that are sent changes of the list.',
    { type: 'array', items: shapeSchema(WEBHOOK) },
    [],
  ),
};

/** @throws {Unable} */
async function accountsOf(store: Store, by: Actor, account: string | undefined) {
  if (account === undefined) return by.accounts;
  mustBeOwn(by, account, 'read');
  if (await hasAccount(store, account)) return [account];
  throw await noAccount({ store }, account);
}

function changeOf(
  { list }: Table,
  { at, account_id, what }: LogEntry,
  imports: ReadonlyMap<string, ChangingImport>,
  { limits }: Actor,
) {
  const isSeen = (name: EventName) => name !== CHARGES_EVENT || limits?.charges !== false;
  const events = eventsOf(list).filter((name) => (what & EVENTS[name].bit) > 0 && isSeen(name));
  return { at, account_id, events, import: (at === null ? undefined : imports.get(at)) ?? null };
}

const webhookOf = ({ id, name, url, status }: Webhook) => ({ id, name, host: new URL(url).host, status });

/** The imports of these times. An import has no account: a token that is bound to some sees its own alone. */
async function importsOf({ snapshot, table }: Finding, times: readonly string[], { accounts, actor }: Actor) {
  const all = await importsAt(snapshot, table.name, [...new Set(times)]);
  return accounts === undefined ? all : new Map([...all].filter(([, one]) => one.actor === actor));
}

/** Everything about some items of a list. */
async function foundOf(finding: Finding, ids: readonly number[], by: Actor) {
  const { table } = finding;
  if (ids.length === 0) return [];
  const [items, history] = [await itemsOf(finding, ids), await historyOf(finding, ids)];
  const times = [...history.values()].flatMap((entries) => entries.flatMap(({ at }) => at ?? []));
  const imports = await importsOf(finding, times, by);
  const accounts = [...new Set([...items.values()].map(({ account_id }) => account_id))];
  const webhooks = await listWebhooks(finding.store, accounts);
  const seen = projectionOf(table.list, visibleFields(table.list, undefined, by.limits?.charges !== false));
  return ids.map((id) => {
    const entries = history.get(id) ?? [];
    const found = items.get(id);
    const item = found && (JSON.parse(seen(found.item)) as Record<string, unknown>);
    const account_id = found?.account_id ?? null;
    const label = item?.[table.list.label] ?? entries.find((entry) => entry.label !== null)?.label ?? null;
    const name = table.name as ListName;
    const isSent = ({ account_id: owner, lists }: Webhook) =>
      owner === account_id && (lists === null || lists.includes(name));
    return {
      list: name,
      id,
      account_id,
      label: label as string | null,
      item: item ?? null,
      history: entries.map((entry) => changeOf(table, entry, imports, by)),
      webhooks: webhooks.filter(isSent).map(webhookOf),
    };
  });
}

export type FoundItemView = Awaited<ReturnType<typeof foundOf>>[number];

/** Where to look, list by list. */
async function findingsOf(
  snapshot: Snapshot,
  store: Store,
  accounts: readonly string[] | undefined,
  { limits }: Actor,
): Promise<Finding[]> {
  const declared = await readDeclared({ read: async (...all) => snapshot.read(...all) });
  return (limits?.lists ?? LIST_NAMES).map((name) => ({
    snapshot,
    store,
    table: tableWith(name, declared[name]),
    accounts,
  }));
}

export const findOperation = operation({
  words: 'find',
  title: 'Find a number, an id or a title',
  about:
    'Find the account that has a number, an id of an item or a title of a service, or had it in the last 30 days, with its changes, their imports, and the webhooks that deliver them.',
  of: 'the request',
  takes: {
    q: required(
      line(MAX_CHARACTERS, {
        about: 'A number, however it is written, the id of an item, or the whole title of a service.',
        example: '+442079460018',
      }),
    ),
    account: accountId('Only on this account.'),
    ...PAGE,
  },
  shown: ['q'],
  route: {
    method: 'GET',
    path: '/find',
    status: 200,
    permission: 'read',
    on: 'read',
    answer: { schema: pageSchema('Found', FOUND), about: 'A page of items, those that are there first.' },
  },
  async run({ store, by }, { q, account, page, page_size }) {
    const accounts = await accountsOf(store, by, account);
    const snapshot = await store.snapshot();
    try {
      const findings = await findingsOf(snapshot, store, accounts, by);
      const all: (readonly [finding: Finding, id: number])[] = [];
      for (const finding of findings)
        for (const id of await findIds(finding, q.trim())) all.push([finding, id]);
      if (all.length > MAX_FOUND)
        throw new ShapeRefused([
          { member: 'q', what: `is of more than ${MAX_FOUND} items`, hint: 'Name an account.' },
        ]);
      const some = all.slice((page - 1) * page_size, page * page_size);
      const found: FoundItemView[] = [];
      for (const finding of findings) {
        const ids = some.flatMap(([of, id]) => (of === finding ? id : []));
        found.push(...(await foundOf(finding, ids, by)));
      }
      return pageOf(found, { page, page_size }, all.length);
    } finally {
      await snapshot.close();
    }
  },
});
