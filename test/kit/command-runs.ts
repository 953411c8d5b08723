// Runs `linecard` many times in one process: each run with its own words, environment and folder, as a pipe
// would see it. Signals and standard input need a process of their own; test/kit/customer.ts has both ways.

import { once } from 'node:events';
import { Writable } from 'node:stream';
import { run } from '../../cli/program.ts';

/** What is run. */
export interface CommandRun {
  readonly words: readonly string[];
  /** All of it: nothing else stays of the run before. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** What came of it. */
export interface CommandResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Stands in for an output of the process, and keeps what is written there. */
function captured(name: 'stdout' | 'stderr'): () => string {
  const chunks: Buffer[] = [];
  const value = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  Object.defineProperty(process, name, { value, configurable: true });
  return () => Buffer.concat(chunks).toString();
}

async function result({ words, env, cwd }: CommandRun): Promise<CommandResult> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  const [out, err] = [captured('stdout'), captured('stderr')];
  const status = await run(words, new AbortController().signal);
  return { status, out: out(), err: err() };
}

for (;;) {
  const [given] = (await once(process, 'message')) as [CommandRun];
  process.send?.(await result(given));
}
