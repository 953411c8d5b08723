// One random history of two accounts: imports of every kind, renames, pruning, restored backups, accounts
// that are disabled or deleted, and copies of their lists that are brought up to date now and then, while
// imports run and after the copies' programs have died. It knows nothing of where the lists are.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { lists } from '@linecard/client/contract';
import {
  createAccount,
  deleteAccount,
  disableAccount,
  enableAccount,
  updateAccount,
} from '../../server/store/access/accounts.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { Values } from '../../server/store/conditions.ts';
import { LOG_TABLES } from '../../server/store/log/change-log.ts';
import type { Statement } from '../../server/store/sql.ts';
import type { ResultRow, Store } from '../../server/store/store.ts';
import { storedColumns, tables } from '../../server/store/tables.ts';
import { Counts, type Deployment, type Inhabitant, type ListOf, World } from './changes-world.ts';
import { type Beginning, ChangingCopy } from './changing-copies.ts';
import { oneOf, type Random, randomOf } from './many.ts';
import { type FileRow, type Import, type ListName, randomRow } from './random-imports.ts';
import type { ServiceAnswer } from './service.ts';

const STEPS = 34;
const COPIES = 4;
/** Ids of one history, so few that they are met again and again. */
const IDS = 14;
/** Histories that run at the same time, and those whose rows the database has at most. */
const HISTORIES_AT_ONCE = 200;
const HISTORIES_A_WORLD = 1_000;
/** How many seeds there are before ids come again. */
const SEEDS = 1_000_000;
/** Ends a wait for what does not come; what is waited for comes much sooner. */
const WAIT = 'wait=8';
/** After so long a change is taken to be one that filters hide. */
const WAITED_FOR_MS = 1_500;

const NUMBERS_AND_SERVICES = ['virtual_numbers', 'virtual_numbers', 'additional_services'] as const;

const FILTERS: Readonly<Record<ListName, readonly string[]>> = {
  virtual_numbers: [
    '',
    '',
    'statuses=active',
    'q=desk',
    'country_codes=DE&q=note',
    'fields=id,comment&is_spammed=true',
  ],
  additional_services: ['', '', 'q=desk', 'frequencies=yearly', 'fields=id,title'],
};

/** Why a copy cannot be told, by the words that say so. */
const REASONS = {
  'gone: too old': /older than the changes that are retained/,
  'gone: restored': /restored from a backup/,
  'gone: rebuilt': /rebuilt at once/,
} as const;

