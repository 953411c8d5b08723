// Signal handling of the service (docs/how-to/run-as-a-service.md).

import { constants } from 'node:os';
import { isatty } from 'node:tty';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';

/** Stop gracefully; a second one exits immediately. */
const STOP = ['SIGINT', 'SIGTERM'] as const;
/** Stop gracefully as well, but with the exit status of the signal, because it is unusual. */
const UNUSUAL_STOP = ['SIGHUP', 'SIGQUIT'] as const;
const IGNORED = ['SIGUSR1', 'SIGUSR2'] as const;
/** Also handled by the library, where the default action is right. */
const DEFAULT_ACTION = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const;

/** By number, because accessing `process.stdin` opens it. */
const STANDARD_STREAMS = [0, 1, 2];

/** SIGHUP means that the terminal was closed. Daemons, which have none, are expected to reload settings. */
function isStop(signal: (typeof UNUSUAL_STOP)[number]): boolean {
  return signal !== 'SIGHUP' || STANDARD_STREAMS.some(isatty);
}

/** Keeps Node from opening its debugger on SIGUSR1. Call it as early as possible. */
export function closeDebugger(): void {
  process.on('SIGUSR1', () => {});
}

function explain(logger: Logger): void {
  const signals = [...IGNORED, ...UNUSUAL_STOP.filter((signal) => !isStop(signal))];
  for (const signal of signals) {
    process.on(signal, () => logger.info({ signal }, 'signal ignored: settings are read only at startup'));
  }
}

/** Calls `stop` on each signal to stop, possibly more than once. */
export function onStopSignals(stop: () => void): void {
  for (const signal of [...STOP, ...UNUSUAL_STOP.filter(isStop)]) process.on(signal, stop);
}

/**
 * On a signal or an uncaught error, calls `close` once and exits when it has completed, or after `delay`
 * milliseconds; with status 1 if it returns false. One of several processes (`isMember`) stops only when the
 * returned function is called.
 */
export function stopOnSignals(
  { logger, delay, isMember = false }: { logger: Logger; delay: number; isMember?: boolean },
  close: () => Promise<unknown>,
): () => void {
  const skip = [...UNUSUAL_STOP, 'SIGUSR2' as const, ...DEFAULT_ACTION, ...(isMember ? STOP : [])];
  const closing = closeWithGrace({ delay, logger, skip }, async ({ err }) => {
    if (err !== undefined) logger.fatal({ err }, 'stopping because of an uncaught error');
    const isClean = await close();
    logger.info('stopped');
    logger.flush();
    if (isClean === false) process.exit(1);
  });
  const stop = () => closing.close();
  explain(logger);
  if (isMember) return stop;
  let isStopping = false;
  for (const signal of UNUSUAL_STOP.filter(isStop)) {
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
