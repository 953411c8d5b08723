// Answers that are ready in one turn of the event loop are flushed as a batch, one after the other, and not
// each as soon as it is there. A client that sleeps must be woken by the system for each answer; one that has
// just got another is awake.

import type { FastifyReply } from 'fastify';

/**
 * A larger batch would not wait to be complete: its first answer would have left the processor's caches by
 * then.
 */
const MAX_BATCH = 8;

let batch: (() => void)[] = [];

function flush(): void {
  const flushed = batch;
  batch = [];
  for (const send of flushed) send();
}

function onFlush(send: () => void): void {
  const count = batch.push(send);
  if (count === 1) setImmediate(flush);
  else if (count === MAX_BATCH) flush();
}

/**
 * Resolves when the batch is flushed: at the end of this turn of the event loop, or as soon as the batch is
 * full.
 */
export function nextFlush(): Promise<void> {
  return new Promise(onFlush);
}

/** Sends an answer when the batch is flushed; what that throws is answered in its place. */
export function sendOnFlush(reply: FastifyReply, send: () => void): void {
  onFlush(() => {
    try {
      send();
    } catch (error) {
      reply.send(error);
    }
  });
}
