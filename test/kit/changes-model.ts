// Changes as a model, over arrays: a list with its log and history, servers that answer from it, and copies
// that are brought up to date. It is what server/lists/changes.ts and the log of an import must do, without
// databases; and the ways to get it wrong, each of which a random history must find.

/** Ways to get it wrong. */
export const MUTATIONS = [
  // An item that changes and does not match any more is left out.
  'filter drops what left',
  // What is pruned is not remembered.
  'pruned without a horizon',
  // Everything up to the place in a sequence counts as read, the rest of the sequence with it.
  'place for base',
  // The token remembers the revision of its place, not the newest that was read at.
  'revision of the place',
  // It remembers none.
  'no revision',
  // A walk over the list counts as read at its end, not at its beginning.
  'base at the end of the walk',
  // A list that is filled when it was empty is not walked.
  'filled is not told',
  // The items of an answer are durable, and its token is not.
  'token lost',
] as const;

export type Mutation = (typeof MUTATIONS)[number];

export type Random = () => number;

/** A generator of numbers from 0 to 1 that a seed begins: mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Item {
  readonly value: number;
  readonly matches: boolean;
}

interface State {
  items: Map<number, Item>;
  sequence: number;
  revision: number;
  /** The revisions that have ended, by sequence. */
  history: Map<number, number>;
  log: { sequence: number; id: number }[];
  pruned: number;
  filled: number;
}

interface Token {
  readonly base: number;
  /** Behind which entry, or behind which id of a walk. */
  readonly place?: { readonly sequence: number; readonly id: number } | number;
  readonly seen: number;
  readonly revision: number;
}

interface Page {
  readonly data: readonly (readonly [id: number, value: number | undefined])[];
  readonly token: Token;
  readonly more: boolean;
}

/** A list and what is known of its past. */
export class ModelHistory {
  readonly #random: Random;
  readonly #mutation: Mutation | undefined;
  #revisions = 0;
  #state: State;

  constructor(random: Random, mutation?: Mutation) {
    this.#random = random;
    this.#mutation = mutation;
    this.#state = {
      items: new Map(),
      sequence: 0,
      revision: 0,
      history: new Map(),
      log: [],
      pruned: 0,
      filled: 0,
    };
  }

  /** What matches, by id. */
  get list(): [number, number][] {
    const matching = [...this.#state.items].filter(([, { matches }]) => matches);
    return matching.map(([id, { value }]): [number, number] => [id, value]).toSorted(([a], [b]) => a - b);
  }

  change(ids: number): void {
    const state = this.#state;
    const wasEmpty = state.items.size === 0;
    const sequence = state.sequence + 1;
    const share = this.#random() < 0.2 ? 1 : 0.4;
    for (let id = 1; id <= ids; id++) {
      if (this.#random() > share) continue;
      const isGone = this.#random() < (share === 1 ? 0.9 : 0.3);
      if (isGone && !state.items.delete(id)) continue;
      if (!isGone) state.items.set(id, { value: this.#random(), matches: this.#random() < 0.7 });
      if (!wasEmpty) state.log.push({ sequence, id });
    }
    state.history.set(state.sequence, state.revision);
    state.sequence = sequence;
    // Random, so that no two states ever share one.
    this.#revisions += 1;
    state.revision = this.#revisions;
    if (wasEmpty && state.items.size > 0) state.filled = sequence;
  }

  /** Forgets the oldest, but never the newest. */
  prune(): void {
    const state = this.#state;
    const upTo = Math.max(state.pruned, Math.floor(this.#random() * state.sequence));
    state.log = state.log.filter(({ sequence }) => sequence > upTo);
    if (this.#mutation === 'pruned without a horizon') return;
    state.pruned = upTo;
    state.history = new Map([...state.history].filter(([sequence]) => sequence >= upTo));
  }

  backup(): State {
    return structuredClone(this.#state);
  }

  restore(backup: State): void {
    this.#state = structuredClone(backup);
  }

  /** A page of changes; `undefined` where what a copy lacks cannot be told. */
  page(token: Token | undefined, size: number): Page | undefined {
    if (token !== undefined && !this.#isKnown(token)) return undefined;
    if (token === undefined || typeof token.place === 'number') return this.#walk(token, size);
    return this.#entries(token, size);
  }

  #isKnown({ base, seen, revision }: Token): boolean {
    const { sequence, history, pruned, revision: now } = this.#state;
    const known = seen === sequence ? now : history.get(seen);
    return base >= pruned && (this.#mutation === 'no revision' || known === revision);
  }

  #at(base: number, place?: Token['place']): Token {
    const { sequence, revision, history } = this.#state;
    const at = { base, ...(place === undefined ? {} : { place }), seen: sequence, revision };
    const known = history.get(base);
    return this.#mutation === 'revision of the place' && known !== undefined
      ? { ...at, seen: base, revision: known }
      : at;
  }

  #walk(token: Token | undefined, size: number): Page {
    const { sequence, log, filled } = this.#state;
    const base = token?.base ?? sequence;
    const rows = this.list.filter(([id]) => id > Number(token?.place ?? 0));
    const data = rows.slice(0, size);
    if (rows.length > size) return { data, token: this.#at(base, data.at(-1)?.[0]), more: true };
    const isRead = this.#mutation === 'base at the end of the walk';
    const more = !isRead && (log.some((entry) => entry.sequence > base) || filled > base);
    return { data, token: this.#at(more ? base : sequence), more };
  }

  #entries(token: Token, size: number): Page {
    const { items, sequence, log, filled } = this.#state;
    const place = (token.place ?? { sequence: token.base, id: Number.POSITIVE_INFINITY }) as {
      sequence: number;
      id: number;
    };
    const rest = log.filter(
      (one) => one.sequence > place.sequence || (one.sequence === place.sequence && one.id > place.id),
    );
    const data = rest.slice(0, size).flatMap(({ id }) => {
      const item = items.get(id);
      if (this.#mutation === 'filter drops what left' && item?.matches === false) return [];
      return [[id, item?.matches === true ? item.value : undefined] as const];
    });
    const isFilled = token.base < filled && this.#mutation !== 'filled is not told';
    const last = rest.length > size ? rest[size - 1] : undefined;
    if (last === undefined)
      return { data, token: this.#at(sequence, isFilled ? 0 : undefined), more: isFilled };
    if (this.#mutation === 'place for base') return { data, token: this.#at(last.sequence), more: true };
    return { data, token: this.#at(isFilled ? token.base : last.sequence - 1, last), more: true };
  }
}

/** A copy: what it holds and its token are durable together. */
export class ModelCopy {
  items = new Map<number, number>();
  token: Token | undefined;
  isCurrent = false;

  /** Applies the next page, or forgets everything where there is none. */
  read(history: ModelHistory, size: number, isTokenLost: boolean): void {
    const page = history.page(this.token, size);
    this.isCurrent = page?.more === false && !isTokenLost;
    if (page === undefined) {
      this.items = new Map();
      this.token = undefined;
      return;
    }
    for (const [id, value] of page.data) {
      if (value === undefined) this.items.delete(id);
      else this.items.set(id, value);
    }
    if (!isTokenLost) this.token = page.token;
  }
}
