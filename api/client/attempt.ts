// One attempt of a request, with its time limit and the caller's signal. Failures become problems, without
// the token.

import { ACCOUNT_HEADER } from '../contract/addresses.ts';
import { type ClientProblemCode, Problem } from '../contract/problems.ts';
import { MAX_CAUSES, NOT_OURS, originAdvice, reasonOf, refusalOf } from './failure.ts';
import { throwIfAborted } from './retry.ts';

/** For an answer of whatever type. */
export const ANY_TYPE = '*/*';

const OK = 200;
const NOT_MODIFIED = 304;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const HIDDEN = '…';
/** Pages of thousands of items have a few megabytes. No server makes a client hold more than this. */
const MAX_BODY_MB = 64;
const MEGABYTE = 1_024 * 1_024;
/** The limit of JavaScript's timers; a longer time limit means none. */
const MAX_TIMER_MS = 2_147_483_647;

export interface Peer {
  /** `https://host/prefix` */
  readonly base: string;
  readonly token: string;
  readonly timeout_ms: number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

export interface Outgoing {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class Attempt {
  readonly #peer: Peer;
  readonly #outgoing: Outgoing;
  readonly #caller: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #abort = () => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isExpired = false;

  /** Starts the timer. */
  constructor(peer: Peer, outgoing: Outgoing, caller: AbortSignal | undefined) {
    this.#peer = peer;
    this.#outgoing = outgoing;
    this.#caller = caller;
    caller?.addEventListener('abort', this.#abort);
    if (caller?.aborted === true) this.#abort();
    this.#startTimer();
  }

  /**
   * A successful answer, or 304 to a conditional request; its body is still to be read.
   * @throws {Problem}
   */
  async send(type: string): Promise<Response> {
    const { url, ...init } = this.#outgoing;
    const headers = { ...init.headers, authorization: `Bearer ${this.#peer.token}` };
    const response = await this.#wait('network', () =>
      this.#peer.fetch(url, { ...init, headers, signal: this.#controller.signal, redirect: 'manual' }),
    );
    const { status } = response;
    if (status === OK || status === NOT_MODIFIED) this.#mustBeOfAccount(response);
    if (status === NOT_MODIFIED && 'if-none-match' in init.headers) return response;
    if (response.type === 'opaqueredirect' || REDIRECTS.includes(status)) throw this.#redirected(response);
    if (status !== OK) throw await this.#refused(response);
    const got = response.headers.get('content-type') ?? 'no media type';
    if (type === ANY_TYPE || got.startsWith(type)) return response;
    throw this.problem(
      'unexpected-answer',
      `${this.#peer.base} answered ${got} and not ${type}: ${NOT_OURS}.`,
    );
  }

  /** @throws {Problem} `broken-off`, `timeout`, `aborted`, or `unexpected-answer` where it is far too long */
  async text(response: Response): Promise<string> {
    const decoder = new TextDecoder();
    const texts: string[] = [];
    let bytes = 0;
    for await (const chunk of this.#read(response)) {
      bytes += chunk.length;
      if (bytes > MAX_BODY_MB * MEGABYTE) {
        const detail = `The answer of ${this.#peer.base} is over ${MAX_BODY_MB} MB long: ${NOT_OURS}.`;
        throw this.problem('unexpected-answer', detail);
      }
      texts.push(decoder.decode(chunk, { stream: true }));
    }
    return texts.join('') + decoder.decode();
  }

  /**
   * The chunks of the body. The timer runs only while the caller waits for one.
   * @throws {Problem} `broken-off`, `timeout` or `aborted`
   */
  async *chunks(response: Response): AsyncGenerator<Uint8Array, void, void> {
    try {
      this.#startTimer();
      for await (const chunk of this.#read(response)) {
        this.stopTimer();
        yield chunk;
        this.#startTimer();
      }
    } finally {
      this.cancel();
    }
  }

