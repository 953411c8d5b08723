// What the metrics are made of: figures that the rooms of a process count as they work, looked up when they
// are scraped.

import type { Answered } from '../log.ts';

/** The last import of a list. */
export interface LastImport {
  readonly list: string;
  /** When it was finished, in seconds since 1970. */
  readonly finishedAt: number;
  readonly rows: Readonly<Record<'read' | 'inserted' | 'updated' | 'unchanged' | 'removed', number>>;
}

export interface CacheFigures {
  readonly cache: string;
  /** The list that it is of; empty for one of all. */
  readonly list: string;
  readonly bytes: number;
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

/** The figures of a process at one time. */
export interface Figures {
  readonly version: string;
  readonly database: string;
  readonly caches: readonly CacheFigures[];
  /** Requests that looked through a list again whose index has no room. */
  readonly indexesWithoutRoom: number;
  /** Worker threads: tasks that wait, tasks that run, open exports. */
  readonly workers: { readonly waiting: number; readonly running: number; readonly exports: number };
  /** A database on a server; absent for a file. */
  readonly server:
    | {
        readonly waiting: number;
        readonly open: number;
        readonly busy: number;
        readonly replicas: readonly {
          readonly isHealthy: boolean;
          readonly lagBytes: number | undefined;
        }[];
      }
    | undefined;
  readonly refusedTokens: Readonly<Record<string, number>>;
  readonly brokenExports: Readonly<Record<string, number>>;
  readonly rowGuard: number;
  /** Requests that wait until their account changes. */
  readonly waitingRequests: number;
  /** Connections of clients that are open, and how many were refused, by reason. */
  readonly connections: number;
  readonly refusedConnections: Readonly<Record<string, number>>;
  /** Requests that wait behind others on their connections. */
  readonly pipelinedRequests: number;
  /** What there is limited room for: how much is taken, and how often there was none, by reason. */
  readonly rooms: readonly {
    readonly room: string;
    readonly bytes: number;
    readonly refused: Readonly<Record<string, number>>;
  }[];
  readonly droppedLogLines: number;
  /** The last import of each list; `undefined` where the database cannot be read. */
  readonly imports: readonly LastImport[] | undefined;
}

/** A process as the metrics see it. */
export interface Sources {
  figures(): Promise<Figures>;
  /** Calls with every request that is over. */
  onAnswered(call: (answered: Answered) => void): void;
}
