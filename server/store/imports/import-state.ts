// What became of imports: of each feed in each mode, of each list before runs were recorded, and the sizes of
// the logs of changes. Metrics and `doctor` read it.

import { countEnding } from '../access/token-lists.ts';
import { lastImports, type PastImport } from '../log/audit-reading.ts';
import { readLogSizes } from '../log/change-log.ts';
import { statement } from '../sql.ts';
import type { Store } from '../store.ts';
import { latestOf } from '../stored-times.ts';
import { tables } from '../tables.ts';
import { COLUMNS, FAILED, type ImportRunRecord, RANKED_FEEDS, runOf, sameFeed } from './import-runs.ts';

/** The feeds that are reported, of each sender the same number: they choose the names. */
const MAX_FEEDS = 100;

/** What became of a feed in one mode. */
export interface FeedState {
  readonly list: string;
  readonly feed: string;
  readonly mode: string;
  /** The last run that was done; absent where there is none. */
  readonly done: ImportRunRecord | undefined;
  /** The last that has failed since, and how many have. */
  readonly failed: ImportRunRecord | undefined;
  readonly failures: number;
  /** The usual time from one that is done to the next, once there were three; none for single acts. */
  readonly intervalMs: number | undefined;
}

const SHOWN_FEEDS = `select list, feed, mode from ranked order by nth, newest desc limit ${MAX_FEEDS}`;

type Intervals = ReadonlyMap<string, number>;

const keyOf = (...names: readonly unknown[]) => JSON.stringify(names);

/** Where imports without a name are single acts, such as a command of a person: no next one is expected. */
const SINGLE_ACTS = `('command', 'intake')`;

/** Every run is before it, except those whose time is void: an id begins with the microseconds. */
const nextRunId = () => String(Date.parse(latestOf('run', Date.now())) * 1_000);

/** The usual time of each feed and mode from one run that is done to the next: it reads all their runs. */
async function readIntervals(store: Store): Promise<Intervals> {
  const text = `with recursive ${RANKED_FEEDS}
    select list, feed, mode, min(ended_at), max(ended_at), count(*) from import_runs
    where outcome = 'done' and id < $1 and (feed <> origin or origin not in ${SINGLE_ACTS}) and (list, feed, mode) in (${SHOWN_FEEDS})
    group by list, feed, mode having count(*) > 2`;
  const [rows] = await store.read(statement(text, nextRunId()));
  return new Map(
    rows.map(([list, feed, mode, first, last, times]) => [
      keyOf(list, feed, mode),
      (Date.parse(String(last)) - Date.parse(String(first))) / (Number(times) - 1),
    ]),
  );
}

/** What became of each feed in each mode. */
export async function feedStates(
  store: Store,
  intervalsOf: (store: Store) => Promise<Intervals> = readIntervals,
): Promise<FeedState[]> {
  const run = (name: string) => COLUMNS.map((column) => `${name}.${column}`).join(', ');
  const last = (outcome: string, of: string) =>
    `(select run.id from import_runs as run where ${sameFeed(of)} and run.id < $1 and ${outcome} order by run.id desc limit 1)`;
  const failedSince = `run.id < $1 and run.id > coalesce(shown.done, '') and run.outcome in ${FAILED}`;
  const text = `with recursive ${RANKED_FEEDS}, shown as (
      select list, feed, mode, ${last(`run.outcome = 'done'`, 'feeds_shown')} as done from (${SHOWN_FEEDS}) as feeds_shown
    )
    select shown.list, shown.feed, shown.mode,
      (select count(*) from import_runs as run where ${sameFeed('shown')} and ${failedSince}), ${run('done')}, ${run('failed')}
    from shown
      left join import_runs as done on done.id = shown.done
      left join import_runs as failed on failed.id = ${last(failedSince, 'shown')}
    where ${last('run.ended_at is not null', 'shown')} is not null
    order by shown.list, shown.feed, shown.mode`;
  const [rows] = await store.read(statement(text, nextRunId()));
  const intervals = await intervalsOf(store);
  return rows.map(([list, feed, mode, failures, ...both]) => {
    const [done, failed] = [both.slice(0, COLUMNS.length), both.slice(COLUMNS.length)].map((one) =>
      one[0] === null ? undefined : runOf(one),
    );
    const key = { list: String(list), feed: String(feed), mode: String(mode) };
    const intervalMs = intervals.get(keyOf(list, feed, mode));
    return { ...key, done, failed, failures: Number(failures), intervalMs };
  });
}

export type LogSizes = Awaited<ReturnType<typeof readLogSizes>>;

/** What reads very many rows may take a thousandth of the time, and no more. */
const MAX_SHARE = 0.001;
const FAST_MILLISECONDS = 5;

/** Reads again only what is read fast, or was read long ago. */
function readSeldom<T>(read: (store: Store) => Promise<T>): (store: Store) => Promise<T> {
  const known = new WeakMap<Store, { readonly value: T; readonly until: number }>();
  return async (store) => {
    const cached = known.get(store);
    const start = performance.now();
    if (cached !== undefined && start < cached.until) return cached.value;
    const value = await read(store);
    const took = performance.now() - start;
    if (took > FAST_MILLISECONDS) known.set(store, { value, until: start + took / MAX_SHARE });
    return value;
  };
}

const logSizes = readSeldom(readLogSizes);
const seldomIntervals = readSeldom(readIntervals);

/** What the metrics of imports are computed from. */
export interface ImportState {
  readonly feeds: readonly FeedState[];
  /** The last import of each list of which no feed has one that was done: runs were not recorded then. */
  readonly older: readonly PastImport[];
  /** The size of the log of each list; `undefined` where the store shows one account at a time. */
  readonly logs: LogSizes | undefined;
  /** How many tokens of customers end soon; `undefined` there as well. */
  readonly endingTokens: number | undefined;
}

export async function importState(store: Store): Promise<ImportState> {
  const feeds = await feedStates(store, seldomIntervals);
  const lists = Object.values(tables).map(({ list }) => list.name);
  const missing = lists.filter((name) => !feeds.some(({ list, done }) => list === name && done?.ended_at));
  const [older, logs, endingTokens] = await Promise.all([
    lastImports(store, missing),
    store.showsOneAccount ? undefined : logSizes(store),
    store.showsOneAccount ? undefined : countEnding(store),
  ]);
  return { feeds, older, logs, endingTokens };
}
