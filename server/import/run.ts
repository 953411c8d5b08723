// One import: the load that its batches go into, its faults, how far it is, and whether it may be committed.

import { processActor, recordImport } from '../store/audit.ts';
import type { Statement } from '../store/sql.ts';
import type { Load, ResultRow } from '../store/store.ts';
import type { RowValues, Stored } from '../store/tables.ts';
import {
  type ImportFault,
  ImportRefused,
  ImportRejected,
  ImportTooLarge,
  type LineSource,
  lineText,
  MAX_REPORTED_FAULTS,
} from './faults.ts';
import { type ImportJob, type ImportMode, type ImportProgress, type ImportSummary, modeOf } from './job.ts';
import { columnLabel, type Mapping } from './mapping/mapped.ts';
import type { RowBatch } from './reading.ts';
import { movesFault, removalFault, rowsFault } from './size-limits.ts';
import { ItemUpdates } from './update.ts';
import { quoted } from './values.ts';

/** Which items that no row names are removed. */
const REMOVED_OTHERS = { insert: 'none', update: 'none', replace: 'named', 'replace-all': 'all' } as const;

/** What is known of the rows of a run before they are read. */
interface RunReading {
  readonly totalBytes?: number | undefined;
  readonly mapping?: Mapping | undefined;
}

export class ImportRun {
  readonly #job: ImportJob;
  readonly #mode: ImportMode;
  readonly #sources: readonly LineSource[];
  readonly #totalBytes: number | undefined;
  /** What a fault calls the column of ids. */
  readonly #id: string;
  readonly #updates: ItemUpdates | undefined;
  readonly #faults: ImportFault[] = [];
  /** Faults that were found while reading, and of items that are not there. */
  #faultsRead = 0;
  #faultsFound = 0;
  #rows = 0;
  #bytes = 0;
  #load: Load | undefined;

  /**
   * @param sources what the line references of the batches are of.
   * @param reading how many bytes there are to read, where that is known, and the mapping that they have.
   */
  constructor(job: ImportJob, sources: readonly LineSource[], { totalBytes, mapping }: RunReading = {}) {
    this.#job = job;
    this.#sources = sources;
    this.#mode = modeOf(job);
    this.#updates = this.#mode === 'update' ? new ItemUpdates(job.table) : undefined;
    this.#totalBytes = totalBytes;
    this.#id = columnLabel(mapping, 'id');
  }

  async add(batch: RowBatch): Promise<void> {
    this.#job.signal?.throwIfAborted();
    if (batch.isTooLarge === true) throw new ImportTooLarge(batch.faults.at(-1)?.detail);
    this.#faults.push(...batch.faults);
    this.#faultsRead = batch.totalFaults;
    // What has no rows waits for no lock, and holds none.
    if (batch.ids.length > 0) await this.#addBatch(await this.#begin(), batch);
    this.#rows += batch.lines.length;
    this.#bytes = batch.bytes;
    this.#report('reading');
  }

