// The cluster of Citus of the tests, which TEST_CITUS_URL names: a database of its coordinator that a
// superuser may enter, and whose nodes are those of every database made here. It knows nothing of Linecard.

import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { SERVER_LOG } from './citus-cluster.ts';
import { query, urlWith } from './postgres-server.ts';
import { until } from './until.ts';

/** Few shards are made in less time, and are many enough for rows to be apart. */
const SHARDS = 4;

/** Where it is; absent where there is none. */
export const CITUS_URL = process.env['TEST_CITUS_URL'] || undefined;
/** What is said where there is none. */
export const NO_CITUS =
  'not run: TEST_CITUS_URL names no coordinator of a cluster of Citus, and the extension is not installed';

/** A node, as the others reach it. */
export interface CitusNode {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

/** The same database on another node. */
export function urlOn(url: string, { host, port }: Pick<CitusNode, 'host' | 'port'>): string {
  const other = new URL(url);
  other.hostname = host;
  other.port = String(port);
  return other.href;
}

export async function nodesOf(url: string): Promise<CitusNode[]> {
  const rows = await query(
    url,
    `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator"
     from pg_dist_node where noderole = 'primary' order by groupid`,
  );
  return rows as unknown as CitusNode[];
}

/** A database on all nodes of the cluster, or where it is alone. */
export async function everyNode(url: string): Promise<string[]> {
  const isOfCluster = CITUS_URL !== undefined && new URL(CITUS_URL).host === new URL(url).host;
  return isOfCluster ? (await nodesOf(url)).map((node) => urlOn(url, node)) : [url];
}

/** One statement on every node at once. */
async function onAll(url: string, nodes: readonly CitusNode[], text: string): Promise<void> {
  await Promise.all(nodes.map(async (node) => query(urlOn(url, node), text)));
}

/** `CITS`: the advisory lock of the cluster, which every process of tests holds that uses it. */
const CLUSTER_LOCK = 0x43495453;
/** `CITN`: the one of processes that add nodes. */
const NODES_LOCK = 0x4349544e;
let holding: Promise<void> | undefined;

/**
 * Makes the nodes known to the coordinator, which comes first; for one database at a time, since a node that
 * is added alters the roles of the cluster, and refuses that where another does the same.
 */
export async function addNodes(url: string, nodes: readonly CitusNode[]): Promise<void> {
  const client = new Client(CITUS_URL ?? '');
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(${NODES_LOCK})`);
    for (const { host, port, isCoordinator } of nodes) {
      const add = isCoordinator ? 'citus_set_coordinator_host' : 'citus_add_node';
      await query(url, `select ${add}($1, $2)`, host, port);
    }
  } finally {
    await client.end();
  }
}

/** Waits for what excludes this process, and lets it go on until it ends. */
async function holdCluster(server: string, how: 'shared' | 'alone'): Promise<void> {
  const client = new Client(server);
  await client.connect();
  const suffix = how === 'shared' ? '_shared' : '';
  await client.query(`select pg_advisory_lock${suffix}(${CLUSTER_LOCK})`);
  (client.connection.stream as Socket).unref();
}

/**
 * An empty database on every node, with the extension, and each node known to the coordinator; for tests that
 * hurt nodes, while no other process of tests uses the cluster.
 */
export async function makeCitusDatabase(
  how: 'shared' | 'alone' = 'shared',
): Promise<{ url: string; remove(): Promise<void> }> {
  const server = CITUS_URL ?? '';
  holding ??= holdCluster(server, how);
  await holding;
  const nodes = await nodesOf(server);
  const name = `linecard_${randomBytes(6).toString('hex')}`;
  const url = urlWith(server, { database: name });
  await Promise.all(
    nodes.map(async (node) => {
      await query(
        urlOn(server, node),
        `create database ${name} template template0 encoding 'UTF8' locale 'C'`,
      );
      await query(urlOn(url, node), 'create extension citus');
    }),
  );
  await query(url, `alter database ${name} set citus.shard_count = ${SHARDS}`);
  await addNodes(url, nodes);
  return {
    url,
    remove: () => onAll(server, nodes, `drop database ${name} with (force)`),
  };
}

/** The server of a node on this machine, which can be killed, started, stopped and continued. */
export class CitusWorker {
  readonly #folder: string;
  readonly #programs: string;
  #pid: number;

  private constructor(folder: string, programs: string, pid: number) {
    this.#folder = folder;
    this.#programs = programs;
    this.#pid = pid;
  }

  static async at(url: string): Promise<CitusWorker> {
    const [row] = await query(
      url,
      `select current_setting('data_directory') as folder, split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid,
         (select setting from pg_config where name = 'BINDIR') as programs`,
    );
    return new CitusWorker(String(row?.['folder']), String(row?.['programs']), Number(row?.['pid']));
  }

  kill(): void {
    process.kill(this.#pid, 'SIGKILL');
  }

  /** As soon as what is left of it lets it. */
  async start(): Promise<void> {
    const { uid, gid } = statSync(this.#folder);
    const words = ['-D', this.#folder, '-l', join(this.#folder, SERVER_LOG), '-w', 'start'];
    // What it reads of a home must be its own: it connects to the other nodes.
    const how = { uid, gid, cwd: '/', env: { HOME: this.#folder }, stdio: 'ignore' } as const;
    await until(
      `the server in ${this.#folder} starts`,
      () => spawnSync(`${this.#programs}/pg_ctl`, words, how).status === 0,
    );
  }

  hang(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGSTOP');
  }

  goOn(): void {
    for (const pid of this.#processes().toReversed()) process.kill(pid, 'SIGCONT');
  }

  #processes(): number[] {
    const own = execFileSync('ps', ['--ppid', String(this.#pid), '-o', 'pid='], { encoding: 'utf8' });
    return [this.#pid, ...own.trim().split(/\s+/).map(Number)];
  }
}
