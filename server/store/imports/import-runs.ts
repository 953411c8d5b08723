// The runs of imports: which there were, how each ended, and which are running. Every run is recorded, also
// one that is refused or fails; what came of each feed and mode is read from here.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { intakeLimits } from '../../limits/intake-limits.ts';
import { Values } from '../conditions.ts';
import { IMPORT_COUNTS, type ImportProvenance, newId } from '../log/audit.ts';
import { insertRows, objectsOf, type Statement, separate, sql, statement } from '../sql.ts';
import type { ResultRow, Store } from '../store.ts';
import { latestOf, soundTime } from '../stored-times.ts';

const RETENTION_MILLISECONDS = 30 * 86_400_000;
/** A run that reports no progress for this long has ended without saying so: its process was killed. */
const LOST_MILLISECONDS = 60_000;
const MAX_TEXT_CHARACTERS = 200;

/**
 * How a run ends: done; refused for faults in its rows; rejected for its size; failed, such as for a lock or
 * a disk; stopped by a signal or because its client disconnected; or lost, where its process was killed.
 */
export type RunOutcome = 'done' | 'refused' | 'rejected' | 'failed' | 'stopped' | 'lost';
export const FAILED = `('refused', 'rejected', 'failed', 'lost')`;

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
  /** The columns that its rows had, and how many items each changed of; null of a run that is not done. */
  readonly columns: readonly string[] | null;
  readonly changed: Readonly<Record<string, number>> | null;
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
export const COLUMNS = [
  ...TEXTS,
  'ended_at',
  'outcome',
  ...IMPORT_COUNTS,
  'faults',
  'first_fault',
  'columns',
  'changed',
] as const;
/** Its table, for what copies all of a database. */
export const RUNS_TABLE = { name: 'import_runs', columns: COLUMNS, isSeparate: true } as const;

const NO_COUNTS = Object.fromEntries(IMPORT_COUNTS.map((name) => [name, 0])) as RunCounts;

export function startedRun(
  run: Pick<ImportRunRecord, 'list' | 'feed' | 'mode' | keyof ImportProvenance>,
): ImportRunRecord {
  const [now, id] = [timestampOf(), newId()];
  const open = { ended_at: null, outcome: null, faults: 0, first_fault: null, columns: null, changed: null };
  return { ...run, ...NO_COUNTS, ...open, id, started_at: now, updated_at: now };
}

const short = (text: string) => Array.from(text).slice(0, MAX_TEXT_CHARACTERS).join('');

/** Records a run as it is now, in the place of how it was. */
function recordRun(run: ImportRunRecord): Statement {
  const row = COLUMNS.map((name) => {
    const value = run[name];
    if (typeof value === 'string') return short(value);
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  });
  const changing = COLUMNS.slice(TEXTS.indexOf('updated_at')).map((name) => `${name} = excluded.${name}`);
  const update = `on conflict (id) do update set ${changing.join(', ')}`;
  return separate(insertRows('import_runs', COLUMNS, [row], update));
}

const KEY = ['list', 'feed', 'mode'] as const;

const same = (columns: readonly string[], of: string) =>
  columns.map((column) => `run.${column} = ${of}.${column}`).join(' and ');

/** Of the runs of a row of `of`. */
export const sameFeed = (of: string): string => same(KEY, of);

/** The next value of a column, after that of a row of `from`. */
function nextValue(from: string, before: readonly string[], column: string): string {
  const after = `run.${column} > ${from}.${column}`;
  const where = before.length === 0 ? after : `${same(before, from)} and ${after}`;
  return `(select min(run.${column}) from import_runs as run where ${where})`;
}

/**
 * CTEs, one of them recursive, of the feeds, each with its newest run and its rank among the feeds of the
 * sender of that run: those with several runs first, so that names that are used once do not replace them,
 * then those used last. Each look-up finds the next name in the index: there are far more runs than names.
 */
export const RANKED_FEEDS = `lists (list) as (
    select min(list) from import_runs
    union all select ${nextValue('lists', [], 'list')} from lists where list is not null
  ), feeds (list, feed) as (
    select list, (select min(run.feed) from import_runs as run where ${same(['list'], 'lists')})
    from lists where list is not null
    union all select list, ${nextValue('feeds', ['list'], 'feed')} from feeds where feed is not null
  ), modes (list, feed, mode) as (
    select list, feed, (select min(run.mode) from import_runs as run where ${same(['list', 'feed'], 'feeds')})
    from feeds where feed is not null
    union all select list, feed, ${nextValue('modes', ['list', 'feed'], 'mode')} from modes where mode is not null
  ), used as (
    select list, feed, mode,
      (select max(run.id) from import_runs as run where ${sameFeed('modes')}) as newest,
      (select min(run.id) from import_runs as run where ${sameFeed('modes')}) as oldest
    from modes where mode is not null
  ), ranked as (
    select list, feed, mode, newest, actor,
      row_number() over (partition by actor order by newest = oldest, newest desc) as nth
    from (select used.*, (select actor from import_runs as run where run.id = newest) as actor from used) as named
  )`;

async function isFirst(store: Store, { id, list, feed, mode }: ImportRunRecord): Promise<boolean> {
  const [others] = await store.read(sql`select id from import_runs
    where list = ${list} and feed = ${feed} and mode = ${mode} and id <> ${id} limit 1`);
  return others.length === 0;
}

