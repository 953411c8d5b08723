// What the metrics are made of: figures that the rooms of a process count as they work, looked up when they
// are scraped.

import type { Answered } from '../log.ts';

/** What became of a feed in one mode. */
export interface FeedFigures {
  readonly labels: Readonly<Record<'list' | 'feed' | 'mode', string>>;
  /** When its last import was finished, in seconds since 1970, and its rows; absent where all have failed. */
  readonly finishedAt: number | undefined;
  readonly rows: Readonly<Record<string, number>>;
  readonly failures: number;
  readonly intervalSeconds: number | undefined;
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
  /** What became of each feed; `undefined` where the database cannot be read. */
  readonly imports: readonly FeedFigures[] | undefined;
}

type Labels = Readonly<Record<string, string>>;

export interface Definition {
  readonly name: string;
  /** A counter only grows; a gauge is what is now. */
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly labels: readonly string[];
  /** What several processes of one service have together. */
  readonly together: 'sum' | 'max';
  readonly read: (figures: Figures) => readonly (readonly [Labels, number])[];
}

/** A process as the metrics see it. */
export interface Sources {
  figures(): Promise<Figures>;
  /** Calls with every request that is over. */
  onAnswered(call: (answered: Answered) => void): void;
}
