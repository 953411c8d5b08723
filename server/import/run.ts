// One import: the load that its batches go into, its faults, how far it is, and whether it may be committed.

import type { Readable } from 'node:stream';
import type { RemovalLimit } from '../settings/kinds.ts';
import { type ImportProvenance, processActor, recordImport } from '../store/audit.ts';
import type { Statement } from '../store/sql.ts';
import type { AccountChanges, CommitOptions, Load, LoadSummary, ResultRow, Store } from '../store/store.ts';
import type { RowValues, Stored, Table } from '../store/tables.ts';
import { type ImportFault, ImportRefused, type LineSource, lineText, MAX_REPORTED_FAULTS } from './faults.ts';
import type { Format } from './files.ts';
import { ImportTooLarge, ImportWithheld } from './outcomes.ts';
import type { RowBatch } from './reading.ts';
import { removalFault, rowsFault } from './size-limits.ts';
import { ItemUpdates } from './update.ts';
import { quoted } from './values.ts';

export interface ImportProgress {
  readonly doing: 'reading' | 'waiting' | 'finishing';
  readonly rows: number;
  /** Bytes read, and how many there are, where that is known. */
  readonly bytes: number;
  readonly totalBytes: number | undefined;
}

/** What every import takes, wherever its rows come from. */
export interface ImportRules {
  readonly store: Store;
  readonly table: Table;
  /** The account of all rows, where they do not name it. */
  readonly account_id?: string | undefined;
  /** Whether the rows change items that are there, and have only some of their columns. */
  readonly update?: boolean;
  /** Which items that no row names are removed: those of the accounts in the rows, or all. */
  readonly replace?: CommitOptions['removeOthers'];
  /** How much it may remove; where it replaces, there is a limit even when none is given. */
  readonly maxRemoved?: RemovalLimit | undefined;
  /** How many rows there must be. */
  readonly expectRows?: number | undefined;
  /** How long it is known what it changes. */
  readonly retentionMs?: number | undefined;
  /** Whether everything is worked out and nothing is changed. */
  readonly dryRun?: boolean;
  /** Stops the import, which leaves everything as it was. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** How long another import is waited for. */
  readonly lockTimeoutMs?: number;
  /** What the audit log says of where it comes from: of a command unless it is said otherwise. */
  readonly provenance?: ImportProvenance | undefined;
  /** Whether the run may know of an account; of all where it is not given. */
  readonly mayWrite?: (account_id: string) => boolean;
  /**
   * Called when all is worked out and nothing can be seen yet, in a dry run as well: what it writes through
   * the load is committed with the rows, and an error that it throws leaves everything as it was.
   */
  readonly beforeCommit?: (load: Load, summary: ImportSummary) => Promise<void> | void;
}

/** An import of files. */
export interface ImportJob extends ImportRules {
  /** Names of files; `-` is standard input. */
  readonly files: readonly string[];
  /** Opens a file for its caller to close, where its name may come to lead to another. */
  readonly open?: ((name: string) => number) | undefined;
  readonly format?: Format | undefined;
  /** What stands between the cells of CSV, and how the bytes are text, where it is not usual. */
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
  /** How many bytes each file may have, once unpacked. */
  readonly maxBytes?: number | undefined;
  readonly stdin?: Readable;
}

export interface ImportSummary extends LoadSummary {
  readonly rows: number;
  /** What would change for each account, where nothing was changed. */
  readonly accounts?: readonly AccountChanges[];
  /** Why the same import would be refused if it were not a dry run; it would change nothing then. */
  readonly withheld?: string;
}

export class ImportRun {
  readonly #job: ImportRules;
  readonly #sources: readonly LineSource[];
  readonly #totalBytes: number | undefined;
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
   * @param totalBytes how many bytes there are to read, where that is known.
   */
  constructor(job: ImportRules, sources: readonly LineSource[], totalBytes?: number) {
    this.#job = job;
    this.#sources = sources;
    this.#updates = job.update === true ? new ItemUpdates(job.table) : undefined;
    this.#totalBytes = totalBytes;
  }

