// Messages on standard error from before and after serving, in the format of the log. It does not load the
// log itself, which only a running service needs.

import { hostname } from 'node:os';
import { withoutSecrets } from '@linecard/client/contract/secrets';
import type { Settings } from './settings/settings.ts';

export const LEVELS = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const;
/** In each JSON line: the process that wrote it. */
export const BASE = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;

type FormatSettings = Pick<Settings, 'log_format'>;

export function isPretty({ log_format }: FormatSettings): boolean {
  return log_format === 'pretty' || (log_format === 'auto' && process.stderr.isTTY === true);
}

/** Writes a message immediately and unbuffered, at any log level: as JSON, or as it is on a terminal. */
export function announce(settings: FormatSettings, level: 'info' | 'warn' | 'fatal', message: string): void {
  const sentence = withoutSecrets(message);
  const line = `{"level":${LEVELS[level]},"time":${Date.now()},${BASE},"msg":${JSON.stringify(sentence)}}`;
  process.stderr.write(`${isPretty(settings) ? sentence : line}\n`);
}
