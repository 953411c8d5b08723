// A cluster of Citus for the tests, which TEST_CITUS_URL names: a database of its coordinator that a
// superuser may enter, and whose nodes are those of every database made here. It knows nothing of Linecard.

import { randomBytes } from 'node:crypto';
import { query, urlWith } from './postgres-server.ts';

/** Few shards are made in less time, and are many enough for rows to be apart. */
const SHARDS = 4;

/** Where it is; absent where there is none. */
export const CITUS_URL = process.env['TEST_CITUS_URL'];
/** What is said where there is none. */
export const NO_CITUS = 'not run: TEST_CITUS_URL does not name the coordinator of a cluster of Citus';

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

/** One statement on every node at once. */
async function onAll(url: string, nodes: readonly CitusNode[], text: string): Promise<void> {
  await Promise.all(nodes.map(async (node) => query(urlOn(url, node), text)));
}

/** Makes the nodes known to the coordinator, which comes first. */
export async function addNodes(url: string, nodes: readonly CitusNode[]): Promise<void> {
  for (const { host, port, isCoordinator } of nodes) {
    const add = isCoordinator ? 'citus_set_coordinator_host' : 'citus_add_node';
    await query(url, `select ${add}($1, $2)`, host, port);
  }
}

/** An empty database on every node, with the extension, and each node known to the coordinator. */
export async function makeCitusDatabase(): Promise<{ url: string; remove(): Promise<void> }> {
  const server = CITUS_URL ?? '';
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
