// Cuts off running exports when their token becomes invalid or they exceed the time limit, so that a slow
// client does not hold a database snapshot indefinitely.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreGone } from '../store/store-errors.ts';
import type { Authenticator } from './authentication.ts';

declare module 'fastify' {
  interface FastifyInstance {
    exportLimits: ExportLimits;
  }
}

const REASONS = {
  client: 'the client disconnected',
  token: 'the token is no longer valid, or may no longer read the account',
  store: 'the database was replaced while it was read',
  time: 'the time limit of exports was reached',
  stopping: 'the service is stopping',
  fault: 'the rest could not be read',
};

export type AbortReason = keyof typeof REASONS;

export class ExportLimits {
  readonly aborted = Object.fromEntries(Object.keys(REASONS).map((why) => [why, 0])) as Record<
    AbortReason,
    number
  >;
  readonly #authenticator: Authenticator;
  readonly #maxMs: number;
  /** A function per running export that cuts it off. */
  readonly #running = new Set<(why: AbortReason) => void>();

  constructor(authenticator: Authenticator, maxMs: number) {
    this.#authenticator = authenticator;
    this.#maxMs = maxMs;
  }

  /** Cuts off exports that still run after a time, because the service is stopping. */
  stop(milliseconds: number): void {
    const cutAll = () => {
      for (const cut of this.#running) cut('stopping');
    };
    setTimeout(cutAll, milliseconds).unref();
  }

  /** Closes the connection when the export must end. Returns a function that lifts the limits. */
  apply(request: FastifyRequest, reply: FastifyReply, onCut: (why: AbortReason) => void): () => void {
    const cut = (why: AbortReason) => {
      onCut(why);
      reply.raw.destroy();
    };
    this.#running.add(cut);
    const unfollow = this.#authenticator.follow(request.headers, (error) =>
      cut(error instanceof StoreGone ? 'store' : 'token'),
    );
    const timer = setTimeout(() => cut('time'), this.#maxMs);
    return () => {
      unfollow();
      clearTimeout(timer);
      this.#running.delete(cut);
    };
  }

  record(request: FastifyRequest, why: AbortReason, total: number, err?: unknown): void {
    this.aborted[why] += 1;
    const { id: request_id, caller, streamedBytes: bytes } = request;
    const level = why === 'fault' ? 'error' : why === 'client' ? 'info' : 'warn';
    const line = { request_id, token_id: caller.token_id, bytes, items: total, reason: REASONS[why] };
    request.log[level](why === 'fault' ? { ...line, err } : line, 'export aborted');
  }
}
