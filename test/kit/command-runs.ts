// Runs `linecard` and `linecard-server` many times in one process, one run after the other, because starting
// a process takes longer than most runs: each with its own words, environment and folder, as a pipe would see
// it. What needs signals, standard input or a process that waits for another has one of its own.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { ENVIRONMENT } from './environment.ts';

/** What is run. */
interface CommandRun {
  readonly words: readonly string[];
  /** All of it: nothing else stays of the run before. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** What came of it. */
interface CommandResult {
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
type Program = keyof typeof PROGRAMS;

/** One run at a time in a process that ends with this one, and keeps it alive only while something runs. */
function openRunner(program: Program): (run: CommandRun) => Promise<CommandResult> {
  const child = fork(import.meta.filename, [program], {
    env: ENVIRONMENT,
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const lost = once(child, 'exit').then(() =>
    Promise.reject(new Error(`The runs of ${program} have ended.`)),
  );
  lost.catch(() => {});
  const handles = [child, child.channel as unknown as Socket];
  for (const one of handles) one.unref();
  let last: Promise<unknown> = Promise.resolve();
  const answered = async (run: CommandRun) => {
    for (const one of handles) one.ref();
    child.send(run);
    try {
      const [result] = (await Promise.race([once(child, 'message'), lost])) as [CommandResult];
      return result;
    } finally {
      for (const one of handles) one.unref();
    }
  };
  return (run) => {
    const done = last.then(() => answered(run));
    last = done.catch(() => {});
    return done;
  };
}

const runners = new Map<Program, ReturnType<typeof openRunner>>();

/** Runs a program to its end, after the runs before it. */
export function runTogether(program: Program, run: CommandRun): Promise<CommandResult> {
  const runner = runners.get(program) ?? openRunner(program);
  runners.set(program, runner);
  return runner(run);
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

async function result(program: Program, { words, env, cwd }: CommandRun): Promise<CommandResult> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  const [out, err] = [captured('stdout'), captured('stderr')];
  const status = await PROGRAMS[program](words);
  return { status, out: out(), err: err() };
}

if (process.argv[1] === import.meta.filename) {
  // Each run of a command adds listeners for signals.
  process.setMaxListeners(0);
  process.once('disconnect', () => process.exit());
  for (;;) {
    const [given] = (await once(process, 'message')) as [CommandRun];
    process.send?.(await result(process.argv[2] as Program, given));
  }
}
