// A body, received completely before anything of it is imported: in memory while it is small, else in a file
// without a name. So a sender that is slow or breaks off holds no lock and leaves nothing.

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '@linecard/client/contract/problems';
import { isGzip } from '../import/chunks.ts';
import type { ImportBody } from '../import/import.ts';
import { intakeLimits } from '../limits/intake-limits.ts';

/** Larger bodies are written to a file. */
const MEMORY_BYTES = 262_144;
/** The same for those that are compressed, and a thousand times larger at the most. */
const COMPRESSED_MEMORY_BYTES = 4_096;
const BYTES_A_MEBIBYTE = 1_048_576;
const SECOND = 1_000;
const SILENT_SECONDS = intakeLimits.deliverySilence.each;
/** In every span of this many seconds this much must come, so that nobody occupies the intake for long. */
const PACE_SECONDS = intakeLimits.bodyPace.each;
const LEAST_BYTES = 4_000 * PACE_SECONDS;
const TOO_SLOW = `The body comes too slowly: less than 4 kB a second for ${PACE_SECONDS} seconds. Send it faster, or in parts.`;
const MAX_SECONDS = 60 * intakeLimits.deliveryTime.each;
/** What is still read of a body that is refused, so that its sender gets to read why. */
const DRAINED_BYTES = 1_048_576;

const RETRY_AFTER_SECONDS = '1';

export interface ReceiveOptions {
  readonly maxBytes: number;
  readonly isCompressed: boolean;
  /** Is given all bytes as they come. */
  readonly onBytes?: ((chunk: Buffer) => void) | undefined;
  readonly signal: AbortSignal;
  /** For how long it may come, whatever its pace. */
  readonly maxSeconds?: number | undefined;
  readonly secondMs?: number | undefined;
}

/** A body that is there, until it is closed. */
export interface ReceivedBody {
  readonly body: ImportBody;
  close(): Promise<void>;
}

export function tooLarge(maxBytes: number): Problem {
  const mebibytes = Math.floor(maxBytes / BYTES_A_MEBIBYTE);
  const most = mebibytes === 0 ? `${maxBytes / 1_024} KiB` : `${mebibytes} MiB, once unpacked`;
  return new Problem('content-too-large', `The body must not have more than ${most}.`);
}

/** Looks once a second whether a body still comes; a second in which nothing could be done does not count. */
function startPace(onLate: (problem: Problem) => void, maxSeconds = MAX_SECONDS, secondMs = SECOND) {
  let [seconds, silent, all] = [0, 0, 0];
  /** What had come by each second of the span. */
  const before = new Array<number>(PACE_SECONDS).fill(0);
  let isStopped = false;
  const timer = setInterval(() => {
    if (isStopped) return;
    seconds += 1;
    silent += 1;
    const at = seconds % PACE_SECONDS;
    const isSlow = seconds >= PACE_SECONDS && all - (before[at] ?? 0) < LEAST_BYTES;
    before[at] = all;
    if (silent >= SILENT_SECONDS)
      onLate(new Problem('request-timeout', `Nothing of the body came for ${silent} seconds.`));
    else if (isSlow) onLate(new Problem('request-timeout', TOO_SLOW));
    else if (seconds > maxSeconds)
      onLate(
        new Problem(
          'request-timeout',
          `The body comes too slowly: it must arrive within ${maxSeconds} seconds.`,
        ),
      );
  }, secondMs);
  return {
    count(bytes: number) {
      all += bytes;
      silent = 0;
    },
    /** Time that work of this machine takes, such as its disk's, is not the sender's. */
    async exclude(work: () => Promise<void>) {
      isStopped = true;
      try {
        await work();
      } finally {
        isStopped = false;
      }
    },
    end: () => clearInterval(timer),
  };
}

/** A file that is gone as soon as it is closed, whatever happens. */
async function nameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `linecard-${randomBytes(8).toString('hex')}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

/** Disks that are full, or folders that are not there, are the operator's matter. */
function onDisk<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw new Problem('unavailable', 'The body cannot be put on disk just now. Try again in a moment.', {
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
      cause,
    });
  });
}

class Spool {
  #chunks: Buffer[] = [];
  #file: FileHandle | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  async add(chunk: Buffer): Promise<void> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#file !== undefined || this.#size > MEMORY_BYTES) await this.#write();
  }

  async end(isCompressed: boolean): Promise<ImportBody> {
    const bytes = Buffer.concat(this.#chunks);
    const isPacked = isCompressed || isGzip(bytes);
    if (this.#file === undefined && (!isPacked || this.#size <= COMPRESSED_MEMORY_BYTES))
      return { bytes, isCompressed };
    await this.#write();
    return { descriptor: this.#file?.fd ?? -1, size: this.#size, isCompressed };
  }

  async close(): Promise<void> {
    this.#chunks = [];
    await this.#file?.close();
  }

  async #write(): Promise<void> {
    this.#file ??= await onDisk(nameless());
    const chunks = this.#chunks;
    this.#chunks = [];
    for (const chunk of chunks) await onDisk(this.#file.writeFile(chunk));
  }
}

/**
 * Receives a body.
 * @throws {Problem} `content-too-large`, `request-timeout`; `unavailable` when it cannot be put on disk.
 * @throws {Error} when the sender breaks off, or the signal came first.
 */
export async function receive(request: IncomingMessage, options: ReceiveOptions): Promise<ReceivedBody> {
  const { maxBytes, isCompressed, onBytes, signal } = options;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const pace = startPace(late.reject, options.maxSeconds, options.secondMs);
  const abort = () => late.reject(signal.reason);
  signal.addEventListener('abort', abort);
  const spool = new Spool();
  // The answer goes over the same connection, so it must not be closed with the stream.
  const chunks: AsyncIterator<Buffer, undefined> = request.iterator({ destroyOnReturn: false });
  try {
    signal.throwIfAborted();
    for (;;) {
      const next = chunks.next();
      next.catch(() => {});
      const result = await Promise.race([next, late.promise]);
      if (result.done === true) return { body: await spool.end(isCompressed), close: () => spool.close() };
      pace.count(result.value.length);
      onBytes?.(result.value);
      await pace.exclude(() => spool.add(result.value));
      if (spool.size > maxBytes) throw tooLarge(maxBytes);
    }
  } catch (error) {
    void chunks.return?.();
    await spool.close();
    throw error;
  } finally {
    pace.end();
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Reads on, for a second and not much: a sender that is cut off while it sends may never read why it was
 * refused.
 */
export async function drain(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, SECOND);
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DRAINED_BYTES) resolve();
  });
  for (const event of ['end', 'close', 'error']) request.once(event, () => resolve());
  await promise;
  clearTimeout(timer);
}

const UNPACKED_BYTES = 67_108_864;
const UNPACKED_FACTOR = 200;

/** How large a body may be once unpacked: 64 MiB, or 200 times as large as it came. */
export function unpackedBytes(body: ImportBody): number {
  const bytes = 'bytes' in body ? body.bytes.length : body.size;
  return Math.max(UNPACKED_BYTES, UNPACKED_FACTOR * bytes);
}