  async add(batch: RowBatch): Promise<void> {
    const { store, table, signal, lockTimeoutMs, dryRun } = this.#job;
    signal?.throwIfAborted();
    if (batch.isTooLarge === true) throw new ImportTooLarge(batch.faults.at(-1)?.detail);
    this.#load ??= await store.load(table, {
      signal,
      lockTimeoutMs,
      isTrial: dryRun,
      onWait: () => this.#report('waiting'),
    });
    this.#faults.push(...batch.faults);
    this.#faultsRead = batch.totalFaults;
    if (this.#updates !== undefined) await this.#addChanges(this.#load, this.#updates, batch);
    else await this.#addRows(this.#load, batch.rows, batch);
    this.#rows += batch.lines.length;
    this.#bytes = batch.bytes;
    this.#report('reading');
  }

  /**
   * Makes everything visible, unless it is a dry run.
   * @throws {ImportRefused} when there are faults, duplicates among them.
   * @throws {ImportWithheld} when it is not of the size that was expected; a dry run returns why.
   */
  async finish(): Promise<ImportSummary> {
    const { account_id, replace = 'none', dryRun = false, beforeCommit, signal, retentionMs } = this.#job;
    const { expectRows } = this.#job;
    const load = this.#load;
    if (load === undefined) throw new Error('An import must read something.');
    this.#report('finishing');
    const duplicates = await this.#duplicates(load);
    if (this.#totalFaults + duplicates > 0)
      throw new ImportRefused(this.#sources, this.#faults, this.#totalFaults + duplicates);
    let withheld = rowsFault(this.#rows, expectRows);
    if (withheld !== undefined && !dryRun) throw new ImportWithheld(withheld);
    const accounts = account_id === undefined ? [] : [account_id];
    const options = { accounts, removeOthers: replace, retentionMs };
    const summary = { rows: this.#rows, ...(await load.prepare(options)) };
    withheld ??= await this.#removalFault(load, summary.removed);
    if (withheld !== undefined && !dryRun) throw new ImportWithheld(withheld);
    await beforeCommit?.(load, summary);
    signal?.throwIfAborted();
    if (!dryRun) {
      await load.write(...this.#recordOf(summary));
      await load.commit();
      return summary;
    }
    const changes = await load.changes();
    await load.rollback();
    return { ...summary, accounts: changes, ...(withheld === undefined ? {} : { withheld }) };
  }

  get #sourceNames(): string {
    return this.#sources.map((one) => (typeof one === 'string' ? one : one.rowsOf)).join(' ');
  }

  #recordOf(summary: ImportSummary): Statement[] {
    const { store, table, update = false, replace = 'none', provenance } = this.#job;
    const kinds = { none: 'insert', named: 'replace', all: 'replace-all' } as const;
    const from = provenance ?? { origin: 'command', actor: processActor(), source: this.#sourceNames };
    const mode = update ? 'update' : kinds[replace];
    return recordImport(store, { ...summary, ...from, list: table.list.name, mode });
  }

  async rollback(): Promise<void> {
    await this.#load?.rollback();
  }

  get #totalFaults(): number {
    return this.#faultsRead + this.#faultsFound;
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
   * Adds the rows of a batch that has only what changes, as many at a time as the store reads at once; what
   * is not there is a fault.
   */
  async #addChanges(load: Load, updates: ItemUpdates, batch: RowBatch): Promise<void> {
    for (let start = 0; start < batch.ids.length; start += load.storedAtOnce) {
      const end = start + load.storedAtOnce;
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
      column: 'id',
      detail: `${id} ${where}; --update changes items that are there. Import new ones without it.`,
    });
  }

  /** Reports ids that came twice; returns how many did. */
  async #duplicates(load: Load): Promise<number> {
    const { first, total } = await load.duplicates(MAX_REPORTED_FAULTS);
    for (const { id, line, firstLine } of first) {
      const where = lineText(this.#sources, firstLine);
      const detail = `${id} is there twice; it was first given at ${where}.`;
      this.#faults.push({ line, column: 'id', detail });
    }
    return total;
  }

  async #removalFault(load: Load, removed: number): Promise<string | undefined> {
    const { replace = 'none', maxRemoved, dryRun, provenance } = this.#job;
    if (removed === 0 || (replace === 'none' && maxRemoved === undefined)) return undefined;
    const before = await load.before(replace === 'all' ? 'all' : 'named');
    // A dry run shows it already, and a folder that is watched has none.
    const canTry = dryRun !== true && provenance?.origin !== 'watch';
    return removalFault({ removed, before, limit: maxRemoved, canTry });
  }

  #report(doing: ImportProgress['doing']): void {
    const [rows, bytes, totalBytes] = [this.#rows, this.#bytes, this.#totalBytes];
    this.#job.onProgress?.({ doing, rows, bytes, totalBytes });
  }
}
