// A naive model of activity: it compares the lists before and after each import. It knows
// docs/generated/api.md and nothing of how Linecard works. Random imports of every mode are run against it.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { updateAccount } from '../../server/store/access/accounts.ts';
import { oneOf, type Random, randomOf, testSeed } from './many.ts';
import { type FileRow, importRows, LISTS, type ListName, randomRow } from './random-imports.ts';
import { openService, type Service, type StoreKind } from './service.ts';

const ACCOUNTS = ['C1', 'C2', 'C3'] as const;
const IDS = 40;
const SHOWN = 20;

type Item = Readonly<Record<string, unknown>>;
type Items = ReadonlyMap<number, Item>;
/** By account and list. */
type Lists = ReadonlyMap<string, Items>;

interface Happened {
  readonly at: string;
  readonly list: string;
  readonly event: string;
  readonly count: number;
  readonly ids: readonly number[];
}

interface Named {
  readonly id: number;
  readonly label?: unknown;
  readonly from?: Item;
  readonly to?: Item;
}

interface Entry extends Happened {
  readonly items: readonly Named[];
}

/** An entry that remembers the lists before and after. */
interface Remembered extends Happened {
  readonly before: Items;
  readonly after: Items;
}

export interface Activity {
  readonly data: readonly Entry[];
  readonly since: string;
}

