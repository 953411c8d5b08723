// What signals do to a process that serves (docs/how-to/run-as-a-service.md).

import { constants } from 'node:os';
import { isatty } from 'node:tty';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';

/** These stop it tidily; a second one ends it at once. */
const STOP = ['SIGINT', 'SIGTERM'] as const;
/** Not what it is stopped with: it stops as tidily, and its status says that something is odd. */
const ODD_STOP = ['SIGHUP', 'SIGQUIT'] as const;
const MEANINGLESS = ['SIGUSR1', 'SIGUSR2'] as const;
/** All that the library listens to beside those: what the system does of itself is right. */
const LEFT_ALONE = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const;

/** By their numbers: to look at `process.stdin` opens it. */
const STANDARD_STREAMS = [0, 1, 2];

/** A terminal that is closed hangs up; without one the signal asks daemons to read their settings again. */
function hasTerminal(): boolean {
  return STANDARD_STREAMS.some(isatty);
}

function isStop(signal: (typeof ODD_STOP)[number]): boolean {
  return signal !== 'SIGHUP' || hasTerminal();
}

/**
 * Has Node not open its debugger, which is what it does of itself; to be called as early as possible, by
 * every command.
 */
export function closeDebugger(): void {
  process.on('SIGUSR1', () => {});
}

/** Logs the signals that do nothing. */
function explain(logger: Logger): void {
  const signals = [...MEANINGLESS, ...ODD_STOP.filter((signal) => !isStop(signal))];
  for (const signal of signals) {
    process.on(signal, () =>
      logger.info({ signal }, 'the signal does nothing: settings are read when the service starts'),
    );
  }
}

/** Calls for every signal that a group of processes may be sent to be stopped, again and again. */
export function onStopSignals(stop: () => void): void {
  for (const signal of [...STOP, ...ODD_STOP.filter(isStop)]) process.on(signal, stop);
}

/**
 * Stops on signals: calls `close` once and ends, after so many milliseconds whether that has come to its end
 * or not. One of several processes (`isMember`) stops only by the function that is returned.
 */
export function stopOnSignals(
  { logger, delay, isMember = false }: { logger: Logger; delay: number; isMember?: boolean },
  close: (error: Error | undefined) => Promise<void>,
): () => void {
  const skip = [...ODD_STOP, 'SIGUSR2' as const, ...LEFT_ALONE, ...(isMember ? STOP : [])];
  const closing = closeWithGrace({ delay, logger, skip }, ({ err }) => close(err));
  const stop = () => closing.close();
  explain(logger);
  if (isMember) return stop;
  let isStopping = false;
  for (const signal of ODD_STOP.filter(isStop)) {
    const status = 128 + constants.signals[signal];
    process.on(signal, () => {
      logger.warn({ signal }, 'stopping because of a signal');
      process.once('exit', () => {
        process.exitCode = status;
      });
      if (isStopping) process.exit(status);
      isStopping = true;
      stop();
    });
  }
  return stop;
}
