// The log: one line an event on standard error, whole lines even where several processes write to one. Lines
// are buffered: they are written once a second or a buffer, at the end, and at once with anything that is an
// error.

import { fstatSync } from 'node:fs';
import pino, { type Logger } from 'pino';
import { BASE, isPretty, LEVELS } from './announce.ts';
import { LineBuffer } from './byte-writer.ts';
import { LogWriter } from './log-writer.ts';
import type { Settings } from './settings/settings.ts';

const STDERR = 2;
const FLUSH_MILLISECONDS = 1_000;
/** So many are written at once. */
const BUFFER_BYTES = 65_536;
/** What a pipe takes as one, so that lines of several processes never mix. */
const MAX_PIPE_BYTES = 4_096;
const DIGITS = 1_000;

export type LogSettings = Pick<Settings, 'log_level' | 'log_format' | 'workers'> &
  Partial<Pick<Settings, 'log_sample'>>;

/** What is noted of a request when it is over; times are in milliseconds. */
export interface Answered {
  readonly request_id: string;
  readonly token_id: string | undefined;
  readonly account_id: string | undefined;
  /** The address of the client, or of the proxy in front where that is not believed. */
  readonly peer: string;
  readonly method: string;
  /** The pattern of its route; absent where there is none. */
  readonly route: string | undefined;
  readonly status: number;
  /** Bytes of content that were sent. */
  readonly bytes: number;
  /** From the request to the end of its answer, and of these: waiting for a worker thread, … */
  readonly milliseconds: number;
  readonly queueMs: number;
  /** … working out the answer, the database included, and sending it. */
  readonly storeMs: number;
  readonly writeMs: number;
  /** The trace that it is part of, as it was sent (W3C Trace Context). */
  readonly traceparent: string | undefined;
  readonly isProbe: boolean;
}

/** The log of a process. */
export interface Log {
  readonly logger: Logger;
  /** Writes the line of a request that is over; of a probe that went well, at level debug. */
  readonly answered: (answered: Answered) => void;
  /** How many lines were dropped because nobody read them. */
  readonly dropped: () => number;
}

const rounded = (milliseconds: number) => Math.round(milliseconds * DIGITS) / DIGITS;

/**
 * The line of a request: JSON by hand, since it is written for every request. Ids, addresses, methods and
 * routes have no character that JSON escapes.
 */
function lineOf(level: number, answered: Answered): string {
  const { request_id, token_id, account_id, peer, method, route, status, bytes, traceparent } = answered;
  const { milliseconds, queueMs, storeMs, writeMs } = answered;
  const trace = traceparent === undefined ? '' : `,"traceparent":"${traceparent}"`;
  const token = token_id === undefined ? '' : `,"token_id":"${token_id}"`;
  const account = account_id === undefined ? '' : `,"account_id":${JSON.stringify(account_id)}`;
  const way = route === undefined ? '' : `,"route":"${route}"`;
  return (
    `{"level":${level},"time":${Date.now()},${BASE},"request_id":"${request_id}"${trace}${token}${account},"peer":"${peer}"` +
    `,"method":"${method}"${way},"status":${status},"bytes":${bytes},"milliseconds":${rounded(milliseconds)}` +
    `,"queue_ms":${rounded(queueMs)},"store_ms":${rounded(storeMs)},"write_ms":${rounded(writeMs)},"msg":"answered"}\n`
  );
}

interface LogDestination {
  write(line: string): unknown;
  /** Empties its buffer, if it has one. */
  flush?(): void;
}

/** The log on a destination. */
function logOn(settings: LogSettings, destination: LogDestination, dropped = () => 0): Log {
  const { log_level: level, log_sample: sample = 1 } = settings;
  const flush = () => destination.flush?.();
  const stream = {
    // pino then says which level a line has.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      destination.write(line);
      if (this.lastLevel >= LEVELS.error) flush();
    },
  };
  // A token never reaches a line, and neither does a query.
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
