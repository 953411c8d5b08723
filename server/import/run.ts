// One import: the load that its batches go into, its faults, how far it is, and whether it may be committed.

import { listed } from '@linecard/client/contract/wording';
import { AccountsLoad, type AnyLoad } from '../store/access/accounts-load.ts';
import { deletedStatement } from '../store/access/deleted-accounts.ts';
import { type ImportProvenance, recordImport } from '../store/log/audit.ts';
import type { Statement } from '../store/sql.ts';
import type { Load, ResultRow } from '../store/store.ts';
import { type RowValues, storedColumns } from '../store/tables.ts';
import { isOutside, parentFaultText } from './account-faults.ts';
import { mustBeDeclared } from './declared.ts';
import { DeletedRows } from './deleted-rows.ts';
import {
  type ImportFault,
  ImportRefused,
  ImportRejected,
  ImportTooLarge,
  type LineSource,
  lineText,
  MAX_REPORTED_FAULTS,
} from './faults.ts';
import { ItemRows, type OnAbsent } from './item-rows.ts';
import {
  type ImportJob,
  type ImportMode,
  type ImportProgress,
  type ImportSummary,
  isTable,
  modeOf,
} from './job.ts';
import { columnLabel, type Mapping } from './mapping/written.ts';
import type { RowBatch } from './reading.ts';
import { REMOVED_OTHERS, RunLimits } from './run-limits.ts';
import { rowsFault } from './size-limits.ts';
import { quoted } from './values.ts';

/** An import whose origin is known. */
export type RunJob = ImportJob & {
  readonly provenance: ImportProvenance;
  /** Of the last run of the same feed. */
  readonly columnsBefore?: readonly string[] | undefined;
};

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
  readonly #limits: RunLimits | undefined;
  readonly #reading: RunReading;
  readonly #faults: ImportFault[] = [];
  /** Faults that were found while reading, and of items that are not there. */
  #faultsRead = 0;
  #faultsFound = 0;
  #rows = 0;
  #seen: RowBatch['seen'] = { columns: [], negative: 0, warnings: [] };
  #leftOut = 0;
  #bytes = 0;
  #items: Load | undefined;
  #itemRows: ItemRows | undefined;
  #accounts: AccountsLoad | undefined;
  /** Whether a row is not the sender's to write, so that nothing of the others must be reported. */
  #isOutside = false;
  #deleted: DeletedRows | undefined;

  constructor(job: RunJob, reading: RunReading) {
    this.#job = job;
    this.#reading = reading;
    this.#mode = modeOf(job);
    if (isTable(job.table)) this.#limits = new RunLimits(job, job.table);
  }

  async add(batch: RowBatch): Promise<void> {
    this.#job.signal?.throwIfAborted();
    if (batch.isTooLarge === true) throw new ImportTooLarge(batch.faults.at(-1)?.detail);
    this.#faults.push(...batch.faults);
    this.#faultsRead = batch.totalFaults;
    this.#leftOut = batch.leftOut;
    // What has no rows waits for no lock, and holds none.
    if (batch.ids.length > 0) this.#rows += await this.#addBatch(batch);
    this.#seen = batch.seen;
    this.#bytes = batch.bytes;
    this.#report('reading');
  }

  /** Reads in its transaction. */
  async read(one: Statement): Promise<readonly ResultRow[]> {
    return (await this.#begin()).read(one);
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
    await this.#itemRows?.end(this.#totalFaults > 0);
    this.#report('finishing');
    const found = (await this.#duplicates(load)) + (await this.#parentFaults());
    if (this.#totalFaults + found > 0) throw this.#refused(found);
    let rejected = rowsFault(this.#rows, expect_rows);
    if (rejected !== undefined && !dry_run) throw new ImportRejected(rejected);
    const accounts = account === undefined ? [] : [account];
    const removeOthers = REMOVED_OTHERS[this.#mode];
    const options = { accounts, removeOthers, retentionMs: changes_kept, exampled: this.#limits?.exampled };
    const prepared = await load.prepare(options);
    const left_out = this.#leftOut + (this.#deleted?.skipped ?? 0);
    const warnings = [...this.#lostColumns, ...this.#seen.warnings];
    const summary = { rows: this.#rows, left_out, ...this.#seen, warnings, ...prepared };
    // First: a sender that may not write an account must not learn how many of its items would move.
    await beforeCommit?.(load, summary);
    if (this.#items !== undefined) rejected ??= await this.#limits?.fault(this.#items, summary);
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

  /** What the last run of the feed had, and this one has not. */
  get #lostColumns(): string[] {
    const lost = this.#job.columnsBefore?.filter((name) => !this.#seen.columns.includes(name)) ?? [];
    if (lost.length === 0 || this.#mode === 'update') return [];
    const after = this.#job.defaults
      ? 'existing items get the defaults'
      : 'existing items keep what they have';
    return [`The last run of this feed also had ${listed(lost)}. This one does not: ${after}.`];
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
    if (isTable(table)) {
      this.#items = await store.load(table, options);
      await mustBeDeclared(this.#items, table);
      const onAbsent: OnAbsent = (change, line, row) => this.#reportAbsent(change, line, row);
      this.#itemRows = new ItemRows(this.#items, table, this.#mode === 'update' ? onAbsent : undefined);
    } else this.#accounts = await AccountsLoad.begin(store, provenance, options);
    const load = await this.#begin();
    const { skip_deleted: skips, mayWrite } = this.#job;
    const position = isTable(table) ? storedColumns(table).indexOf('account_id') : 0;
    this.#deleted = new DeletedRows(await load.read(deletedStatement), { position, skips, mayWrite });
    return load;
  }

  /** @returns how many of its rows are not left out. */
  async #addBatch(given: RowBatch): Promise<number> {
    const load = await this.#begin();
    const report = (line: number, detail: string) => this.#reportFound(line, 'account_id', detail);
    const batch = this.#deleted?.remaining(given, report) ?? given;
    if (this.#itemRows !== undefined) {
      await this.#itemRows.add({ ...batch, ids: batch.ids as readonly number[] }, this.#totalFaults > 0);
    } else {
      this.#isOutside ||= batch.rows.some((row) => isOutside(row, this.#job.mayWrite));
      await load.add(batch.rows, batch.lines);
    }
    return batch.lines.length;
  }

  #reportFound(line: number, column: string, detail: string): void {
    this.#faultsFound += 1;
    if (this.#faultsFound > MAX_REPORTED_FAULTS) return;
    this.#faults.push({ line, column: columnLabel(this.#reading.mapping, column), detail });
  }

  #reportAbsent({ account_id, id }: RowValues, line: number, row: ResultRow | undefined): void {
    // What is wrong with the account itself was reported when it was read.
    if (account_id === undefined) return;
    const isSecret =
      row !== undefined && this.#job.mayWrite?.(this.#itemRows?.accountOf(row) ?? '') === false;
    const where =
      row === undefined || isSecret ? 'is not there' : `is not on the account ${quoted(String(account_id))}`;
    const detail = `${id} ${where}; --update changes items that are there. Import new ones without it.`;
    this.#reportFound(line, 'id', detail);
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

  #report(doing: ImportProgress['doing']): void {
    const { totalBytes } = this.#reading;
    this.#job.onProgress?.({ doing, rows: this.#rows, bytes: this.#bytes, totalBytes });
  }
}
