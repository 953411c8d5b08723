// Random histories of accounts whose lists are followed by webhooks: real imports and real deliverers on a
// real store, with receivers that drop requests, lose answers, stall and receive twice. Time is the test's.

import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Deliverer } from '../../server/deliver/deliverer.ts';
import type { Message, Outcome } from '../../server/deliver/sending.ts';
import { importBody } from '../../server/import/import.ts';
import { readItemLimit } from '../../server/settings/kinds.ts';
import { createAccount } from '../../server/store/accounts.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { type ListName, listedCondition, tables } from '../../server/store/tables.ts';
import { insertWebhook } from '../../server/store/webhook-changes.ts';
import type { WebhookScope } from '../../server/store/webhooks.ts';
import { ndjson } from './intake-server.ts';
import { type Random, randomOf } from './many.ts';
import { databaseOf, type StoreKind } from './service.ts';
import type { Database } from './templates.ts';

const LISTS = ['virtual_numbers', 'additional_services'] as const;
const IDS = 8;
const ITEMS_A_PAGE = 3;
const DELIVERERS = 2;
const ALL_ITEMS = readItemLimit('100%');
const HOUR = 3_600_000;
const NOBODY = { origin: 'command', actor: 'test' } as const;

export const FOLLOWER: WebhookScope = {
  name: '',
  url: 'https://receiver.example/',
  format: 'json',
  lists: null,
  events: ['added', 'removed', 'changed'],
  fields: null,
  charges: true,
};

interface Body {
  readonly type: string;
  readonly data: { readonly items?: readonly { readonly id: number; readonly item: unknown }[] };
}

const failed: Outcome = { status: undefined, fault: 'lost', retryAfter: undefined };
const answered: Outcome = { status: 200, fault: undefined, retryAfter: undefined };

/** What a receiver of one endpoint has made of the deliveries. */
class Receiver {
  readonly account_id: string;
  readonly copies = new Map<string, Map<number, string>>();
  readonly #known = new Set<string>();
  isBusy = false;

  constructor(account_id: string) {
    this.account_id = account_id;
  }

  async receive(
    { id, body }: Message,
    readList: (list: ListName) => Promise<Map<number, string>>,
  ): Promise<void> {
    if (this.#known.has(id)) return;
    this.#known.add(id);
    const { type, data } = JSON.parse(body) as Body;
    const [list, event] = type.split('.') as [ListName, string];
    const copy = event === 'replaced' ? await readList(list) : (this.copies.get(list) ?? new Map());
    for (const { id: item_id, item } of data.items ?? []) {
      if (item === null) copy.delete(item_id);
      else copy.set(item_id, JSON.stringify(item));
    }
    this.copies.set(list, copy);
  }
}

const ROUNDS = 12;
const HISTORIES_A_WORLD = 200;

/**
 * Runs that many histories, or the share of a slower store, and counts wrong copies; `TEST_SEED` repeats
 * them.
 */
export async function mustBeRight(t: TestContext, kind: StoreKind, histories: number): Promise<void> {
  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 20));
  let [wrong, attempts] = [0, 0];
  for (let left = Math.ceil(histories * kind.share); left > 0; left -= HISTORIES_A_WORLD) {
    const world = await WebhookWorld.open(kind, Math.min(left, HISTORIES_A_WORLD), seed + left);
    try {
      wrong += await world.run(ROUNDS);
      attempts += world.attempts;
    } finally {
      await world.close();
    }
  }
  t.diagnostic(`TEST_SEED=${seed}: ${attempts} attempts`);
  assert.equal(wrong, 0);
}

class WebhookWorld {
  readonly #database: Database;
  readonly #store: Store;
  readonly #reader: Store;
  readonly #random: Random;
  readonly #receivers = new Map<string, Receiver>();
  readonly #deliverers: readonly Deliverer[];
  #now = Date.now();
  /** From here on every delivery succeeds. */
  #isEnding = false;
  #overlaps = 0;
  attempts = 0;

  static async open(kind: StoreKind, histories: number, seed: number): Promise<WebhookWorld> {
    const database = await databaseOf(kind);
    const [store, reader] = [
      await openStore(database.url, 'write'),
      await openStore(database.url, 'read', { sharesSnapshots: false }),
    ];
    const world = new WebhookWorld(database, store, reader, seed);
    for (let i = 0; i < histories; i++) await world.#addAccount(`H${i}`);
    return world;
  }

