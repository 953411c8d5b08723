// The log: one line an event on standard error, whole lines even where several processes write to one.

import pino, { type Logger } from 'pino';
import type { Settings } from './settings.ts';

const FLUSH_MILLISECONDS = 1_000;
const BUFFER_BYTES = 2_048;
/** What a pipe takes as one, so that lines of several processes never mix. */
const MAX_WRITE_BYTES = 4_096;

export type LogSettings = Pick<Settings, 'log_level' | 'log_format' | 'workers'>;

/** A token never reaches a line, and neither does a query. */
export async function makeLogger({ log_level, log_format, workers }: LogSettings): Promise<Logger> {
  const options = { level: log_level, redact: ['req.headers.authorization', 'authorization'] };
  const pretty = log_format === 'pretty' || (log_format === 'auto' && process.stderr.isTTY);
  if (pretty) {
    const { default: prettify } = await import('pino-pretty');
    const ignore = workers > 1 ? 'hostname' : 'pid,hostname';
    return pino(options, prettify({ destination: 2, ignore, singleLine: true }));
  }
  const destination = pino.destination({
    fd: 2,
    sync: false,
    minLength: BUFFER_BYTES,
    maxWrite: MAX_WRITE_BYTES,
  });
  const logger = pino(options, destination);
  setInterval(() => logger.flush(), FLUSH_MILLISECONDS).unref();
  return logger;
}
