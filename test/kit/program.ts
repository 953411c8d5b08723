// Programs as child processes: run to their end, or heard while they run. An `Operator` runs
// `linecard-server` against one database, as at a shell.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bundleOf } from './bundles.ts';
import { runTogether } from './command-runs.ts';
import { ENVIRONMENT } from './environment.ts';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** `linecard-server`, and `linecard`. */
export const MAIN = join(ROOT, 'server', 'main.ts');
export const CLI = join(ROOT, 'cli', 'start.ts');

export interface ProgramOptions {
  /** The file that is run, where it is not `linecard-server`. */
  readonly main?: string;
  /** In a process of its own, also where it could share one. */
  readonly isAlone?: true;
  /** Another Node.js than that of the tests. */
  readonly node?: string;
  readonly cwd?: string;
  /** In addition to what every process of the tests is given. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it is started through, such as a shell that sets a limit. */
  readonly within?: readonly string[];
  /** Its standard input, where that has an end. */
  readonly input?: string | Uint8Array;
}

/** How a program ended. */
export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** A program that runs. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** What it has printed so far; `all` is both, in the order in which it came. */
  readonly said: { out: string; err: string; all: string };
  readonly ended: Promise<Ended>;
  /** The first match in what it prints, as soon as it is there. */
  readonly says: (what: RegExp) => Promise<RegExpExecArray>;
}

/** A service that answers. */
export interface Serving extends Running {
  readonly url: string;
}

const running = new Set<ChildProcessWithoutNullStreams>();

/** Ends what still runs: for after the tests. */
export function killPrograms(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Listens to a process that has just been started. */
export function heard(child: ChildProcessWithoutNullStreams): Running {
  const said = { out: '', err: '', all: '' };
  const hear = (where: 'out' | 'err') => (text: string) => {
    said[where] += text;
    said.all += text;
  };
  child.stdout.setEncoding('utf8').on('data', hear('out'));
  child.stderr.setEncoding('utf8').on('data', hear('err'));
  let hasEnded = false;
  const closed = once(child, 'close') as Promise<[Ended['status'], Ended['signal']]>;
  const ended = closed.then(([status, signal]) => {
    hasEnded = true;
    return { status, signal, out: said.out, err: said.err };
  });
  const find = (what: RegExp) => {
    const found = what.exec(said.all);
    if (found === null && hasEnded) throw new Error(`It ended without ${what}: ${said.all}`);
    return found;
  };
  const says = (what: RegExp) =>
    until(
      `it says ${what}`,
      () => find(what),
      () => said.all,
    );
  return { child, said, ended, says };
}

/** What a program ended with: its status, or the signal that killed it. */
export async function endOf({ ended }: Running): Promise<number | NodeJS.Signals | null> {
  const { status, signal } = await ended;
  return status ?? signal;
}

export function startProgram(words: readonly string[], how: ProgramOptions = {}): Running {
  const { main = MAIN, node = process.execPath, cwd, env, within = [], input } = how;
  const [command = '', ...rest] = [...within, node, bundleOf(main), ...words];
  const child = spawn(command, rest, { cwd, env: { ...ENVIRONMENT, ...env } });
  running.add(child);
  child.once('exit', () => running.delete(child));
  if (input !== undefined) child.stdin.end(input);
  return heard(child);
}

/**
 * Runs it to its end, with nothing to read unless there is input: in a process that such runs of a test file
 * share, one after the other, or in one of its own where `how` says more than its folder and environment.
 */
export async function runProgram(words: readonly string[], how: ProgramOptions = {}): Promise<Ended> {
  const { main = MAIN, cwd = process.cwd(), env = {}, ...special } = how;
  const program = main === MAIN ? 'linecard-server' : main === CLI ? 'linecard' : undefined;
  // Variables that Node.js reads when it starts, of which those of every process do nothing here.
  const readAtStart = Object.keys(env).filter((name) => name.startsWith('NODE_') && !(name in ENVIRONMENT));
  const isAlone = Object.keys(special).length > 0 || readAtStart.length > 0;
  if (isAlone || program === undefined) return startProgram(words, { input: '', ...how }).ended;
  const ended = await runTogether(program, { words, env: { ...ENVIRONMENT, ...env }, cwd });
  return { ...ended, signal: null };
}

/** The output of a run that must succeed. */
export async function mustRun(words: readonly string[], how: ProgramOptions = {}): Promise<Ended> {
  const ended = await runProgram(words, how);
  if (ended.status !== 0) throw new Error(`${words.join(' ')} ended with ${ended.status}: ${ended.err}`);
  return ended;
}

/** Starts a command that listens, on a port that is free. */
export async function serveProgram(words: readonly string[], how: ProgramOptions = {}): Promise<Serving> {
  const started = startProgram([...words, '--port', '0'], how);
  const answers = started.says(/(?:answers|takes imports) at (http:\/\/127\.0\.0\.1:\d+)(?=\D)/);
  // One that never answers does not outlive the test.
  answers.catch(() => started.child.kill('SIGKILL'));
  const [, url = ''] = await answers;
  return { ...started, url };
}

/** Ends one the way an operator does. */
export function stopProgram({ child, ended }: Running): Promise<Ended> {
  child.kill('SIGTERM');
  return ended;
}

/** Runs `linecard-server` against one database. */
export class Operator {
  readonly #how: ProgramOptions;
  readonly #running: Running[] = [];

  /** `within` is what the commands are started through, such as a shell that sets a limit. */
  constructor(
    database_url: string,
    environment: Readonly<Record<string, string>> = {},
    within: readonly string[] = [],
  ) {
    const env = { LINECARD_DATABASE_URL: database_url, LINECARD_LOG_FORMAT: 'json', ...environment };
    this.#how = { env, ...(within.length > 0 && { within }) };
  }

  start(...words: readonly string[]): Running {
    const started = startProgram(words, this.#how);
    this.#running.push(started);
    return started;
  }

  run(...words: readonly string[]): Promise<Ended> {
    return runProgram(words, this.#how);
  }

  /** A command that must succeed. */
  command(...words: readonly string[]): Promise<Ended> {
    return mustRun(words, this.#how);
  }

  /** What a command prints on standard output, which must succeed. */
  async mustDo(...words: readonly string[]): Promise<string> {
    return (await mustRun(words, this.#how)).out.trim();
  }

  async serve(...words: readonly string[]): Promise<Serving> {
    const serving = await serveProgram(['serve', ...words], this.#how);
    this.#running.push(serving);
    return serving;
  }

  /** The ids of the tokens of an account, the oldest first. */
  async tokenIds(account_id: string): Promise<string[]> {
    const text = await this.mustDo('token', 'list', '--account', account_id, '--json');
    return (JSON.parse(text) as { id: string }[]).map(({ id }) => id);
  }

  /** Ends what still runs. */
  close(): void {
    for (const { child } of this.#running) child.kill('SIGKILL');
  }
}

export async function statusOf(url: string, token?: string): Promise<number> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  return answer.status;
}
