// System calls of a command of the server, counted or made to fail by strace: a process that dies before any
// one of its writes, or a disk that takes nothing.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Running, startProgram } from './program.ts';

/** The calls that change a file, and those that send: to a server, a client or a terminal. */
const FILE_CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'unlink', 'rename'] as const;
const SENDING_CALLS = ['write', 'writev'] as const;
/** How the log of a database begins, as strace shows it: what comes before only opens files. */
export const LOG_BEGINS = '"7\\177\\6';

/** What happens to a command at one of its system calls, as strace's `inject` says it. */
export interface Injection {
  readonly call: string;
  /** `signal=KILL`, `error=EIO`. */
  readonly fault: string;
  /** `7`, `7+` for this and all that follow. */
  readonly when: string;
}

let isThere: boolean | undefined;

/** Whether there is an strace that may trace. */
export function hasStrace(): boolean {
  isThere ??= spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;
  return isThere;
}

/** What happens to a command, or where its calls are written to. */
export interface Tracing {
  readonly injection?: Injection;
  readonly log?: string;
}

/** Starts `linecard-server` with a fault, or to have its calls written to a file. */
export function startTraced(words: readonly string[], { injection, log = '/dev/null' }: Tracing): Running {
  const calls = injection === undefined ? [...FILE_CALLS, ...SENDING_CALLS].join(',') : injection.call;
  const inject =
    injection === undefined
      ? []
      : ['-e', `inject=${injection.call}:${injection.fault}:when=${injection.when}`];
  // -D: the command is the child, and strace its sibling, so that a signal reaches the command. Without
  // --seccomp-bpf, by which strace 6.1 injects nothing into some calls.
  const within = ['strace', '-D', '-f', '-qq', '-e', `trace=${calls}`, ...inject, '-o', log];
  return startProgram(words, { within, input: '' });
}

/** Which calls are looked at: those that change files, or those that send. */
export type Calls = 'files' | 'sending';

/**
 * The first and the last of each call that the first thread made, from a log of strace.
 * @param after what the log has before the calls that count; all count where it is left out.
 */
export function countCalls(
  log: string,
  calls: Calls,
  after?: string,
): ReadonlyMap<string, { from: number; to: number }> {
  const wanted: readonly string[] = calls === 'files' ? FILE_CALLS : SENDING_CALLS;
  const lines = readFileSync(log, 'utf8').split('\n');
  const main = lines[0]?.split(' ')[0];
  const begin = after === undefined ? -1 : lines.findIndex((line) => line.includes(after));
  const counts = new Map<string, { from: number; to: number }>();
  for (const [i, line] of lines.entries()) {
    const [, thread, call] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (thread !== main || call === undefined || !wanted.includes(call)) continue;
    const { from, to } = counts.get(call) ?? { from: 1, to: 0 };
    counts.set(call, { from: i < begin ? to + 2 : from, to: to + 1 });
  }
  return counts;
}

/** A fault at each of these calls. */
export function injectionsAt(
  counts: ReturnType<typeof countCalls>,
  fault: string,
  isLasting = false,
): Injection[] {
  return [...counts].flatMap(([call, { from, to }]) =>
    Array.from({ length: to - from + 1 }, (_, i) => ({
      call,
      fault,
      when: `${from + i}${isLasting ? '+' : ''}`,
    })),
  );
}
