// The recipes: each against tables of its system with the rows that real ones have, pulled by a user who may
// read everything but purchase prices, and listed over HTTP.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { recipes, recipeText } from '../../server/commands/recipes.ts';
import { importQuery } from '../../server/import/import.ts';
import { ACCOUNTS } from '../../server/import/job.ts';
import { openSource } from '../../server/import/sources/address.ts';
import type { SourceValue } from '../../server/import/sources/source.ts';
import { listAccounts } from '../../server/store/access/accounts.ts';
import { openStore } from '../../server/store/open.ts';
import { tables } from '../../server/store/tables.ts';
import { MariadbServer, NO_MARIADB } from '../kit/mariadb-server.ts';
import { PostgresServer, query as queryPostgres } from '../kit/postgres-server.ts';
import { runProgram } from '../kit/program.ts';
import { type Item, LISTED } from '../kit/recipe-items.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { selectIn } from '../kit/stored-items.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const ACCOUNT_COLUMNS = ['account_id', 'name', 'currency', 'parent_id', 'disabled'];
/** What the tables hold in each column of what the carrier pays. */
const PURCHASE_PRICE = '98765.4321';
/** Columns of what a carrier pays, or the reseller of a customer: no recipe may read them. */
const PURCHASE_PRICES: Readonly<Record<string, readonly string[]>> = {
  a2billing: ['cc_did.aleg_carrier_connect_charge', 'cc_did.aleg_carrier_cost_min'],
  astpp: [
    'dids.connectcost',
    'dids.cost',
    'dids.monthlycost',
    'dids.setup',
    'products.buy_cost',
    'products.price',
    'products.setup_fee',
  ],
  fusionpbx: [],
  jambonz: [],
  magnusbilling: ['pkg_did.buy_rate_1', 'pkg_did.buy_rate_2', 'pkg_did.buy_rate_3'],
};

const tablesOf = (system: string) =>
  readFileSync(join(import.meta.dirname, 'recipe-tables', `${system}.sql`), 'utf8');

/** The statement of a recipe without its comments. */
const statementOf = (system: string, list: string) => recipeText(system, list).replaceAll(/^ *--.*\n/gm, '');

/** What a query finds, each row as its columns. */
async function found(url: string, sql: string): Promise<Record<string, string | null>[]> {
  const source = await openSource({ url, sql });
  const textOf = (value: SourceValue = null) => {
    assert.ok(value === null || typeof value === 'string', JSON.stringify(value));
    return value;
  };
  const rows: Record<string, string | null>[] = [];
  for await (const batch of source.batches())
    for (const row of batch)
      rows.push(Object.fromEntries(source.columns.map(({ name }, i) => [name, textOf(row[i])])));
  source.close();
  return rows;
}

let mariadb: Promise<MariadbServer> | undefined;
after(async () => (await mariadb)?.stop());

/** The address of a system's database for a user who may read everything but purchase prices. */
async function carrierOf(system: string, database: string | null) {
  if (database === 'PostgreSQL') {
    const made = await (await PostgresServer.shared()).makeDatabase();
    await queryPostgres(made.url, tablesOf(system));
    return made;
  }
  mariadb ??= MariadbServer.start();
  const server = await mariadb;
  const url = await server.createDatabase(system, tablesOf(system));
  const reader = await server.createReader(url, PURCHASE_PRICES[system] ?? []);
  return { url: reader, remove: async () => {} };
}

