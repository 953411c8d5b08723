// Where the histories of copies happen: many at once on one deployment. What they import at the same time
// goes in one import, so that thousands of histories take minutes; now and then something happens to all of
// them. It knows nothing of copies.

import { Buffer } from 'node:buffer';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { importBody } from '../../server/import/import.ts';
import { insertAccount } from '../../server/store/accounts.ts';
import { rebuildStatements } from '../../server/store/change-log.ts';
import type { Statement } from '../../server/store/sql.ts';
import type { Store } from '../../server/store/store.ts';
import { StoreUnavailable } from '../../server/store/store-errors.ts';
import { tables } from '../../server/store/tables.ts';
import { type Random, randomOf } from './many.ts';
import type { Service, ServiceAnswer } from './service.ts';
import { deleteEverything } from './stored-items.ts';

export type ListName = keyof typeof tables;

/** What becomes of items that are there. */
export const MODES = ['insert', 'update', 'replace', 'replace-all'] as const;
export type Mode = (typeof MODES)[number];

/** A row as a file of NDJSON has it. */
export type FileRow = Readonly<Record<string, string | number | boolean>>;

export interface Import {
  readonly list: ListName;
  readonly mode: Mode;
  /** Whether what is known of changes is pruned, but for the newest. */
  readonly prunes: boolean;
  readonly rows: readonly FileRow[];
}

/** A deployment: how it is asked, and how an operator changes it. */
export interface Deployment {
  readonly operator: Store;
  ask(url: string, headers: Record<string, string>): Promise<ServiceAnswer>;
  /** Imports; in the process of the tests where there is no intake. */
  readonly send?: (one: Import, body: string) => Promise<void>;
  close(): Promise<void>;
}

export function deploymentOf(service: Service, more: Partial<Deployment> = {}): Deployment {
  return {
    operator: service.operator,
    ask: (url, headers) => service.send('GET', url, headers),
    close: () => service.close(),
    ...more,
  };
}

/** One history among many. */
export interface Inhabitant {
  readonly accounts: readonly string[];
  run(): Promise<void>;
  /** Rows of a file that is the whole list. */
  rowsOfAll(list: ListName): readonly FileRow[];
  /** From here on any copy may find that what it lacks cannot be told. */
  lose(): void;
  note(...words: unknown[]): void;
  readonly noted: string;
  readonly seed: number;
}

type Work = Import | { readonly statements: readonly Statement[] };
type Job = Work & { readonly done: PromiseWithResolvers<void> };

/** An import that changes more leaves less behind; a reader on this thread would hold that up. */
const MOST_ROWS = 900;
/** How many batches of imports there are for each event that concerns all. */
const BATCHES_AN_EVENT = 7;
const ACCOUNTS_AT_ONCE = 500;
const [ATTEMPTS, RETRY_MS] = [100, 100];
/** An operator who knows what is removed. */
const ALL_MAY_GO = { percent: 100 };

const keyOf = ({ list, mode, prunes }: Import) => `${list} ${mode} ${prunes}`;

