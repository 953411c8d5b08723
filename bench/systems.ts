// The systems under measurement, as data: Linecard, the bare service (bare.ts), and what a user would write
// instead. Each defines how it is started and which jobs it runs.

import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filePath } from '../server/store/open.ts';
import { FOLDER, ROOT } from './deployment.ts';
import type { Job } from './jobs.ts';
import { CORES, Running } from './running.ts';

const FIRST_PORT = 18_100;
let lastPort = FIRST_PORT;

export const BARE_HEADERS = join(FOLDER, 'headers.json');
const CHECKOUT = join(ROOT, 'server', 'main.ts');

interface Databases {
  readonly database_url: string;
  readonly peers_url: string | undefined;
}

export interface System {
  readonly name: string;
  readonly about: string;
  readonly kind: 'linecard' | 'bare' | 'peer';
  /** Not available on every machine. */
  readonly optional?: true;
  asks(job: Job): boolean;
  start(databases: Databases): Promise<Running>;
}

/** High enough that no request is refused, while requests are still counted. */
const RATE_LIMIT = 1_000_000_000;

/** Starts Linecard with its log in a file and rate limits that are never reached; `main` is the program. */
export function startLinecard(
  database_url: string,
  { main = CHECKOUT, core = CORES.server, words = [] as readonly string[] } = {},
): Promise<Running> {
  const port = nextPort();
  const own = ['--database-url', database_url, '--port', String(port), '--rate-limit', String(RATE_LIMIT)];
  return Running.start(port, [main, 'serve', ...own, ...words], core);
}

function nextPort(): number {
  lastPort += 1;
  return lastPort;
}

/**
 * Installs the packages of a peer when the bench first uses it.
 * @throws {Error} if they cannot be installed, for example without a network.
 */
function installPeer(name: string, folder: string): void {
  const lock = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error(`Installing ${name}, once ...`);
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr, error } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  if (status === 0) return;
  const reason = `${stderr}${error?.message ?? ''}`.trim().split('\n').slice(0, 3).join(' ');
  throw new Error(`its packages cannot be installed (${reason}).`);
}

function peer(name: string, about: string, main: string): System {
  const folder = join(ROOT, 'bench', 'peers', name);
  return {
    name,
    about,
    kind: 'peer',
    optional: true,
    // They do not send entity tags.
    asks: (job) => job.conditional !== true,
    start({ peers_url = '' }) {
      installPeer(name, folder);
      const port = nextPort();
      return Running.start(port, [join(folder, main), String(port), peers_url]);
    },
  };
}

function bare(name: string, about: string, asks: System['asks'], words: readonly string[]): System {
  return {
    name,
    about,
    kind: 'bare',
    asks,
    start({ database_url }) {
      const port = nextPort();
      const file = filePath(database_url) ?? '';
      const main = join(ROOT, 'bench', 'bare.ts');
      return Running.start(port, [main, String(port), file, BARE_HEADERS, ...words]);
    },
  };
}

export const SYSTEMS: readonly System[] = [
  {
    name: 'linecard',
    about: 'nothing cached between requests (`--cache 0`), else as it is installed',
    kind: 'linecard',
    asks: (job) => job.conditional !== true,
    start: ({ database_url }) => startLinecard(database_url, { words: ['--cache', '0'] }),
  },
  {
    name: 'linecard-installed',
    about: 'as it is installed: a line of log a request, requests counted by token, answers cached',
    kind: 'linecard',
    asks: () => true,
    start: ({ database_url }) => startLinecard(database_url),
  },
  {
    name: 'linecard-two',
    about: 'two processes on two cores, which the load shares, nothing cached',
    kind: 'linecard',
    optional: true,
    asks: (job) => job.name === 'J1',
    start: ({ database_url }) =>
      startLinecard(database_url, { core: CORES.any, words: ['--cache', '0', '--workers', '2'] }),
  },
  bare(
    'bare',
    'the least on `node:http` and `node:sqlite`: two statements, the headers of the contract, a line of log',
    (job) => job.name === 'J1',
    [],
  ),
  bare(
    'bare-cached',
    'the same with callers and pages in a Map',
    (job) => job.name === 'J1' || job.conditional === true,
    ['cached'],
  ),
  peer('fastify-kysely', 'written by hand with Fastify, Kysely and pg, on PostgreSQL', 'server.ts'),
];