  stopTimer(): void {
    clearTimeout(this.#timer);
  }

  /** For an answer that was read completely. */
  release(): void {
    this.stopTimer();
    this.#caller?.removeEventListener('abort', this.#abort);
  }

  /** Ends it, whatever has not arrived. */
  cancel(): void {
    this.release();
    this.#abort();
  }

  problem(code: ClientProblemCode, detail: string, cause?: unknown): Problem {
    const more = cause === undefined ? {} : { cause: this.#shown(cause) };
    return new Problem(code, this.#hide(detail), { request_id: this.#request_id, ...more });
  }

  get #request_id(): string | undefined {
    return this.#outgoing.headers['x-request-id'];
  }

  #startTimer(): void {
    this.stopTimer();
    const { timeout_ms } = this.#peer;
    if (timeout_ms > MAX_TIMER_MS) return;
    this.#timer = setTimeout(() => {
      this.#isExpired = true;
      this.#abort();
    }, timeout_ms);
  }

  async *#read({ body }: Response): AsyncGenerator<Uint8Array, void, void> {
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = body?.getReader();
    try {
      while (reader !== undefined) {
        const { done, value } = await this.#wait('broken-off', () => reader.read());
        if (done) return;
        yield value;
      }
    } finally {
      reader?.cancel().catch(() => {});
    }
  }

  async #wait<T>(code: 'network' | 'broken-off', work: () => Promise<T>): Promise<T> {
    const { base, timeout_ms } = this.#peer;
    try {
      return await this.#orEnd(work());
    } catch (error) {
      throwIfAborted(this.#caller);
      if (this.#isExpired) {
        const seconds = timeout_ms / 1_000;
        throw this.problem('timeout', `Nothing came from ${base} for more than ${seconds} seconds.`);
      }
      const what = code === 'network' ? `No answer from ${base}` : `The answer of ${base} broke off`;
      throw this.problem(code, `${what}: ${reasonOf(error)}.${originAdvice(base)}`, error);
    }
  }

  /** Settles as a promise, or rejects when the attempt ends: not every `fetch` obeys its signal. */
  #orEnd<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const { signal } = this.#controller;
      const onEnd = () => reject(new Error('The attempt has ended.'));
      signal.addEventListener('abort', onEnd);
      if (signal.aborted) onEnd();
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onEnd));
    });
  }

  async #refused(response: Response): Promise<Problem> {
    const text = this.#hide(await this.text(response));
    return refusalOf(response, text, this.#peer.base, this.#request_id);
  }

  /** A server of an older version, or a proxy, may ignore the header: its answer is of another account. */
  #mustBeOfAccount({ headers }: Response): void {
    const wanted = this.#outgoing.headers[ACCOUNT_HEADER];
    if (wanted === undefined || headers.get(ACCOUNT_HEADER) === wanted) return;
    throw this.problem(
      'unexpected-answer',
      `The answer of ${this.#peer.base} does not say that it is about the account ${decodeURIComponent(wanted)}: its version is older, or a proxy removes the header Linecard-Account.`,
    );
  }

  /** Redirects are not followed: they could carry the token to another server. */
  #redirected({ headers }: Response): Problem {
    const { base } = this.#peer;
    const location = headers.get('location');
    let where = 'elsewhere';
    if (location !== null && URL.canParse(location, this.#outgoing.url)) {
      const { origin, pathname } = new URL(location, this.#outgoing.url);
      where = `to ${origin}${pathname}`;
    }
    return this.problem(
      'redirected',
      `${base} redirects ${where}, which is not followed: set \`url\` to the right address.`,
    );
  }

  /** Removes the token, and the query of the URL, where a search may be a person's number. */
  #hide(text: string): string {
    const { url } = this.#outgoing;
    const [address = ''] = url.split('?');
    return text.replaceAll(url, address).replaceAll(this.#peer.token, HIDDEN);
  }

  /** A copy of a platform error, whose text may repeat a header. */
  #shown(error: unknown, depth = 1): Error {
    if (!(error instanceof Error)) return new Error(this.#hide(String(error)));
    const { name, message, stack, cause, code } = error as Error & { code?: unknown };
    const further =
      cause === undefined || depth === MAX_CAUSES ? {} : { cause: this.#shown(cause, depth + 1) };
    const copy = Object.assign(new Error(this.#hide(message), further), {
      name,
      ...(code !== undefined && { code }),
    });
    if (stack !== undefined) copy.stack = this.#hide(stack);
    return copy;
  }
}