interface ActivityRequest {
  readonly lists?: readonly string[] | undefined;
  readonly events?: readonly string[] | undefined;
  readonly ids?: readonly number[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Event to whether it happened to an item that was there and is; in the order of an answer. */
const CHANGES: Readonly<Record<string, (was: Item, is: Item) => boolean>> = {
  spam_flagged: (was, is) => was['is_spammed'] === false && is['is_spammed'] === true,
  spam_cleared: (was, is) => was['is_spammed'] === true && is['is_spammed'] === false,
  status_changed: (was, is) => was['status'] !== is['status'],
  subscription_changed: (was, is) => was['subscription_status'] !== is['subscription_status'],
  charges_changed: (was, is) => ['activation', 'monthly', 'incoming'].some((name) => was[name] !== is[name]),
  changed: (was, is) => JSON.stringify(was) !== JSON.stringify(is),
};
/** What an entry says of an item that was there and is. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  spam_flagged: ['is_spammed'],
  spam_cleared: ['is_spammed'],
  status_changed: ['status'],
  subscription_changed: ['subscription_status'],
  charges_changed: ['activation', 'monthly', 'incoming'],
};
const LABELS: Readonly<Record<string, string>> = { virtual_numbers: 'did', additional_services: 'title' };

/** The fields of an event that an import changed, before and after it. */
function fromTo(event: string, was: Item | undefined, is: Item | undefined): Partial<Named> {
  if (was === undefined || is === undefined) return {};
  const changed = (FIELDS[event] ?? []).filter((name) => was[name] !== is[name]);
  const of = (item: Item) => Object.fromEntries(changed.map((name) => [name, item[name]]));
  return changed.length === 0 ? {} : { from: of(was), to: of(is) };
}
export const EVENT_NAMES = ['added', 'removed', ...Object.keys(CHANGES), 'replaced'];

/** What happened to a list, by event: the ids, ascending. */
function happened(before: Items, after: Items): Map<string, number[]> {
  const events = new Map<string, number[]>();
  if (before.size === 0 && after.size > 0) return new Map([['replaced', []]]);
  const found = (event: string, id: number) => events.set(event, [...(events.get(event) ?? []), id]);
  for (const id of [...new Set([...before.keys(), ...after.keys()])].toSorted((a, b) => a - b)) {
    const [was, is] = [before.get(id), after.get(id)];
    if (was === undefined) found('added', id);
    if (was === undefined && is?.['is_spammed'] === true) found('spam_flagged', id);
    if (is === undefined) found('removed', id);
    if (was === undefined || is === undefined) continue;
    for (const [event, has] of Object.entries(CHANGES)) if (has(was, is)) found(event, id);
  }
  return new Map(EVENT_NAMES.flatMap((name) => (events.has(name) ? [[name, events.get(name) ?? []]] : [])));
}

const wanted = <T>(given: readonly T[] | undefined, value: T) => given?.includes(value) ?? true;

function search(request: ActivityRequest, more: Readonly<Record<string, string>>): string {
  const given = Object.entries({ ...request, ...more }).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

export class ActivityWorld {
  readonly service: Service;
  readonly random: Random;
  /** By account, newest first, with all ids. */
  readonly #history = new Map<string, Remembered[]>();
  /** By account, list and id, what an item was called when it left last. */
  readonly #labels = new Map<string, unknown>();
  /** By account, when something happened that is not told any more. */
  readonly #forgotten = new Map<string, string>();
  #lists: Lists = new Map();

  static async open(kind: StoreKind, seed: number): Promise<ActivityWorld> {
    const service = await openService(kind, { accounts: ACCOUNTS, quiet: true, indexBytes: 0 });
    return new ActivityWorld(service, randomOf(seed));
  }

  private constructor(service: Service, random: Random) {
    this.service = service;
    this.random = random;
  }

  one<T>(choices: readonly T[]): T {
    return oneOf(this.random, choices);
  }

  /** One random import, and what it did. */
  async import(): Promise<void> {
    if (this.random() < 0.05) return this.#rename();
    const list = this.one(LISTS);
    const mode = this.one(['insert', 'insert', 'update', 'update', 'replace', 'replace-all'] as const);
    const share = this.one([0.05, 0.3, 0.3, 1]);
    const rows = Array.from({ length: IDS }, (_, i) => i + 1)
      .filter(() => this.random() < share)
      .flatMap((id) => this.#row(list, id, mode === 'update'));
    if (rows.length === 0) return;
    await importRows(this.service.operator, { list, mode, rows, prunes: false });
    await this.#compare();
  }

  #row(list: ListName, id: number, isUpdate: boolean): FileRow[] {
    const owner = ACCOUNTS.find((account_id) => this.#lists.get(`${account_id} ${list}`)?.has(id));
    if (isUpdate && owner === undefined) return [];
    const account_id = (this.random() < 0.8 || isUpdate ? owner : undefined) ?? this.one(ACCOUNTS);
    if (this.random() < 0.2) return [{ account_id, id, removed: true }];
    const all = randomRow(this.random, list, account_id, id);
    if (!isUpdate) return [all];
    const changed = Object.entries(all).filter(([name]) => name.endsWith('id') || this.random() < 0.3);
    return [{ account_id, id, ...Object.fromEntries(changed) }];
  }

  async #rename(): Promise<void> {
    await setImmediate();
    await updateAccount(this.service.operator, this.one(ACCOUNTS), { name: `${this.random()}` });
  }

  async #read(): Promise<Lists> {
    const read: Map<string, Map<number, Item>> = new Map();
    for (const list of LISTS) {
      // A customer cannot see the name of a service, but can sort by it.
      const [order, where] =
        list === 'additional_services' ? ['service_name_folded', `where category = 'additional'`] : ['0', ''];
      const text = `select account_id, id, item, ${order} from ${list} ${where} order by id`;
      const [rows] = await this.service.operator.read({ text, values: [] });
      for (const [account_id, id, item, name] of rows) {
        const key = `${account_id} ${list}`;
        const items = read.get(key) ?? new Map<number, Item>();
        read.set(key, items.set(Number(id), { ...(JSON.parse(String(item)) as Item), name }));
      }
    }
    return read;
  }

  async #compare(): Promise<void> {
    await setImmediate();
    const now = await this.#read();
    const [accounts] = await this.service.operator.read({
      text: 'select id, updated_at from accounts',
      values: [],
    });
    for (const [id, at] of accounts) {
      for (const list of LISTS) {
        const key = `${id} ${list}`;
        const [before, after] = [this.#lists.get(key) ?? new Map(), now.get(key) ?? new Map()] as const;
        const entries = [...happened(before, after)].map(([event, ids]) => ({
          at: String(at),
          list,
          event,
          count: ids.length,
          ids,
          before,
          after,
        }));
        for (const [one, item] of before)
          if (!after.has(one)) this.#labels.set(`${key} ${one}`, item[LABELS[list] ?? '']);
        this.#add(String(id), entries);
      }
    }
    this.#lists = now;
  }

  /** Of a list that is filled again, the earlier time is not known any more. */
  #add(account_id: string, entries: readonly Remembered[]): void {
    const history = this.#history.get(account_id) ?? [];
    const isForgotten = (entry: Remembered) =>
      entry.event === 'replaced' &&
      entries.some(({ event, list }) => event === 'replaced' && list === entry.list);
    const forgotten = history.find(isForgotten);
    if (forgotten !== undefined) this.#forgotten.set(account_id, forgotten.at);
    this.#history.set(account_id, [...entries, ...history.filter((entry) => !isForgotten(entry))]);
  }

  /** The items of an entry: each as it is called now, or was when it left. */
  #named(account_id: string, { list, event, before, after }: Remembered, ids: readonly number[]): Named[] {
    const key = `${account_id} ${list}`;
    return ids.map((id) => {
      const now = this.#lists.get(key)?.get(id) ?? (event === 'removed' ? before.get(id) : undefined);
      const label = now === undefined ? this.#labels.get(`${key} ${id}`) : now[LABELS[list] ?? ''];
      return { id, label, ...fromTo(event, before.get(id), after.get(id)) };
    });
  }

