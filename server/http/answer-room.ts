// How many bytes of large answers there may be at once that their clients have not taken yet: one that asks
// for many pages and reads none would have all of them held for it. Files are streamed, and need no room.

import type { FastifyInstance } from 'fastify';
import { scaledToMemory } from '../memory.ts';
import { Room } from './room.ts';

declare module 'fastify' {
  interface FastifyInstance {
    answerRoom: Room;
  }
}

/** A smaller answer is not counted: of those there are no more than connections. */
const LARGE_CHARACTERS = 16_384;
/** 140 pages of a thousand items. */
const MAX_OF_A_PROCESS = 67_108_864;
const SHARE_OF_AN_OWNER = 0.25;
/** Headers of an answer that are none of the problem that is sent in its place. */
const HEADERS_OF_AN_ANSWER = ['etag', 'link', 'next-cursor'] as const;

export function limitUnread(app: FastifyInstance): void {
  const inAll = scaledToMemory(MAX_OF_A_PROCESS);
  const ofOwner = SHARE_OF_AN_OWNER * inAll;
  const room = new Room({ inAll, ofOwner, things: 'large answers that are not read yet' });
  app.decorate('answerRoom', room);
  app.addHook('onSend', ({ method, caller, ip }, reply, payload: unknown, done) => {
    // Other bytes than those of an account, such as the console, are held anyway.
    const isWhole = typeof payload === 'string' || (caller && payload instanceof Uint8Array);
    if (!isWhole || payload.length < LARGE_CHARACTERS || method === 'HEAD') return done();
    // As bytes it can be counted, and its text need not be held beside them.
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    try {
      // What is for everybody, such as the reference, is of the address that asks for it.
      room.take(caller?.account_id ?? ip, bytes.length, reply.raw);
      done(null, bytes);
    } catch (error) {
      for (const name of HEADERS_OF_AN_ANSWER) reply.removeHeader(name);
      done(error as Error);
    }
  });
}
