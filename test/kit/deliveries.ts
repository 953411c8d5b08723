// A deliverer on a real store: a test receives its messages in the same process, and sets its time.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { DEFAULT_MAX_PAGE_SIZE } from '../../api/contract/contract.ts';
import type { List } from '../../api/contract/list.ts';
import { openapi } from '../../api/openapi/openapi.ts';
import { Deliverer, type DelivererOptions } from '../../server/deliver/deliverer.ts';
import type { Message, Outcome } from '../../server/deliver/sending.ts';
import { createAccount } from '../../server/store/access/accounts.ts';
import { listsWith, readDeclared } from '../../server/store/lists/own-fields.ts';
import { openStore } from '../../server/store/open.ts';
import { separate } from '../../server/store/sql.ts';
import type { Store } from '../../server/store/store.ts';
import { insertWebhook } from '../../server/store/webhooks/webhook-changes.ts';
import {
  findWebhook,
  readAttempts,
  type Webhook,
  type WebhookAttempt,
  type WebhookScope,
} from '../../server/store/webhooks/webhooks.ts';
import { checkBy } from './document-checks.ts';
import type { ModelRow } from './model.ts';
import { databaseOf, load, type StoreKind } from './service.ts';
import type { Database } from './templates.ts';

/** An endpoint that is told of every change. */
export const FOLLOWER: WebhookScope = {
  name: '',
  url: 'https://receiver.example/',
  format: 'json',
  lists: null,
  events: ['added', 'removed', 'changed'],
  fields: null,
  charges: true,
};
const BY = { origin: 'command', actor: 'test' } as const;
const MAX = 100;
/** As `deliver` reads. */
const READING = { sharesSnapshots: false } as const;

export const answerOf = (status: number, retryAfter?: string): Outcome => ({
  status,
  fault: undefined,
  retryAfter,
});

/** A message as it was sent, its body parsed. */
export interface Sent extends Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Of a text for chat. */
  readonly text: string;
}

const documentWith = (all?: readonly List[]) =>
  openapi({
    version: '1.2.3',
    max_page_size: DEFAULT_MAX_PAGE_SIZE,
    ...(all !== undefined && { lists: all }),
  });
const plain = documentWith();
const plainFaults = checkBy(plain);

/** Every message is one that the OpenAPI document has, but for a sentence for chat. */
async function mustBeDescribed(body: string, store: Store): Promise<void> {
  const message = JSON.parse(body) as Partial<Sent>;
  if (message.text !== undefined) return;
  const hasOwn = body.includes('"x_');
  const document = hasOwn ? documentWith(listsWith(await readDeclared(store))) : plain;
  const faults = hasOwn ? checkBy(document) : plainFaults;
  const { content } = document.webhooks[message.type ?? '']?.post.requestBody ?? {};
  assert.equal(faults(content?.['application/json']?.schema ?? { not: {} }, message), '', body);
}

export class Deliveries {
  readonly store: Store;
  readonly sent: Sent[] = [];
  /** What receivers answer. */
  answer: (message: Sent) => Outcome | Promise<Outcome> = () => answerOf(200);
  now = Date.now();
  readonly deliverer: Deliverer;
  /** What deliverers read. */
  readonly reader: Store;
  readonly #database: Database;

  static async open(kind: StoreKind, accounts: readonly string[]): Promise<Deliveries> {
    const database = await databaseOf(kind);
    const store = await openStore(database.url, 'write');
    for (const id of accounts) await createAccount(store, id);
    return new Deliveries(database, store, await openStore(database.url, 'read', READING));
  }

  /** On a database that is there; what opened it closes the store. */
  static async at(url: string): Promise<Deliveries> {
    const [store, reader] = [await openStore(url, 'write'), await openStore(url, 'read', READING)];
    return new Deliveries({ url, remove: async () => {} }, store, reader);
  }

  private constructor(database: Database, store: Store, reader: Store) {
    this.#database = database;
    this.reader = reader;
    this.store = store;
    this.deliverer = this.another();
  }

  /** One that shares the work. */
  another(more: Partial<DelivererOptions> = {}, onSent: (id: string) => void = () => {}): Deliverer {
    return new Deliverer({
      read: (work) => work(this.reader),
      write: (work) => work(this.store),
      send: async (message) => {
        const sent = { ...message, ...JSON.parse(message.body) } as Sent;
        await mustBeDescribed(message.body, this.reader);
        this.sent.push(sent);
        onSent(sent.id);
        return this.answer(sent);
      },
      keys: [randomBytes(32)],
      dueAtMs: 6 * 3_600_000,
      itemsAPage: undefined,
      logger: { info: () => {}, warn: (...words: unknown[]) => assert.fail(words.map(String).join(' ')) },
      now: () => this.now,
      ...more,
    });
  }

  get url(): string {
    return this.#database.url;
  }

  /** The file of a SQLite database. */
  get path(): string {
    return this.url.slice('sqlite:'.length);
  }

  async endpoint(account_id: string, scope: Partial<WebhookScope> = {}): Promise<Webhook> {
    await setImmediate();
    const made = await insertWebhook(this.store, account_id, { ...FOLLOWER, ...scope }, MAX, BY);
    return typeof made === 'object' ? made : assert.fail(made);
  }

  load(list: 'virtual_numbers' | 'additional_services', rows: readonly ModelRow[], replaces?: string[]) {
    return load(this.store, list, rows, replaces);
  }

  /** Delivers what is ready; returns the messages. */
  async deliver(deliverer: Deliverer = this.deliverer): Promise<Sent[]> {
    await setImmediate();
    const before = this.sent.length;
    while (await deliverer.look()) await deliverer.idle();
    await deliverer.idle();
    return this.sent.slice(before);
  }

  /** Delivers until nothing is ready; returns the types of the messages. */
  async types(): Promise<string[]> {
    const types: string[] = [];
    for (let sent = await this.deliver(); sent.length > 0; sent = await this.deliver())
      types.push(...sent.map(({ type }) => type));
    return types;
  }

  async find({ id }: Pick<Webhook, 'id'>): Promise<Webhook> {
    await setImmediate();
    return (await findWebhook(this.store, id)) ?? assert.fail();
  }

  async attempts({ id }: Pick<Webhook, 'id'>): Promise<WebhookAttempt[]> {
    await setImmediate();
    return readAttempts(this.store, id);
  }

  /** Seconds until the next attempt. */
  async delay(webhook: Pick<Webhook, 'id'>): Promise<number> {
    const { next_at } = await this.find(webhook);
    return (Date.parse(next_at ?? '') - this.now) / 1_000;
  }

  /** Deletes all endpoints; receivers answer again. */
  async clear(): Promise<void> {
    await setImmediate();
    this.answer = () => answerOf(200);
    await this.store.write(separate({ text: 'delete from webhooks', values: [] }));
  }

  async close(): Promise<void> {
    await this.reader.close();
    await this.store.close();
    await this.#database.remove();
  }
}