class History implements Inhabitant {
  readonly seed: number;
  readonly #world: World;
  readonly #random: Random;
  readonly #first: number;
  readonly accounts: readonly string[];
  readonly #noted: string[] = [];
  readonly #backups: BackedUp[][] = [];
  #tokens: string[] = [];
  readonly #copies: ChangingCopy[] = [];
  /** Copies that may have to begin again, because the past is not what it was. */
  readonly #mayBeGone = new Set<ChangingCopy>();
  /** The list and the account of each copy. */
  readonly #of = new Map<ChangingCopy, ListOf>();
  /** On which account an item was last put, by list and id. */
  readonly #last = new Map<string, string>();
  #hasLost = false;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.seed = seed;
    this.#random = randomOf(seed);
    this.#first = (seed % SEEDS) * IDS + 1;
    this.accounts = [`h${seed}-a`, `h${seed}-b`];
  }

  get noted(): string {
    return this.#noted.join('\n');
  }

  note(...words: unknown[]): void {
    this.#noted.push(words.map(String).join(' '));
  }

  async run(): Promise<void> {
    for (const id of this.accounts) await this.#makeToken(id);
    for (let i = 0; i < COPIES; i++) this.#copies.push(this.#newCopy());
    for (let i = 0; i < STEPS; i++) await this.#world.step(() => this.#step());
    for (const copy of this.#copies) await this.#world.step(() => this.#bringUpToDate(copy));
    this.#world.counts.add('histories');
  }

  rowsOfAll(list: ListName): readonly FileRow[] {
    return this.#someIds(0.5).map((id) => this.#row(list, this.#one(this.accounts), id));
  }

  lose(of?: ListOf): void {
    this.#hasLost = true;
    for (const [copy, { list, account_id }] of this.#of)
      if (of === undefined || (of.list === list && of.account_id === account_id)) this.#mayBeGone.add(copy);
  }

  async #step(): Promise<void> {
    const dice = this.#random();
    const copy = this.#one(this.#copies);
    if (dice < 0.3) await this.#import();
    else if (dice < 0.33) await this.#rename();
    else if (dice < 0.36) await this.#backUp();
    else if (dice < 0.39) await this.#restore();
    else if (dice < 0.42) this.#crash(copy);
    else if (dice < 0.46) await this.#begin(copy);
    else if (dice < 0.49) await this.#waitFor(copy);
    else if (dice < 0.53) await this.#readDuringImport(copy);
    else if (dice < 0.54) await this.#disable(copy);
    else if (dice < 0.55) await this.#deleteAccount(copy);
    else if (dice < 0.87) await this.#read(copy);
    else await this.#bringUpToDate(copy);
  }

  async #makeToken(id: string): Promise<void> {
    const made = await this.#world.operate((store) => createToken(store, id, 'test'));
    this.#tokens[this.accounts.indexOf(id)] = made?.token ?? assert.fail('there is no account');
  }

  #newCopy(): ChangingCopy {
    const list = lists[this.#one(NUMBERS_AND_SERVICES)];
    const filters = this.#one(FILTERS[list.name]);
    const account_id = this.#one(this.accounts);
    const token = () => this.#tokens[this.accounts.indexOf(account_id)] ?? '';
    const copy = new ChangingCopy(list.path, filters, (url, headers = {}) =>
      this.#world.ask(url, () => ({ authorization: token(), ...headers })),
    );
    this.#of.set(copy, { list: list.name, account_id });
    return copy;
  }

  #one<T>(choices: readonly T[]): T {
    return oneOf(this.#random, choices);
  }

  #someIds(share: number): number[] {
    return Array.from({ length: IDS }, (_, i) => this.#first + i).filter(() => this.#random() < share);
  }

  #row(list: ListName, account_id: string, id: number): FileRow {
    return randomRow(this.#random, list, account_id, id);
  }

  async #import(): Promise<void> {
    const list = this.#one(NUMBERS_AND_SERVICES);
    const mode = this.#one<Import['mode']>(['insert', 'insert', 'insert', 'update', 'replace']);
    const prunes = this.#random() < 0.12;
    const rows = mode === 'update' ? await this.#updates(list) : this.#changedRows(list);
    this.note('import', list, mode, prunes ? 'prunes' : '', JSON.stringify(rows));
    if (rows.length === 0) return;
    const { counts } = this.#world;
    counts.add(`imports ${mode}`);
    if (prunes) {
      counts.add('prunings');
      this.lose();
    }
    for (const { account_id, id, removed } of rows) {
      const item = `${list} ${id}`;
      if (removed === true) continue;
      const before = this.#last.get(item);
      if (before !== undefined && before !== account_id) counts.add('moves between accounts');
      this.#last.set(item, String(account_id));
    }
    await this.#world.import({ list, mode, prunes, rows }, [this]);
  }

  /** Rows that put items in place of those that are there, or remove them; now and then all. */
  #changedRows(list: ListName): FileRow[] {
    const removesAll = this.#random() < 0.06;
    return this.#someIds(removesAll ? 1 : 0.35).map((id) => {
      const account_id = this.#one(this.accounts);
      if (removesAll || this.#random() < 0.25) return { account_id, id, removed: true };
      return this.#row(list, account_id, id);
    });
  }

  /** Some columns of items that are there. */
  async #updates(list: ListName): Promise<FileRow[]> {
    const values = new Values();
    const owners = this.accounts.map((id) => values.bind(id)).join(', ');
    const text = `select id, account_id from ${list} where account_id in (${owners}) order by id`;
    const [found] = await this.#world.operate(async (store) => store.read({ text, values: values.list }));
    const there = found.filter(() => this.#random() < 0.4);
    return there.map(([id, of]) => {
      const account_id = String(of);
      if (this.#random() < 0.15) return { account_id, id: Number(id), removed: true };
      return { account_id, id: Number(id), comment: this.#one(['desk', 'note', 'changed']) };
    });
  }

  async #rename(): Promise<void> {
    this.note('rename');
    const [id, name] = [this.#one(this.accounts), `${this.#random()}`];
    await this.#world.operate((store) => updateAccount(store, id, { name }));
  }

  /** Reads everything of the accounts. */
  async #backUp(): Promise<void> {
    this.note('backup', this.#backups.length);
    this.#world.counts.add('backups');
    const backup = await this.#world.operate(async (store) => {
      const parts = (await columnsOf(store)).flatMap((columns) =>
        this.accounts.map((account_id) => ({ ...columns, account_id })),
      );
      const results = await store.read(
        ...parts.map(({ name, owner, names, account_id }) => {
          const values = new Values();
          const text = `select ${names.join(', ')} from ${name} where ${owner} = ${values.bind(account_id)}`;
          return { text, values: values.list };
        }),
      );
      return parts.map((part, i) => ({ ...part, rows: results[i] ?? [] }));
    });
    this.#backups.push(backup);
  }

  async #restore(): Promise<void> {
    const backup = this.#one(this.#backups);
    if (backup === undefined) return;
    this.note('restore', this.#backups.indexOf(backup));
    this.#world.counts.add('restores');
    this.lose();
    // An id that is on the other account now must have left it before it comes back.
    await this.#world.write([
      ...backup.flatMap((part) => clearStatements(part)),
      ...backup.flatMap((part) => putStatements(part)),
    ]);
  }

  #crash(copy: ChangingCopy): void {
    this.note('crash', this.#copies.indexOf(copy));
    this.#world.counts.add('crashes');
    copy.crash(this.#random());
    // It may be one from before the past was another.
    if (this.#hasLost) this.#mayBeGone.add(copy);
  }

  async #begin(copy: ChangingCopy): Promise<void> {
    const how = this.#one<Beginning>(['changes', 'export', 'pages']);
    this.note('begin', this.#copies.indexOf(copy), how);
    this.#world.counts.add(`begun by ${how}`);
    this.#mayBeGone.delete(copy);
    await copy.begin(how, this.#one([1, 2, 5]), async () => {
      const dice = this.#random();
      if (dice < 0.3) await this.#import();
      else if (dice < 0.36) await this.#backUp();
      else if (dice < 0.42) await this.#restore();
    });
  }

  /** Waits for a change, which comes: another value, so that it is one, and again where filters hide it. */
  async #waitFor(copy: ChangingCopy): Promise<void> {
    const { list, account_id } = this.#of.get(copy) ?? assert.fail();
    await this.#bringUpToDate(copy);
    this.note('wait', this.#copies.indexOf(copy));
    const headers = { prefer: WAIT };
    const answer = this.#random() < 0.3 ? copy.stream(headers) : copy.step(this.#one([1, 50]), headers);
    let isAnswered = false;
    const end = answer.then(() => {
      isAnswered = true;
    });
    end.catch(() => {});
    while (!isAnswered) {
      const row = this.#row(list, account_id, this.#first);
      const changed = { ...row, ...(list === 'additional_services' ? { category: 'additional' } : {}) };
      const rows = [{ ...changed, comment: `desk ${this.#random()}` }];
      await this.#world.import({ list, mode: 'insert', prunes: false, rows }, [this]);
      await Promise.race([end, sleep(WAITED_FOR_MS)]);
    }
    this.#check(copy, await answer);
  }

  /** Reads on while an import runs, and finds one state or the other. */
  async #readDuringImport(copy: ChangingCopy): Promise<void> {
    this.note('read during import', this.#copies.indexOf(copy));
    this.#world.counts.add('reads during imports');
    const read = async () => {
      for (let i = 0; i < 4; i++) {
        const answer = await (this.#random() < 0.3 ? copy.stream() : copy.step(this.#one([1, 2, 50])));
        if (answer.status === 410) return answer;
        assert.equal(answer.status, 200, answer.body);
      }
      return undefined;
    };
    const reading = read();
    reading.catch(() => {});
    await this.#import();
    const gone = await reading;
    if (gone !== undefined) this.#check(copy, gone);
  }

  /** The tokens of an account that is disabled are refused, and good again afterwards. */
  async #disable(copy: ChangingCopy): Promise<void> {
    this.note('disable');
    this.#world.counts.add('accounts disabled');
    for (const id of this.accounts) await this.#world.operate((store) => disableAccount(store, id));
    await this.#mustBeRefused(copy);
    for (const id of this.accounts) await this.#world.operate((store) => enableAccount(store, id));
  }

  /** An account that is deleted and made again is another, with other tokens. */
  async #deleteAccount(copy: ChangingCopy): Promise<void> {
    const id = this.#one(this.accounts);
    this.note('delete', id);
    this.#world.counts.add('accounts deleted');
    this.lose();
    await this.#world.operate((store) => deleteAccount(store, id));
    const isOfIt = this.#of.get(copy)?.account_id === id;
    if (isOfIt) await this.#mustBeRefused(copy);
    await this.#world.operate((store) => createAccount(store, id));
    await this.#makeToken(id);
    if (this.#random() < 0.7) await this.#import();
  }

  /** Where callers are cached for a short while, one may be answered that long. */
  async #mustBeRefused(copy: ChangingCopy): Promise<void> {
    const answer = await copy.step(1);
    if (answer.status !== 401) return this.#check(copy, answer);
    this.#world.counts.add('refused');
  }

  async #read(copy: ChangingCopy): Promise<void> {
    const page_size = this.#one([1, 2, 3, 7, 50]);
    const isStream = this.#random() < 0.15;
    this.note('read', this.#copies.indexOf(copy), isStream ? 'stream' : page_size, copy.filters);
    this.#check(copy, await (isStream ? copy.stream() : copy.step(page_size)));
    if (copy.isCurrent) await this.#mustBeTheList(copy);
  }

  async #mustBeTheList(copy: ChangingCopy): Promise<void> {
    const { counts } = this.#world;
    counts.add('compared');
    if (copy.filters !== '') counts.add('compared with filters');
    await copy.mustBeTheList(this.#random() < 0.12 ? 'export' : 'page');
  }

  /** An answer that is none must say that what the copy lacks cannot be told, and only where that is so. */
  #check(copy: ChangingCopy, { status, body, links, headers }: ServiceAnswer): void {
    const { counts } = this.#world;
    counts.add('answers');
    if (headers['preference-applied'] !== undefined) counts.add('waits');
    if (status !== 410) {
      assert.equal(status, 200, body);
      return;
    }
    assert.ok(this.#mayBeGone.has(copy), `gone for no reason: ${body}`);
    const reason = Object.entries(REASONS).find(([, words]) => words.test(body));
    counts.add(reason?.[0] ?? assert.fail(body));
    assert.ok(links.get('collection')?.startsWith(copy.path));
    this.#mayBeGone.delete(copy);
    copy.forget();
  }

  async #bringUpToDate(copy: ChangingCopy): Promise<void> {
    copy.isCurrent = false;
    for (let i = 0; !copy.isCurrent; i++) {
      assert.ok(i < 500, 'it never ends');
      await this.#read(copy);
    }
  }
}