  private constructor(database: Database, store: Store, reader: Store, seed: number) {
    this.#database = database;
    this.#store = store;
    this.#reader = reader;
    this.#random = randomOf(seed);
    this.#deliverers = Array.from(
      { length: DELIVERERS },
      () =>
        new Deliverer({
          read: (work) => work(reader),
          write: (work) => work(store),
          send: (message) => this.#send(message),
          keys: [randomBytes(32)],
          dueAtMs: 0,
          connections: 16,
          itemsAPage: ITEMS_A_PAGE,
          logger: { info: () => {}, warn: (...words: unknown[]) => assert.fail(JSON.stringify(words)) },
          now: () => this.#now,
        }),
    );
  }

  async #addAccount(account_id: string): Promise<void> {
    await createAccount(this.#store, account_id);
    const url = `${FOLLOWER.url}${account_id}`;
    await insertWebhook(this.#store, account_id, { ...FOLLOWER, url }, 5, NOBODY);
    this.#receivers.set(url, new Receiver(account_id));
  }

  /** Imports and deliveries of all accounts at the same time; returns how many copies are wrong. */
  async run(rounds: number): Promise<number> {
    for (let round = 0; round < rounds; round++) {
      await Promise.all([this.#import(), this.#deliver()]);
      this.#now += Math.floor(this.#random() ** 4 * HOUR);
    }
    this.#isEnding = true;
    do this.#now += 2 * HOUR;
    while (await this.#deliver());
    assert.equal(this.#overlaps, 0, 'two attempts of one endpoint overlap');
    const wrong = await Promise.all([...this.#receivers.values()].map((one) => this.#isWrong(one)));
    return wrong.filter(Boolean).length;
  }

  /** What is ready now; returns whether anything was sent. */
  async #deliver(): Promise<boolean> {
    const before = this.attempts;
    await Promise.all(
      this.#deliverers.map(async (one) => {
        while (await one.look()) await one.idle();
        await one.idle();
      }),
    );
    return this.attempts > before;
  }

  async #import(): Promise<void> {
    const list = LISTS[Math.floor(this.#random() * LISTS.length)] ?? LISTS[0];
    const isReplacing = this.#random() < 0.2;
    const all = [...this.#receivers.values()].flatMap(({ account_id }, i) =>
      this.#random() < 0.4 ? [] : this.#rowsOf(list, account_id, i),
    );
    const some = isReplacing ? all.filter((row) => !('removed' in row)) : all;
    const rows = [...new Map(some.map((row) => [row.id, row])).values()];
    const prunes = this.#random() < 0.1;
    // Readers on this thread leave their snapshot.
    await setImmediate();
    await importBody(
      {
        store: this.#store,
        table: tables[list],
        format: 'ndjson',
        replace: isReplacing,
        max_removed: ALL_ITEMS,
        max_moved: ALL_ITEMS,
        ...(prunes ? { changes_kept: -1_000 } : {}),
      },
      { bytes: Buffer.from(ndjson(rows)), isCompressed: false },
    );
  }

  #rowsOf(list: (typeof LISTS)[number], account_id: string, index: number): { id: number }[] {
    return Array.from({ length: IDS }, (_, n) => {
      if (this.#random() < 0.6) return [];
      // Now and then an item moves to the account from the one before.
      const owner = this.#random() < 0.05 && index > 0 ? index - 1 : index;
      const id = owner * IDS + n + 1;
      if (owner === index && this.#random() < 0.3) return [{ account_id, id, removed: true }];
      const common = {
        account_id,
        id,
        subscription_status: 'active',
        frequency: 'monthly',
        comment: String(this.#random()),
      };
      return list === 'virtual_numbers'
        ? [
            {
              ...common,
              did: `+4420${10_000_000 + id}`,
              status: 'active',
              created_at: '2026-01-02T03:04:05Z',
            },
          ]
        : [{ ...common, title: 'VPN', category: this.#random() < 0.2 ? 'core' : 'additional' }];
    }).flat();
  }

  async #send(message: Message): Promise<Outcome> {
    this.attempts += 1;
    const receiver = this.#receivers.get(message.url);
    assert.ok(receiver !== undefined);
    if (receiver.isBusy) this.#overlaps += 1;
    receiver.isBusy = true;
    try {
      const luck = this.#isEnding ? 0 : this.#random();
      if (luck > 0.9) return failed;
      await receiver.receive(message, (list) => this.#listOf(receiver.account_id, list));
      if (luck > 0.85) await receiver.receive(message, (list) => this.#listOf(receiver.account_id, list));
      if (luck > 0.75) for (let i = 0; i < 20; i++) await setImmediate();
      return luck > 0.6 ? failed : answered;
    } finally {
      receiver.isBusy = false;
    }
  }

  async #listOf(account_id: string, list: ListName): Promise<Map<number, string>> {
    const text = `select id, item from ${list} where account_id = '${account_id}' and ${listedCondition(tables[list])}`;
    const [rows] = await this.#reader.read({ text, values: [] });
    return new Map(rows.map(([id, item]) => [Number(id), JSON.stringify(JSON.parse(String(item)))]));
  }

  async #isWrong({ account_id, copies }: Receiver): Promise<boolean> {
    for (const list of LISTS) {
      const items = await this.#listOf(account_id, list);
      const copy = copies.get(list) ?? new Map<number, string>();
      if (items.size !== copy.size) return true;
      for (const [id, item] of items) if (copy.get(id) !== item) return true;
    }
    return false;
  }

  async close(): Promise<void> {
    await this.#reader.close();
    await this.#store.close();
    await this.#database.remove();
  }
}
