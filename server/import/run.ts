// One import: the load that its batches go into, its faults, how far it is, and whether it may be committed.

import { AccountsLoad, type AnyLoad } from '../store/accounts-load.ts';
import { type ImportProvenance, recordImport } from '../store/audit.ts';
import type { Statement } from '../store/sql.ts';
import type { Load, ResultRow } from '../store/store.ts';
import type { RowValues, Stored } from '../store/tables.ts';
import { isOutside, parentFaultText } from './account-faults.ts';
import {
  type ImportFault,
  ImportRefused,
  ImportRejected,
  ImportTooLarge,
  type LineSource,
  lineText,
  MAX_REPORTED_FAULTS,
} from './faults.ts';
import {
  type ImportJob,
  type ImportMode,
  type ImportProgress,
  type ImportSummary,
  isTable,
  modeOf,
} from './job.ts';
import { columnLabel, type Mapping } from './mapping/mapped.ts';
import type { RowBatch } from './reading.ts';
import { movesFault, removalFault, rowsFault } from './size-limits.ts';
import { ItemUpdates } from './targets.ts';
import { quoted } from './values.ts';

/** Which items that no row names are removed. */
const REMOVED_OTHERS = { insert: 'none', update: 'none', replace: 'named', 'replace-all': 'all' } as const;

type ListBatch = Omit<RowBatch, 'ids'> & { readonly ids: readonly number[] };
/** An import whose origin is known. */
export type RunJob = ImportJob & { readonly provenance: ImportProvenance };

/** What is known of the rows of a run before they are read. */
interface RunReading {
  /** What the line references of the batches are of. */
  readonly sources: readonly LineSource[];
  readonly totalBytes?: number | undefined;
  readonly mapping?: Mapping | undefined;
}

export class ImportRun {
  readonly #job: RunJob;
  readonly #mode: ImportMode;
  readonly #reading: RunReading;
  readonly #updates: ItemUpdates | undefined;
  readonly #faults: ImportFault[] = [];
  /** Faults that were found while reading, and of items that are not there. */
  #faultsRead = 0;
  #faultsFound = 0;
  #rows = 0;
  #bytes = 0;
  #items: Load | undefined;
  #accounts: AccountsLoad | undefined;
  /** Whether a row is not the sender's to write, so that nothing of the others must be reported. */
  #isOutside = false;

