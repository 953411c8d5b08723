// The current keys of an issuer: fetched when the service starts, every 10 minutes, and for a key that is
// unknown. The last good set is used while the issuer does not answer.

import { Problem } from '@linecard/client/contract/problems';
import type { FastifyBaseLogger } from 'fastify';
import type { LocalJWKSet } from 'jose';
import { type FetchedKeys, fetchKeys, type KeySource, NoKeys } from './key-source.ts';

export interface KeyTimes {
  readonly refreshMs: number;
  /** The shortest time between two fetches for unknown keys, and between fetches until there are any keys. */
  readonly unknownMs: number;
}

const TIMES: KeyTimes = { refreshMs: 600_000, unknownMs: 30_000 };

export interface KeyOptions {
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  /** `createLocalJWKSet` of jose, which is loaded only if there is an issuer. */
  readonly setOf: (jwks: FetchedKeys['jwks']) => LocalJWKSet;
  readonly times?: Partial<KeyTimes> | undefined;
}

export class IssuerKeys {
  readonly #source: KeySource;
  readonly #options: KeyOptions;
  readonly #times: KeyTimes;
  #set: LocalJWKSet | undefined;
  #url: string | undefined;
  /** On the clock of `performance.now`. */
  #fetchedAt = 0;
  #unknownAt = Number.NEGATIVE_INFINITY;
  #inFlight: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why the last fetch failed. */
  #fault: string | undefined;
  #isClosed = false;

  /** Begins to fetch them; nothing waits for it. */
  constructor(source: KeySource, options: KeyOptions) {
    this.#source = source;
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#refreshRegularly();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** How old the keys are; `undefined` before the first. */
  get ageSeconds(): number | undefined {
    return this.#set === undefined ? undefined : (performance.now() - this.#fetchedAt) / 1_000;
  }

  /** @throws {Problem} `unavailable` if no keys could be fetched yet. */
  async current(): Promise<LocalJWKSet> {
    if (this.#set === undefined) await this.#inFlight;
    if (this.#set !== undefined) return this.#set;
    throw new Problem(
      'unavailable',
      'The keys of the identity provider cannot be fetched at the moment. Try again later, or use an API token.',
      { headers: { 'retry-after': String(Math.ceil(this.#times.unknownMs / 1_000)) } },
    );
  }

  /**
   * A newer set than the one that lacks a key; `undefined` if there is none. Fetches one unless another
   * unknown key has caused that shortly before, whether or not that succeeded: keys of tokens are whatever
   * their senders write.
   */
  async newerThan(set: LocalJWKSet): Promise<LocalJWKSet | undefined> {
    if (this.#set === set) await (this.#inFlight ?? this.#fetchForUnknown());
    return this.#set === set ? undefined : this.#set;
  }

  #fetchForUnknown(): Promise<void> | undefined {
    const now = performance.now();
    if (this.#isClosed || now - this.#unknownAt < this.#times.unknownMs) return undefined;
    this.#unknownAt = now;
    return this.#refresh(this.#url);
  }

  #refreshRegularly(): void {
    void this.#refresh().then(() => {
      if (this.#isClosed) return;
      const { refreshMs, unknownMs } = this.#times;
      const pause = this.#set === undefined ? unknownMs : refreshMs;
      this.#timer = setTimeout(() => this.#refreshRegularly(), pause).unref();
    });
  }

  #refresh(knownUrl?: string): Promise<void> {
    this.#inFlight ??= this.#fetch(knownUrl).finally(() => {
      this.#inFlight = undefined;
    });
    return this.#inFlight;
  }

  async #fetch(knownUrl: string | undefined): Promise<void> {
    const { logger, setOf } = this.#options;
    const { issuer } = this.#source;
    try {
      const { url, jwks } = await fetchKeys(this.#source, knownUrl);
      this.#set = setOf(jwks);
      this.#url = url;
      this.#fetchedAt = performance.now();
      if (this.#fault !== undefined)
        logger.info({ issuer }, 'the keys of the identity provider are there again');
      this.#fault = undefined;
    } catch (error) {
      // One line for each outage, and one where its reason changes.
      const reason = error instanceof NoKeys ? error.message : String(error);
      if (this.#fault !== reason)
        logger.warn({ issuer, reason }, 'cannot fetch the keys of the identity provider');
      this.#fault = reason;
    }
  }
}
