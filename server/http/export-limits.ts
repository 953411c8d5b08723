// What cuts an export that is still running: a token that is not valid any more, and a time for the whole of
// it, so that a slow client does not hold a snapshot of the database for ever. It must not know what is exported.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from './authentication.ts';

declare module 'fastify' {
  interface FastifyInstance {
    exportLimits: ExportLimits;
  }
}

export class ExportLimits {
  readonly #authenticator: Authenticator;
  readonly #longestMs: number;

  constructor(authenticator: Authenticator, longestMs: number) {
    this.#authenticator = authenticator;
    this.#longestMs = longestMs;
  }

  /** Cuts the connection as soon as the export must end; returns how to end the limits. */
  apply(request: FastifyRequest, reply: FastifyReply): () => void {
    const cut = (reason: string) => {
      request.log.warn({ request_id: request.id, reason }, 'an export was cut');
      reply.raw.destroy();
    };
    const unfollow = this.#authenticator.follow(request.headers.authorization, () =>
      cut('its token is not valid any more'),
    );
    const timer = setTimeout(() => cut('it took longer than an export may'), this.#longestMs);
    return () => {
      unfollow();
      clearTimeout(timer);
    };
  }
}