/** Deletes the feeds of a sender that are not retained; the run that has just ended is. */
async function pruneFeeds(store: Store, { id, actor }: ImportRunRecord): Promise<void> {
  const text = `with recursive ${RANKED_FEEDS} select list, feed, mode from ranked
    where actor = $1 and nth > ${intakeLimits.recordedFeeds.each}`;
  const [feeds] = await store.read(statement(text, actor));
  const deletions = feeds.map(([list = null, feed = null, mode = null]) =>
    separate(sql`delete from import_runs
      where list = ${list} and feed = ${feed} and mode = ${mode} and ended_at is not null and id <> ${id}`),
  );
  if (deletions.length > 0) await store.write(...deletions);
}

/** Ends runs whose process was killed, and deletes what is not retained. */
function pruneRuns({ list, feed, mode }: ImportRunRecord): Statement[] {
  const lost = timestampOf(Date.now() - LOST_MILLISECONDS);
  // An id begins with the microseconds, so that no more rows are read than are deleted.
  const oldest = String((Date.now() - RETENTION_MILLISECONDS) * 1_000);
  return [
    sql`update import_runs set outcome = 'lost', ended_at = updated_at
      where ended_at is null and (updated_at < ${lost} or updated_at > ${latestOf('run', Date.now())})`,
    sql`delete from import_runs where id < ${oldest}`,
    sql`delete from import_runs where list = ${list} and feed = ${feed} and mode = ${mode} and id <= (
      select id from import_runs where list = ${list} and feed = ${feed} and mode = ${mode}
      order by id desc limit 1 offset ${intakeLimits.recordedRuns.each})`,
  ].map(separate);
}

/** Writes how a run is, whether an import has the store or not. */
export async function writeRun(store: Store, run: ImportRunRecord): Promise<void> {
  const isOver = run.ended_at !== null;
  const isNewFeed = isOver && (await isFirst(store, run));
  await store.write(recordRun(run), ...(isOver ? pruneRuns(run) : []));
  if (isNewFeed) await pruneFeeds(store, run);
}

export function runOf(row: ResultRow): ImportRunRecord {
  const [run] = objectsOf<ImportRunRecord>(COLUMNS, [row]) as [ImportRunRecord];
  const numbers = [...IMPORT_COUNTS, 'faults'] as const;
  // As they are stored, they are texts.
  const parsed = (value: unknown): unknown => (value === null ? null : JSON.parse(value as string));
  const [columns, changed] = [parsed(run.columns), parsed(run.changed)];
  return {
    ...run,
    ...Object.fromEntries(numbers.map((name) => [name, Number(run[name])])),
    columns: columns as ImportRunRecord['columns'],
    changed: changed as ImportRunRecord['changed'],
  };
}

/** The columns of the last run of a feed that was done. */
export async function lastColumns(
  store: Pick<Store, 'read'>,
  { list, feed, mode }: Pick<ImportRunRecord, 'list' | 'feed' | 'mode'>,
): Promise<readonly string[] | undefined> {
  const [[row]] = await store.read(sql`select columns from import_runs where list = ${list} and feed = ${feed}
    and mode = ${mode} and outcome = 'done' and columns is not null order by id desc limit 1`);
  return row && (JSON.parse(String(row[0])) as readonly string[]);
}

export interface RunChoice {
  readonly feed?: string | undefined;
  /** Only those that did not do what they were to. */
  readonly failed?: boolean | undefined;
  /** Only those of this user or operator token. */
  readonly actor?: string | undefined;
  readonly limit: number;
  readonly offset?: number;
}

/** A run that has reported nothing for long is lost. */
function asItIs(run: ImportRunRecord, now: number): ImportRunRecord {
  const { ended_at, updated_at } = run;
  const before = timestampOf(now - LOST_MILLISECONDS);
  const isLost = ended_at === null && (soundTime('run', updated_at, now) ?? '') < before;
  return isLost ? { ...run, outcome: 'lost' } : run;
}

/** Some of the runs, the newest first, and how many there are. */
export async function runPage(
  store: Store,
  { feed, failed, actor, limit, offset = 0 }: RunChoice,
): Promise<{ readonly total: number; readonly runs: readonly ImportRunRecord[] }> {
  const values = new Values();
  const conditions = [
    ...(feed === undefined ? [] : [`feed = ${values.bind(feed)}`]),
    ...(actor === undefined ? [] : [`actor = ${values.bind(actor)}`]),
    ...(failed === true ? [`outcome in ${FAILED}`] : []),
  ];
  const from = `from import_runs ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}`;
  const counted = { text: `select count(*) ${from}`, values: [...values.list] };
  const range = `limit ${values.bind(limit)} offset ${values.bind(offset)}`;
  const page = {
    text: `select ${COLUMNS.join(', ')} ${from} order by id desc ${range}`,
    values: values.list,
  };
  const [counts, rows] = await store.read(counted, page);
  const now = Date.now();
  return { total: Number(counts[0]?.[0]), runs: rows.map((row) => asItIs(runOf(row), now)) };
}

/** The newest runs, the oldest of them first. */
export const readRuns = async (store: Store, choice: RunChoice): Promise<ImportRunRecord[]> =>
  (await runPage(store, choice)).runs.toReversed();

export async function findRun(store: Store, id: string): Promise<ImportRunRecord | undefined> {
  const [[row]] = await store.read(
    statement(`select ${COLUMNS.join(', ')} from import_runs where id = $1`, id),
  );
  return row && asItIs(runOf(row), Date.now());
}
