// Fifty accounts in five trees, and requests at random of their tokens, of which half name another account in
// a header and half the ids of other accounts' items. Each row says whose it is: in its id, and in its
// provider or title.

import assert from 'node:assert/strict';
import { strFromU8, unzipSync } from 'fflate';
import { createToken } from '../../server/store/access/tokens.ts';
import { below, oneOf, type Random, randomOf } from './many.ts';
import { type ModelRow, modelLists } from './model.ts';
import { numberRow, REQUIRED_VALUES } from './rows.ts';
import type { Service } from './service.ts';

const TREES = 5;
/** A root, three accounts below it, and two below each of these. */
const TREE = 10;
const COUNT = TREES * TREE;
/** The last of each tree. */
export const isDisabled = (i: number) => i % TREE === TREE - 1;

export const idOf = (i: number) => `owner ${i} ä`;
const ALL = Array.from({ length: COUNT }, (_, i) => i);
export const OWNERS = ALL.map(idOf);
const UNKNOWN = COUNT;

export function parentOf(i: number): number | null {
  const place = i % TREE;
  if (place === 0) return null;
  return i - place + (place <= 3 ? 0 : Math.floor((place - 2) / 2));
}

function isBelow(i: number, above: number): boolean {
  const parent = parentOf(i);
  return parent !== null && (parent === above || isBelow(parent, above));
}

const ID_SPACE = 1_000_000;
const markOf = (i: number) => `of-owner-${i}-`;
const rowsOf = (i: number) => 5 + ((i * 7) % 40);
const itemId = (i: number, nth: number) => (i + 1) * ID_SPACE + nth;
const STATUSES = ['active', 'blocked', 'configuration_awaiting'];

const more = (i: number, nth: number) => ({
  comment: `${markOf(i)} ${nth}`,
  monthly: nth % 5,
  next_payment_at: `2026-12-${String(1 + (nth % 28)).padStart(2, '0')}T00:00:00.000000Z`,
});
const { did: _did, status: _status, created_at: _created, ...SERVICE } = REQUIRED_VALUES;

export const ownedRows: Readonly<Record<'virtual_numbers' | 'additional_services', readonly ModelRow[]>> = {
  virtual_numbers: ALL.flatMap((i) =>
    Array.from({ length: rowsOf(i) }, (_, nth) =>
      numberRow(idOf(i), itemId(i, nth), {
        ...more(i, nth),
        provider: markOf(i),
        status: STATUSES[nth % STATUSES.length] ?? '',
        is_spammed: nth % 4 === 0,
      }),
    ),
  ),
  additional_services: ALL.flatMap((i) =>
    Array.from({ length: rowsOf(i) }, (_, nth) => ({
      ...SERVICE,
      ...more(i, nth),
      account_id: idOf(i),
      id: itemId(i, nth),
      title: `${markOf(i)} service`,
    })),
  ),
};

