// The process that runs commands for command-runs.ts, one after the other.

import { once } from 'node:events';
import { Writable } from 'node:stream';

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

/** Returns the exit status. */
const PROGRAMS = {
  linecard: async (words: readonly string[]) => {
    const { run } = await import('../../cli/program.ts');
    return run(words, new AbortController().signal);
  },
  'linecard-server': async (words: readonly string[]) => {
    const { run } = await import('../../server/program.ts');
    process.exitCode = 0;
    await run(words);
    const status = process.exitCode;
    process.exitCode = undefined;
    return status;
  },
};
export type Program = keyof typeof PROGRAMS;

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

async function result(program: Program, { words, env, cwd }: CommandRun): Promise<CommandResult> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  const [out, err] = [captured('stdout'), captured('stderr')];
  const status = await PROGRAMS[program](words);
  return { status, out: out(), err: err() };
}

// Each run of a command adds listeners for signals.
process.setMaxListeners(0);
process.once('disconnect', () => process.exit());
for (;;) {
  const [given] = (await once(process, 'message')) as [CommandRun];
  process.send?.(await result(process.argv[2] as Program, given));
}
