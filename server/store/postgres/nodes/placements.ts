// Which node of Citus has the rows of an account, and in which shard: looked up once and cached, because a
// shard rarely moves.

import { type Statement, statement } from '../../sql.ts';
import type { ResultRow } from '../../store.ts';
import { Shard } from './shard.ts';

const MAX_ACCOUNTS = 100_000;
/** How long a placement is used before it is looked up again, in the background. */
const REMEMBERED_MILLISECONDS = 5_000;

export interface NodeAddress {
  readonly host: string;
  readonly port: number;
  /** What a node knows itself by (`pg_dist_local_group`). */
  readonly group: number;
}

/** Where the rows of some accounts are. */
export interface Placement {
  readonly node: NodeAddress;
  readonly shard: Shard;
}

type StringRow = [id: string, shardId: string, host: string, port: string, group: string, tables: string];

/** The tables of a group are split alike: their shards of one range are on one node, and move together. */
const WHERE = `select wanted.id, own.shardid, nodename, nodeport, placement.groupid,
    (select json_object_agg(logicalrelid, beside.shardid order by logicalrelid) from pg_dist_shard as beside
     join pg_dist_partition using (logicalrelid)
     where beside.shardminvalue = own.shardminvalue
       and colocationid = (select colocationid from pg_dist_partition where logicalrelid = 'accounts'::regclass))
  from unnest($1::text[]) as wanted (id)
  cross join lateral (
    select get_shard_id_for_distribution_column('accounts', wanted.id) as shardid offset 0
  ) as found
  join pg_dist_shard as own on own.shardid = found.shardid
  join pg_dist_placement as placement on placement.shardid = found.shardid
  join pg_dist_node as node on node.groupid = placement.groupid and noderole = 'primary'`;

export class Placements {
  readonly #read: (statement: Statement) => Promise<readonly ResultRow[]>;
  /** Account to shard; the oldest are evicted first. */
  readonly #shards = new Map<string, number>();
  readonly #placements = new Map<number, Placement & { until: number }>();
  /** Accounts that the next look-up is for, and the look-up. */
  #wanted = new Set<string>();
  #next: Promise<void> | undefined;

  constructor(read: (statement: Statement) => Promise<readonly ResultRow[]>) {
    this.#read = read;
  }

  /** The placement of an account, from the cache or looked up. */
  of(account_id: string): Placement | Promise<Placement | undefined> {
    const known = this.#known(account_id);
    if (known === undefined) return this.lookUp(account_id);
    const now = performance.now();
    if (known.until < now) {
      known.until = now + REMEMBERED_MILLISECONDS;
      void this.lookUp(account_id).catch(() => {});
    }
    return known;
  }

  /** Looks up where an account is now; concurrent look-ups share a round trip. */
  async lookUp(account_id: string): Promise<Placement | undefined> {
    this.#wanted.add(account_id);
    this.#next ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#lookUpAll());
    await this.#next;
    return this.#known(account_id);
  }

  #known(account_id: string): (Placement & { until: number }) | undefined {
    return this.#placements.get(this.#shards.get(account_id) ?? -1);
  }

  async #lookUpAll(): Promise<void> {
    const wanted = [...this.#wanted];
    this.#wanted = new Set();
    this.#next = undefined;
    const until = performance.now() + REMEMBERED_MILLISECONDS;
    for (const row of await this.#read(statement(WHERE, wanted))) {
      const [id, shardId, host, port, group, tables] = row.map(String) as StringRow;
      this.#shards.delete(id);
      this.#shards.set(id, Number(shardId));
      // The statements that a shard caches are valid as long as it exists.
      const known = this.#placements.get(Number(shardId))?.shard;
      const shard = known?.tables === tables ? known : new Shard(shardId, tables);
      const node = { host, port: Number(port), group: Number(group) };
      this.#placements.set(Number(shardId), { node, shard, until });
    }
    for (const [oldest] of this.#shards) {
      if (this.#shards.size <= MAX_ACCOUNTS) break;
      this.#shards.delete(oldest);
    }
  }
}
