// Where the histories of copies happen: many at a time on one deployment; now and then something happens to
// all of them.

import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { insertAccount } from '../../server/store/access/accounts.ts';
import { Values } from '../../server/store/conditions.ts';
import { rebuildStatements } from '../../server/store/log/change-log.ts';
import type { Statement } from '../../server/store/sql.ts';
import type { Store } from '../../server/store/store.ts';
import { StoreUnavailable } from '../../server/store/store-errors.ts';
import { atOnce, type Random, randomOf } from './many.ts';
import { type FileRow, type Import, importRows, type ListName } from './random-imports.ts';
import { ndjson } from './rows.ts';
import type { Service, ServiceAnswer } from './service.ts';
import { deleteEverything } from './stored-items.ts';

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

/** The list of one account. */
export interface ListOf {
  readonly list: ListName;
  readonly account_id: string;
}

/** One history among many. */
export interface Inhabitant {
  readonly accounts: readonly string[];
  run(): Promise<void>;
  /** Rows of a file that is the whole list. */
  rowsOfAll(list: ListName): readonly FileRow[];
  /** From here on a copy, of that list or of any, may find that what it lacks cannot be told. */
  lose(of?: ListOf): void;
  note(...words: unknown[]): void;
  readonly noted: string;
  readonly seed: number;
}

/** How many imports there are for each event that concerns all. */
const IMPORTS_AN_EVENT = 30;
const ACCOUNTS_AT_ONCE = 500;
const [ATTEMPTS, RETRY_MS] = [100, 100];

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

/** Up to which sequence the logs of changes of accounts are cut, those that there are. */
async function prunedOf(store: Store, list: ListName, account_ids: readonly string[]) {
  const values = new Values();
  const among = store.dialect.among('account_id', values.bind(account_ids), 'text');
  const text = `select account_id, pruned from change_logs where list = '${list}' and ${among}`;
  const [logs] = await store.read({ text, values: values.list });
  return new Map(logs.map(([account_id, pruned]) => [String(account_id), Number(pruned)]));
}

export class World {
  deployment: Deployment;
  readonly counts: Counts;
  readonly random: Random;
  readonly #events: { imports: number; due: number; event: () => Promise<unknown> }[] = [];
  readonly #inhabitants = new Set<Inhabitant>();
  /** One import after the other: each waits for the last. */
  #written: Promise<unknown> = Promise.resolve();
  #imports = 0;
  /** The steps that are being taken; while something happens to all, nobody takes one. */
  readonly #steps = new Set<Promise<void>>();
  #happening: Promise<void> | undefined;

  constructor(deployment: Deployment, counts: Counts, seed: number) {
    this.deployment = deployment;
    this.counts = counts;
    this.random = randomOf(seed);
    this.every(IMPORTS_AN_EVENT, () => this.#happen());
  }

  /** After each that many imports something happens to all, while nobody takes a step. */
  every(imports: number, event: () => Promise<unknown>): void {
    this.#events.push({ imports, due: imports, event });
  }

  /** Runs histories to their ends, up to `most` at a time. */
  async run(inhabitants: readonly Inhabitant[], most: number): Promise<void> {
    const ids = inhabitants.flatMap(({ accounts }) => accounts);
    for (let i = 0; i < ids.length; i += ACCOUNTS_AT_ONCE) {
      const some = ids.slice(i, i + ACCOUNTS_AT_ONCE);
      await this.operate((store) => store.write(...some.map((id) => insertAccount(id))));
    }
    let hasFailed = false;
    const runOne = async (one: Inhabitant) => {
      if (hasFailed) return;
      this.#inhabitants.add(one);
      try {
        await one.run();
      } catch (error) {
        hasFailed = true;
        throw new Error(`TEST_SEED=${one.seed}\n${one.noted}`, { cause: error });
      } finally {
        this.#inhabitants.delete(one);
      }
    };
    await atOnce(inhabitants, runOne, most);
  }

  /** Takes a step of a history: nothing happens to all lists while one compares its copies with its lists. */
  async step(take: () => Promise<void>): Promise<void> {
    while (this.#happening !== undefined) await this.#happening;
    const step = take();
    this.#steps.add(step);
    try {
      await step;
    } finally {
      this.#steps.delete(step);
    }
    for (const one of this.#events) {
      if (this.#imports < one.due) continue;
      one.due = this.#imports + one.imports;
      while (this.#happening !== undefined) await this.#happening;
      this.#happening = this.#whileNobodySteps(() => one.event());
      await this.#happening;
    }
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
    const done = this.#written.then(async () => {
      for (let attempt = 1; ; attempt++) {
        // Readers on this thread leave their snapshot.
        await setImmediate();
        try {
          return await work(this.deployment.operator);
        } catch (error) {
          if (!(error instanceof StoreUnavailable) || attempt === ATTEMPTS) throw error;
          this.counts.add('commands again');
          await sleep(RETRY_MS);
        }
      }
    });
    this.#written = done.catch(() => {});
    return done;
  }

  /** Imports rows of accounts of these histories, and tells them whose log of changes was cut by it. */
  async import(one: Import, of: Iterable<Inhabitant>): Promise<void> {
    if (one.rows.length === 0) return;
    const owners = new Map([...of].flatMap((owner) => owner.accounts.map((id) => [id, owner] as const)));
    await this.operate(async (store) => {
      const before = await prunedOf(store, one.list, [...owners.keys()]);
      await this.#send(store, one);
      for (const [account_id, pruned] of await prunedOf(store, one.list, [...owners.keys()])) {
        if (pruned === (before.get(account_id) ?? 0)) continue;
        this.counts.add('logs cut');
        owners.get(account_id)?.lose({ list: one.list, account_id });
      }
    });
    this.#imports += 1;
  }

  async #send(store: Store, one: Import): Promise<void> {
    const { send } = this.deployment;
    if (send !== undefined && !one.prunes) await send(one, ndjson(one.rows));
    else await importRows(store, one);
  }

  /** Writes past everything, as a backup that is restored. */
  async write(statements: readonly Statement[]): Promise<void> {
    await this.operate((store) => store.write(...statements));
  }

  /** Deletes all that the histories have left. */
  clear(): Promise<void> {
    return this.operate(deleteEverything);
  }

  async #whileNobodySteps(event: () => Promise<unknown>): Promise<void> {
    try {
      await Promise.allSettled(this.#steps);
      await event();
    } finally {
      this.#happening = undefined;
    }
  }

  /** Something that concerns all. */
  async #happen(): Promise<void> {
    const events = [
      () => this.#replaceAll('virtual_numbers'),
      () => this.#replaceAll('additional_services'),
      () => this.#rewrite(),
    ];
    await events[Math.floor(this.random() * events.length)]?.();
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
    await this.import({ list, mode: 'replace-all', prunes: false, rows }, this.#inhabitants);
  }

  /** A step of the schema that rewrites the items of a list. */
  async #rewrite(): Promise<void> {
    this.counts.add('lists rewritten');
    for (const one of this.#inhabitants) {
      one.note('rewrite');
      one.lose();
    }
    const { dialect } = this.deployment.operator;
    await this.write([
      {
        text: `update virtual_numbers set item = replace(item, '"provider":"Zed"', '"provider":"Zad"')`,
        values: [],
      },
      ...rebuildStatements(
        dialect,
        'virtual_numbers',
        timestampOf(),
        [...this.#inhabitants].flatMap(({ accounts }) => accounts),
      ),
    ]);
  }
}
