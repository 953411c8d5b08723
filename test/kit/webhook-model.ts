// A model of deliveries: an account, the log of its changes, two endpoints and a receiver that ignores each
// `webhook-id` it knows. It knows docs/decisions/033-webhooks-without-a-queue.md and nothing of how Linecard
// works. Each rule can be left out, to show that copies are wrong without it.

import { type Random, randomOf } from './many.ts';

/** What a deliverer holds to, and what becomes of copies otherwise is in histories.long.test.ts. */
export const RULES = {
  fixedRange: 'the end of a range is fixed before the first attempt',
  pagesOfLog: 'which ids are on a page follows from the log alone',
  movesAtEnd: 'the position moves after the last answer of a range',
  replaced: 'a list whose log does not reach back is sent as replaced',
  endpointInId: 'the id of a delivery covers its endpoint',
  rangeInId: 'the id of a delivery covers its range',
  revisionInId: 'the id of a delivery covers the revision at the end of its range',
  eventInId: 'the id of a delivery covers its event',
  pageInId: 'the id of a delivery covers its page',
} as const;

export type Rule = keyof typeof RULES;

const LISTS = ['numbers', 'services'] as const;
const EVENTS = ['added', 'removed', 'changed'] as const;
const ENDPOINTS = ['crm', 'dialler'] as const;
const IDS = 8;
const IDS_A_PAGE = 2;
const ACTIONS = 60;

type ListName = (typeof LISTS)[number];
type Items = Map<number, number>;

interface Log {
  readonly items: Items;
  entries: { sequence: number; id: number; event: (typeof EVENTS)[number] }[];
  /** The sequence up to which entries are missing: the list was filled, rebuilt or its log pruned. */
  missing: number;
}

interface Endpoint {
  from: number;
  fromRevision: number;
  to: number | undefined;
  toRevision: number;
  /** How many deliveries of the range are answered. */
  step: number;
  page: number;
}

interface Account {
  sequence: number;
  /** By sequence. */
  revisions: number[];
  lists: Record<ListName, Log>;
  endpoints: Record<(typeof ENDPOINTS)[number], Endpoint>;
}

interface Delivery {
  readonly list: ListName;
  readonly step: number;
  readonly page: number;
  /** Absent for `replaced`. */
  readonly ids: readonly number[] | undefined;
}

const newEndpoint = (): Endpoint => ({
  from: 0,
  fromRevision: 0,
  to: undefined,
  toRevision: 0,
  step: 0,
  page: 0,
});