/** What happened, by its name. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  toString(): string {
    const sorted = [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([what, count]) => `${what} ${count}`).join(', ');
  }
}

export class World {
  deployment: Deployment;
  readonly counts: Counts;
  /** Called after each batch of imports, while nobody is at work. */
  afterBatch: () => Promise<void> = async () => {};
  readonly random: Random;
  readonly #inhabitants = new Set<Inhabitant>();
  #jobs: Job[] = [];
  /** Histories that are at work, and not waiting for an import or for a change. */
  #busy = 0;
  #batches = 0;
  #flushing: Promise<void> | undefined;

  constructor(deployment: Deployment, counts: Counts, seed: number) {
    this.deployment = deployment;
    this.counts = counts;
    this.random = randomOf(seed);
  }

  /** Makes accounts, all at once; a history makes them anew that are deleted. */
  async #populate(ids: readonly string[]): Promise<void> {
    const { operator } = this.deployment;
    await setImmediate();
    for (let i = 0; i < ids.length; i += ACCOUNTS_AT_ONCE)
      await operator.write(...ids.slice(i, i + ACCOUNTS_AT_ONCE).map((id) => insertAccount(operator, id)));
  }

  /** Runs histories to their ends, so many at once. */
  async run(inhabitants: readonly Inhabitant[], atOnce: number): Promise<void> {
    await this.#populate(inhabitants.flatMap(({ accounts }) => accounts));
    const waiting = [...inhabitants];
    const runOneByOne = async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        this.#inhabitants.add(one);
        try {
          await one.run();
        } catch (error) {
          waiting.length = 0;
          throw new Error(`TEST_SEED=${one.seed}\n${one.noted}`, { cause: error });
        } finally {
          this.#inhabitants.delete(one);
        }
      }
    };
    this.#busy = Math.min(atOnce, inhabitants.length);
    const running = Array.from({ length: this.#busy }, () => runOneByOne().finally(() => this.#rest()));
    const failed = (await Promise.allSettled(running)).find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Asks, and asks again where there is too much to do, as every client does. */
  async ask(url: string, headers: () => Record<string, string>): Promise<ServiceAnswer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.deployment.ask(url, headers());
      if (answer.status !== 503 || attempt === ATTEMPTS) return answer;
      this.counts.add('attempts again');
      await sleep(RETRY_MS);
    }
  }

  /** Does what an operator's command does, and again where another writer holds the lock for too long. */
  async operate<T>(work: (store: Store) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await setImmediate();
      try {
        return await work(this.deployment.operator);
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || attempt === ATTEMPTS) throw error;
        this.counts.add('commands again');
        await sleep(RETRY_MS);
      }
    }
  }

  /** Imports, together with what others import. */
  import(one: Import): Promise<void> {
    return this.#enqueue(one);
  }

  /** Writes past everything, as a backup that is restored. */
  write(statements: readonly Statement[]): Promise<void> {
    return this.#enqueue({ statements });
  }

  /** Waits for something that may take until others have imported. */
  async wait<T>(answer: Promise<T>): Promise<T> {
    this.#rest();
    try {
      return await answer;
    } finally {
      // What is compared now must not be changed meanwhile.
      while (this.#flushing !== undefined) await this.#flushing;
      this.#busy += 1;
    }
  }

  /** Deletes all that the histories have left. */
  clear(): Promise<void> {
    return deleteEverything(this.deployment.operator);
  }

  #enqueue(work: Work): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#jobs.push({ ...work, done });
    this.#rest();
    return done.promise;
  }

  #rest(): void {
    this.#busy -= 1;
    if (this.#busy > 0 || this.#jobs.length === 0 || this.#flushing !== undefined) return;
    this.#flushing = this.#flush();
  }

  async #flush(): Promise<void> {
    const jobs = this.#jobs;
    this.#jobs = [];
    // Readers of this turn leave their snapshot.
    await setImmediate();
    let end = ({ done }: Job) => done.resolve();
    try {
      await this.#do(jobs);
    } catch (error) {
      end = ({ done }) => done.reject(error);
    }
    this.#flushing = undefined;
    this.#busy += jobs.length;
    for (const job of jobs) end(job);
  }

  async #do(jobs: readonly Job[]): Promise<void> {
    const imports = jobs.filter((job) => 'rows' in job);
    for (const batch of Map.groupBy(imports, keyOf).values()) await this.#importAll(batch);
    const statements = jobs.flatMap((job) => ('rows' in job ? [] : job.statements));
    if (statements.length > 0) await this.operate((store) => store.write(...statements));
    this.#batches += 1;
    await this.afterBatch();
    if (this.#batches % BATCHES_AN_EVENT === 0) await this.#happen();
  }

  /** Imports of one kind, as one or, where that is too large, as some. */
  async #importAll(batch: readonly Import[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    let rows: FileRow[] = [];
    for (const [i, one] of batch.entries()) {
      rows.push(...one.rows);
      if (i < batch.length - 1 && rows.length < MOST_ROWS) continue;
      await this.#importOne({ ...first, rows });
      rows = [];
    }
  }

  async #importOne(one: Import): Promise<void> {
    const { list, mode, prunes, rows } = one;
    if (rows.length === 0) return;
    const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    if (this.deployment.send !== undefined && !prunes) return this.deployment.send(one, body);
    await importBody(
      {
        store: this.deployment.operator,
        table: tables[list],
        format: 'ndjson',
        update: mode === 'update',
        replace: mode === 'replace',
        replace_all: mode === 'replace-all',
        max_removed: ALL_MAY_GO,
        ...(prunes ? { changes_kept: -1_000 } : {}),
      },
      { bytes: Buffer.from(body), isCompressed: false },
    );
  }

  /** Something that concerns all. */
  async #happen(): Promise<void> {
    const events = [
      () => this.#replaceAll('virtual_numbers'),
      () => this.#replaceAll('additional_services'),
      () => this.#redraw(),
    ];
    await events[Math.floor(this.random() * events.length)]?.();
    await setImmediate();
  }

  /** A file that is the whole list of everybody. */
  async #replaceAll(list: ListName): Promise<void> {
    const rows = [...this.#inhabitants].flatMap((one) => {
      const own = one.rowsOfAll(list);
      one.note('replace-all', list, JSON.stringify(own.map(({ id, account_id }) => [id, account_id])));
      return own;
    });
    if (rows.length === 0) return;
    this.counts.add('imports replace-all');
    await this.#importOne({ list, mode: 'replace-all', prunes: false, rows });
  }

  /** A step of the schema that draws the items of a list anew. */
  async #redraw(): Promise<void> {
    this.counts.add('lists drawn anew');
    for (const one of this.#inhabitants) {
      one.note('redraw');
      one.lose();
    }
    const { operator } = this.deployment;
    await operator.write(
      {
        text: `update virtual_numbers set item = replace(item, '"provider":"Zed"', '"provider":"Zad"')`,
        values: [],
      },
      ...rebuildStatements(operator.dialect, 'virtual_numbers', timestampOf()),
    );
  }
}
