// What cuts an export that is still running: a token that is not valid any more, and a time for the whole of
// it, so that a slow client does not hold a snapshot of the database for ever.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreGone } from '../store/store-errors.ts';
import type { Authenticator } from './authentication.ts';

declare module 'fastify' {
  interface FastifyInstance {
    exportLimits: ExportLimits;
  }
}

/** Why an export did not come to its end. */
export type BrokenOff = 'client' | 'token' | 'store' | 'time' | 'stopping' | 'fault';

const REASONS: Readonly<Record<BrokenOff, string>> = {
  client: 'its client left',
  token: 'its token is not valid any more',
  store: 'the database is not the one any more that it was read from',
  time: 'it took longer than an export may',
  stopping: 'the service is stopping',
  fault: 'it could not be read to its end',
};

export class ExportLimits {
  /** How many exports broke off, by reason. */
  readonly broken: Record<BrokenOff, number> = {
    client: 0,
    token: 0,
    store: 0,
    time: 0,
    stopping: 0,
    fault: 0,
  };
  readonly #authenticator: Authenticator;
  readonly #longestMs: number;
  /** What cuts each of those that run. */
  readonly #running = new Set<(why: BrokenOff) => void>();

  constructor(authenticator: Authenticator, longestMs: number) {
    this.#authenticator = authenticator;
    this.#longestMs = longestMs;
  }

  /** Cuts what still runs after so many milliseconds, because the service stops. */
  stop(milliseconds: number): void {
    const cutAll = () => {
      for (const cut of this.#running) cut('stopping');
    };
    setTimeout(cutAll, milliseconds).unref();
  }

  /** Cuts the connection as soon as the export must end, and says why; returns how to end the limits. */
  apply(request: FastifyRequest, reply: FastifyReply, onCut: (why: BrokenOff) => void): () => void {
    const cut = (why: BrokenOff) => {
      onCut(why);
      reply.raw.destroy();
    };
    this.#running.add(cut);
    const unfollow = this.#authenticator.follow(request.headers.authorization, (error) =>
      cut(error instanceof StoreGone ? 'store' : 'token'),
    );
    const timer = setTimeout(() => cut('time'), this.#longestMs);
    return () => {
      unfollow();
      clearTimeout(timer);
      this.#running.delete(cut);
    };
  }

  /** Counts and logs an export that broke off; a fault with its error. */
  note(request: FastifyRequest, why: BrokenOff, total: number, err?: unknown): void {
    this.broken[why] += 1;
    const { id: request_id, caller, streamedBytes: bytes } = request;
    const level = why === 'fault' ? 'error' : why === 'client' ? 'info' : 'warn';
    const line = { request_id, token_id: caller.token_id, bytes, items: total, reason: REASONS[why] };
    request.log[level](why === 'fault' ? { ...line, err } : line, 'an export broke off');
  }
}
