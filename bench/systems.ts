// The systems under measurement, as data: Linecard, the bare service (bare.ts), and what a user would write
// instead, the peer. Each defines how it is started and which jobs it runs.

import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filePath } from '../server/store/open.ts';
import { FOLDER, ROOT } from './deployment.ts';
import { BARE, BARE_CACHED, PEER } from './goals.ts';
import type { Job } from './jobs.ts';
import { CORES, Running } from './running.ts';

const FIRST_PORT = 18_100;
let lastPort = FIRST_PORT;

export const BARE_HEADERS = join(FOLDER, 'headers.json');
/** As `npm start` starts it. */
export const CHECKOUT = join(ROOT, 'tools', 'start.mjs');

export interface Databases {
  readonly database_url: string;
  readonly peers_url: string | undefined;
}

export interface System {
  readonly name: string;
  /** Not available on every machine. */
  readonly optional?: true;
  asks(job: Job): boolean;
  /** Returns `undefined` where it does not run on such databases. */
  start(databases: Databases): Promise<Running> | undefined;
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

export function nextPort(): number {
  lastPort += 1;
  return lastPort;
}

/**
 * Installs the packages of the peer when the bench first uses it.
 * @throws {Error} if they cannot be installed, for example without a network.
 */
function installPeer(folder: string): void {
  const lock = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error(`Installing ${PEER}, once ...`);
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr, error } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  if (status === 0) return;
  const reason = `${stderr}${error?.message ?? ''}`.trim().split('\n').slice(0, 3).join(' ');
  throw new Error(`its packages cannot be installed (${reason}).`);
}

function bare(name: string, asks: System['asks'], ...words: string[]): System {
  return {
    name,
    asks,
    start({ database_url }) {
      const file = filePath(database_url);
      if (file === undefined) return undefined;
      const port = nextPort();
      const main = join(ROOT, 'bench', 'bare.ts');
      return Running.start(port, [main, String(port), file, BARE_HEADERS, ...words]);
    },
  };
}

/** What each is, is in docs/performance.md. */
export const SYSTEMS: readonly System[] = [
  {
    name: 'linecard',
    asks: (job) => job.conditional !== true,
    start: ({ database_url }) => startLinecard(database_url, { words: ['--cache', '0'] }),
  },
  { name: 'linecard-installed', asks: () => true, start: ({ database_url }) => startLinecard(database_url) },
  {
    name: 'linecard-two',
    optional: true,
    asks: (job) => job.name === 'J1',
    start: ({ database_url }) =>
      startLinecard(database_url, { core: CORES.any, words: ['--cache', '0', '--workers', '2'] }),
  },
  bare(BARE, (job) => job.name === 'J1'),
  bare(BARE_CACHED, (job) => job.name === 'J1' || job.conditional === true, 'cached'),
  {
    name: PEER,
    optional: true,
    // It sends no entity tags.
    asks: (job) => job.conditional !== true && job.own !== true,
    start({ peers_url }) {
      if (peers_url === undefined) return undefined;
      const folder = join(ROOT, 'bench', 'peers', PEER);
      installPeer(folder);
      const port = nextPort();
      return Running.start(port, [join(folder, 'server.ts'), String(port), peers_url]);
    },
  },
];
