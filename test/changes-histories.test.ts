// A copy of a list is never wrong: random histories of imports, renames, pruning and restored backups, with
// copies that are brought up to date now and then. Whenever one is told that it is up to date it is, byte for
// byte, what an export of the list holds. `TEST_HISTORIES` says how many histories there are.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { lists } from '@linecard/client/contract';
import { createAccount, updateAccount } from '../server/store/accounts.ts';
import { LOG_TABLES } from '../server/store/change-log.ts';
import { type Statement, Values } from '../server/store/sql.ts';
import type { CommitOptions, Store } from '../server/store/store.ts';
import { type RowValues, storedColumns, storedRow, tables } from '../server/store/tables.ts';
import { createToken } from '../server/store/tokens.ts';
import { randomOf } from './changes-model.ts';
import { type Beginning, ChangingCopy } from './changing-copies.ts';
import { openService, type Service, stores } from './service.ts';

const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? 12);
const STEPS = 34;
const COPIES = 4;
/** Ids of one history, so few that they are met again and again. */
const IDS = 14;

type ListName = keyof typeof lists;

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

const common = {
  frequency: 'monthly',
  subscription_status: 'active',
  activation: 0,
  monthly: 2_250_000,
  activated_at: null,
  next_payment_at: null,
};

class History {
  readonly #service: Service;
  readonly #random: () => number;
  readonly #first: number;
  readonly #accounts: readonly string[];
  readonly #said: string[] = [];
  /** The tables of its accounts as they were, and what had been pruned then. */
  readonly #backups: Statement[][] = [];
  #tokens: readonly string[] = [];
  #copies: ChangingCopy[] = [];
  /** Copies that may have to begin anew, because the past is not what it was. */
  readonly #mayBeGone = new Set<ChangingCopy>();
  #hasLost = false;
  compared = 0;
  gone = 0;

  constructor(service: Service, seed: number) {
    this.#service = service;
    this.#random = randomOf(seed);
    this.#first = (seed % 1_000_000) * IDS + 1;
    this.#accounts = [`h${seed}-a`, `h${seed}-b`];
  }

  async run(): Promise<void> {
    const store = this.#service.operator;
    await setImmediate();
    for (const id of this.#accounts) await createAccount(store, id);
    this.#tokens = await Promise.all(
      this.#accounts.map(async (id) => (await createToken(store, id, 'test'))?.token ?? ''),
    );
    this.#copies = Array.from({ length: COPIES }, () => this.#newCopy());
    for (let i = 0; i < STEPS; i++) await this.#step();
    for (const copy of this.#copies) await this.#bringUpToDate(copy);
  }

  get said(): string {
    return this.#said.join('\n');
  }

  async #step(): Promise<void> {
    const dice = this.#random();
    const copy = this.#one(this.#copies);
    if (dice < 0.34) await this.#import();
    else if (dice < 0.37) await this.#rename();
    else if (dice < 0.4) await this.#backUp();
    else if (dice < 0.43) await this.#restore();
    else if (dice < 0.46) this.#crash(copy);
    else if (dice < 0.5) await this.#begin(copy);
    else if (dice < 0.86) await this.#read(copy);
    else await this.#bringUpToDate(copy);
  }

  #newCopy(): ChangingCopy {
    const list = lists[this.#one(['virtual_numbers', 'virtual_numbers', 'additional_services'] as const)];
    const filters = this.#one(FILTERS[list.name]);
    const token = this.#one(this.#tokens);
    return new ChangingCopy(list.path, filters, (url, headers = {}) =>
      this.#service.send('GET', url, { authorization: token, ...headers }),
    );
  }

