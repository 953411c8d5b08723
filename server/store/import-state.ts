// What became of imports: of each feed in each mode, of each list before runs were recorded, and the sizes of
// the logs of changes. Metrics and `doctor` read it.

import { lastImports, type PastImport } from './audit-reading.ts';
import { readLogSizes } from './change-log.ts';
import { COLUMNS, FAILED, type ImportRunRecord, RANKED_FEEDS, runOf } from './import-runs.ts';
import type { Store } from './store.ts';
import { tables } from './tables.ts';

/** The feeds that are reported, of each sender the same number: they choose the names. */
const MAX_FEEDS = 100;

/** What became of a feed in one mode. */
export interface FeedState {
  readonly list: string;
  readonly feed: string;
  readonly mode: string;
  /** The last run that was done; absent where there is none. */
  readonly done: ImportRunRecord | undefined;
  /** The last that failed, and how many have since the last that was done. */
  readonly failed: ImportRunRecord | undefined;
  readonly failures: number;
  /** The usual time from one that is done to the next, once there were three. */
  readonly intervalMs: number | undefined;
}

/** What became of each feed in each mode. */
export async function feedStates(store: Store): Promise<FeedState[]> {
  const run = (name: string) => COLUMNS.map((column) => `${name}.${column}`).join(', ');
  const text = `with ${RANKED_FEEDS}, runs as (
      select list, feed, mode,
        max(case when outcome = 'done' then id end) as done, max(case when outcome in ${FAILED} then id end) as failed,
        min(case when outcome = 'done' then ended_at end) as first_done, count(case when outcome = 'done' then 1 end) as times
      from import_runs where ended_at is not null and (list, feed, mode) in (
        select list, feed, mode from ranked order by nth, newest desc limit ${MAX_FEEDS})
      group by list, feed, mode
    )
    select runs.list, runs.feed, runs.mode, runs.first_done, runs.times,
      (select count(*) from import_runs as later where later.list = runs.list and later.feed = runs.feed
        and later.mode = runs.mode and later.id > coalesce(runs.done, '') and later.outcome in ${FAILED}),
      ${run('done')}, ${run('failed')}
    from runs left join import_runs as done on done.id = runs.done
      left join import_runs as failed on failed.id = runs.failed
    order by runs.list, runs.feed, runs.mode`;
  const [rows] = await store.read({ text, values: [] });
  return rows.map(([list, feed, mode, first, times, failures, ...both]) => {
    const [done, failed] = [both.slice(0, COLUMNS.length), both.slice(COLUMNS.length)].map((one) =>
      one[0] === null ? undefined : runOf(one),
    );
    const passed = Date.parse(done?.ended_at ?? '') - Date.parse(String(first));
    const intervalMs = Number(times) < 3 ? undefined : passed / (Number(times) - 1);
    const key = { list: String(list), feed: String(feed), mode: String(mode) };
    return { ...key, done, failed, failures: Number(failures), intervalMs };
  });
}

export type LogSizes = Awaited<ReturnType<typeof readLogSizes>>;

/** The sums are over all accounts: they may take a thousandth of the time, and no more. */
const MAX_SHARE = 0.001;
const FAST_MILLISECONDS = 5;
const cachedSizes = new WeakMap<Store, { readonly sizes: LogSizes; readonly until: number }>();

async function logSizes(store: Store): Promise<LogSizes> {
  const cached = cachedSizes.get(store);
  const start = performance.now();
  if (cached !== undefined && start < cached.until) return cached.sizes;
  const sizes = await readLogSizes(store);
  const took = performance.now() - start;
  if (took > FAST_MILLISECONDS) cachedSizes.set(store, { sizes, until: start + took / MAX_SHARE });
  return sizes;
}

/** What the metrics of imports are computed from. */
export interface ImportState {
  readonly feeds: readonly FeedState[];
  /** The last import of each list of which no feed has one that was done: runs were not recorded then. */
  readonly older: readonly PastImport[];
  /** The size of the log of each list; `undefined` where the store shows one account at a time. */
  readonly logs: LogSizes | undefined;
}

/** Takes up to seconds where thousands of runs are recorded. */
export async function importState(store: Store): Promise<ImportState> {
  const feeds = await feedStates(store);
  const lists = Object.values(tables).map(({ list }) => list.name);
  const missing = lists.filter((name) => !feeds.some(({ list, done }) => list === name && done?.ended_at));
  const [older, logs] = await Promise.all([
    lastImports(store, missing),
    store.showsOneAccount ? undefined : logSizes(store),
  ]);
  return { feeds, older, logs };
}
