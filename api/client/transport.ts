// Builds, retries and caches the requests of a client.

import { Problem } from '../contract/problems.ts';
import { type Params, type Written, writeParams } from '../contract/query.ts';
import { Attempt, type Outgoing, type Peer } from './attempt.ts';
import { Cache } from './cache.ts';
import { type AnswerHead, headOf } from './headers.ts';
import {
  accountHeader,
  baseOf,
  type CallOptions,
  type ClientOptions,
  headersOf,
  patienceOf,
  timeoutOf,
  tokenOf,
} from './options.ts';
import { type Patience, pause, throwIfAborted, waitAfter, waitUnreached } from './retry.ts';

const JSON_TYPE = 'application/json';
const NOT_MODIFIED = 304;

export interface Call extends CallOptions {
  readonly path: string;
  readonly params: Params;
  /** How many seconds the server may wait. Such answers are never cached. */
  readonly waitSeconds?: number;
  /** Whether its answer is the same for all accounts. */
  readonly isOfAll?: true;
}

/** A check of a JSON answer, and what it is called in an error message. */
export type Expected = readonly [isShaped: (body: unknown) => boolean, name: string];

/** A JSON answer. A header that is missing, or that a browser hides, is `null`. */
export interface JsonAnswer<T> {
  readonly body: T;
  readonly etag: string | null;
  readonly link: string | null;
  /** The cursor of the next page, in an answer to QUERY. */
  readonly next_cursor: string | null;
  readonly head: AnswerHead;
  readonly problem: Attempt['problem'];
}

export interface AnswerStream {
  readonly headers: Headers;
  /** Throws `broken-off`, `timeout` or `aborted`. */
  readonly chunks: AsyncGenerator<Uint8Array, void, void>;
  /** Ends the request. */
  cancel(): void;
  readonly problem: Attempt['problem'];
}

export class Transport {
  readonly #peer: Omit<Peer, 'token'>;
  readonly #token: () => Promise<string>;
  readonly #headers: Readonly<Record<string, string>>;
  /** The header of the account; empty for that of the token. */
  readonly #account: Readonly<Record<string, string>>;
  readonly #patience: Patience;
  readonly #cache: Cache | undefined;
  readonly #onRetry: ClientOptions['onRetry'];
  /** Whether the deployment ever answered. */
  #isReached = false;

  /** @throws {Problem} `invalid-option` */
  constructor(options: ClientOptions) {
    this.#peer = {
      base: baseOf(options.url),
      timeout_ms: timeoutOf(options.timeout_ms),
      fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    };
    const { token } = options;
    const fixed = typeof token === 'function' ? undefined : tokenOf(token);
    this.#token = async () => fixed ?? tokenOf(await (token as () => string | Promise<string>)());
    this.#account = accountHeader(options.account);
    this.#headers = headersOf(options.headers);
    this.#patience = patienceOf(options);
    this.#onRetry = options.onRetry;
    this.#cache = options.cache === true ? new Cache() : options.cache || undefined;
  }

  /** @throws {Problem} */
  async read<T>(call: Call, [isShaped, name]: Expected): Promise<JsonAnswer<T>> {
    const { path, params, waitSeconds } = call;
    const written = writeParams(params);
    const key = JSON.stringify([await this.#token(), this.#account, this.#peer.base, path, written]);
    const cache = waitSeconds === undefined && call.headers === undefined ? this.#cache : undefined;
    const cached = cache?.get(key);
    const headers = {
      accept: JSON_TYPE,
      ...(cached && { 'if-none-match': cached.etag }),
      ...(waitSeconds !== undefined && waitSeconds > 0 && { prefer: `wait=${waitSeconds}` }),
    };
    const answer = await this.#retried(call, written, headers, async (attempt) => {
      const response = await attempt.send(JSON_TYPE);
      const { etag, link, next_cursor, text } =
        response.status === NOT_MODIFIED && cached !== undefined ? cached : await readAll(attempt, response);
      const body = parsed(attempt, text);
      if (etag !== null && cached?.etag !== etag) cache?.set(key, { etag, link, next_cursor, text });
      attempt.release();
      const problem: Attempt['problem'] = (...about) => attempt.problem(...about);
      return { body: body as T, etag, link, next_cursor, head: headOf(response.headers, etag), problem };
    });
    if (isShaped(answer.body)) return answer;
    throw answer.problem('unexpected-answer', `The answer is JSON, but not ${name}.`);
  }

  /**
   * The body is still to be read.
   * @throws {Problem}
   */
  async open(call: Call, type: string): Promise<AnswerStream> {
    return this.#retried(call, writeParams(call.params), { accept: type }, async (attempt) => {
      const response = await attempt.send(type);
      attempt.stopTimer();
      return {
        headers: response.headers,
        chunks: attempt.chunks(response),
        cancel: () => attempt.cancel(),
        problem: (...about) => attempt.problem(...about),
      };
    });
  }

  async #retried<T>(
    call: Call,
    written: Written,
    headers: Readonly<Record<string, string>>,
    take: (attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    const { signal, waitSeconds = 0, retries = this.#patience.retries } = call;
    const patience = patienceOf({ ...this.#patience, retries });
    const outgoing = this.#outgoing(call.path, written, {
      ...(call.isOfAll === true ? {} : this.#account),
      ...headersOf(call.headers),
      ...headers,
    });
    const begun = performance.now();
    const timeout_ms = timeoutOf(call.timeout_ms ?? this.#peer.timeout_ms) + waitSeconds * 1_000;
    for (let tries = 1; ; tries++) {
      throwIfAborted(signal);
      const peer = { ...this.#peer, timeout_ms, token: await this.#token() };
      const attempt = new Attempt(peer, outgoing, signal);
      try {
        const taken = await take(attempt);
        this.#isReached = true;
        return taken;
      } catch (error) {
        attempt.cancel();
        if (!(error instanceof Problem)) throw error;
        this.#isReached ||= error.status > 0;
        const wait = this.#isReached
          ? waitAfter(error, tries, patience)
          : waitUnreached(error, tries, patience, performance.now() - begun);
        const wait_ms = Math.ceil(wait);
        this.#onRetry?.({ problem: error, attempt: tries, retries, wait_ms });
        await pause(wait_ms, signal);
      }
    }
  }

  /** All attempts have the same request id; a browser page without TLS cannot make one. */
  #outgoing(path: string, written: Written, headers: Readonly<Record<string, string>>): Outgoing {
    const { base } = this.#peer;
    const request_id = (globalThis.crypto as Partial<Crypto> | undefined)?.randomUUID?.();
    const all = {
      ...(request_id !== undefined && { 'x-request-id': request_id }),
      ...this.#headers,
      ...headers,
    };
    const url = base + path;
    if ('json' in written) {
      return { url, method: 'QUERY', headers: { ...all, 'content-type': JSON_TYPE }, body: written.json };
    }
    return { url: written.search === '' ? url : `${url}?${written.search}`, method: 'GET', headers: all };
  }
}

async function readAll(attempt: Attempt, response: Response) {
  const { headers } = response;
  const text = await attempt.text(response);
  return {
    etag: headers.get('etag'),
    link: headers.get('link'),
    next_cursor: headers.get('next-cursor'),
    text,
  };
}

function parsed(attempt: Attempt, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw attempt.problem('broken-off', 'The answer is incomplete: it is not JSON.', error);
  }
}