for (const { system, database, queries } of recipes().filter((recipe) => recipe.queries.length > 0)) {
  const expected = LISTED[system];
  const skip = database === 'PostgreSQL' ? false : NO_MARIADB;

  describe(`the recipe for ${system}`, { skip }, () => {
    let carrier: Awaited<ReturnType<typeof carrierOf>>;
    let service: Service;
    before(async () => {
      const [kind] = stores;
      assert.ok(kind !== undefined && expected !== undefined);
      carrier = await carrierOf(system, database);
      service = await openService(kind, { accounts: expected.accounts.map(([id]) => id) });
    });
    after(async () => {
      await service.close();
      await carrier.remove();
    });

    async function listed(list: keyof typeof tables): Promise<Record<string, Item[]>> {
      const all: Record<string, Item[]> = {};
      for (const [account] of expected?.accounts ?? []) {
        const { status, body } = await service.ask(account, `${tables[list].list.path}?sort_by=id`);
        assert.equal(status, 200, body);
        assert.ok(!body.includes('98765'), 'a purchase price is listed');
        const { data } = JSON.parse(body) as { data: Item[] };
        if (data.length > 0) all[account] = data;
      }
      return all;
    }

    test('finds the accounts', async () => {
      const rows = await found(carrier.url, recipeText(system, 'accounts'));
      assert.deepEqual(Object.keys(rows[0] ?? {}), ACCOUNT_COLUMNS);
      const values = rows.map((row) => [
        ...ACCOUNT_COLUMNS.slice(0, -1).map((name) => row[name]),
        ['1', 't', 'true'].includes(row['disabled'] ?? ''),
      ]);
      assert.deepEqual(values, expected?.accounts);
    });

    for (const list of ['virtual_numbers', 'additional_services'] as const) {
      const name = list.replaceAll('_', '-');
      if (!queries.includes(name)) continue;
      test(`lists the ${name} as the API shows them`, async () => {
        const query = { url: carrier.url, sql: recipeText(system, name) };
        const job = { store: service.operator, table: tables[list], replace_all: true };
        const named = { database: 'billing', text: `${name}.sql` };
        const { accounts_created } = await importQuery(job, query, named);
        assert.equal(accounts_created, 0, 'an account that the recipe for accounts does not find');
        assert.deepEqual(await listed(list), expected?.[list]);
        assert.equal((await importQuery(job, query, named)).updated, 0);
      });
    }

    // After the lists: tokens of an account that it disables are refused.
    test('brings the accounts', async () => {
      const query = { url: carrier.url, sql: recipeText(system, 'accounts') };
      const named = { database: 'billing', text: 'accounts.sql' };
      const job = { store: service.operator, table: ACCOUNTS };
      await importQuery(job, query, named);
      const rows = (await listAccounts(service.operator)).map(
        ({ id, name, currency, parent_id, disabled_at }) => [
          id,
          name,
          currency,
          parent_id,
          disabled_at !== null,
        ],
      );
      const byId = (one: readonly unknown[], other: readonly unknown[]) =>
        String(one[0]) < String(other[0]) ? -1 : 1;
      assert.deepEqual(rows.toSorted(byId), expected?.accounts.toSorted(byId));
      assert.equal((await importQuery(job, query, named)).updated, 0);
    });

    test('reads no purchase price', async () => {
      for (const list of queries) assert.doesNotMatch(statementOf(system, list), /buy|aleg_carrier|cost/);
      for (const column of PURCHASE_PRICES[system] ?? []) {
        const [table = '', name = ''] = column.split('.');
        const sql = `select ${name} from ${table}`;
        await assert.rejects(found(carrier.url, sql), /denied/, 'the user of this test could have read it');
        const values = new Set(
          (await found(carrier.url.replace(/\w+_reader/, 'root'), sql)).map((row) => Number(row[name])),
        );
        assert.deepEqual([...values], [Number(PURCHASE_PRICE)], `${column} marks nothing`);
      }
    });

    test('begins with what to look at, and what it leaves out', () => {
      for (const list of queries) {
        const text = recipeText(system, list);
        assert.match(
          text,
          /^-- [\w .]+ \([\w ,]*SQL[\w ,]*\): [^.]* for linecard-server pull[^.]*\.\n--\n-- Look at\n/,
        );
        if (system === 'a2billing') assert.match(text, /MyISAM, which has no snapshot/);
      }
    });
  });
}

test('a destination of FusionPBX that is enabled by a boolean, as newer ones are, is listed the same', async () => {
  const carrier = await carrierOf('fusionpbx', 'PostgreSQL');
  const pulled = () =>
    Promise.all(
      ['accounts', 'virtual-numbers'].map((list) => found(carrier.url, recipeText('fusionpbx', list))),
    );
  const before = await pulled();
  const enabled = (table: string, column: string) =>
    `alter table ${table} alter ${column} type boolean using nullif(${column}, '')::boolean;`;
  await queryPostgres(
    carrier.url,
    enabled('v_destinations', 'destination_enabled') + enabled('v_domains', 'domain_enabled'),
  );
  assert.deepEqual(await pulled(), before);
  await carrier.remove();
});

