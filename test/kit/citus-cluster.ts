// A cluster of Citus for one run of the tests, where the PostgreSQL of this machine has the extension: a
// coordinator and two workers, each a server of its own. It knows nothing of Linecard.

import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { serverFolder, serverUser } from './postgres-process.ts';
import { query, SETTINGS } from './postgres-server.ts';

const NODES = 3;
/** In the folder of a node. */
export const SERVER_LOG = 'server.log';
/** Every database has a daemon on every node. */
const CITUS_SETTINGS = {
  ...SETTINGS,
  shared_preload_libraries: 'citus',
  'citus.node_conninfo': 'sslmode=disable',
  wal_level: 'logical',
  max_connections: '500',
  max_worker_processes: '64',
  max_prepared_transactions: '400',
};

export interface CitusCluster {
  /** Of a database of the coordinator that a superuser may enter. */
  readonly url: string;
  stop(): void;
}

/** A folder that `pg_config` names, if there is one. */
function folderOf(option: '--bindir' | '--sharedir'): string | undefined {
  const { status, stdout } = spawnSync('pg_config', [option], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** Where the programs are of the PostgreSQL that has the extension. */
function programsWithCitus(): string | undefined {
  const shared = folderOf('--sharedir');
  const hasCitus = shared !== undefined && existsSync(join(shared, 'extension', 'citus.control'));
  return hasCitus ? folderOf('--bindir') : undefined;
}

/** A server of a cluster, in a folder of its own. */
class Node {
  readonly folder = serverFolder('linecard-citus-');
  readonly url: string;
  readonly #programs: string;

  constructor(programs: string, port: number) {
    this.#programs = programs;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    // Nodes let each other in as any role, and so every program of this machine.
    this.#run('initdb', '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync');
    const settings = Object.entries({ ...CITUS_SETTINGS, port: String(port) });
    const lines = settings.map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(this.folder, 'postgresql.conf'), lines.join(''));
  }

  start(): void {
    // Where it may write whatever folder is the one of temporary files.
    this.#run('pg_ctl', '-l', join(this.folder, SERVER_LOG), '-w', 'start');
  }

  remove(): void {
    try {
      this.#run('pg_ctl', '-m', 'immediate', 'stop');
    } catch {
      // It is not running.
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #run(program: string, ...words: string[]): void {
    // What it reads of a home must be its own: it connects to the other nodes.
    const env = { ...process.env, HOME: this.folder };
    const how = { ...serverUser(), cwd: '/', env, stdio: 'ignore' } as const;
    execFileSync(join(this.#programs, program), ['-D', this.folder, ...words], how);
  }
}

/** Starts a cluster; `undefined` where the extension is not installed. */
export async function startCitusCluster(): Promise<CitusCluster | undefined> {
  const programs = programsWithCitus();
  if (programs === undefined) return undefined;
  const nodes: Node[] = [];
  const stop = () => {
    for (const node of nodes.splice(0)) node.remove();
  };
  process.once('exit', stop);
  for (let i = 0; i < NODES; i++) {
    const node = new Node(programs, await freePort());
    nodes.push(node);
    node.start();
    await query(node.url, 'create extension citus');
  }
  const [coordinator, ...workers] = nodes.map(({ url }) => new URL(url)) as [URL, ...URL[]];
  const add = (name: string, { hostname, port }: URL) =>
    query(coordinator.href, `select ${name}($1, $2)`, hostname, Number(port));
  await add('citus_set_coordinator_host', coordinator);
  for (const worker of workers) await add('citus_add_node', worker);
  return { url: coordinator.href, stop };
}
