// One import: the load that its batches go into, its faults, how far it is, and whether it may be committed.
// It must not know how rows are read or stored.

import type { Readable } from 'node:stream';
import type { RemovalLimit } from '../setting-kinds.ts';
import type { AccountChanges, CommitOptions, Load, LoadSummary, ResultRow, Store } from '../store/store.ts';
import type { RowValues, Stored, Table } from '../store/tables.ts';
import { REMOVED } from './columns.ts';
import { type ImportFault, ImportRefused, lineText, MAX_REPORTED_FAULTS } from './faults.ts';
import type { Format, ImportFile } from './files.ts';
import { type RowBatch, rowOf } from './reading.ts';
import { removalFault } from './removal-limit.ts';
import { ItemUpdates } from './update.ts';
import { quoted } from './values.ts';

export interface ImportProgress {
  readonly doing: 'reading' | 'waiting' | 'finishing';
  readonly rows: number;
  /** Bytes read, and how many there are, where that is known. */
  readonly bytes: number;
  readonly totalBytes: number | undefined;
}

export interface ImportJob {
  readonly store: Store;
  readonly table: Table;
  /** Names of files; `-` is standard input. */
  readonly files: readonly string[];
  readonly format?: Format | undefined;
  /** What stands between the cells of CSV, and how the bytes are text, where it is not usual. */
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
  /** The account of all rows, where the files do not name it. */
  readonly account_id?: string | undefined;
  /** Whether the files change items that are there, and have only some of their columns. */
  readonly update?: boolean;
  /** Which items that the files do not name are removed: those of the accounts in the files, or all. */
  readonly replace?: CommitOptions['removeOthers'];
  /** How much it may remove; where it replaces, there is a limit even when none is given. */
  readonly maxRemoved?: RemovalLimit | undefined;
  /** How many rows there must be. */
  readonly expectRows?: number | undefined;
  /** How long it is known what it changes. */
  readonly retentionMs?: number | undefined;
  /** Whether everything is worked out and nothing is changed. */
  readonly dryRun?: boolean;
  readonly stdin?: Readable;
  /** Stops the import, which leaves everything as it was. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** How long another import is waited for. */
  readonly lockTimeoutMs?: number;
}

export interface ImportSummary extends LoadSummary {
  readonly rows: number;
  /** What would change for each account, where nothing was changed. */
  readonly accounts?: readonly AccountChanges[];
}

const UNCHANGED = 'Nothing was imported: the lists are as they were.';

/** There is no fault in any row, but the import is not of the size that was expected. */
export class ImportWithheld extends Error {
  override readonly name = 'ImportWithheld';

  constructor(why: string) {
    super(`${why} ${UNCHANGED}`);
  }
}

