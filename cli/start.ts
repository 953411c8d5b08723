// Runs `linecard`, and ends cleanly on Ctrl-C or a closed pipe.

import { enableCompileCache } from 'node:module';
import { cacheFolder } from './config.ts';

/** How long a command may take to clean up after a signal. */
const TIDY_MS = 2_000;

// The option parser's `require('process')` reads each enumerable member. Reading this one opens standard
// input, so that a pipe shared with other programs no longer blocks for them.
Object.defineProperty(process, 'stdin', { enumerable: false });

const cache = cacheFolder();
if (cache !== undefined) enableCompileCache(cache);
const { run } = await import('./program.ts');

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has closed the pipe, as `head` does.
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`linecard: standard output: ${error.message}\n`);
  process.exit(1);
});
process.stderr.on('error', () => {});

const interruption = new AbortController();
let caught: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    caught = signal;
    interruption.abort();
    setTimeout(() => process.kill(process.pid, signal), TIDY_MS).unref();
  });
}

process.exitCode = await run(process.argv.slice(2), interruption.signal);
// Ends as if killed, so that a calling script ends too.
if (caught !== undefined) process.kill(process.pid, caught);
