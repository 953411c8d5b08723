// Copies of a list that are brought up to date by its changes, as a careful customer keeps them: items and
// token change together, or not at all. It knows docs/generated/api.md and nothing of how Linecard works.

import assert from 'node:assert/strict';
import type { ServiceAnswer } from './service.ts';

export type Ask = (url: string, headers?: Record<string, string>) => Promise<ServiceAnswer>;

/** How a copy is begun. */
export type Beginning = 'changes' | 'export' | 'pages';

/** What a copy holds, and the token that belongs to it. */
interface Durable {
  readonly items: ReadonlyMap<number, string>;
  readonly since: string | undefined;
}

/** A page of changes. */
interface Changes {
  readonly data: readonly { readonly id: number; readonly item: unknown }[];
  readonly since: string;
  readonly more: boolean;
  readonly total: number;
}

const MOST_OF_A_PAGE = 1_000;
/** A copy that has read that many pages is never told the end. */
const MOST_PAGES = 1_000;
const NDJSON = { accept: 'application/x-ndjson' };
const NOTHING: Durable = { items: new Map(), since: undefined };

/** The items of a page of a list, as the texts that they came as. */
function textsOf(body: string): string[] {
  const data = JSON.parse(body).data as unknown[];
  return data.map((item) => JSON.stringify(item));
}

const idOf = (text: string) => (JSON.parse(text) as { id: number }).id;

function sinceOf(link: string | undefined): string | undefined {
  return new URLSearchParams(link?.split('?')[1]).get('since') ?? undefined;
}

export class ChangingCopy {
  readonly path: string;
  readonly filters: string;
  readonly #ask: Ask;
  /** Every state that it was in: one of them is found again after a crash. */
  readonly #states: Durable[] = [NOTHING];
  #now: Durable = NOTHING;
  /** Whether it is what the list was when it was last brought up to date. */
  isCurrent = false;

  constructor(path: string, filters: string, ask: Ask) {
    this.path = path;
    this.filters = filters;
    this.#ask = ask;
  }

  get since(): string | undefined {
    return this.#now.since;
  }

  /** Everything that the copy holds, as an export would write it. */
  get text(): string {
    const ids = [...this.#now.items.keys()].toSorted((a, b) => a - b);
    return ids.map((id) => `${this.#now.items.get(id)}\n`).join('');
  }

  /** Another copy in the same state, of a list that is asked for elsewhere. */
  clone(ask: Ask): ChangingCopy {
    const clone = new ChangingCopy(this.path, this.filters, ask);
    clone.#set(this.#now);
    return clone;
  }

  /** Asks until it is up to date, or the answer is that its changes are no longer known. */
  async bringUpToDate(page_size: number): Promise<'the list' | 'gone'> {
    for (let page = 0; page < MOST_PAGES; page++) {
      const { status, body } = await this.step(page_size);
      if (status === 410) return 'gone';
      assert.equal(status, 200, body);
      if (this.isCurrent) return 'the list';
    }
    return assert.fail('its changes have no end');
  }

  /** Goes back to a state that it was in. */
  crash(share: number): void {
    this.#now = this.#states[Math.floor(share * this.#states.length)] ?? NOTHING;
    this.isCurrent = false;
  }

  forget(): void {
    this.#set(NOTHING);
    this.isCurrent = false;
  }

  /** Takes the list by other means than its changes. */
  async begin(how: Beginning, page_size: number, between: () => Promise<void>): Promise<void> {
    if (how === 'changes') return this.forget();
    const items = new Map<number, string>();
    if (how === 'export') {
      const { body, links, status } = await this.#ask(this.#url('.ndjson', 'sort_by=monthly'));
      assert.equal(status, 200, body);
      for (const line of body.split('\n').filter(Boolean)) items.set(idOf(line), line);
      return this.#set({ items, since: sinceOf(links.get('monitor')) });
    }
    let next: string | undefined = this.#url('', `page_size=${page_size}`);
    let since: string | undefined;
    for (; next !== undefined; await between()) {
      const { body, links, status }: ServiceAnswer = await this.#ask(next);
      assert.equal(status, 200, body);
      for (const text of textsOf(body)) items.set(idOf(text), text);
      since = sinceOf(links.get('monitor'));
      next = links.get('next');
    }
    // Without a link the pages are of more than one history, and no copy.
    this.#set(since === undefined ? NOTHING : { items, since });
  }

  /** Asks for one page; returns the answer, which is applied if it is one. */
  async step(page_size: number, headers: Record<string, string> = {}): Promise<ServiceAnswer> {
    const answer = await this.#ask(
      this.#url('/changes', this.#sinceText(), `page_size=${page_size}`),
      headers,
    );
    if (answer.status !== 200) return answer;
    const { data, since, more, total, ...others } = JSON.parse(answer.body) as Changes;
    assert.deepEqual(others, {});
    assert.ok(data.length <= page_size);
    this.#apply(data, since, more ? undefined : total);
    return answer;
  }

  /** Takes the stream. */
  async stream(headers: Record<string, string> = {}): Promise<ServiceAnswer> {
    const answer = await this.#ask(this.#url('/changes', this.#sinceText()), { ...NDJSON, ...headers });
    if (answer.status !== 200) return answer;
    const lines = answer.body.split('\n');
    assert.equal(lines.pop(), '');
    const { since, total } = JSON.parse(lines.pop() ?? '') as Omit<Changes, 'data'>;
    const changes = lines.map((line) => JSON.parse(line) as Changes['data'][number]);
    this.#apply(changes, since, total);
    return answer;
  }

  /** What the copy holds is what the list is, byte for byte: as an export has it, or one page of all. */
  async mustBeTheList(as: 'export' | 'page'): Promise<void> {
    if (as === 'export') {
      const { status, body } = await this.#ask(this.#url('.ndjson'));
      assert.equal(status, 200, body);
      return assert.equal(this.text, body);
    }
    const { body } = await this.#ask(this.#url('', `page_size=${MOST_OF_A_PAGE}`));
    const items = this.text.split('\n').slice(0, -1);
    const start = `{"data":[${items.join(',')}],"page":1,`;
    assert.equal(body.slice(0, start.length), start, 'the copy is not what the page has');
    assert.equal(JSON.parse(body).total, items.length);
  }

  #sinceText(): string {
    return this.#now.since === undefined ? '' : `since=${this.#now.since}`;
  }

  #url(end: string, ...parameters: string[]): string {
    const all = [this.filters, ...parameters].filter((text) => text !== '');
    return `${this.path}${end}${all.length === 0 ? '' : `?${all.join('&')}`}`;
  }

  /** @param total how many items the list has, where these are the last changes. */
  #apply(changes: Changes['data'], since: string, total: number | undefined): void {
    const items = new Map(this.#now.items);
    for (const { id, item } of changes) {
      if (item === null) items.delete(id);
      else items.set(id, JSON.stringify(item));
    }
    this.#set({ items, since });
    this.isCurrent = total !== undefined;
    if (this.isCurrent) assert.equal(items.size, total, 'the total is not what the copy holds');
  }

  #set(state: Durable): void {
    this.#now = state;
    this.#states.push(state);
  }
}

/**
 * Brings a copy up to date: afterwards it is what an export of the list holds, byte for byte, or it is gone.
 */
export async function mustBeListOrGone(copy: ChangingCopy, page_size = 1_000): Promise<'the list' | 'gone'> {
  const end = await copy.bringUpToDate(page_size);
  if (end === 'the list') await copy.mustBeTheList('export');
  return end;
}
