// Changes of one account's virtual numbers, as a client meets them: from a naive server that remembers every
// state of the list, and from the real one. Each is a handler for a server of faulty.ts, so that what goes
// wrong on the way can be put before either.

import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { virtual_numbers } from '../../api/contract/contract.ts';
import { type Handler, JSON_HEADERS, problem, TOKEN } from './faulty.ts';
import type { ModelRow } from './model.ts';
import { load, openService, stores } from './service.ts';

const ACCOUNT = 'harbour-dental';
const MAX_PAGE_SIZE = 1_000;
const FIELDS: Readonly<Record<string, { readonly kind: string }>> = virtual_numbers.fields;

type Item = Readonly<Record<string, unknown>> & { readonly id: number };
type State = ReadonlyMap<number, Item>;

/** A list that changes, and the server that tells of it. */
export interface Feed {
  readonly answer: Handler;
  readonly token: string;
  /** From now on these are all the virtual numbers of the account. */
  set(rows: readonly ModelRow[]): Promise<void>;
  close(): Promise<void>;
}

export interface NaiveFeed extends Feed {
  /** What is told as the total is so many more than there are. */
  lie(by: number): void;
  /** Whose token it is told to be. */
  own(account_id: string): void;
  /** Forgets every state but the last. */
  prune(): void;
  /** How many requests wait. */
  waiting(): number;
}

function itemOf(row: ModelRow): Item {
  const values = Object.entries(FIELDS).map(([name, { kind }]) => {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    return [name, kind === 'charge' ? Number(value ?? 0) : (value ?? null)];
  });
  return Object.fromEntries(values) as Item;
}

/** Where a copy stands: as of a state, or on its way from one (or from nothing) to another. */
interface Place {
  readonly of: string;
  readonly from?: string | undefined;
  readonly to?: string;
  readonly after?: number;
}

const sealed = (place: Place) => Buffer.from(JSON.stringify(place)).toString('base64url');
const opened = (token: string) => JSON.parse(Buffer.from(token, 'base64url').toString()) as Place;

/** What differs between two states, by id. */
function difference(from: State, to: State): { id: number; item: Item | null }[] {
  const ids = [...new Set([...from.keys(), ...to.keys()])].toSorted((a, b) => a - b);
  return ids
    .filter((id) => JSON.stringify(from.get(id)) !== JSON.stringify(to.get(id)))
    .map((id) => ({ id, item: to.get(id) ?? null }));
}

function matches(query: URLSearchParams): (item: Item) => boolean {
  const codes = query.getAll('country_codes');
  return (item) => codes.length === 0 || codes.includes(String(item['country_code']));
}

const NAMES = ['country_codes', 'fields', 'since', 'page_size'];

function chosen(query: URLSearchParams, item: Item): object {
  const names = query.getAll('fields');
  const members = Object.entries(item);
  return Object.fromEntries(members.filter(([name]) => names.length === 0 || names.includes(name)));
}

/** Every state of the list, the last one last. */
class Naive implements NaiveFeed {
  readonly token = TOKEN;
  readonly #states = new Map<string, State>([['0', new Map()]]);
  #last = '0';
  #lie = 0;
  #account = ACCOUNT;
  readonly #waiting = new Set<() => void>();

