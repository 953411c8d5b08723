// The record of a run while it runs: written after a second, every few seconds from then on, and when it
// ends. That it cannot be written never fails an import.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { processActor } from '../store/audit.ts';
import { type ImportRunRecord, type RunOutcome, startedRun, writeRun } from '../store/import-runs.ts';
import { ImportRefused, ImportRejected, ImportStopped } from './faults.ts';
import { type ImportJob, type ImportSummary, modeOf } from './job.ts';

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

class RunRecord {
  readonly #job: ImportJob;
  #run: ImportRunRecord;
  #writtenAt = performance.now() - EVERY_MILLISECONDS + FIRST_MILLISECONDS;
  /** What is being written. */
  #writing: Promise<void> | undefined;

  constructor(job: ImportJob, source: string) {
    const { table, feed, provenance } = job;
    const from = provenance ?? { origin: 'command', actor: processActor(), source };
    this.#job = job;
    this.#run = startedRun({ ...from, list: table.list.name, feed: feed ?? from.origin, mode: modeOf(job) });
  }

  progress(rows: number): void {
    if (this.#writing !== undefined || performance.now() - this.#writtenAt < EVERY_MILLISECONDS) return;
    this.#writing = this.#write({ rows });
  }

  async end(how: Partial<ImportRunRecord>): Promise<void> {
    await this.#writing;
    await this.#write({ ...how, ended_at: timestampOf() });
  }

  async #write(changes: Partial<ImportRunRecord>): Promise<void> {
    this.#run = { ...this.#run, ...changes, updated_at: timestampOf() };
    try {
      await writeRun(this.#job.store, this.#run);
    } catch {
      // The next one may be written.
    }
    this.#writtenAt = performance.now();
    this.#writing = undefined;
  }
}

/** Runs an import and records it, unless it is a dry run. */
export async function recorded(
  job: ImportJob,
  source: string,
  work: (job: ImportJob) => Promise<ImportSummary>,
): Promise<ImportSummary> {
  if (job.dry_run === true) return work(job);
  const record = new RunRecord(job, source);
  let rows = 0;
  const onProgress: ImportJob['onProgress'] = (progress) => {
    rows = progress.rows;
    record.progress(rows);
    job.onProgress?.(progress);
  };
  try {
    const summary = await work({ ...job, onProgress });
    const { accounts: _, withheld: _withheld, absent: _absent, ...counts } = summary;
    await record.end({ ...counts, outcome: 'done' });
    return summary;
  } catch (error) {
    await record.end({ rows, ...outcomeOf(error) });
    throw error;
  }
}
