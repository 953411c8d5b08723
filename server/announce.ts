// Sentences on standard error around serving, in the form of the log; and what that form is. It must not load
// the log itself, which only a running service needs.

import { hostname } from 'node:os';
import type { Settings } from './settings/settings.ts';

export const LEVELS = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const;
/** What each line of JSON has: which process it is of. */
export const BASE = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;

type FormatSettings = Pick<Settings, 'log_format'>;

/** Whether lines are made readable for a person at a terminal. */
export function isPretty({ log_format }: FormatSettings): boolean {
  return log_format === 'pretty' || (log_format === 'auto' && process.stderr.isTTY === true);
}

/**
 * Writes a sentence at once, beside the log: one of JSON where the log is, else as it is. What is said before
 * and around serving has no level below which it is left out.
 */
export function announce(settings: FormatSettings, level: 'info' | 'warn' | 'fatal', sentence: string): void {
  const line = `{"level":${LEVELS[level]},"time":${Date.now()},${BASE},"msg":${JSON.stringify(sentence)}}`;
  process.stderr.write(`${isPretty(settings) ? sentence : line}\n`);
}