  expected(account_id: string, { lists, events, ids, from, to }: ActivityRequest): Entry[] {
    return (this.#history.get(account_id) ?? [])
      .filter(({ list, event, at }) => {
        const isNamed = events === undefined ? event !== 'changed' : events.includes(event);
        return isNamed && wanted(lists, list) && (from ?? '') <= at && at <= (to ?? '~');
      })
      .flatMap((entry): Entry[] => {
        const { at, event, list } = entry;
        if (event === 'replaced') {
          const count = this.#lists.get(`${account_id} ${list}`)?.size ?? 0;
          return [{ at, list, event, count, ids: [], items: [] }];
        }
        const some = entry.ids.filter((id) => wanted(ids, id));
        if (some.length === 0) return [];
        const shown = ids === undefined ? some.slice(0, SHOWN) : some;
        const items = this.#named(account_id, entry, shown);
        return [{ at, list, event, count: some.length, ids: shown, items }];
      });
  }

  /** Walks over all pages, calling `between` after each, and returns everything on them. */
  async walk(
    account_id: string,
    request: ActivityRequest,
    page_size: number,
    between: () => Promise<void> = async () => {},
  ): Promise<Activity & { readonly pages: number }> {
    const data: Entry[] = [];
    let url: string | undefined = `/api/v1/activity?${search(request, { page_size: String(page_size) })}`;
    for (let pages = 0; ; pages++) {
      const { status, body, links } = await this.service.ask(account_id, url);
      assert.equal(status, 200, `${url}: ${body}`);
      const answer = JSON.parse(body) as Activity;
      assert.ok(answer.data.length <= page_size);
      data.push(...answer.data);
      url = links.get('next');
      if (url === undefined) return { data, since: answer.since, pages: pages + 1 };
      await between();
    }
  }

  /** Compares activity with the model: all of it, and by random parameters. */
  async mustHold(): Promise<void> {
    for (const account_id of ACCOUNTS) await this.#mustHoldFor(account_id);
  }

  async #mustHoldFor(account_id: string): Promise<void> {
    const all = await this.walk(account_id, { events: EVENT_NAMES }, 1_000);
    assert.deepEqual(all.data, this.expected(account_id, { events: EVENT_NAMES }), account_id);
    const [[account]] = await this.service.operator.read({
      text: `select created_at from accounts where id = '${account_id}'`,
      values: [],
    });
    const forgotten = this.#forgotten.get(account_id);
    if (forgotten === undefined) assert.equal(all.since, account?.[0], account_id);
    else assert.ok(forgotten <= all.since && all.since <= (all.data[0]?.at ?? ''), account_id);
    const request = this.#randomRequest(all.data);
    const { data } = await this.walk(account_id, request, this.one([1, 2, 3, 10]));
    assert.deepEqual(data, this.expected(account_id, request), JSON.stringify(request));
  }

  #randomRequest(data: readonly Entry[]): ActivityRequest {
    const some = <T>(all: readonly T[]) => {
      const chosen = all.filter(() => this.random() < 0.4);
      return chosen.length === 0 || this.random() < 0.4 ? undefined : chosen;
    };
    const time = () => (this.random() < 0.5 ? undefined : this.one(data)?.at);
    const ids = this.random() < 0.3 ? [1, 2, 3, 4, 5].map((n) => n * 7) : undefined;
    const lists = ids === undefined ? some(LISTS) : [this.one(LISTS)];
    return { lists, events: some(EVENT_NAMES), ids, from: time(), to: time() };
  }
}

const IMPORTS_A_WORLD = 100;
/** All that happened since the first import is compared, so none is left out. */
const IMPORTS_A_COMPARISON = 10;

/** Runs random imports, and compares activity with the model; `TEST_SEED` repeats them. */
export async function compareImports(t: TestContext, kind: StoreKind, count: number): Promise<void> {
  const seed = testSeed();
  const imports = Math.ceil(count * kind.share);
  t.diagnostic(`${imports} imports from seed ${seed}`);
  for (let done = 0; done < imports; done += IMPORTS_A_WORLD) {
    const world = await ActivityWorld.open(kind, seed + done);
    try {
      for (let i = 1; i <= Math.min(IMPORTS_A_WORLD, imports - done); i++) {
        await world.import();
        if (i % IMPORTS_A_COMPARISON === 0) await world.mustHold();
      }
    } finally {
      await world.service.close();
    }
  }
}
