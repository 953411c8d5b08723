// A database on several servers as one store: a route decides where lists are read, from replicas that are
// compared with the primary or from the node of Citus that has the account. All else is the primary's.

import type { Statement } from '../sql.ts';
import type { ResultRow, RowsOf, ServerFigures, Snapshot, Store } from '../store.ts';
import type { PostgresStore } from './postgres.ts';

/** What one server answers: rows, and the snapshot that they are from where that stays open. */
export interface ServerRows {
  readonly rows: ResultRow[][];
  readonly snapshot?: Snapshot;
}

/** Where statements are read. */
export interface Route {
  /** The servers that have connections now, in addition to the primary. */
  readonly servers: readonly PostgresStore[];
  /** The state of replicas, where this process checks them. */
  readonly replicas?: ServerFigures['replicas'];
  read(statements: readonly Statement[]): Promise<ResultRow[][]>;
  /**
   * Opens a snapshot on the server that statements are read from.
   * @param first what is read in it at once: these statements or none.
   */
  open(statements: readonly Statement[], first: readonly Statement[]): Promise<Required<ServerRows>>;
  close?(): Promise<void>;
}

/** Opens a snapshot on one server and reads what is read in it first: a server that is lost fails then. */
export async function openSnapshot(
  server: PostgresStore,
  statements: readonly Statement[],
): Promise<Required<ServerRows>> {
  const snapshot = await server.snapshot();
  try {
    return { snapshot, rows: statements.length === 0 ? [] : await snapshot.read(...statements) };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

export function routedStore(primary: PostgresStore, route: Route): Store {
  const servers = () => [primary, ...route.servers];
  return {
    dialect: primary.dialect,
    isRemote: primary.isRemote,
    showsOneAccount: primary.showsOneAccount,
    read: <const S extends readonly Statement[]>(...statements: S) =>
      route.read(statements) as Promise<RowsOf<S>>,
    snapshot: async () => routedSnapshot(route),
    write: (...statements) => primary.write(...statements),
    load: (table, options) => primary.load(table, options),
    beginImport: (options) => primary.beginImport(options),
    figures() {
      const all = servers().map((one) => one.figures());
      const sum = (of: 'waiting' | 'open' | 'busy') => all.reduce((total, one) => total + one[of], 0);
      const replicas = route.replicas ?? [];
      return { waiting: sum('waiting'), open: sum('open'), busy: sum('busy'), replicas };
    },
    async close() {
      await route.close?.();
      await Promise.all(servers().map((one) => one.close()));
    },
  };
}

/**
 * A snapshot of the server that answers its first read; where that server fails later, so does the snapshot.
 */
function routedSnapshot(route: Route): Snapshot {
  let opened: Promise<Snapshot> | undefined;
  return {
    async read<const S extends readonly Statement[]>(...statements: S) {
      if (opened !== undefined) return (await opened).read(...statements);
      const first = route.open(statements, statements);
      opened = first.then(({ snapshot }) => snapshot);
      return (await first).rows as RowsOf<S>;
    },
    async *rows(statement) {
      opened ??= route.open([statement], []).then(({ snapshot }) => snapshot);
      yield* (await opened).rows(statement);
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
