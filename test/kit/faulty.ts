// A server that misbehaves in whatever way a test wants, and what a client must make of it.

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mock } from 'node:test';
import { inspect } from 'node:util';
import { Client, type ClientOptions, Problem } from '@linecard/client';
import { listen } from './free-port.ts';
import { ndjson } from './rows.ts';

export const TOKEN = 'lc_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ';
const PATIENT_MS = 10_000;
export const IMPATIENT_MS = 200;

export type Handler = (response: ServerResponse, request: IncomingMessage, nth: number) => unknown;

const item = (id: number) => ({ id, did: `+44${id}`, monthly: 1 });
export const items = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => item(from + i));

export function envelope(page: number, total: number, page_size = 2, data?: unknown[]): string {
  const first = (page - 1) * page_size + 1;
  return JSON.stringify({
    data: data ?? items(first, Math.min(total, page * page_size)),
    page,
    page_size,
    total,
    total_pages: Math.ceil(total / page_size),
  });
}

export const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };
export const next = (cursor: number | string) => `</api/v1/did/me?cursor=${cursor}&page_size=2>; rel="next"`;

/** A list of five in pages of two, as Linecard would give it. */
export const good: Handler = (response, request) => {
  const query = new URL(String(request.url), 'http://localhost').searchParams;
  const page = Number(query.get('cursor') ?? query.get('page') ?? 1);
  const link = ['</api/v1/did/me?page=1>; rel="first"', ...(page < 3 ? [next(page + 1)] : [])].join(', ');
  response.writeHead(200, { ...JSON_HEADERS, etag: '"1"', link }).end(envelope(page, 5));
};

export const status =
  (code: number, headers: Record<string, string> = {}, body = 'no'): Handler =>
  (response) =>
    response.writeHead(code, headers).end(body);

export const drop: Handler = (response) => response.destroy();
export const hang: Handler = () => {};

export const halfBody: Handler = (response) => {
  const text = envelope(1, 5);
  response.writeHead(200, { ...JSON_HEADERS, 'content-length': String(text.length) });
  response.write(text.slice(0, 40), () => response.destroy());
};

export const cutChunks: Handler = (response) => {
  response.writeHead(200, JSON_HEADERS);
  response.write(envelope(1, 5).slice(0, 40), () => response.destroy());
};

export const cutJson: Handler = (response) =>
  response.writeHead(200, JSON_HEADERS).end(envelope(1, 5).slice(0, 40));

export const stall: Handler = (response) => {
  response.writeHead(200, JSON_HEADERS);
  response.write('{"data":[');
};

function problemBody(code: string, detail: string): string {
  return JSON.stringify({
    type: `urn:linecard:problem:${code}`,
    title: code,
    status: 0,
    detail,
    request_id: 'r-1',
  });
}

export const problem = (
  code: number,
  name: string,
  headers: Record<string, string> = {},
  detail = 'Said by the server.',
) => status(code, { 'content-type': 'application/problem+json', ...headers }, problemBody(name, detail));

/** An export of `total` rows of which some come; `end` says how. */
export const rows =
  (total: number, text: string, end: 'end' | 'destroy' | 'hang', type = 'application/x-ndjson'): Handler =>
  (response) => {
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'x-total-count': String(total) });
    response.write(text, () => end !== 'hang' && response[end]());
  };

export const lines = (count: number) => ndjson(items(1, count));

/** What a client finds out only by waiting. */
export const waits: readonly Handler[] = [hang, stall];

/** The server. Where a client draws lots on how long to wait, it need not wait. */
export class Faulty {
  /** The requests since `answers`, such as `GET /api/v1/did/me`. */
  requests: string[] = [];
  #handlers: Handler[] = [];
  #port = 0;
  readonly #server = createServer((request, response) => {
    this.requests.push(`${request.method} ${request.url}`);
    request.resume();
    const handler = this.#handlers.length > 1 ? this.#handlers.shift() : this.#handlers[0];
    handler?.(response, request, this.requests.length);
  });

  async open(): Promise<void> {
    mock.method(Math, 'random', () => 0);
    this.#port = await listen(this.#server);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    mock.restoreAll();
  }

  /** The answers to come, one after the other; the last one stays. */
  answers(...handlers: Handler[]): void {
    this.requests = [];
    this.#handlers = handlers;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  client(options: Partial<ClientOptions> = {}): Client {
    const { url } = this;
    return new Client({ url, token: TOKEN, timeout_ms: PATIENT_MS, ...options });
  }
}

export async function idsOf(list: AsyncIterable<{ id: number }>, into: number[] = []): Promise<number[]> {
  for await (const { id } of list) into.push(id);
  return into;
}

/** Must fail with this code, in words that say something and without the token. */
export async function mustFail(work: Promise<unknown>, code: string, words = /./): Promise<Problem> {
  const error: unknown = await work.then(
    (value) => assert.fail(`It did not fail: ${inspect(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Problem, inspect(error));
  assert.equal(error.code, code, inspect(error));
  assert.match(error.message, words);
  const shown = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error) + String(error.stack);
  assert.ok(!shown.includes(TOKEN.slice(3)), shown);
  return error;
}
