// Which node of Citus has the rows of an account: looked up once and remembered, because a shard seldom
// moves. A memory that is out of date gives a node that answers right all the same, by a way round: every
// node knows where every shard is. It must not know how nodes are reached.

import { type Statement, statement } from '../../sql.ts';
import type { ResultRow } from '../../store.ts';

const MAX_ACCOUNTS = 100_000;
/** A shard that has moved is read by the way round for so long. */
const REMEMBERED_MILLISECONDS = 5_000;

export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

interface Placement {
  readonly node: NodeAddress;
  until: number;
}

const WHERE = `select wanted.id, placement.shardid, nodename, nodeport
  from unnest($1::text[]) as wanted (id)
  join pg_dist_placement as placement
    on placement.shardid = get_shard_id_for_distribution_column('accounts', wanted.id)
  join pg_dist_node as node on node.groupid = placement.groupid and noderole = 'primary'`;

export class Placements {
  readonly #read: (statement: Statement) => Promise<readonly ResultRow[]>;
  /** Account to shard; the oldest are forgotten first. */
  readonly #shards = new Map<string, number>();
  readonly #nodes = new Map<number, Placement>();
  /** Accounts that the next look-up is for, and the look-up. */
  #wanted = new Set<string>();
  #next: Promise<void> | undefined;

  constructor(read: (statement: Statement) => Promise<readonly ResultRow[]>) {
    this.#read = read;
  }

  /**
   * The node of an account, where that is remembered; otherwise it is looked up.
   * @throws {StoreUnavailable}
   */
  nodeOf(account_id: string): NodeAddress | Promise<NodeAddress | undefined> {
    const known = this.#known(account_id);
    if (known === undefined) return this.lookUp(account_id);
    const now = performance.now();
    if (known.until < now) {
      // Beside the requests, which have an answer by the old node as well.
      known.until = now + REMEMBERED_MILLISECONDS;
      void this.lookUp(account_id).catch(() => {});
    }
    return known.node;
  }

  /** Looks up where an account is now; accounts that are looked up at once share a round trip. */
  async lookUp(account_id: string): Promise<NodeAddress | undefined> {
    this.#wanted.add(account_id);
    this.#next ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#lookUpAll());
    await this.#next;
    return this.#known(account_id)?.node;
  }

  #known(account_id: string): Placement | undefined {
    return this.#nodes.get(this.#shards.get(account_id) ?? -1);
  }

  async #lookUpAll(): Promise<void> {
    const wanted = [...this.#wanted];
    this.#wanted = new Set();
    this.#next = undefined;
    const until = performance.now() + REMEMBERED_MILLISECONDS;
    for (const [id, shard, host, port] of await this.#read(statement(WHERE, wanted))) {
      this.#shards.delete(String(id));
      this.#shards.set(String(id), Number(shard));
      this.#nodes.set(Number(shard), { node: { host: String(host), port: Number(port) }, until });
    }
    for (const [oldest] of this.#shards) {
      if (this.#shards.size <= MAX_ACCOUNTS) break;
      this.#shards.delete(oldest);
    }
  }
}
