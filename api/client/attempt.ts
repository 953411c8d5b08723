// One attempt of the client: a request goes out, an answer comes in, each wait within a time limit; what goes
// wrong on the way becomes a problem, and none of them shows the token.

import { type ClientProblemCode, Problem } from '../contract/problems.ts';
import { MAX_BODY_BYTES, TooLong, textOf } from './body.ts';
import { MAX_CAUSES, reasonOf } from './cause.ts';
import { Deadline } from './deadline.ts';
import { NOT_OURS, refusalOf } from './refusal.ts';
import { mustGoOn } from './retry.ts';

const OK = 200;
const NOT_MODIFIED = 304;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const HIDDEN = '…';
const MEGABYTE = 1_024 * 1_024;

/** The deployment that a client talks to, and how. */
export interface Peer {
  /** `https://host/prefix` */
  readonly base: string;
  readonly token: string;
  readonly timeout_ms: number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** What goes out. */
export interface Outgoing {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class Attempt {
  readonly #peer: Peer;
  readonly #outgoing: Outgoing;
  readonly #signal: AbortSignal | undefined;
  readonly #deadline: Deadline;

  constructor(peer: Peer, outgoing: Outgoing, signal: AbortSignal | undefined) {
    this.#peer = peer;
    this.#outgoing = outgoing;
    this.#signal = signal;
    this.#deadline = new Deadline(peer.timeout_ms, signal);
  }

  /**
   * The answer, where it is a success (or 304 to a request that has a condition); its body is still to come.
   * @throws {Problem}
   */
  async send(type: string): Promise<Response> {
    const { url, ...init } = this.#outgoing;
    const response = await this.#wait('network', () =>
      this.#peer.fetch(url, { ...init, signal: this.#deadline.signal, redirect: 'manual' }),
    );
    const { status } = response;
    if (status === NOT_MODIFIED && 'if-none-match' in init.headers) return response;
    if (response.type === 'opaqueredirect' || REDIRECTS.includes(status)) throw this.#redirected(response);
    if (status !== OK) throw await this.#refusal(response);
    const got = response.headers.get('content-type') ?? 'no media type';
    if (!got.startsWith(type)) {
      throw this.problem(
        'unexpected-answer',
        `${this.#peer.base} answered ${got} and not ${type}: ${NOT_OURS}.`,
      );
    }
    return response;
  }

  /** @throws {Problem} `broken-off`, `timeout` or `aborted`; `unexpected-answer` where it is far too long */
  text(response: Response): Promise<string> {
    return this.#wait('broken-off', () => textOf(response));
  }

  /**
   * The body as it comes; the clock runs only while the caller waits for it.
   * @throws {Problem} as `text`
   */
  async *chunks(response: Response): AsyncGenerator<Uint8Array, void, void> {
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
    try {
      while (reader !== undefined) {
        this.#deadline.start();
        const { done, value } = await this.#wait('broken-off', () => reader.read());
        this.#deadline.stop();
        if (done) return;
        yield value;
      }
    } finally {
      this.cancel();
      reader?.cancel().catch(() => {});
    }
  }

  /** Stops the clock until the caller waits again. */
  rest(): void {
    this.#deadline.stop();
  }

  /** For an answer that was read to its end. */
  release(): void {
    this.#deadline.release();
  }

  /** Ends it, whatever is still to come. */
  cancel(): void {
    this.#deadline.cancel();
  }

  /** A problem with the answer to this attempt. */
  problem(code: ClientProblemCode, detail: string, cause?: unknown): Problem {
    const more = cause === undefined ? {} : { cause: this.#shown(cause) };
    return new Problem(code, this.#hide(detail), { request_id: this.#request_id, ...more });
  }

  get #request_id(): string | undefined {
    return this.#outgoing.headers['x-request-id'];
  }

  async #refusal(response: Response): Promise<Problem> {
    const request = { base: this.#peer.base, request_id: this.#request_id, hide: this.#hide };
    return refusalOf(response, await this.text(response), request);
  }

  async #wait<T>(code: 'network' | 'broken-off', work: () => Promise<T>): Promise<T> {
    const { base, timeout_ms } = this.#peer;
    try {
      return await this.#deadline.within(work());
    } catch (error) {
      mustGoOn(this.#signal);
      if (this.#deadline.expired) {
        throw this.problem(
          'timeout',
          `Nothing came from ${base} for more than ${timeout_ms / 1_000} seconds.`,
        );
      }
      if (error instanceof TooLong) {
        const most = MAX_BODY_BYTES / MEGABYTE;
        throw this.problem(
          'unexpected-answer',
          `The answer of ${base} is over ${most} MB long: ${NOT_OURS}.`,
        );
      }
      const what = code === 'network' ? `No answer from ${base}` : `The answer of ${base} broke off`;
      throw this.problem(code, `${what}: ${reasonOf(error)}.`, error);
    }
  }

  /** A redirect is not followed: it could carry the token to another server. */
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

  /** Takes out the token, and the query of the address: a search may be a person's number. */
  readonly #hide = (text: string) => {
    const { url } = this.#outgoing;
    const [address = ''] = url.split('?');
    return text.replaceAll(url, address).replaceAll(this.#peer.token, HIDDEN);
  };

  /** A copy of an error that the platform threw, which may have repeated a header. */
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
