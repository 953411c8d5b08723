// The runs of imports: which there were, how each ended, and which are running. Every run is recorded, also
// one that is refused or fails; what came of each feed and mode is read from here.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { IMPORT_COUNTS, type ImportProvenance, newId } from './audit.ts';
import { Values } from './conditions.ts';
import type { Dialect } from './dialects.ts';
import { type Statement, separate, template } from './sql.ts';
import type { ResultRow, Store } from './store.ts';

/** How long runs are retained, and at most how many of each feed and mode. */
const RETENTION_MILLISECONDS = 30 * 86_400_000;
const MAX_RUNS = 1_000;
/** A run that reports no progress for this long has ended without saying so: its process was killed. */
const LOST_MILLISECONDS = 60_000;
/** The feeds that are reported, the ones used last: senders choose their names. */
const MAX_FEEDS = 100;
const MAX_TEXT_CHARACTERS = 200;

/**
 * How a run ends: done; refused for faults in its rows; rejected for its size; failed, such as for a lock or
 * a disk; stopped by a signal or because its client disconnected; or lost, where its process was killed.
 */
export type RunOutcome = 'done' | 'refused' | 'rejected' | 'failed' | 'stopped' | 'lost';
const FAILED = `('refused', 'rejected', 'failed', 'lost')`;

export type RunCounts = Readonly<Record<(typeof IMPORT_COUNTS)[number], number>>;

export interface ImportRunRecord extends ImportProvenance, RunCounts {
  readonly id: string;
  readonly list: string;
  readonly feed: string;
  readonly mode: string;
  readonly started_at: string;
  readonly updated_at: string;
  /** Null while it is running. */
  readonly ended_at: string | null;
  readonly outcome: RunOutcome | null;
  readonly faults: number;
  readonly first_fault: string | null;
}

const TEXTS = [
  'id',
  'list',
  'feed',
  'mode',
  'origin',
  'actor',
  'source',
  'started_at',
  'updated_at',
] as const;
const COLUMNS = [...TEXTS, 'ended_at', 'outcome', ...IMPORT_COUNTS, 'faults', 'first_fault'] as const;
/** Its table, for what copies all of a database. */
export const RUNS_TABLE = { name: 'import_runs', columns: COLUMNS, isSeparate: true } as const;

const NO_COUNTS = Object.fromEntries(IMPORT_COUNTS.map((name) => [name, 0])) as RunCounts;

/** A run that starts now. */
export function startedRun(
  run: Pick<ImportRunRecord, 'list' | 'feed' | 'mode' | keyof ImportProvenance>,
): ImportRunRecord {
  const [now, id] = [timestampOf(), newId()];
  const open = { ended_at: null, outcome: null, faults: 0, first_fault: null };
  return { ...run, ...NO_COUNTS, ...open, id, started_at: now, updated_at: now };
}

const short = (text: string) => Array.from(text).slice(0, MAX_TEXT_CHARACTERS).join('');

/** Records a run as it is now, in the place of how it was. */
function recordRun(dialect: Dialect, run: ImportRunRecord): Statement {
  const values = new Values(dialect);
  const bound = COLUMNS.map((name) => {
    const value = run[name];
    return values.bind(typeof value === 'string' ? short(value) : value);
  });
  const changing = COLUMNS.slice(TEXTS.indexOf('updated_at')).map((name) => `${name} = excluded.${name}`);
  const text = `insert into import_runs (${COLUMNS.join(', ')}) values (${bound.join(', ')})
    on conflict (id) do update set ${changing.join(', ')}`;
  return separate({ text, values: values.list });
}

/** Ends runs whose process was killed, and deletes what is not retained. */
function pruneRuns(dialect: Dialect, { list, feed, mode }: ImportRunRecord): Statement[] {
  const sql = template(dialect);
  const lost = timestampOf(Date.now() - LOST_MILLISECONDS);
  // An id begins with the microseconds, so that no more rows are read than are deleted.
  const oldest = String((Date.now() - RETENTION_MILLISECONDS) * 1_000);
  return [
    sql`update import_runs set outcome = 'lost', ended_at = updated_at
      where ended_at is null and updated_at < ${lost}`,
    sql`delete from import_runs where id < ${oldest}`,
    sql`delete from import_runs where list = ${list} and feed = ${feed} and mode = ${mode} and id <= (
      select id from import_runs where list = ${list} and feed = ${feed} and mode = ${mode}
      order by id desc limit 1 offset ${MAX_RUNS})`,
  ].map(separate);
}

/** Writes how a run is, whether an import has the store or not. */
export async function writeRun(store: Store, run: ImportRunRecord): Promise<void> {
  const ends = run.ended_at === null ? [] : pruneRuns(store.dialect, run);
  await store.write(recordRun(store.dialect, run), ...ends);
}

function runOf(row: ResultRow): ImportRunRecord {
  const run = Object.fromEntries(COLUMNS.map((name, i) => [name, row[i]])) as unknown as ImportRunRecord;
  const numbers = [...IMPORT_COUNTS, 'faults'] as const;
  return { ...run, ...Object.fromEntries(numbers.map((name) => [name, Number(run[name])])) };
}

export interface RunChoice {
  readonly feed?: string | undefined;
  /** Only those that did not do what they were to. */
  readonly failed?: boolean;
  readonly limit: number;
}

/** The newest runs, the oldest of them first. */
export async function readRuns(store: Store, { feed, failed, limit }: RunChoice): Promise<ImportRunRecord[]> {
  const values = new Values(store.dialect);
  const conditions = [
    ...(feed === undefined ? [] : [`feed = ${values.bind(feed)}`]),
    ...(failed === true ? [`outcome in ${FAILED}`] : []),
  ];
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const text = `select ${COLUMNS.join(', ')} from import_runs ${where} order by id desc limit ${values.bind(limit)}`;
  const [rows] = await store.read({ text, values: values.list });
  const before = timestampOf(Date.now() - LOST_MILLISECONDS);
  return rows
    .map(runOf)
    .map((run) =>
      run.ended_at === null && run.updated_at < before ? { ...run, outcome: 'lost' as const } : run,
    )
    .toReversed();
}

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
  const text = `with runs as (
      select list, feed, mode, max(id) as newest,
        max(case when outcome = 'done' then id end) as done, max(case when outcome in ${FAILED} then id end) as failed,
        min(case when outcome = 'done' then ended_at end) as first_done, count(case when outcome = 'done' then 1 end) as times
      from import_runs where ended_at is not null group by list, feed, mode order by newest desc limit ${MAX_FEEDS}
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