  async set(rows: readonly ModelRow[]): Promise<void> {
    this.#last = randomUUID();
    this.#states.set(this.#last, new Map(rows.map((row) => [row.id, itemOf(row)])));
    for (const wake of [...this.#waiting]) wake();
  }

  lie(by: number): void {
    this.#lie = by;
  }

  own(account_id: string): void {
    this.#account = account_id;
  }

  prune(): void {
    for (const name of this.#states.keys()) if (name !== this.#last) this.#states.delete(name);
  }

  waiting(): number {
    return this.#waiting.size;
  }

  async close(): Promise<void> {
    for (const wake of [...this.#waiting]) wake();
  }

  readonly answer: Handler = (response, request, nth) => {
    const { pathname, searchParams: query } = new URL(String(request.url), 'http://localhost');
    if (pathname === '/api/v1/account') return this.#tellAccount(response);
    if (pathname === '/api/v1/did/me') return this.#tellExport(response, query);
    if (pathname === '/api/v1/did/me/changes') return this.#tellChanges(response, request, query, nth);
    return problem(404, 'not-found')(response, request, nth);
  };

  #stateFor(name: string | undefined, query: URLSearchParams): State | undefined {
    if (name === undefined) return new Map();
    const state = this.#states.get(name);
    return state && new Map([...state].filter(([, item]) => matches(query)(item)));
  }

  #tellAccount(response: ServerResponse): void {
    const token = { id: 't1', name: 'test', expires_at: null };
    const counts = { virtual_numbers: this.#states.get(this.#last)?.size, additional_services: 0 };
    const account = { id: this.#account, name: '', currency: null, ...counts, updated_at: null, token };
    response.writeHead(200, JSON_HEADERS).end(JSON.stringify(account));
  }

  #tellExport(response: ServerResponse, query: URLSearchParams): void {
    const items = [...(this.#stateFor(this.#last, query)?.values() ?? [])].toSorted((a, b) => a.id - b.id);
    const since = sealed({ of: this.#of(query), from: this.#last });
    response.writeHead(200, {
      'content-type': 'application/x-ndjson',
      'x-total-count': String(items.length),
      link: `</api/v1/did/me?page=1>; rel="first", </api/v1/did/me/changes?since=${since}>; rel="monitor"`,
    });
    response.end(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  }

  #of = (query: URLSearchParams) => `${this.#account} ${query.getAll('country_codes').join()}`;

  async #tellChanges(
    response: ServerResponse,
    request: IncomingMessage,
    query: URLSearchParams,
    nth: number,
  ): Promise<void> {
    const refuse = (status: number, code: string, detail: string) =>
      void problem(status, code, {}, detail)(response, request, nth);
    const unknown = [...query.keys()].find((name) => !NAMES.includes(name));
    if (unknown !== undefined) return refuse(400, 'invalid-parameter', unknown);
    const size = Number(query.get('page_size') ?? 10);
    if (!(size >= 1 && size <= MAX_PAGE_SIZE)) return refuse(400, 'invalid-parameter', 'page_size');
    const since = query.get('since');
    const of = this.#of(query);
    let place: Place = since === null ? { of } : since === 'now' ? { of, from: this.#last } : opened(since);
    if (place.of !== of) return refuse(400, 'invalid-cursor', 'Other filters, or another account.');
    if (place.to === undefined && place.from === this.#last) await this.#wait(request);
    place = { ...place, to: place.to ?? this.#last };
    const [from, to] = [this.#stateFor(place.from, query), this.#stateFor(place.to, query)];
    if (from === undefined || to === undefined)
      return refuse(410, 'changes-gone', 'The list was rebuilt at once since this token.');
    const left = difference(from, to).filter(({ id }) => id > (place.after ?? 0));
    const data = left.slice(0, size).map(({ id, item }) => ({ id, item: item && chosen(query, item) }));
    const isPart = left.length > size;
    const next = isPart ? { ...place, after: data.at(-1)?.id ?? 0 } : { of, from: place.to };
    const total = (this.#stateFor(this.#last, query)?.size ?? 0) + this.#lie;
    const answer = { data, since: sealed(next), more: isPart || place.to !== this.#last, total };
    response.writeHead(200, JSON_HEADERS).end(JSON.stringify(answer));
  }

  async #wait(request: IncomingMessage): Promise<void> {
    const [, seconds] = /wait=(\d+)/.exec(String(request.headers['prefer'] ?? '')) ?? [];
    if (seconds === undefined) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Number(seconds) * 1_000);
      this.#waiting.add(wake);
      request.socket.once('close', wake);
    });
  }
}

export const naiveFeed = (): NaiveFeed => new Naive();

/** Passes a request on to a server, and its answer back. */
function passTo(port: number): Handler {
  return (response, request) => {
    const { method, url, headers } = request;
    const onward = send({ host: '127.0.0.1', port, method, path: url, headers });
    onward.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  };
}

/** The real server on the embedded store. */
export async function realFeed(): Promise<Feed> {
  const [kind] = stores;
  if (kind === undefined) throw new Error('There is no store to test with.');
  const service = await openService(kind, { accounts: [ACCOUNT] });
  return {
    answer: passTo(await service.listen()),
    token: service.tokenOf(ACCOUNT).token,
    set: (rows) => load(service.operator, 'virtual_numbers', rows, [ACCOUNT]),
    close: () => service.close(),
  };
}