  constructor(job: RunJob, reading: RunReading) {
    this.#job = job;
    this.#reading = reading;
    this.#mode = modeOf(job);
    if (this.#mode === 'update' && isTable(job.table)) this.#updates = new ItemUpdates(job.table);
  }

  async add(batch: RowBatch): Promise<void> {
    this.#job.signal?.throwIfAborted();
    if (batch.isTooLarge === true) throw new ImportTooLarge(batch.faults.at(-1)?.detail);
    this.#faults.push(...batch.faults);
    this.#faultsRead = batch.totalFaults;
    // What has no rows waits for no lock, and holds none.
    if (batch.ids.length > 0) await this.#addBatch(batch);
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
    if (this.#begun === undefined && this.#totalFaults > 0) throw this.#refused();
    const load = await this.#begin();
    this.#report('finishing');
    const found = (await this.#duplicates(load)) + (await this.#parentFaults());
    if (this.#totalFaults + found > 0) throw this.#refused(found);
    let rejected = rowsFault(this.#rows, expect_rows);
    if (rejected !== undefined && !dry_run) throw new ImportRejected(rejected);
    const accounts = account === undefined ? [] : [account];
    const options = { accounts, removeOthers: REMOVED_OTHERS[this.#mode], retentionMs: changes_kept };
    const summary = { rows: this.#rows, ...(await load.prepare(options)) };
    // First: a sender that may not write an account must not learn how many of its items would move.
    await beforeCommit?.(load, summary);
    rejected ??= await this.#limitFault(summary);
    if (rejected !== undefined && !dry_run) throw new ImportRejected(rejected);
    signal?.throwIfAborted();
    if (!dry_run) {
      await load.write(...(await this.#recordOf(summary)));
      await load.commit();
      return summary;
    }
    const changes = (await this.#items?.changes()) ?? (await this.#accounts?.effects()) ?? [];
    await load.rollback();
    return { ...summary, accounts: changes, ...(rejected === undefined ? {} : { withheld: rejected }) };
  }

  async #recordOf(summary: ImportSummary): Promise<Statement[]> {
    const { table } = this.#job;
    const moves = summary.moved === 0 ? [] : await this.#items?.moves();
    const one = { ...summary, ...this.#job.provenance, list: table.list.name, mode: this.#mode };
    return recordImport(one, moves);
  }

  #refused(more = 0): ImportRefused {
    return new ImportRefused(this.#reading.sources, this.#faults, this.#totalFaults + more);
  }

  async rollback(): Promise<void> {
    await this.#begun?.rollback();
  }

  get #begun(): AnyLoad | undefined {
    return this.#items ?? this.#accounts;
  }

  get #totalFaults(): number {
    return this.#faultsRead + this.#faultsFound;
  }

  async #begin(): Promise<AnyLoad> {
    if (this.#begun !== undefined) return this.#begun;
    const { store, table, signal, lockTimeoutMs, dry_run, provenance } = this.#job;
    const options = { signal, lockTimeoutMs, isTrial: dry_run, onWait: () => this.#report('waiting') };
    if (isTable(table)) this.#items = await store.load(table, options);
    else this.#accounts = await AccountsLoad.begin(store, provenance, options);
    return this.#begin();
  }

  async #addBatch(batch: RowBatch): Promise<void> {
    const load = await this.#begin();
    if (this.#items !== undefined) {
      const ids = batch.ids as readonly number[];
      if (this.#updates === undefined) await this.#addRows(this.#items, batch.rows, { ...batch, ids });
      else await this.#addChanges(this.#items, this.#updates, { ...batch, ids });
      return;
    }
    this.#isOutside ||= batch.rows.some((row) => isOutside(row, this.#job.mayWrite));
    await load.add(batch.rows, batch.lines);
  }

  async #addRows(
    load: Load,
    rows: readonly (readonly Stored[])[],
    { ids, lines }: Pick<ListBatch, 'ids' | 'lines'>,
  ): Promise<void> {
    if (this.#totalFaults === 0) await load.add(rows, lines);
    else await load.addFaulty(ids, lines);
  }

  /**
   * Adds the rows of a batch that has only what changes, in parts of the size that the store reads; what
   * is not there is a fault.
   */
  async #addChanges(load: Load, updates: ItemUpdates, batch: ListBatch): Promise<void> {
    for (let start = 0; start < batch.ids.length; start += load.readSize) {
      const end = start + load.readSize;
      const part: Pick<ListBatch, 'ids' | 'lines' | 'changes'> = {
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
      column: columnLabel(this.#reading.mapping, 'id'),
      detail: `${id} ${where}; --update changes items that are there. Import new ones without it.`,
    });
  }

  /** Reports ids that came twice; returns how many did. */
  async #duplicates(load: AnyLoad): Promise<number> {
    const { first, total } = await load.duplicates(MAX_REPORTED_FAULTS);
    const column = this.#items === undefined ? 'account_id' : 'id';
    for (const { id, line, firstLine } of first) {
      const where = lineText(this.#reading.sources, firstLine);
      const shown = typeof id === 'number' ? id : quoted(id);
      const detail = `${shown} is there twice; it was first given at ${where}.`;
      this.#faults.push({ line, column: columnLabel(this.#reading.mapping, column), detail });
    }
    return total;
  }

  /** Reports parents that are wrong; returns how many are. */
  async #parentFaults(): Promise<number> {
    if (this.#accounts === undefined || this.#isOutside) return 0;
    const { first, total } = await this.#accounts.parentFaults(MAX_REPORTED_FAULTS);
    const column = columnLabel(this.#reading.mapping, 'parent_id');
    for (const fault of first)
      this.#faults.push({ line: fault.line, column, detail: parentFaultText(fault, this.#job.mayWrite) });
    return total;
  }

  /** Why it would move or remove more than it may; `undefined` where it would not. */
  async #limitFault({ rows, moved, removed }: ImportSummary): Promise<string | undefined> {
    const load = this.#items;
    if (load === undefined) return undefined;
    const { max_moved, max_removed, dry_run, provenance } = this.#job;
    // A dry run shows it already, and a watched folder has none.
    const canTry = dry_run !== true && provenance?.origin !== 'watch';
    const fault = movesFault({ items: moved, of: rows, limit: max_moved, canTry });
    const others = REMOVED_OTHERS[this.#mode];
    const mayRemoveAll = others === 'none' && max_removed === undefined;
    if (fault !== undefined || mayRemoveAll || removed + moved === 0) return fault;
    const { items: of, movedOut } = await load.before(others === 'all' ? 'all' : 'named');
    return removalFault({ items: removed, of, movedOut, limit: max_removed, canTry });
  }

  #report(doing: ImportProgress['doing']): void {
    const { totalBytes } = this.#reading;
    this.#job.onProgress?.({ doing, rows: this.#rows, bytes: this.#bytes, totalBytes });
  }
}
