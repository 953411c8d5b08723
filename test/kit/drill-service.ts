// A service as an operator starts it, a process of its own, with made accounts of given sizes: what most
// drills break.

import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { withStore } from '../../server/commands/command.ts';
import { createAccount } from '../../server/store/access/accounts.ts';
import { createOperatorToken, createToken, revokeToken } from '../../server/store/access/tokens.ts';
import type { Store } from '../../server/store/store.ts';
import { virtual_numbers } from './model.ts';
import { Operator } from './program.ts';
import type { StoreKind } from './service.ts';
import { ask } from './sockets.ts';
import { type Database, makeFile } from './templates.ts';

export const LIST = virtual_numbers.path;

/** A few of each, so that filters and facets find something. */
const [COUNTRIES, PROVIDERS] = [
  ['GB', 'US', 'DE', 'FR', 'SE'],
  ['Zed, Inc', 'Northwire', 'Vela'],
];
const WORDS = ['harbour', 'reception', 'sales', 'night desk', 'fax', 'spare', 'billing', 'warehouse'];
const HEADER =
  'account_id,id,did,comment,country_code,provider,status,subscription_status,frequency,monthly,created_at\n';
/** The ids of the nth account of an import come after n times this. */
export const ID_SPACE = 1_000_000;
/** What one write to a pipe carries. */
const ROWS_A_CHUNK = 5_000;
/** Between two pages of a reader. */
const PAUSE_MS = 5;

/** Numbers of one account as lines of CSV, in chunks. */
function* csvOf(account_id: string, nth: number, rows: number, comment: string): Generator<string> {
  for (let from = 0; from < rows; from += ROWS_A_CHUNK) {
    let text = '';
    for (let i = from; i < Math.min(rows, from + ROWS_A_CHUNK); i++) {
      const said = `${WORDS[(i * 7) % WORDS.length]} ${(i * 2_654_435_761) % 1_000_003}${comment}`;
      const did = `+4420${String(10_000_000 + ((i * 7_919) % 89_999_999))}`;
      const fixed = `${COUNTRIES[i % 5]},"${PROVIDERS[i % 3]}${comment}",${i % 4 === 0 ? 'suspended' : 'active'}`;
      text += `${account_id},${nth * ID_SPACE + i + 1},${did},${said},${fixed},active,monthly,${i % 9}.25,2026-02-10T16:04:11Z\n`;
    }
    yield text;
  }
}

/** What a drill starts with. */
export interface Lists {
  /** How many numbers each account has. */
  readonly rows: Readonly<Record<string, number>>;
  /** The end of every comment and provider, to make rows long. */
  readonly comment?: string;
  /** Where the lists are, if not on the embedded store. */
  readonly kind?: StoreKind;
  /** What the service and its commands are given in addition. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What the processes are started through, such as `['sh', '-c', …]`. */
  readonly within?: readonly string[];
}

export class DrillService extends Operator {
  readonly database_url: string;
  readonly #database: Database;
  readonly #tokens = new Map<string, string>();

  private constructor(database: Database, { environment = {}, within = [] }: Lists) {
    super(database.url, environment, within);
    this.#database = database;
    this.database_url = database.url;
  }

  /** Makes the database, imports the accounts, and makes a token for each. */
  static async make(lists: Lists): Promise<DrillService> {
    const made = new DrillService(await (lists.kind?.make() ?? makeFile()), lists);
    try {
      await made.import(lists.rows, lists.comment);
      await made.makeTokens(Object.keys(lists.rows));
    } catch (error) {
      await made.remove();
      throw error;
    }
    return made;
  }

  tokenOf(account_id: string): string {
    const token = this.#tokens.get(account_id);
    if (token === undefined) throw new Error(`The drill knows no account ${account_id}.`);
    return token;
  }

  /** Imports lists of these lengths in place of those there are. */
  async import(rows: Readonly<Record<string, number>>, comment = ''): Promise<void> {
    const words = ['--format', 'csv', '--replace', '--max-removed', '100%', '-'];
    const { child, ended } = this.start('import', 'virtual-numbers', ...words);
    child.stdin.write(HEADER);
    for (const [nth, [account_id, count]] of Object.entries(rows).entries()) {
      for (const chunk of csvOf(account_id, nth, count, comment)) {
        if (!child.stdin.write(chunk)) await new Promise((resolve) => child.stdin.once('drain', resolve));
      }
    }
    child.stdin.end();
    const { status, err } = await ended;
    if (status !== 0) throw new Error(`The import ended with ${status}: ${err}`);
  }

  /** Makes a token for each account, and the account where it has no items. */
  async makeTokens(account_ids: readonly string[]): Promise<void> {
    await this.#withStore(async (store) => {
      for (const account_id of account_ids) {
        await createAccount(store, account_id);
        const made = await createToken(store, account_id, 'drill');
        if (made !== undefined) this.#tokens.set(account_id, made.token);
      }
    });
  }

  /** Another token, which expires at a time in milliseconds since 1970 or never. */
  async newToken(account_id: string, expires_at?: number): Promise<{ id: string; token: string }> {
    const made = await this.#withStore((store) => createToken(store, account_id, 'drill', expires_at));
    if (made === undefined) throw new Error(`There is no account ${account_id}.`);
    return made;
  }

  /** A token that reads the lists of every account. */
  async readingToken(): Promise<string> {
    const made = await this.#withStore((store) =>
      createOperatorToken(store, { name: 'drill', may: ['read'] }),
    );
    return made.token;
  }

  async revoke(token_id: string): Promise<void> {
    await this.#withStore((store) => revokeToken(store, token_id));
  }

  #withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return withStore({ database_url: this.database_url, database_pooler: 'none' }, work);
  }

  /** Reads pages until it is over, all of which must be answered; how long each took, in order. */
  async readPages(
    url: string,
    account_id: string,
    tally: { add(fault?: string): void },
    isOver: () => boolean,
  ): Promise<number[]> {
    const how = {
      agent: new Agent({ keepAlive: true }),
      headers: { authorization: this.tokenOf(account_id) },
    };
    const took: number[] = [];
    for (; !isOver(); await sleep(PAUSE_MS)) {
      const at = performance.now();
      const { outcome, status, code } = await ask(`${url}${LIST}`, how);
      took.push(performance.now() - at);
      const isGood = outcome === 'whole' && status === 200;
      tally.add(isGood ? undefined : `a page was ${code ?? status}, ${outcome}`);
    }
    how.agent.destroy();
    return took.sort((a, b) => a - b);
  }

  /** Ends what still runs, and takes its data with it. */
  async remove(): Promise<void> {
    this.close();
    await this.#database.remove();
  }
}
