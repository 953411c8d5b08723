// The record of a run while it runs: written after a second, every few seconds from then on, and when it
// ends. That it cannot be written never fails an import.

import { timestampOf } from '@linecard/client/contract/timestamp';
import {
  type ImportRunRecord,
  lastColumns,
  type RunOutcome,
  startedRun,
  writeRun,
} from '../store/imports/import-runs.ts';
import { IMPORT_COUNTS } from '../store/log/audit.ts';
import { ImportRefused, ImportRejected, ImportStopped } from './faults.ts';
import { type ImportJob, type ImportSummary, isTable, modeOf } from './job.ts';
import type { RunJob } from './run.ts';

/** The origins whose runs are of one feed, also where it has no name. */
const FEEDS: readonly string[] = ['watch', 'pull'];
const FIRST_MILLISECONDS = 1_000;
const EVERY_MILLISECONDS = 5_000;

function outcomeOf(
  error: unknown,
): Pick<ImportRunRecord, 'faults' | 'first_fault'> & { outcome: RunOutcome } {
  const first_fault = (error as Error).message;
  if (error instanceof ImportRefused)
    return { outcome: 'refused', faults: error.total, first_fault: error.faults[0] ?? first_fault };
  if (error instanceof ImportRejected) return { outcome: 'rejected', faults: 0, first_fault };
  return { outcome: error instanceof ImportStopped ? 'stopped' : 'failed', faults: 0, first_fault };
}

/** Runs an import and records it, unless it is a dry run. */
export async function recorded(
  job: RunJob,
  work: (job: RunJob) => Promise<ImportSummary>,
): Promise<ImportSummary> {
  const { store, table, feed, provenance } = job;
  const { name: list } = table.list;
  let run = startedRun({ ...provenance, list, feed: feed ?? provenance.origin, mode: modeOf(job) });
  // Runs by hand and requests that name no feed have nothing in common. Without them there is a warning less.
  const isOfFeed = isTable(table) && (feed !== undefined || FEEDS.includes(provenance.origin));
  const columnsBefore = isOfFeed ? await lastColumns(store, run).catch(() => undefined) : undefined;
  if (job.dry_run === true) return work({ ...job, columnsBefore });
  let writtenAt = performance.now() - EVERY_MILLISECONDS + FIRST_MILLISECONDS;
  let rows = 0;
  let writing: Promise<void> | undefined;
  const write = async (changes: Partial<ImportRunRecord>) => {
    run = { ...run, ...changes, updated_at: timestampOf() };
    // If one cannot be written, the next may be.
    await writeRun(job.store, run).catch(() => {});
    writtenAt = performance.now();
    writing = undefined;
  };
  const end = async (how: Partial<ImportRunRecord>) => {
    await writing;
    await write({ ...how, ended_at: timestampOf() });
  };
  const onProgress: ImportJob['onProgress'] = (progress) => {
    rows = progress.rows;
    if (performance.now() - writtenAt >= EVERY_MILLISECONDS) writing ??= write({ rows });
    job.onProgress?.(progress);
  };
  try {
    const summary = await work({ ...job, columnsBefore, onProgress });
    const { columns, changed } = summary;
    const counts = Object.fromEntries(IMPORT_COUNTS.map((name) => [name, summary[name]]));
    await end({ ...counts, columns, changed, outcome: 'done' });
    return summary;
  } catch (error) {
    await end({ rows, ...outcomeOf(error) });
    throw error;
  }
}