/** One history, and how many items of its copies were wrong at its end. */
class History {
  readonly #random: Random;
  readonly #has: (rule: Rule) => boolean;
  #revision = 0;
  #version = 0;
  #account: Account = {
    sequence: 0,
    revisions: [0],
    lists: {
      numbers: { items: new Map(), entries: [], missing: 0 },
      services: { items: new Map(), entries: [], missing: 0 },
    },
    endpoints: { crm: newEndpoint(), dialler: newEndpoint() },
  };
  /** A gateway in front of both receivers has seen these ids. */
  readonly #known = new Set<string>();
  readonly #copies = new Map<string, Items>();

  constructor(seed: number, leftOut: Rule | undefined) {
    this.#random = randomOf(seed);
    this.#has = (rule) => rule !== leftOut;
  }

  run(): number {
    let backup = structuredClone(this.#account);
    for (let i = 0; i < ACTIONS; i++) {
      const action = this.#random();
      if (action < 0.3) this.#import();
      else if (action < 0.93) this.#attempt(this.#one(ENDPOINTS), this.#random());
      else if (action < 0.96) this.#prune();
      else if (action < 0.98) backup = structuredClone(this.#account);
      else this.#restore(structuredClone(backup));
    }
    for (const name of ENDPOINTS) while (this.#attempt(name, 0));
    return ENDPOINTS.reduce((wrong, name) => wrong + this.#wrongItems(name), 0);
  }

  #one<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)] as T;
  }

  #import(): void {
    const account = this.#account;
    const log = account.lists[this.#one(LISTS)];
    const wasEmpty = log.items.size === 0;
    const sequence = ++account.sequence;
    account.revisions[sequence] = ++this.#revision;
    for (let id = 1; id <= IDS; id++) {
      if (this.#random() < 0.5) continue;
      const isRemoved = log.items.has(id) && this.#random() < 0.3;
      const event = isRemoved ? 'removed' : log.items.has(id) ? 'changed' : 'added';
      if (isRemoved) log.items.delete(id);
      else log.items.set(id, ++this.#version);
      log.entries.push({ sequence, id, event });
    }
    if (wasEmpty || this.#random() < 0.05) {
      log.entries = [];
      log.missing = sequence;
    }
  }

  #prune(): void {
    const log = this.#account.lists[this.#one(LISTS)];
    log.missing = Math.max(log.missing, Math.floor(this.#random() * this.#account.sequence));
    log.entries = log.entries.filter(({ sequence }) => sequence > log.missing);
  }

  /**
   * The lists, their logs and the endpoints are as they were; an operator resets the endpoints, which gives
   * the start of their next range a revision of its own.
   */
  #restore(backup: Account): void {
    this.#account = backup;
    for (const name of ENDPOINTS) {
      const { from } = backup.endpoints[name];
      backup.endpoints[name] = { ...newEndpoint(), from, fromRevision: -++this.#revision };
    }
  }

  /** The deliveries of a range in their order, from the answered ones on. */
  #next({ from, to = 0, fromRevision, step, page }: Endpoint): Delivery | undefined {
    const { lists, revisions } = this.#account;
    const isRestored = revisions[from] !== fromRevision;
    if (from === to && !isRestored) return undefined;
    const steps = LISTS.flatMap((list, l): Delivery[] => {
      const { entries, missing, items } = lists[list];
      const first = l * (EVENTS.length + 1);
      if (this.#has('replaced') && (isRestored || missing > from))
        return [{ list, step: first, page: 0, ids: undefined }];
      return EVENTS.flatMap((event, e) => {
        const some = entries.filter(
          (one) => one.event === event && from < one.sequence && one.sequence <= to,
        );
        const all = [...new Set(some.map(({ id }) => id))].toSorted((a, b) => a - b);
        const ids = this.#has('pagesOfLog')
          ? all
          : all.filter((id) => items.has(id) === (event !== 'removed'));
        return Array.from({ length: Math.ceil(ids.length / IDS_A_PAGE) }, (_, p) => ({
          list,
          step: first + 1 + e,
          page: p,
          ids: ids.slice(p * IDS_A_PAGE, (p + 1) * IDS_A_PAGE),
        }));
      });
    });
    // A list that is replaced in the middle of its events is sent as replaced after all.
    const isLeft = (one: Delivery) =>
      one.step > step ||
      (one.step === step && one.page >= page) ||
      (one.ids === undefined && one.step > step - (EVENTS.length + 1) && !this.#isReplacedAnswered(step));
    return steps.find(isLeft);
  }

  /** After `replaced` the position is the first step of the next list. */
  #isReplacedAnswered(step: number): boolean {
    return step % (EVENTS.length + 1) === 0;
  }

  /** One attempt, whose request or answer may be lost; false where there is nothing to send. */
  #attempt(name: (typeof ENDPOINTS)[number], luck: number): boolean {
    const { sequence, revisions, lists, endpoints } = this.#account;
    const endpoint = endpoints[name];
    if (endpoint.to === undefined || !this.#has('fixedRange')) {
      endpoint.to = sequence;
      endpoint.toRevision = revisions[sequence] as number;
    }
    const delivery = this.#next(endpoint);
    const { to, toRevision } = endpoint;
    const end = { ...newEndpoint(), from: to, fromRevision: toRevision };
    if (delivery === undefined) {
      endpoints[name] = end;
      return to < sequence;
    }
    const { list, step, page, ids } = delivery;
    const parts = {
      endpoint: this.#has('endpointInId') && name,
      range: this.#has('rangeInId') && [endpoint.from, endpoint.fromRevision, to],
      revision: this.#has('revisionInId') && toRevision,
      event: this.#has('eventInId') && step,
      page: this.#has('pageInId') && page,
    };
    if (luck < 0.8) this.#receive(JSON.stringify(parts), name, list, ids, lists[list].items);
    if (luck > 0.5) return true;
    if (!this.#has('movesAtEnd')) endpoints[name] = end;
    else if (ids === undefined) Object.assign(endpoint, { step: step + EVENTS.length + 1, page: 0 });
    else Object.assign(endpoint, { step, page: page + 1 });
    return true;
  }

  #receive(id: string, name: string, list: ListName, ids: readonly number[] | undefined, items: Items): void {
    if (this.#known.has(id)) return;
    this.#known.add(id);
    const key = `${name} ${list}`;
    if (ids === undefined) this.#copies.set(key, new Map(items));
    for (const one of ids ?? []) {
      const copy = this.#copies.get(key) ?? new Map<number, number>();
      const item = items.get(one);
      if (item === undefined) copy.delete(one);
      else copy.set(one, item);
      this.#copies.set(key, copy);
    }
  }

  #wrongItems(name: string): number {
    return LISTS.reduce((wrong, list) => {
      const copy = this.#copies.get(`${name} ${list}`) ?? new Map<number, number>();
      const { items } = this.#account.lists[list];
      const ids = new Set([...copy.keys(), ...items.keys()]);
      return wrong + [...ids].filter((id) => copy.get(id) !== items.get(id)).length;
    }, 0);
  }
}

/** How many of that many histories end with a wrong copy. */
export function wrongHistories(count: number, seed: number, leftOut?: Rule): number {
  return Array.from({ length: count }, (_, i) => new History(seed + i, leftOut).run()).filter((n) => n > 0)
    .length;
}