  #one<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)] as T;
  }

  #say(...words: unknown[]): void {
    this.#said.push(words.map(String).join(' '));
  }

  #values(name: ListName, id: number): RowValues {
    const note = this.#one(['', 'desk', 'note', 'a "note"\\', 'desk note']);
    if (name === 'additional_services') {
      const category = this.#one(['additional', 'additional', 'additional', 'core']);
      const title = this.#one(['VPN', 'desk']);
      const frequency = this.#one(['monthly', 'yearly']);
      return { ...common, id, title, service_name: title, comment: note, category, frequency };
    }
    return {
      ...common,
      id,
      did: `+4420${id}`,
      comment: note,
      country: '',
      country_code: this.#one(['GB', 'DE']),
      provider: 'Zed',
      status: this.#one(['active', 'blocked']),
      incoming: 0,
      created_at: '2026-01-02T03:04:05.678901Z',
      is_active_spam_check: false,
      is_spammed: this.#random() < 0.5,
      spam_checked_at: null,
    };
  }

  async #import(): Promise<void> {
    const name = this.#one(['virtual_numbers', 'virtual_numbers', 'additional_services'] as const);
    const table = tables[name];
    const ids = Array.from({ length: IDS }, (_, i) => this.#first + i).filter(() => this.#random() < 0.35);
    const account_id = () => this.#one(this.#accounts);
    const rows = ids.map((id) =>
      this.#random() < 0.25 ? [id, account_id()] : storedRow(table, account_id(), this.#values(name, id)),
    );
    const replaces = this.#random() < 0.2;
    // What is kept for no time is pruned, but for the newest.
    const prunes = this.#random() < 0.12;
    const options: CommitOptions = {
      ...(replaces ? { removeOthers: 'named', accounts: [account_id()] } : {}),
      ...(prunes ? { retentionMs: -1_000 } : {}),
    };
    this.#say('import', name, JSON.stringify(rows.map(([id, of]) => [id, of])), JSON.stringify(options));
    if (prunes) this.#lose();
    await setImmediate();
    const load = await this.#service.operator.load(table);
    await load.add(
      rows,
      rows.map((_, i) => i),
    );
    await load.commit(options);
  }

  async #rename(): Promise<void> {
    this.#say('rename');
    await setImmediate();
    await updateAccount(this.#service.operator, this.#one(this.#accounts), { name: `${this.#random()}` });
  }

  /** Reads everything of the accounts, as statements that would put it back. */
  async #backUp(): Promise<void> {
    this.#say('backup', this.#backups.length);
    const store = this.#service.operator;
    await setImmediate();
    const columns = await columnsOf(store);
    const statements: Statement[] = [];
    for (const [name, { owner, names }] of columns) {
      for (const account_id of this.#accounts) {
        const values = new Values(store.dialect);
        const text = `select ${names.join(', ')} from ${name} where ${owner} = ${values.bind(account_id)}`;
        const [rows] = await store.read({ text, values: values.list });
        const gone = new Values(store.dialect);
        // An account that is there has tokens.
        if (name !== 'accounts')
          statements.push({
            text: `delete from ${name} where ${owner} = ${gone.bind(account_id)}`,
            values: gone.list,
          });
        for (const row of rows) {
          const put = new Values(store.dialect);
          const bound = row.map((value) => put.bind(value)).join(', ');
          const set = names.map((column) => `${column} = excluded.${column}`).join(', ');
          const orUpdate = name === 'accounts' ? ` on conflict (id) do update set ${set}` : '';
          statements.push({
            text: `insert into ${name} (${names.join(', ')}) values (${bound})${orUpdate}`,
            values: put.list,
          });
        }
      }
    }
    await setImmediate();
    // An id that is on the other account now must have left it before it comes back.
    const isInsert = ({ text }: Statement) => text.startsWith('insert');
    this.#backups.push([...statements.filter((one) => !isInsert(one)), ...statements.filter(isInsert)]);
  }

  async #restore(): Promise<void> {
    const backup = this.#one(this.#backups);
    if (backup === undefined) return;
    this.#say('restore', this.#backups.indexOf(backup));
    this.#lose();
    await setImmediate();
    await this.#service.operator.write(...backup);
  }

  /** From here on any copy may find that what it lacks cannot be told. */
  #lose(): void {
    this.#hasLost = true;
    for (const copy of this.#copies) this.#mayBeGone.add(copy);
  }

  #crash(copy: ChangingCopy): void {
    this.#say('crash', this.#copies.indexOf(copy));
    copy.crash(this.#random());
    // It may be one from before the past was another.
    if (this.#hasLost) this.#mayBeGone.add(copy);
  }

  async #begin(copy: ChangingCopy): Promise<void> {
    const how = this.#one<Beginning>(['changes', 'export', 'pages']);
    this.#say('begin', this.#copies.indexOf(copy), how);
    this.#mayBeGone.delete(copy);
    await copy.begin(how, this.#one([1, 2, 5]), async () => {
      const dice = this.#random();
      if (dice < 0.3) await this.#import();
      else if (dice < 0.36) await this.#backUp();
      else if (dice < 0.42) await this.#restore();
    });
  }

  async #read(copy: ChangingCopy): Promise<void> {
    const page_size = this.#one([1, 2, 3, 7, 50]);
    const isStream = this.#random() < 0.25;
    this.#say('read', this.#copies.indexOf(copy), isStream ? 'stream' : page_size, copy.filters);
    const { status, body, links } = await (isStream ? copy.stream() : copy.step(page_size));
    if (status === 410) {
      this.gone += 1;
      assert.ok(this.#mayBeGone.has(copy), `gone for no reason: ${body}`);
      assert.match(body, /older than what is kept|restored from a backup/);
      assert.ok(links.get('collection')?.startsWith(copy.path));
      this.#mayBeGone.delete(copy);
      copy.forget();
      return;
    }
    assert.equal(status, 200, body);
    if (!copy.isCurrent) return;
    this.compared += 1;
    assert.equal(copy.text, await copy.list());
  }

  async #bringUpToDate(copy: ChangingCopy): Promise<void> {
    copy.isCurrent = false;
    for (let i = 0; !copy.isCurrent; i++) {
      assert.ok(i < 500, 'it never ends');
      await this.#read(copy);
    }
  }
}

