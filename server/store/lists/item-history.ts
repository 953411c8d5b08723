// What happened to items, from the log of changes: when, on which account, and by which import. The log names
// no import: imports into a list come one after the other, so it is the first that was recorded at that time
// or later.

import { Values } from '../conditions.ts';
import { changesTable } from '../log/change-log.ts';
import { inParts, type Statement, separate, sql } from '../sql.ts';
import type { ResultRow, Snapshot } from '../store.ts';
import { type Finding, ofAccounts } from './found-items.ts';

/** The newest entries of an item that are shown. */
const MAX_HISTORY = 100;
const STATEMENTS_AT_ONCE = 100;

export interface LogEntry {
  /** When it changed; null if that is no longer known. */
  readonly at: string | null;
  readonly account_id: string;
  /** The bits of its events (`EVENTS` in the contract). */
  readonly what: number;
  /** What people knew it by, if it was removed. */
  readonly label: string | null;
}

/** The import that made a change. */
export interface ChangingImport {
  /** Its run, if that is retained, and the feed that it named. */
  readonly id: string | null;
  readonly feed: string | null;
  readonly mode: string;
  readonly origin: string;
  readonly actor: string;
  readonly source: string;
}

/** The newest first; of a move, coming to an account before leaving the other. */
function compared(a: LogEntry, b: LogEntry): number {
  const [later, earlier] = [b.at ?? '', a.at ?? ''];
  if (later !== earlier) return later < earlier ? -1 : 1;
  return a.what - b.what;
}

/** What happened to each of these items, the newest first. */
export async function historyOf(
  finding: Finding,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly LogEntry[]>> {
  const { snapshot, store, table } = finding;
  const values = new Values();
  const text = `select logged.id, ended_at, logged.account_id, what, label from ${changesTable(table.name)} as logged
    left join revisions on revisions.account_id = logged.account_id and revisions.sequence = logged.sequence - 1
    where ${store.dialect.among('logged.id', values.bind(ids), 'bigint')} and ${ofAccounts(finding, values, 'logged.account_id')}`;
  const found = new Map<number, LogEntry[]>();
  for await (const rows of snapshot.rows({ text, values: values.list }))
    for (const [id, at, account_id, what, label] of rows as (string | number | null)[][]) {
      const entry = {
        at: at as string | null,
        account_id: String(account_id),
        what: Number(what),
        label: label as string | null,
      };
      const entries = found.get(Number(id));
      if (entries === undefined) found.set(Number(id), [entry]);
      else entries.push(entry);
    }
  return new Map(
    [...found].map(([id, entries]) => [id, entries.toSorted(compared).slice(0, MAX_HISTORY)] as const),
  );
}

/** The first row of each statement. */
async function firstRows(
  snapshot: Snapshot,
  statements: readonly Statement[],
): Promise<(ResultRow | undefined)[]> {
  const found: (ResultRow | undefined)[] = [];
  for (const some of inParts(statements, STATEMENTS_AT_ONCE))
    for (const [row] of await snapshot.read(...some)) found.push(row);
  return found;
}

const importAt = (list: string, at: string): Statement =>
  sql`select finished_at, mode, origin, actor, source from imports
    where list = ${list} and finished_at >= ${at} order by finished_at limit 1`;

/** The run whose import was recorded at that time. */
const runAt = (
  list: string,
  [at = null, mode = null, origin = null, actor = null, source = null]: ResultRow,
) =>
  separate(sql`select id, feed from import_runs
    where list = ${list} and mode = ${mode} and origin = ${origin} and actor = ${actor} and source = ${source}
      and started_at <= ${at} and (ended_at is null or (outcome = 'done' and ended_at >= ${at}))
    order by started_at desc limit 1`);

/** The imports into a list that made the changes of these times. */
export async function importsAt(
  snapshot: Snapshot,
  list: string,
  times: readonly string[],
): Promise<ReadonlyMap<string, ChangingImport>> {
  const imports = await firstRows(
    snapshot,
    times.map((at) => importAt(list, at)),
  );
  const known = times.flatMap((at, i) => (imports[i] === undefined ? [] : [{ at, row: imports[i] }]));
  const runs = await firstRows(
    snapshot,
    known.map(({ row }) => runAt(list, row)),
  );
  return new Map(
    known.map(({ at, row: [, mode, origin, actor, source] }, i) => {
      const [id = null, feed = null] = runs[i] ?? [];
      return [at, { id, feed, mode, origin, actor, source } as ChangingImport] as const;
    }),
  );
}