/** Which histories there are, and what else happens in their worlds. */
export interface Histories {
  /** Of the first; each has the next. */
  readonly seed: number;
  readonly histories: number;
  readonly furnish?: ((world: World) => void) | undefined;
}

/** Runs histories, one world after the other; returns what has happened. */
export async function runHistories(
  deployment: Deployment,
  { seed, histories, furnish = () => {} }: Histories,
): Promise<Counts> {
  const counts = new Counts();
  let current = deployment;
  for (let done = 0; done < histories; done += HISTORIES_A_WORLD) {
    const world = new World(current, counts, seed + done);
    furnish(world);
    const count = Math.min(HISTORIES_A_WORLD, histories - done);
    await world.run(
      Array.from({ length: count }, (_, i) => new History(world, seed + done + i)),
      HISTORIES_AT_ONCE,
    );
    await world.clear();
    current = world.deployment;
  }
  return counts;
}

/** A table of a backup: by which column it belongs to an account, and which it has. */
interface Columns {
  readonly name: string;
  readonly owner: string;
  readonly names: readonly string[];
}

/** The rows that an account had in a table. */
interface BackedUp extends Columns {
  readonly account_id: string;
  readonly rows: readonly ResultRow[];
}

const columnsByStore = new WeakMap<Store, readonly Columns[]>();

