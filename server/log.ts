// The log: one line per event on standard error, never interleaved even if several processes write to it.
// Lines are buffered and written once a second, when the buffer is full, on exit, and immediately after an
// error.

import { fstatSync } from 'node:fs';
import { withoutSecrets } from '@linecard/client/contract/secrets';
import pino, { type Logger } from 'pino';
import { BASE, isPretty, LEVELS } from './announce.ts';
import { LineBuffer } from './byte-writer.ts';
import { LogWriter } from './log-writer.ts';
import type { Settings } from './settings/settings.ts';

const STDERR = 2;
const FLUSH_MILLISECONDS = 1_000;
/** The most bytes written in one call. */
const BUFFER_BYTES = 65_536;
/** The most bytes that a pipe takes atomically, so that lines of several processes are not mixed. */
const MAX_PIPE_BYTES = 4_096;
const DIGITS = 1_000;

export type LogSettings = Pick<Settings, 'log_level' | 'log_format' | 'workers'> &
  Partial<Pick<Settings, 'log_sample'>>;

/** A completed request. Times are in milliseconds. */
export interface Answered {
  readonly request_id: string;
  readonly token_id: string | undefined;
  readonly account_id: string | undefined;
  /** The code of the problem that it was answered with, and why a caller was refused. */
  readonly problem: string | undefined;
  readonly reason: string | undefined;
  /** The client that a refused access token was issued to. */
  readonly client: string | undefined;
  /** The address of the client, or of the proxy if it is not trusted. */
  readonly peer: string;
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly bytes: number;
  readonly milliseconds: number;
  readonly queueMs: number;
  /** Computing the answer, including database time. */
  readonly storeMs: number;
  readonly writeMs: number;
  /** The trace that the request belongs to, as received (W3C Trace Context). */
  readonly traceparent: string | undefined;
  readonly isProbe: boolean;
}

export interface Log {
  readonly logger: Logger;
  /** Logs a completed request; a successful probe is logged at level debug. */
  readonly answered: (answered: Answered) => void;
  readonly dropped: () => number;
}

const rounded = (milliseconds: number) => Math.round(milliseconds * DIGITS) / DIGITS;

/** Why a request was not answered as it wished. */
function whyOf({ problem, reason, client }: Answered): string {
  const why = reason === undefined ? '' : `,"reason":"${reason}"`;
  const whose = client === undefined ? '' : `,"client":${JSON.stringify(client)}`;
  return `,"problem":"${problem}"${why}${whose}`;
}

/**
 * The line of a request. It is formatted by hand because it is written for every request; ids, addresses,
 * methods and routes contain no character that JSON escapes.
 */
function lineOf(level: number, answered: Answered): string {
  const { request_id, token_id, account_id, peer, method, route, status, bytes, traceparent } = answered;
  const { milliseconds, queueMs, storeMs, writeMs } = answered;
  const trace = traceparent === undefined ? '' : `,"traceparent":"${traceparent}"`;
  const token = token_id === undefined ? '' : `,"token_id":"${token_id}"`;
  const account = account_id === undefined ? '' : `,"account_id":${JSON.stringify(account_id)}`;
  const why = answered.problem === undefined ? '' : whyOf(answered);
  const routeField = route === undefined ? '' : `,"route":"${route}"`;
  return (
    `{"level":${level},"time":${Date.now()},${BASE},"request_id":"${request_id}"${trace}${token}${account},"peer":"${peer}"` +
    `,"method":"${method}"${routeField},"status":${status}${why},"bytes":${bytes},"milliseconds":${rounded(milliseconds)}` +
    `,"queue_ms":${rounded(queueMs)},"store_ms":${rounded(storeMs)},"write_ms":${rounded(writeMs)},"msg":"answered"}\n`
  );
}

interface LogDestination {
  write(line: string): unknown;
  flush?(): void;
}

function logOn(settings: LogSettings, destination: LogDestination, dropped = () => 0): Log {
  const { log_level: level, log_sample: sample = 1 } = settings;
  const flush = () => destination.flush?.();
  const stream = {
    // Makes pino set `lastLevel`.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      destination.write(withoutSecrets(line));
      if (this.lastLevel >= LEVELS.error) flush();
    },
  };
  // Tokens and queries never appear in the log; an error may repeat an address.
  const logger = pino({ level, redact: ['req.headers.authorization', 'authorization'] }, stream);
  logger.flush = flush;
  const [info, debug] = [logger.isLevelEnabled('info'), logger.isLevelEnabled('debug')];
  return {
    logger,
    answered(answered) {
      const isSuccess = answered.status < 400;
      if (isSuccess && sample < 1 && Math.random() >= sample) return;
      const isQuiet = answered.isProbe && isSuccess;
      if (isQuiet ? debug : info) destination.write(lineOf(isQuiet ? LEVELS.debug : LEVELS.info, answered));
    },
    dropped,
  };
}

export async function makeLog(settings: LogSettings): Promise<Log> {
  const { workers } = settings;
  if (isPretty(settings)) {
    const { default: prettify } = await import('pino-pretty');
    const ignore = workers > 1 ? 'hostname' : 'pid,hostname';
    return logOn(settings, prettify({ destination: STDERR, ignore, singleLine: true }));
  }
  const chunkBytes = workers > 1 && !fstatSync(STDERR).isFile() ? MAX_PIPE_BYTES : BUFFER_BYTES;
  const writer = new LogWriter(STDERR);
  const lines = new LineBuffer(chunkBytes, (chunk) => writer.write(chunk));
  setInterval(() => lines.flush(), FLUSH_MILLISECONDS).unref();
  process.once('exit', () => writer.end(Buffer.from(lines.take())));
  return logOn(settings, lines, () => writer.dropped);
}
