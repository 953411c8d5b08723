// `linecard-server import runs`: the imports that there were, how each ended, and those that are running.

import type { Values } from '../settings/config.ts';
import { type ImportRunRecord, readRuns } from '../store/imports/import-runs.ts';
import { type DatabaseSettings, withStore } from './command.ts';
import { printRows, say } from './print.ts';

/** Those of a person's screen, and of a program that asks for all. */
const SHOWN_RUNS = 50;
const ALL_RUNS = 100_000;
const COLUMNS = [
  'started_at',
  'list',
  'feed',
  'mode',
  'outcome',
  'seconds',
  'rows',
  'left_out',
  'inserted',
  'updated',
  'moved',
  'removed',
  'changed',
  'faults',
  'first_fault',
] as const;

type RunsSettings = DatabaseSettings & Pick<Values, 'feed' | 'failed' | 'json'>;

function secondsOf({ started_at, ended_at, updated_at }: ImportRunRecord): string {
  return ((Date.parse(ended_at ?? updated_at) - Date.parse(started_at)) / 1_000).toFixed(1);
}

/** Prints the newest runs, the oldest of them first: a table for people, or a JSON array for programs. */
export async function runRuns({ feed, failed, json, ...database }: RunsSettings): Promise<void> {
  const choice = { feed, failed, limit: json ? ALL_RUNS : SHOWN_RUNS };
  const runs = await withStore(database, (store) => readRuns(store, choice), 'read');
  if (!json && runs.length === 0) return say('There are no such imports of the last 30 days.');
  await printRows(json, COLUMNS, runs, (run) => ({
    ...run,
    outcome: run.outcome ?? 'running',
    seconds: secondsOf(run),
    ...(!json && {
      changed: Object.entries(run.changed ?? {})
        .map(([name, n]) => `${name} ${n}`)
        .join(', '),
    }),
  }));
}