/** The tables that a backup holds of an account, with their columns. */
async function columnsOf(store: Store): Promise<readonly Columns[]> {
  const known = columnsByStore.get(store) ?? (await readColumns(store));
  columnsByStore.set(store, known);
  return known;
}

async function readColumns(store: Store): Promise<readonly Columns[]> {
  const of = async (name: string) => {
    const text =
      store.dialect.name === 'sqlite'
        ? `select name from pragma_table_info('${name}')`
        : `select attname from pg_attribute where attrelid = '${name}'::regclass and attnum > 0 and not attisdropped`;
    const [rows] = await store.read({ text, values: [] });
    return rows.map(([column]) => String(column));
  };
  const columns: Columns[] = [{ name: 'accounts', owner: 'id', names: await of('accounts') }];
  for (const name of LOG_TABLES) columns.push({ name, owner: 'account_id', names: await of(name) });
  for (const table of Object.values(tables))
    columns.push({ name: table.name, owner: 'account_id', names: storedColumns(table) });
  return columns;
}

/** What removes the rows that there are; an account that is there has tokens, and stays. */
function clearStatements({ name, owner, account_id }: BackedUp): Statement[] {
  if (name === 'accounts') return [];
  const values = new Values();
  const text = `delete from ${name} where ${owner} = ${values.bind(account_id)}`;
  return [{ text, values: values.list }];
}

function putStatements({ name, names, rows }: BackedUp): Statement[] {
  const set = names.map((column) => `${column} = excluded.${column}`).join(', ');
  const orUpdate = name === 'accounts' ? ` on conflict (id) do update set ${set}` : '';
  return rows.map((row) => {
    const values = new Values();
    const bound = row.map((value) => values.bind(value)).join(', ');
    return {
      text: `insert into ${name} (${names.join(', ')}) values (${bound})${orUpdate}`,
      values: values.list,
    };
  });
}
