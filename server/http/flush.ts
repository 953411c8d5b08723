// Answers that become ready in the same iteration of the event loop are sent as a batch. Each answer to a
// sleeping client costs a wake-up by the kernel; a client that has just received one is awake.

import type { FastifyReply } from 'fastify';

/** In larger batches, the first answers would leave the processor's caches before they are sent. */
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

/** Resolves at the end of this iteration of the event loop, or when the batch is full. */
export function nextFlush(): Promise<void> {
  return new Promise(onFlush);
}

/** Sends an answer with the batch. If `send` throws, the error is answered instead. */
export function sendOnFlush(reply: FastifyReply, send: () => void): void {
  onFlush(() => {
    try {
      send();
    } catch (error) {
      reply.send(error);
    }
  });
}