/** Each kind of answer: the end of its path, and what its query may have. */
const KINDS = {
  page: { end: '', takes: ['filter', 'sort', 'size', 'fields'] },
  item: { end: '/', takes: ['fields'] },
  csv: { end: '.csv', takes: ['filter', 'sort'] },
  ndjson: { end: '.ndjson', takes: ['filter', 'sort', 'fields'] },
  xlsx: { end: '.xlsx', takes: ['filter'] },
  facets: { end: '/facets', takes: ['filter'] },
  changes: { end: '/changes', takes: ['filter', 'fields'] },
  account: { end: '/api/v1/account', takes: [] },
  accounts: { end: '/api/v1/accounts', takes: [] },
  activity: { end: '/api/v1/activity', takes: [] },
} as const satisfies Record<string, { end: string; takes: readonly (keyof typeof PARTS)[] }>;
const PARTS = {
  filter: ['', '', 'subscription_statuses=active', 'q=owner', 'q=7', 'next_payment_from=2026-12-05'],
  sort: ['', 'sort_by=comment', 'sort_by=next_payment_at&sort_order=desc'],
  size: ['', 'page_size=3', 'page_size=1000', 'page=2&page_size=3'],
  fields: ['', '', 'fields=id'],
} as const;
const REACHES = ['account', 'tree', 'tree without charges'] as const;
const ID = /"ids?":\[?([\d,]+)/g;
const FIRST_CELL = /^(\d+),/gm;
const MARK = /of-owner-(\d+)-/g;

/** The texts of a spreadsheet, which is a ZIP archive. */
export const textOfSheet = (bytes: Uint8Array) =>
  Object.values(unzipSync(bytes))
    .map((one) => strFromU8(one))
    .join('');

interface Sent {
  readonly caller: number;
  readonly reach: (typeof REACHES)[number];
  /** The account of the header; absent for none. */
  readonly named: number | undefined;
  readonly kind: keyof typeof KINDS;
  readonly method: 'GET' | 'QUERY';
  readonly path: string;
  readonly body: string | undefined;
  /** The item that is asked for, or all ids of the filter. */
  readonly ids: readonly number[];
}

/** Of one account. */
type Tokens = Readonly<Record<Sent['reach'], string>>;

export class IsolatedAccounts {
  readonly counts = { requests: 0, answered: 0, forbidden: 0, 'not there': 0, rows: 0, 'not modified': 0 };
  readonly #base: string;
  readonly #random: Random;
  readonly #tokens: readonly Tokens[];
  /** An entity tag of each account that was read. */
  readonly #tags = new Map<number, string>();

  private constructor(port: number, seed: number, tokens: readonly Tokens[]) {
    this.#base = `http://127.0.0.1:${port}`;
    this.#random = randomOf(seed);
    this.#tokens = tokens;
  }

  static async of(service: Service, seed: number): Promise<IsolatedAccounts> {
    const tokens: Tokens[] = [];
    for (const id of OWNERS) {
      const make = async (limits: object) =>
        (await createToken(service.operator, id, '', undefined, limits))?.token ?? assert.fail(id);
      tokens.push({
        account: await make({}),
        tree: await make({ reach: 'tree' }),
        'tree without charges': await make({ reach: 'tree', charges: false }),
      });
    }
    return new IsolatedAccounts(await service.listen(), seed, tokens);
  }

  #among<T>(all: readonly T[]): T {
    return oneOf(this.#random, all);
  }

  #isTrue(share = 0.5): boolean {
    return this.#random() < share;
  }

  /** Of the same tree more often than not, or most would be refused. */
  #other(caller: number): number {
    if (this.#isTrue(0.2)) return this.#among([...ALL, UNKNOWN]);
    return caller - (caller % TREE) + below(this.#random, TREE);
  }

  #idsFor(own: number): number[] {
    const isForeign = this.#isTrue();
    const count = 1 + below(this.#random, 4);
    return Array.from({ length: count }, () => {
      const owner = isForeign ? this.#among(ALL) : own;
      return itemId(owner, below(this.#random, rowsOf(owner)));
    });
  }

  #draw(): Sent {
    const caller = this.#among(ALL.filter((i) => !isDisabled(i)));
    const named = this.#isTrue() ? this.#other(caller) : undefined;
    const kind = this.#among(Object.keys(KINDS) as Sent['kind'][]);
    const { end, takes } = KINDS[kind];
    const list = this.#among(modelLists);
    const pairs = takes.map((part) => this.#among<string>(PARTS[part])).filter((part) => part !== '');
    const isFiltered = (takes as readonly string[]).includes('filter') && this.#isTrue();
    const ids = kind === 'item' || isFiltered ? this.#idsFor(named ?? caller) : [];
    const sent = { caller, reach: this.#among(REACHES), named, kind, ids };
    const of = end.startsWith('/api') ? end : list.path + end + (kind === 'item' ? String(ids[0]) : '');
    if (isFiltered && this.#isTrue(0.3)) {
      const sorts = pairs.filter((one) => one.startsWith('sort')).join('&');
      const sorted = Object.fromEntries(new URLSearchParams(sorts));
      return { ...sent, method: 'QUERY', path: of, body: JSON.stringify({ ids, ...sorted }) };
    }
    const query = [...pairs, ...(isFiltered ? [`ids=${ids.join(',')}`] : [])].join('&');
    return { ...sent, method: 'GET', path: query === '' ? of : `${of}?${query}`, body: undefined };
  }

  /** Sends requests, up to a number at a time over kept connections, and looks at every answer. */
  async run(requests: number, lanes: number): Promise<void> {
    let left = requests;
    const lane = async () => {
      try {
        while (left-- > 0) await this.#mustBeIsolated(this.#draw());
      } finally {
        left = 0;
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  async #mustBeIsolated(sent: Sent): Promise<void> {
    const { caller, reach, named, kind, method, path, body, ids } = sent;
    const target = named ?? caller;
    const tagOf = this.#isTrue(0.2) ? (this.#isTrue() ? target : this.#among(ALL)) : UNKNOWN;
    const tag = this.#tags.get(tagOf);
    const answer = await fetch(this.#base + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#tokens[caller]?.[reach]}`,
        ...(named !== undefined && { 'linecard-account': encodeURIComponent(idOf(named)) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(tag !== undefined && { 'if-none-match': tag }),
      },
      ...(body !== undefined && { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    // More files at once than an account may take.
    if (answer.status === 429) return this.#mustBeIsolated(sent);
    this.counts.requests += 1;
    const what = `${JSON.stringify({ ...sent, tagOf })}: ${answer.status} ${bytes.subarray(0, 2_000)}`;
    const mayRead =
      target === caller ||
      (target !== UNKNOWN && reach !== 'account' && isBelow(target, caller) && !isDisabled(target));
    const isListed = kind !== 'accounts' || reach !== 'account';
    if (!mayRead || !isListed) {
      assert.equal(answer.status, 403, what);
      assert.doesNotMatch(String(bytes), MARK, what);
      this.counts.forbidden += 1;
      return;
    }
    if (answer.status === 304) {
      assert.equal(tagOf, target, what);
      this.counts['not modified'] += 1;
      return;
    }
    if (named !== undefined)
      assert.equal(answer.headers.get('linecard-account'), encodeURIComponent(idOf(named)), what);
    const isThere = kind !== 'item' || Math.floor((ids[0] ?? 0) / ID_SPACE) - 1 === target;
    assert.equal(answer.status, isThere ? 200 : 404, what);
    const etag = answer.headers.get('etag');
    if (etag !== null) this.#tags.set(target, etag);
    this.counts[isThere ? 'answered' : 'not there'] += 1;
    if (isThere) this.#mustBeOf(sent, target, kind === 'xlsx' ? textOfSheet(bytes) : String(bytes), what);
  }

  #mustBeOf({ kind, path, ids }: Sent, target: number, text: string, what: string): void {
    const idTexts = [...text.matchAll(ID), ...(kind === 'csv' ? text.matchAll(FIRST_CELL) : [])];
    const found = idTexts.flatMap(([, some = '']) => some.match(/\d+/g)?.map(Number) ?? []);
    for (const id of found) assert.equal(Math.floor(id / ID_SPACE) - 1, target, what);
    for (const [, owner] of text.matchAll(MARK)) assert.equal(Number(owner), target, what);
    this.counts.rows += found.length;
    // What is not narrowed down is complete.
    if (kind === 'page' && ids.length === 0 && !/[?&](?:q|subscription|next)/.test(path))
      assert.equal(JSON.parse(text).total, rowsOf(target), what);
    if (kind === 'account') assert.equal(JSON.parse(text).id, idOf(target), what);
    if (kind !== 'accounts') return;
    const below = ALL.filter((i) => parentOf(i) === target && !isDisabled(i)).map(idOf);
    assert.deepEqual(
      JSON.parse(text).data.map(({ id }: { id: string }) => id),
      below.toSorted(),
      what,
    );
  }
}