/** The import was stopped before its end, and everything is as it was. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';

  constructor(message = `Stopped. ${UNCHANGED}`, options?: ErrorOptions) {
    super(message, options);
  }
}

export class ImportRun {
  readonly #job: ImportJob;
  readonly #totalBytes: number | undefined;
  readonly #updates: ItemUpdates | undefined;
  readonly #faults: ImportFault[] = [];
  /** Faults that were found while reading, and of items that are not there. */
  #faultsRead = 0;
  #faultsFound = 0;
  #rows = 0;
  #bytes = 0;
  #load: Load | undefined;

  constructor(job: ImportJob, files: readonly ImportFile[]) {
    this.#job = job;
    this.#updates = job.update === true ? new ItemUpdates(job.table) : undefined;
    const sizes = files.map(({ bytes }) => bytes);
    this.#totalBytes = sizes.includes(undefined)
      ? undefined
      : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  async add(batch: RowBatch): Promise<void> {
    const { store, table, signal, lockTimeoutMs } = this.#job;
    this.#load ??= await store.load(table, {
      signal,
      lockTimeoutMs,
      onWait: () => this.#report('waiting'),
    });
    this.#faults.push(...batch.faults);
    this.#faultsRead = batch.totalFaults;
    const rows =
      this.#updates === undefined ? batch.rows : await this.#merge(this.#load, this.#updates, batch);
    if (this.#totalFaults === 0) await this.#load.add(rows, batch.lines);
    else await this.#load.addFaulty(batch.ids, batch.lines);
    this.#rows += batch.lines.length;
    this.#bytes = batch.bytes;
    this.#report('reading');
  }

  /**
   * Makes everything visible, unless it is a dry run.
   * @throws {ImportRefused} when there are faults, duplicates among them.
   * @throws {ImportWithheld} when it is not of the size that was expected.
   */
  async finish(): Promise<ImportSummary> {
    const { account_id, replace = 'none', dryRun = false, files, retentionMs } = this.#job;
    const load = this.#load;
    if (load === undefined) throw new Error('An import must name at least one file.');
    this.#report('finishing');
    const duplicates = await this.#duplicates(load);
    if (this.#totalFaults + duplicates > 0)
      throw new ImportRefused(files, this.#faults, this.#totalFaults + duplicates);
    this.#mustHaveRows();
    const accounts = account_id === undefined ? [] : [account_id];
    const options = { accounts, removeOthers: replace, retentionMs };
    const summary = { rows: this.#rows, ...(await load.prepare(options)) };
    await this.#mayRemove(load, summary.removed);
    if (!dryRun) {
      await load.commit();
      return summary;
    }
    const changes = await load.changes();
    await load.rollback();
    return { ...summary, accounts: changes };
  }

  async rollback(): Promise<void> {
    await this.#load?.rollback();
  }

  get #totalFaults(): number {
    return this.#faultsRead + this.#faultsFound;
  }

  /** The whole rows of a batch that has only what changes; what is not there is a fault. */
  async #merge(load: Load, updates: ItemUpdates, { ids, changes, lines }: RowBatch): Promise<Stored[][]> {
    const stored = new Map((await load.stored(ids)).map((row) => [row[0] as number, row]));
    return changes.flatMap((change, i) => {
      if (change[REMOVED] === true) return [rowOf(this.#job.table, change)];
      const row = stored.get(ids[i] as number);
      if (row !== undefined && updates.accountOf(row) === change['account_id'])
        return [rowOf(this.#job.table, updates.merge(row, change))];
      this.#reportAbsent(change, lines[i] as number, row);
      return [];
    });
  }

  #reportAbsent({ account_id, id }: RowValues, line: number, row: ResultRow | undefined): void {
    // What is wrong with the account itself was reported when it was read.
    if (account_id === undefined) return;
    this.#faultsFound += 1;
    if (this.#faultsFound > MAX_REPORTED_FAULTS) return;
    const where = row === undefined ? 'is not there' : `is not on the account ${quoted(String(account_id))}`;
    this.#faults.push({
      line,
      text: `id: ${id} ${where}; --update changes items that are there. Import new ones without it.`,
    });
  }

  /** Reports ids that came twice; returns how many did. */
  async #duplicates(load: Load): Promise<number> {
    const { first, total } = await load.duplicates(MAX_REPORTED_FAULTS);
    for (const { id, line, firstLine } of first) {
      const where = lineText(this.#job.files, firstLine);
      this.#faults.push({ line, text: `id: ${id} is there twice; it was first given at ${where}.` });
    }
    return total;
  }

  #mustHaveRows(): void {
    const { expectRows } = this.#job;
    if (expectRows === undefined || expectRows === this.#rows) return;
    const count = (n: number) => n.toLocaleString('en');
    throw new ImportWithheld(
      `There are ${count(this.#rows)} rows, but --expect-rows says ${count(expectRows)}.`,
    );
  }

  async #mayRemove(load: Load, removed: number): Promise<void> {
    const { replace = 'none', maxRemoved } = this.#job;
    if (removed === 0 || (replace === 'none' && maxRemoved === undefined)) return;
    const before = await load.before(replace === 'all' ? 'all' : 'named');
    const fault = removalFault(removed, before, maxRemoved);
    if (fault !== undefined) throw new ImportWithheld(fault);
  }

  #report(doing: ImportProgress['doing']): void {
    const [rows, bytes, totalBytes] = [this.#rows, this.#bytes, this.#totalBytes];
    this.#job.onProgress?.({ doing, rows, bytes, totalBytes });
  }
}
