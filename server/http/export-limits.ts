// What cuts an export that is still running: a token that is not valid any more, and a time for the whole of
// it, so that a slow client does not hold a snapshot of the database for ever. It must not know what is sent.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreGone } from '../store/store.ts';
import type { Authenticator } from './authentication.ts';

declare module 'fastify' {
  interface FastifyInstance {
    exportLimits: ExportLimits;
  }
}

export class ExportLimits {
  readonly #authenticator: Authenticator;
  readonly #longestMs: number;
  /** What cuts each of those that run. */
  readonly #running = new Set<(reason: string) => void>();

  constructor(authenticator: Authenticator, longestMs: number) {
    this.#authenticator = authenticator;
    this.#longestMs = longestMs;
  }

  /** Cuts what still runs after so many milliseconds, because the service stops. */
  stop(milliseconds: number): void {
    const cutAll = () => {
      for (const cut of this.#running) cut('the service is stopping');
    };
    setTimeout(cutAll, milliseconds).unref();
  }

  /** Cuts the connection as soon as the export must end; returns how to end the limits. */
  apply(request: FastifyRequest, reply: FastifyReply): () => void {
    const cut = (reason: string) => {
      request.log.warn({ request_id: request.id, reason }, 'an export was cut');
      reply.raw.destroy();
    };
    this.#running.add(cut);
    const unfollow = this.#authenticator.follow(request.headers.authorization, (error) =>
      cut(error instanceof StoreGone ? error.message : 'its token is not valid any more'),
    );
    const timer = setTimeout(() => cut('it took longer than an export may'), this.#longestMs);
    return () => {
      unfollow();
      clearTimeout(timer);
      this.#running.delete(cut);
    };
  }
}