/** The tables that a backup holds of an account, with their columns. */
async function columnsOf(store: Store): Promise<Map<string, { owner: string; names: string[] }>> {
  const of = async (name: string) => {
    const text =
      store.dialect.name === 'sqlite'
        ? `select name from pragma_table_info('${name}')`
        : `select attname from pg_attribute where attrelid = '${name}'::regclass and attnum > 0 and not attisdropped`;
    const [rows] = await store.read({ text, values: [] });
    return rows.map(([column]) => String(column));
  };
  const columns = new Map([['accounts', { owner: 'id', names: await of('accounts') }]]);
  for (const name of LOG_TABLES) columns.set(name, { owner: 'account_id', names: await of(name) });
  for (const table of Object.values(tables)) {
    columns.set(table.name, { owner: 'account_id', names: storedColumns(table) });
  }
  return columns;
}

for (const kind of stores) {
  describe(`on ${kind.name} a copy that is brought up to date`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, {});
    });
    after(() => service.close());

    test('is what the list is whenever it is told so, whatever happens in between', async () => {
      const begin = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 20));
      const histories = Math.max(1, Math.round(HISTORIES * kind.share));
      let [compared, gone] = [0, 0];
      for (let i = 0; i < histories; i++) {
        const history = new History(service, begin + i);
        try {
          await history.run();
        } catch (error) {
          throw new Error(`TEST_SEED=${begin + i}\n${history.said}`, { cause: error });
        }
        compared += history.compared;
        gone += history.gone;
      }
      assert.ok(compared > 3 * histories, `only ${compared} comparisons`);
      if (histories > 10) assert.ok(gone > 0, 'no copy was ever gone');
    });
  });
}
