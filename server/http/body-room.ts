// Room for bodies: how many bytes of them there may be at once, of one account and in all, while they arrive
// and until their requests are answered. It must not know what is in them.

import { Problem } from '@linecard/client/contract/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    bodyRoom: BodyRoom;
  }
}

/** The largest body of a request. */
export const MAX_BODY_BYTES = 1_048_576;
/** Eight of the largest at once for an account, and those of eight accounts. */
const MAX_OF_AN_ACCOUNT = 8 * MAX_BODY_BYTES;
const MAX_OF_A_PROCESS = 8 * MAX_OF_AN_ACCOUNT;
const RETRY_SECONDS = '2';

/** How much a body may become, as far as its headers say. */
function announcedBytes({ headers }: FastifyRequest): number {
  const length = headers['content-length'];
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (length === undefined) return isChunked ? MAX_BODY_BYTES : 0;
  return Math.min(Number(length), MAX_BODY_BYTES);
}

export class BodyRoom {
  #bytes = 0;
  readonly #ofAccount = new Map<string, number>();

  /** How many bytes are taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes room for the body of a request until its answer is sent or its client has left.
   * @throws {Problem} `rate-limited` where the account has as much as it may, `unavailable` where all have.
   */
  take(request: FastifyRequest, reply: FastifyReply): void {
    const { account_id } = request.caller;
    const bytes = announcedBytes(request);
    if (bytes === 0) return;
    const ofAccount = (this.#ofAccount.get(account_id) ?? 0) + bytes;
    const headers = { 'retry-after': RETRY_SECONDS };
    if (ofAccount > MAX_OF_AN_ACCOUNT)
      throw new Problem(
        'rate-limited',
        `This account is sending as many large bodies as may be sent at once. Try again in ${RETRY_SECONDS} seconds.`,
        { headers },
      );
    if (this.#bytes + bytes > MAX_OF_A_PROCESS)
      throw new Problem(
        'unavailable',
        `There are too many large bodies at once. Try again in ${RETRY_SECONDS} seconds.`,
        { headers },
      );
    this.#count(account_id, bytes);
    reply.raw.once('close', () => this.#count(account_id, -bytes));
  }

  #count(account_id: string, more: number): void {
    this.#bytes += more;
    const bytes = (this.#ofAccount.get(account_id) ?? 0) + more;
    if (bytes === 0) this.#ofAccount.delete(account_id);
    else this.#ofAccount.set(account_id, bytes);
  }
}

/** The hook `preParsing` of a route that takes bodies. */
export function takeRoom(
  request: FastifyRequest,
  reply: FastifyReply,
  _body: unknown,
  done: () => void,
): void {
  request.server.bodyRoom.take(request, reply);
  done();
}
