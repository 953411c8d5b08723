// Random histories of accounts whose lists are followed by webhooks: real imports and real deliverers on a
// real store, with receivers that drop requests, lose answers, stall and receive twice. Time is the test's.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Deliverer } from '../../server/deliver/deliverer.ts';
import type { Message, Outcome } from '../../server/deliver/sending.ts';
import { listedCondition, tables } from '../../server/store/tables.ts';
import { answerOf, Deliveries, FOLLOWER } from './deliveries.ts';
import { oneOf, type Random, randomOf, testSeed } from './many.ts';
import { type FileRow, importRows, LISTS, type ListName, randomRow } from './random-imports.ts';
import type { StoreKind } from './service.ts';

const IDS = 8;
const ITEMS_A_PAGE = 3;
const DELIVERERS = 2;
const HOUR = 3_600_000;

interface Body {
  readonly type: string;
  readonly data: { readonly items?: readonly { readonly id: number; readonly item: unknown }[] };
}

const failed: Outcome = { status: undefined, fault: 'lost', retryAfter: undefined };

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
  const seed = testSeed();
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
  readonly #desk: Deliveries;
  readonly #random: Random;
  readonly #receivers = new Map<string, Receiver>();
  readonly #deliverers: readonly Deliverer[];
  /** From here on every delivery succeeds. */
  #isEnding = false;
  #overlaps = 0;
  attempts = 0;

  static async open(kind: StoreKind, histories: number, seed: number): Promise<WebhookWorld> {
    const accounts = Array.from({ length: histories }, (_, i) => `H${i}`);
    const world = new WebhookWorld(await Deliveries.open(kind, accounts), seed);
    for (const account_id of accounts) {
      const url = `${FOLLOWER.url}${account_id}`;
      await world.#desk.endpoint(account_id, { url });
      world.#receivers.set(url, new Receiver(account_id));
    }
    return world;
  }

  private constructor(desk: Deliveries, seed: number) {
    this.#desk = desk;
    this.#random = randomOf(seed);
    const send = (message: Message) => this.#send(message);
    this.#deliverers = Array.from({ length: DELIVERERS }, () =>
      desk.another({ send, dueAtMs: 0, itemsAPage: ITEMS_A_PAGE }),
    );
  }

  /** Imports and deliveries of all accounts at the same time; returns how many copies are wrong. */
  async run(rounds: number): Promise<number> {
    for (let round = 0; round < rounds; round++) {
      await Promise.all([this.#import(), this.#deliver()]);
      this.#desk.now += Math.floor(this.#random() ** 4 * HOUR);
    }
    this.#isEnding = true;
    do this.#desk.now += 2 * HOUR;
    while (await this.#deliver());
    assert.equal(this.#overlaps, 0, 'two attempts of one endpoint overlap');
    const wrong = await Promise.all([...this.#receivers.values()].map((one) => this.#isWrong(one)));
    return wrong.filter(Boolean).length;
  }

  /** What is ready now; returns whether anything was sent. */
  async #deliver(): Promise<boolean> {
    const before = this.attempts;
    await Promise.all(this.#deliverers.map((one) => this.#desk.deliver(one)));
    return this.attempts > before;
  }

  async #import(): Promise<void> {
    const list = oneOf(this.#random, LISTS);
    const mode = this.#random() < 0.2 ? 'replace' : 'insert';
    const all = [...this.#receivers.values()].flatMap(({ account_id }, i) =>
      this.#random() < 0.4 ? [] : this.#rowsOf(list, account_id, i),
    );
    const some = mode === 'replace' ? all.filter((row) => !('removed' in row)) : all;
    const rows = [...new Map(some.map((row) => [row['id'], row])).values()];
    await importRows(this.#desk.store, { list, mode, rows, prunes: this.#random() < 0.1 });
  }

  #rowsOf(list: ListName, account_id: string, index: number): FileRow[] {
    return Array.from({ length: IDS }, (_, n) => {
      if (this.#random() < 0.6) return [];
      // Now and then an item moves to the account from the one before.
      const owner = this.#random() < 0.05 && index > 0 ? index - 1 : index;
      const id = owner * IDS + n + 1;
      if (owner === index && this.#random() < 0.3) return [{ account_id, id, removed: true }];
      return [{ ...randomRow(this.#random, list, account_id, id), comment: String(this.#random()) }];
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
      return luck > 0.6 ? failed : answerOf(200);
    } finally {
      receiver.isBusy = false;
    }
  }

  async #listOf(account_id: string, list: ListName): Promise<Map<number, string>> {
    const text = `select id, item from ${list} where account_id = '${account_id}' and ${listedCondition(tables[list])}`;
    const [rows] = await this.#desk.reader.read({ text, values: [] });
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

  close(): Promise<void> {
    return this.#desk.close();
  }
}
