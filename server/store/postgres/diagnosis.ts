// What a PostgreSQL database says of its own health. It must not judge.

import { statement } from '../sql.ts';
import type { Store } from '../store.ts';
import { NEEDED_RIGHTS } from './rights.ts';

export interface ServerFacts {
  readonly version: string;
  readonly role: string;
  /** Whether the role may do anything at all, or owns the tables. */
  readonly isSuperuser: boolean;
  readonly isOwner: boolean;
  /** Rights that serving needs and the role lacks, as statements would grant them. */
  readonly missing: readonly string[];
  readonly isStandby: boolean;
  /** Its clock, in milliseconds since 1970. */
  readonly clockMs: number;
  readonly bytes: number;
  /** Nodes that hold rows, where it is distributed over some; its size is then of this server alone. */
  readonly nodes?: number;
}

const COUNT_NODES = statement('select count(*) from pg_dist_node where shouldhaveshards');

export async function serverFacts(store: Store): Promise<ServerFacts> {
  const rights = NEEDED_RIGHTS.serving.map(
    ([may], i) => `(${may.replaceAll('$1', 'current_user')})::int as right_${i}`,
  );
  const [[row = []]] = await store.read(
    statement(
      `select current_setting('server_version'), current_user::text,
        (select rolsuper::int from pg_roles where rolname = current_user),
        pg_has_role(current_user, (select relowner from pg_class where oid = 'accounts'::regclass), 'member')::int,
        pg_is_in_recovery()::int, (extract(epoch from clock_timestamp()) * 1000)::bigint,
        pg_database_size(current_database()), ${rights.join(', ')}`,
    ),
  );
  const [[nodes]] = store.dialect.isDistributed ? await store.read(COUNT_NODES) : [[]];
  const [version, role, isSuperuser, isOwner, isStandby, clock, bytes, ...has] = row;
  return {
    version: String(version),
    role: String(role),
    isSuperuser: isSuperuser === 1,
    isOwner: isOwner === 1,
    missing: NEEDED_RIGHTS.serving.flatMap(([, what], i) => (has[i] === 1 ? [] : [what])),
    isStandby: isStandby === 1,
    clockMs: Number(clock),
    bytes: Number(bytes),
    ...(nodes === undefined ? {} : { nodes: Number(nodes[0]) }),
  };
}