test('a UUID becomes the same id on both databases', { skip: NO_MARIADB }, async () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/how-to/pull-from-sql.md'), 'utf8');
  const uuid = `'0b6a2f0c-7d5e-4f0a-9d6b-0123456789ab'`;
  const [postgres = '', mysql = ''] = ['::bigint', 'conv('].map((part) => {
    const quoted = [...guide.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
    return quoted.find((code) => code.includes('md5(') && code.includes(part))?.replace('uuid', uuid);
  });
  const carrier = await (await PostgresServer.shared()).makeDatabase();
  mariadb ??= MariadbServer.start();
  const [ofPostgres] = await found(carrier.url, `select ${postgres} as id`);
  const [ofMysql] = await found((await mariadb).url, `select ${mysql} as id`);
  await carrier.remove();
  assert.deepEqual(ofPostgres, ofMysql);
  assert.match(ofPostgres?.['id'] ?? '', /^\d{1,16}$/);
});

test('nothing of what a carrier pays comes in from the inventory of PortaBilling', async () => {
  const guide = readFileSync(
    join(import.meta.dirname, '../../docs/how-to/load-from-portabilling.md'),
    'utf8',
  );
  const folder = temporaryFolder();
  for (const [, file = '', text = ''] of guide.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms))
    writeFileSync(join(folder, file), text.replace(',1.00,0.85,', `,${PURCHASE_PRICE},${PURCHASE_PRICE},`));
  writeFileSync(join(folder, 'portabilling.json'), recipeText('portabilling'));
  const load = ['import', 'virtual-numbers', '--mapping', 'portabilling.json', 'inventory.csv'];
  const url = `sqlite:${join(folder, 'linecard.db')}`;
  const { status, err } = await runProgram([...load, '--database-url', url], { cwd: folder });
  assert.equal(status, 0, err);
  const store = await openStore(url, 'read');
  const [[item] = []] = await selectIn(store, 'select item from virtual_numbers');
  await store.close();
  const { activation, monthly } = JSON.parse(String(item)) as Item;
  assert.deepEqual([activation, monthly], [0, 2.25]);
  assert.ok(readFileSync(join(folder, 'inventory.csv'), 'utf8').includes(`,${PURCHASE_PRICE},`));
});

describe('the command', () => {
  const folder = temporaryFolder();
  const run = (...words: string[]) => runProgram(words, { cwd: folder });

  test('lists a recipe for each folder of them', async () => {
    const { out, status } = await run('recipe', 'list');
    assert.equal(status, 0);
    assert.match(out, /^SYSTEM +MAPPING +DATABASE +QUERIES\n/);
    assert.match(out, /^fusionpbx +yes +PostgreSQL +accounts, virtual-numbers$/m);
    const systems: { system: string }[] = JSON.parse((await run('recipe', 'list', '--json')).out);
    const folders = readdirSync(join(import.meta.dirname, '../../server/recipes')).toSorted();
    assert.deepEqual(
      systems.map(({ system }) => system),
      folders,
    );
  });

  test('shows a query that pull takes', { skip: NO_MARIADB }, async () => {
    const shown = await run('recipe', 'show', 'jambonz', 'virtual-numbers');
    assert.equal(shown.status, 0, shown.err);
    assert.equal(shown.out, recipeText('jambonz', 'virtual-numbers'));
    writeFileSync(join(folder, 'numbers.sql'), shown.out);
    mariadb ??= MariadbServer.start();
    const from = await (await mariadb).createDatabase('shown', tablesOf('jambonz'));
    const pull = ['pull', 'virtual-numbers', '--query', 'numbers.sql', '--from', from];
    const { status, err } = await run(...pull, '--database-url', 'sqlite:linecard.db');
    assert.equal(status, 0, err);
    assert.match(err, /2 rows read, 2 inserted/);
  });

  test('ends with 2 and the names there are for one that there is not', async () => {
    const system = await run('recipe', 'show', 'mor', 'accounts');
    assert.equal(system.status, 2);
    assert.match(
      system.err,
      /no recipe for "mor"\. There are: a2billing, astpp, freepbx, fusionpbx, jambonz, magnus/,
    );
    const list = await run('recipe', 'show', 'jambonz', 'additional-services');
    assert.equal(list.status, 2);
    assert.match(
      list.err,
      /jambonz has no query "additional-services"\. It has queries: accounts, virtual-numbers\.\n$/,
    );
    const mapping = await run('recipe', 'show', 'jambonz');
    assert.equal(mapping.status, 2);
    assert.match(mapping.err, /jambonz has no mapping\. It has queries: accounts, virtual-numbers\.\n$/);
  });
});
