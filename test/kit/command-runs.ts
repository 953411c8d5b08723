// Runs `linecard` and `linecard-server` many times in one process, one run after the other, because starting
// a process takes longer than most runs: each with its own words, environment and folder, as a pipe would see
// it. What needs signals, standard input or a process that waits for another has one of its own.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { bundleOf } from './bundles.ts';
import type { CommandResult, CommandRun, Program } from './command-runner.ts';
import { ENVIRONMENT } from './environment.ts';

const RUNNER = bundleOf(join(import.meta.dirname, 'command-runner.ts'));

/** One run at a time in a process that ends with this one, and keeps it alive only while something runs. */
function openRunner(program: Program): (run: CommandRun) => Promise<CommandResult> {
  const child = fork(RUNNER, [program], {
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
