// `linecard` from start to end: fast, and tidy, also where Ctrl-C or a closed pipe ends it.

import { enableCompileCache } from 'node:module';
import { cacheFolder } from './config.ts';

/** How long a command may tidy up after a signal to end. */
const TIDY_MS = 2_000;

// `require('process')`, as the parser of options has it, reads each enumerable member, and to read this one
// opens standard input: a pipe that other programs share then no longer blocks for them either.
Object.defineProperty(process, 'stdin', { enumerable: false });

enableCompileCache(cacheFolder());
const { run } = await import('./program.ts');

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has enough, as `head` has after ten lines.
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
// It ends as one that was killed, so that a script around it ends too.
if (caught !== undefined) process.kill(process.pid, caught);
