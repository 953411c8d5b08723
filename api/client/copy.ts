// Copies of a list in a caller's own store, and what brings one up to date.
//
// Why these four functions: a copy is wrong as soon as its items and its token are not of the same answer.
// So nothing writes items without the token that belongs to them, a copy is emptied only by the step that
// begins it anew, each step names the token that it follows, so that a second program cannot slip in between,
// and what the copy holds is counted by itself before it is said to be the list.

import type { Change, ChangesPage } from '../contract/changes.ts';
import { Problem } from '../contract/problems.ts';
import { isGone } from './changes.ts';

/** Changes on more pages than this come in several updates: a store takes each in one transaction. */
const MOST_PAGES = 10;
/** A copy that is made anew so often, and still is not the list, never will be. */
const TRIES = 3;

/** A step of a copy: all of it becomes durable at once, or nothing. */
export interface CopyUpdate<Item> {
  /** Each `id` once: an item goes in place of what the copy has under it, `null` removes that. */
  readonly changes: readonly Change<Item>[];
  /** The token that the copy has from then on. */
  readonly since: string;
  /** The token that it must have until then; `undefined` for none. Refuse the step where it has another. */
  readonly before: string | undefined;
  /** Whether more follows at once. Where not, the copy is the list. */
  readonly more: boolean;
  /** How many items the copy holds once there are no more changes. */
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

/** What came of bringing a copy up to date. */
export interface Synced {
  /** The token that the copy has now. */
  readonly since: string;
  /** How many items it holds, which is how many the list has. */
  readonly total: number;
  /** How many items were put, or removed, or found gone. */
  readonly changes: number;
  /** Whether it was made from nothing: there was none, or what it lacked could no longer be reported. */
  readonly isAnew: boolean;
}

type Pages<Item> = (since: string | undefined) => AsyncIterable<ChangesPage<Item>>;

/** Pages put together: as few updates as may be, each `id` once, the last one with `more: false`. */
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
 * What a store has counted. Some drivers give a `bigint` or a text, which would never equal a total.
 * @throws {Problem} `invalid-option`
 */
function counted(held: unknown): number {
  if (typeof held === 'number') return held;
  throw new Problem(
    'invalid-option',
    `\`count\` of a copy must give a number, and gave a ${typeof held}: convert it with \`Number\`.`,
  );
}

/** One copy on its way to be the list. */
class Catching<Item> {
  readonly #copy: Copy<Item>;
  readonly #pages: Pages<Item>;
  #token: string | undefined;
  #isAnew = false;
  #changes = 0;

  constructor(copy: Copy<Item>, pages: Pages<Item>) {
    this.#copy = copy;
    this.#pages = pages;
  }

  async run(): Promise<Synced> {
    this.#token = (await this.#copy.load()) ?? undefined;
    let counts = '';
    for (let tries = 1; tries <= TRIES; tries++) {
      try {
        const total = await this.#catchUp(tries > 1 || this.#token === undefined);
        const held = counted(await this.#copy.count());
        const since = this.#token ?? '';
        if (held === total) return { since, total, changes: this.#changes, isAnew: this.#isAnew };
        counts = `it holds ${held} items and the list has ${total}`;
      } catch (error) {
        if (!isGone(error) || tries === TRIES) throw error;
      }
    }
    throw new Problem('copy-differs', `The copy is not the list, also after it was made anew: ${counts}.`);
  }

  /** @returns how many items the list has. */
  async #catchUp(fromNothing: boolean): Promise<number> {
    let replaces = fromNothing;
    let total = 0;
    for await (const update of updates(this.#pages(replaces ? undefined : this.#token))) {
      const step = { ...update, before: this.#token };
      if (replaces) await this.#copy.replace(step);
      else if (step.changes.length > 0 || step.since !== this.#token) await this.#copy.apply(step);
      this.#isAnew ||= replaces;
      replaces = false;
      this.#token = step.since;
      this.#changes += step.changes.length;
      total = step.total;
    }
    return total;
  }
}

/**
 * Brings a copy up to date.
 * @throws {Problem} `copy-differs`, and what `pages` throws
 */
export function catchUp<Item>(copy: Copy<Item>, pages: Pages<Item>): Promise<Synced> {
  return new Catching(copy, pages).run();
}
