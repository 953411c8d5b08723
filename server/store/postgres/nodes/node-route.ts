// The route of a deployment that Citus distributes: what is of one account is read from the node that has its
// rows, everything else through the coordinator.
//
// Why from the node itself: through the coordinator each read is planned and answered twice. A read by the
// names of the deployment, not of a shard, is answered by any node, because each knows where the rows are.
// And the reads of each node have connections of their own: a node that is lost, or hangs, delays only its
// own accounts.

import { isIPv6 } from 'node:net';
import type { Owner, Statement } from '../../sql.ts';
import type { ResultRow } from '../../store.ts';
import { StoreUnavailable } from '../../store-errors.ts';
import type { PostgresStore } from '../postgres.ts';
import { openSnapshot, type Route, type ServerRows } from '../routed-store.ts';
import { type NodeAddress, type Placement, Placements } from './placements.ts';
import { type Shard, ShardMoved } from './shard.ts';

/** A node that takes longer to accept a connection is read through the coordinator. */
const REACH_MILLISECONDS = 750;
/** How long before a node that could not be reached from here is tried again. */
const UNREACHED_MILLISECONDS = 10_000;

/** The connections for the accounts of one node. */
interface NodeStore {
  readonly store: Promise<PostgresStore>;
  /** Until when they are used, as `performance.now` counts. */
  until: number;
}

/** What is about several accounts. */
const ELSEWHERE: readonly Owner['kind'][] = ['parent_id', 'operator_id'];

/**
 * The account of statements, if they are of one and it is read from its node; tokens are on every node,
 * webhooks on the coordinator, the accounts below one on several.
 */
function accountOf(statements: readonly Statement[]): string | undefined {
  const owners = statements.map(({ owner }) => owner);
  const accounts = new Set(owners.flatMap((one) => (one?.kind === 'account_id' ? one.value : [])));
  const [account_id] = accounts;
  const isElsewhere = statements.some(
    ({ owner, separate }) => owner === undefined || ELSEWHERE.includes(owner.kind) || separate,
  );
  return accounts.size === 1 && !isElsewhere ? account_id : undefined;
}

/** A shard, and the account of it that is read. */
interface Own {
  readonly shard: Shard;
  readonly account_id: string;
}

const nameOf = ({ host, port }: NodeAddress) => `${host}:${port}`;
const isSame = (a: Placement, b: Placement) => nameOf(a.node) === nameOf(b.node) && a.shard === b.shard;

/** Parameters by which a URL may name the server as well. */
const OTHER_ADDRESS = ['host', 'hostaddr', 'port'];

/** The URL of the coordinator with the address of a node in the place of its own. */
export function urlOfNode(coordinator: string, { host, port }: Pick<NodeAddress, 'host' | 'port'>): string {
  const url = new URL(coordinator);
  for (const name of OTHER_ADDRESS) url.searchParams.delete(name);
  url.hostname = isIPv6(host) ? `[${host}]` : host;
  url.port = String(port);
  return url.href;
}

export class NodeRoute implements Route {
  readonly servers: PostgresStore[] = [];
  readonly #coordinator: PostgresStore;
  readonly #placements: Placements;
  readonly #nodes = new Map<string, NodeStore>();
  /** Those whose connections lead to a node itself. */
  readonly #direct = new WeakSet<PostgresStore>();

  constructor(coordinator: PostgresStore) {
    this.#coordinator = coordinator;
    this.#placements = new Placements(async (one) => (await coordinator.read(one))[0]);
  }

  read(statements: readonly Statement[]): Promise<ResultRow[][]> {
    return this.#reading(statements, async (server, own) => {
      if (own === undefined) return server.read(...statements);
      const owner = { kind: 'account_id', value: own.account_id } as const;
      return own.shard.rowsOf(await server.read(...own.shard.own(statements, owner)));
    });
  }

  open(statements: readonly Statement[], first: readonly Statement[]): Promise<Required<ServerRows>> {
    return this.#reading(statements, (server) => openSnapshot(server, first));
  }

  /** Reads from the node of the statements' account; again if its rows have moved meanwhile. */
  async #reading<T>(
    statements: readonly Statement[],
    readFrom: (store: PostgresStore, own: Own | undefined) => Promise<T>,
  ): Promise<T> {
    const account_id = accountOf(statements);
    const placement = account_id === undefined ? undefined : await this.#placements.of(account_id);
    if (account_id === undefined || placement === undefined) return readFrom(this.#coordinator, undefined);
    try {
      const store = await this.#storeOf(placement.node);
      const { shard } = placement;
      return await readFrom(store, this.#direct.has(store) ? { shard, account_id } : undefined);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      const other = await this.#placements.lookUp(account_id);
      if (other === undefined || (isSame(placement, other) && !(error instanceof ShardMoved))) throw error;
      // By the names of the deployment, which are right on every node.
      return readFrom(await this.#storeOf(other.node), undefined);
    }
  }

  #storeOf(node: NodeAddress): Promise<PostgresStore> {
    const name = nameOf(node);
    const known = this.#nodes.get(name);
    if (known !== undefined && known.until > performance.now()) return known.store;
    const reached: NodeStore = { store: this.#reach(node, known), until: Number.POSITIVE_INFINITY };
    this.#nodes.set(name, reached);
    void reached.store.then((store) => {
      if (!this.#direct.has(store)) reached.until = performance.now() + UNREACHED_MILLISECONDS;
    });
    return reached.store;
  }

  /**
   * Connections to a node; if it cannot be reached from here, separate connections to the coordinator.
   */
  async #reach(node: NodeAddress, before: NodeStore | undefined): Promise<PostgresStore> {
    const url = urlOfNode(this.#coordinator.url, node);
    const trial = this.#coordinator.with({ url, connections: 1, timeoutMs: REACH_MILLISECONDS });
    // Another server that answers, such as the coordinator, does not have the shards of this one.
    const isThere = await trial.read({ text: 'select groupid from pg_dist_local_group', values: [] }).then(
      ([[row]]) => Number(row?.[0]) === node.group,
      () => false,
    );
    void trial.close();
    if (!isThere && before !== undefined) return before.store;
    const store = this.#coordinator.with(isThere ? { url } : {});
    this.servers.push(store);
    if (isThere) this.#direct.add(store);
    return store;
  }
}
