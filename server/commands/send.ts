// Sends a file to an intake over HTTP, once: waits for `100 Continue`, reports progress, and reads the
// answer.

import { createReadStream } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { isWrongAddress, reasonOf, ThroughProxy } from '@linecard/client/client/failure';
import { type NamedProxy, throughProxy } from '@linecard/client/client/proxy';
import { type ImportFile, STANDARD_INPUT } from '../import/files.ts';
import { type Outgoing, outgoing } from '../outgoing.ts';

/** Servers and proxies that do not answer `Expect` get the file after this time. */
const CONTINUE_MILLISECONDS = 2_000;
/** Timeout without progress; the import itself may take longer. */
const STALLED_MILLISECONDS = 60_000;
const IMPORT_MILLISECONDS = 3_600_000;
/** What a certificate or a name is wrong with does not pass. */
const LASTING = /^(?:ERR_TLS|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_SSL|ENOTFOUND)/;
const PROXY_UNAUTHENTICATED = 407;

export interface Sending {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly file: ImportFile;
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
}

export interface IntakeAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/**
 * There was no answer. `hasBegun`: whether part of the file was sent, so that standard input cannot be
 * resent.
 */
export class NotAnswered extends Error {
  override readonly name = 'NotAnswered';
  readonly hasBegun: boolean;
  /** Whether it would fail in the same way again. */
  readonly isLasting: boolean;

  constructor(hasBegun: boolean, { cause: error }: { readonly cause: unknown }, proxy?: NamedProxy) {
    const { code, message } = error as NodeJS.ErrnoException;
    const cause = proxy === undefined ? error : throughProxy(proxy, error);
    super(cause instanceof ThroughProxy ? reasonOf(cause) : (code ?? message), { cause });
    this.hasBegun = hasBegun;
    this.isLasting = LASTING.test(this.message) || isWrongAddress(cause);
  }
}

function begin({ url, method, headers, file, signal }: Sending): Outgoing {
  const { bytes } = file;
  const length = bytes === undefined ? {} : { 'content-length': String(bytes) };
  return outgoing(url, { method, signal, headers: { ...headers, ...length, expect: '100-continue' } });
}

/** Waits for `100 Continue`; false if the final answer comes first. */
function mayBegin(request: ClientRequest): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), CONTINUE_MILLISECONDS);
  request.once('continue', () => resolve(true));
  request.once('response', () => resolve(false));
  request.once('error', () => resolve(false));
  return promise.finally(() => clearTimeout(timer));
}

/**
 * Sends the file and returns the answer, whatever its status.
 * @throws {NotAnswered} if there was no complete answer.
 */
export async function send(sending: Sending): Promise<IntakeAnswer> {
  const { file, signal, onProgress } = sending;
  const { request, proxy } = begin(sending);
  const response = Promise.withResolvers<IncomingMessage>();
  request.once('response', response.resolve);
  request.once('error', response.reject);
  request.once('close', () => response.reject(new Error('closed without an answer')));
  response.promise.catch(() => {});
  request.setTimeout(STALLED_MILLISECONDS, () => request.destroy(new Error('No data for a minute.')));
  request.flushHeaders();
  let bytes = 0;
  try {
    if (await mayBegin(request)) {
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          bytes += chunk.length;
          onProgress(bytes);
          done(null, chunk);
        },
      });
      const source = file.name === STANDARD_INPUT ? process.stdin : createReadStream(file.name);
      // A server that rejects the rest of the file has already answered why.
      const sent = pipeline(source, counted, request, { signal }).catch((error: unknown) =>
        response.reject(error),
      );
      await Promise.race([sent, response.promise]);
      request.setTimeout(IMPORT_MILLISECONDS);
    }
    const answer = await response.promise;
    const { statusCode = 0 } = answer;
    // Over HTTP the answer of the proxy is an answer like any other.
    if (proxy !== undefined && statusCode === PROXY_UNAUTHENTICATED)
      throw Object.assign(new Error('asks for a password'), { statusCode });
    const body = await text(answer);
    return { status: statusCode, retryAfter: answer.headers['retry-after'], body };
  } catch (error) {
    throw new NotAnswered(bytes > 0, { cause: error }, proxy);
  } finally {
    request.destroy();
  }
}
