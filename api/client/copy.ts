// Copies of a list in a caller's own store, and how one is brought up to date.
//
// Why these four functions: a copy is wrong as soon as its items and its token are from different answers. So
// nothing writes items without their token, and only the step that rebuilds a copy empties it. Each step
// names the token that it follows, so that a second program cannot write in between, and the copy counts its
// items before it is called up to date.

import type { Change, ChangesPage } from '../contract/changes.ts';
import { Problem } from '../contract/problems.ts';
import { isTokenGone } from './changes.ts';

/** Changes on more pages than this come in several updates, each of which is one transaction. */
const MOST_PAGES = 10;
/** A copy that still differs after this number of rebuilds always will. */
const TRIES = 3;

/** A step of a copy: all of it becomes durable, or none of it. */
export interface CopyUpdate<Item> {
  /** Each `id` once: an item replaces what the copy has under that id, `null` removes it. */
  readonly changes: readonly Change<Item>[];
  /** The token that the copy has from then on. */
  readonly since: string;
  /** The token that it must have before; `undefined` for none. Refuse the step where it has another. */
  readonly before: string | undefined;
  /** Whether another update follows immediately. Where not, the copy equals the list. */
  readonly more: boolean;
  /** How many items the copy holds when `more` is false. */
  readonly total: number;
}

type Maybe<T> = T | Promise<T>;

/** Where a copy is stored: four functions, each of which throws what goes wrong. */
export interface Copy<Item> {
  /** The token of the copy; `undefined` or `null` where there is no copy yet. */
  load(): Maybe<string | null | undefined>;
  /** Empties the copy and then does as `apply`, all in one transaction. */
  replace(update: CopyUpdate<Item>): Maybe<unknown>;
  /** Applies the changes and stores the token, in one transaction. */
  apply(update: CopyUpdate<Item>): Maybe<unknown>;
  /** How many items the copy holds. */
  count(): Maybe<number>;
}

/** The outcome of bringing a copy up to date. */
export interface Synced {
  /** The token that the copy has now. */
  readonly since: string;
  /** How many items it holds, which is how many the list has. */
  readonly total: number;
  /** How many items were added, replaced or removed. */
  readonly changes: number;
  /** Whether it was built from nothing: there was none, or what it lacked could no longer be reported. */
  readonly isRebuilt: boolean;
}

type Pages<Item> = (since: string | undefined) => AsyncIterable<ChangesPage<Item>>;

/** Pages combined into as few updates as possible: each `id` once, the last one with `more: false`. */
async function* updates<Item>(
  pages: AsyncIterable<ChangesPage<Item>>,
): AsyncGenerator<Omit<CopyUpdate<Item>, 'before'>, void, void> {
  let changes = new Map<number, Change<Item>>();
  let count = 0;
  for await (const { data, since, more, total } of pages) {
    for (const change of data) changes.set(change.id, change);
    count += 1;
    if (more && count % MOST_PAGES > 0) continue;
    yield { changes: [...changes.values()], since, more, total };
    if (!more) return;
    changes = new Map();
  }
}

/**
 * What a store has counted. Some drivers return a `bigint` or a text, which would never equal a total.
 * @throws {Problem} `invalid-option`
 */
function counted(held: unknown): number {
  if (typeof held === 'number') return held;
  throw new Problem(
    'invalid-option',
    `\`count\` of a copy must return a number, but returned a ${typeof held}: convert it with \`Number\`.`,
  );
}

/**
 * Brings a copy up to date.
 * @throws {Problem} `copy-differs`, and what `pages` throws
 */
export async function catchUp<Item>(copy: Copy<Item>, pages: Pages<Item>): Promise<Synced> {
  let token = (await copy.load()) ?? undefined;
  let isRebuilt = false;
  let changes = 0;
  /** @returns how many items the list has */
  const update = async (rebuilds: boolean): Promise<number> => {
    let replaces = rebuilds;
    let total = 0;
    for await (const step of updates(pages(replaces ? undefined : token))) {
      const next = { ...step, before: token };
      if (replaces) await copy.replace(next);
      else if (step.changes.length > 0 || step.since !== token) await copy.apply(next);
      isRebuilt ||= replaces;
      replaces = false;
      token = step.since;
      changes += step.changes.length;
      ({ total } = step);
    }
    return total;
  };
  let counts = '';
  for (let tries = 1; tries <= TRIES; tries++) {
    try {
      const total = await update(tries > 1 || token === undefined);
      const held = counted(await copy.count());
      if (held === total) return { since: token ?? '', total, changes, isRebuilt };
      counts = `it holds ${held} items and the list has ${total}`;
    } catch (error) {
      if (!isTokenGone(error) || tries === TRIES) throw error;
    }
  }
  throw new Problem('copy-differs', `The copy differs from the list, even after it was rebuilt: ${counts}.`);
}