  /**
   * Makes everything visible, unless it is a dry run.
   * @throws {ImportRefused} when there are faults, duplicates among them.
   * @throws {ImportRejected} when it is not of the size that was expected; a dry run returns why.
   */
  async finish(): Promise<ImportSummary> {
    const { account, dry_run = false, expect_rows, beforeCommit, signal, changes_kept } = this.#job;
    if (this.#load === undefined && this.#totalFaults > 0)
      throw new ImportRefused(this.#sources, this.#faults, this.#totalFaults);
    const load = await this.#begin();
    this.#report('finishing');
    const duplicates = await this.#duplicates(load);
    if (this.#totalFaults + duplicates > 0)
      throw new ImportRefused(this.#sources, this.#faults, this.#totalFaults + duplicates);
    let rejected = rowsFault(this.#rows, expect_rows);
    if (rejected !== undefined && !dry_run) throw new ImportRejected(rejected);
    const accounts = account === undefined ? [] : [account];
    const options = { accounts, removeOthers: REMOVED_OTHERS[this.#mode], retentionMs: changes_kept };
    const summary = { rows: this.#rows, ...(await load.prepare(options)) };
    // First: a sender that may not write an account must not learn how many of its items would move.
    await beforeCommit?.(load, summary);
    rejected ??= await this.#limitFault(load, summary);
    if (rejected !== undefined && !dry_run) throw new ImportRejected(rejected);
    signal?.throwIfAborted();
    if (!dry_run) {
      await load.write(...(await this.#recordOf(load, summary)));
      await load.commit();
      return summary;
    }
    const changes = await load.changes();
    await load.rollback();
    return { ...summary, accounts: changes, ...(rejected === undefined ? {} : { withheld: rejected }) };
  }

  get #sourceNames(): string {
    return this.#sources.map((one) => (typeof one === 'string' ? one : one.rowsOf)).join(' ');
  }

  async #recordOf(load: Load, summary: ImportSummary): Promise<Statement[]> {
    const { store, table, provenance } = this.#job;
    const moves = summary.moved === 0 ? [] : await load.moves();
    const from = provenance ?? { origin: 'command', actor: processActor(), source: this.#sourceNames };
    return recordImport(store, { ...summary, ...from, list: table.list.name, mode: this.#mode }, moves);
  }

  async rollback(): Promise<void> {
    await this.#load?.rollback();
  }

  get #totalFaults(): number {
    return this.#faultsRead + this.#faultsFound;
  }

  async #begin(): Promise<Load> {
    const { store, table, signal, lockTimeoutMs, dry_run } = this.#job;
    const onWait = () => this.#report('waiting');
    this.#load ??= await store.load(table, { signal, lockTimeoutMs, isTrial: dry_run, onWait });
    return this.#load;
  }

  async #addBatch(load: Load, batch: RowBatch): Promise<void> {
    if (this.#updates !== undefined) await this.#addChanges(load, this.#updates, batch);
    else await this.#addRows(load, batch.rows, batch);
  }

  async #addRows(
    load: Load,
    rows: readonly (readonly Stored[])[],
    { ids, lines }: Pick<RowBatch, 'ids' | 'lines'>,
  ): Promise<void> {
    if (this.#totalFaults === 0) await load.add(rows, lines);
    else await load.addFaulty(ids, lines);
  }

  /**
   * Adds the rows of a batch that has only what changes, in parts of the size that the store reads; what
   * is not there is a fault.
   */
  async #addChanges(load: Load, updates: ItemUpdates, batch: RowBatch): Promise<void> {
    for (let start = 0; start < batch.ids.length; start += load.readSize) {
      const end = start + load.readSize;
      const part = {
        ids: batch.ids.slice(start, end),
        lines: batch.lines.slice(start, end),
        changes: batch.changes.slice(start, end),
      };
      const stored = await load.stored(part.ids);
      const rows = updates.rowsOf(stored, part.ids, part.changes, (i, row) =>
        this.#reportAbsent(part.changes[i] as RowValues, part.lines[i] as number, row),
      );
      await this.#addRows(load, rows, part);
    }
  }

  #reportAbsent({ account_id, id }: RowValues, line: number, row: ResultRow | undefined): void {
    // What is wrong with the account itself was reported when it was read.
    if (account_id === undefined) return;
    this.#faultsFound += 1;
    if (this.#faultsFound > MAX_REPORTED_FAULTS) return;
    const isSecret = row !== undefined && this.#job.mayWrite?.(this.#updates?.accountOf(row) ?? '') === false;
    const where =
      row === undefined || isSecret ? 'is not there' : `is not on the account ${quoted(String(account_id))}`;
    this.#faults.push({
      line,
      column: this.#id,
      detail: `${id} ${where}; --update changes items that are there. Import new ones without it.`,
    });
  }

  /** Reports ids that came twice; returns how many did. */
  async #duplicates(load: Load): Promise<number> {
    const { first, total } = await load.duplicates(MAX_REPORTED_FAULTS);
    for (const { id, line, firstLine } of first) {
      const where = lineText(this.#sources, firstLine);
      const detail = `${id} is there twice; it was first given at ${where}.`;
      this.#faults.push({ line, column: this.#id, detail });
    }
    return total;
  }

  /** Why it would move or remove more than it may; `undefined` where it would not. */
  async #limitFault(load: Load, { rows, moved, removed }: ImportSummary): Promise<string | undefined> {
    const { max_moved, max_removed, dry_run, provenance } = this.#job;
    // A dry run shows it already, and a watched folder has none.
    const canTry = dry_run !== true && provenance?.origin !== 'watch';
    const fault = movesFault({ moved, rows, limit: max_moved, canTry });
    const others = REMOVED_OTHERS[this.#mode];
    const mayRemoveAll = others === 'none' && max_removed === undefined;
    if (fault !== undefined || mayRemoveAll || removed + moved === 0) return fault;
    const { items: before, movedOut } = await load.before(others === 'all' ? 'all' : 'named');
    return removalFault({ removed, movedOut, before, limit: max_removed, canTry });
  }

  #report(doing: ImportProgress['doing']): void {
    const [rows, bytes, totalBytes] = [this.#rows, this.#bytes, this.#totalBytes];
    this.#job.onProgress?.({ doing, rows, bytes, totalBytes });
  }
}
