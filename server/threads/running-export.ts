// One export on a worker thread, as the request thread sees it: its head, then its chunks as they are taken.

import type { WorkerExport } from '../lists/workers.ts';
import type { ExportHead, ExportTask } from './messages.ts';
import type { WorkerThread } from './thread.ts';

/** An export comes in chunks of so many bytes, each in one of so many buffers, which are reused. */
const CHUNK_BYTES = 65_536;
const BUFFERS = 2;

/**
 * The chunks of an export. Their buffers are transferred to the worker thread and come back filled: text in
 * buffers of its own would be garbage that the collector lets grow to 64 MiB.
 */
async function* chunksOf(
  thread: WorkerThread,
  exportId: number,
  close: () => void,
): AsyncGenerator<Uint8Array> {
  const next = (buffer: ArrayBuffer) => {
    const chunk = thread.send({
      id: thread.newId(),
      exportId,
      buffer,
    }) as Promise<Uint8Array<ArrayBuffer> | null>;
    // A failure is thrown where the chunk is taken.
    chunk.catch(() => {});
    return chunk;
  };
  try {
    const coming = Array.from({ length: BUFFERS }, () => next(new ArrayBuffer(CHUNK_BYTES)));
    for (let chunk = await coming.shift(); chunk; chunk = await coming.shift()) {
      const { buffer } = chunk;
      yield chunk;
      coming.push(next(buffer));
    }
  } finally {
    close();
  }
}

/**
 * Begins an export on a thread.
 * @param onClose called once, when it has come to its end or is closed.
 */
export async function beginExport(
  thread: WorkerThread,
  task: ExportTask,
  onClose: () => void,
): Promise<WorkerExport> {
  const id = thread.newId();
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    thread.exports -= 1;
    thread.closeExport(id);
    onClose();
  };
  thread.exports += 1;
  try {
    const head = (await thread.send({ id, task })) as ExportHead;
    return { ...head, chunks: chunksOf(thread, id, close), close };
  } catch (error) {
    close();
    throw error;
  }
}
