// Lists pulled from the carrier's own database: real ones of both kinds, as they are, at fault, and going
// away.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryText, repeat } from '../../server/commands/pull.ts';
import { Failed } from '../../server/errors.ts';
import {
  type ImportFault,
  ImportRefused,
  ImportRejected,
  ImportStopped,
} from '../../server/import/faults.ts';
import { importQuery } from '../../server/import/import.ts';
import { ACCOUNTS, type ImportJob } from '../../server/import/job.ts';
import { readBatches } from '../../server/import/reading.ts';
import {
  addressFault,
  databaseName,
  openSource,
  withoutPassword,
} from '../../server/import/sources/address.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { faultProxy } from '../kit/fault-proxy.ts';
import { MariadbServer, NO_MARIADB } from '../kit/mariadb-server.ts';
import { PostgresServer, query as queryPostgres, urlWith } from '../kit/postgres-server.ts';
import { type Running, startProgram } from '../kit/program.ts';
import { faultsOfRefused, selectIn } from '../kit/stored-items.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { writtenForms } from '../kit/written-forms.ts';

/** How often a connection is cut; TEST_CUTS=500 is the long form. */
const CUTS = Number(process.env['TEST_CUTS'] ?? 3);
const MANY_ROWS = Number(process.env['TEST_ROWS'] ?? 30_000);
const PASSWORD = 'pa%s/w@rd';

const folder = temporaryFolder();

let mariadb: Promise<MariadbServer> | undefined;
after(async () => (await mariadb)?.stop());

/** A database of a carrier, and how its kind writes what a query needs. */
interface Carrier {
  readonly url: string;
  run(sql: string): Promise<void>;
  remove(): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly skip: string | false;
  make(): Promise<Carrier>;
  /** The table of numbers, and two of them with everything that is hard to carry over. */
  readonly table: readonly string[];
  /** That many rows, as an expression of their number. */
  readonly series: (rows: number) => string;
  /** Ends every other connection of the carrier's database. */
  readonly killOthers: string;
  readonly binary: { readonly sql: string; readonly fault: RegExp };
  readonly writes: readonly (readonly [sql: string, fault: RegExp])[];
  readonly syntax: RegExp;
}

const TEXT = 'Büro 😀 "x", y\\z';
const TIME = '2026-02-10 16:04:11.482913';
const COLUMNS = `select customer as account_id, id, did, note as comment, status, status as subscription_status,
  'monthly' as frequency, monthly, incoming, created as created_at, activated as activated_at,
  spam as is_spammed, checking as is_active_spam_check from numbers order by id`;
const LONG = `'C1' as account_id, seq as id, concat('+4420', 70000000 + seq) as did, 'active' as status,
  'active' as subscription_status, 'monthly' as frequency, '2026-02-10T16:04:11.482913Z' as created_at,
  repeat('x', 150) as comment`;

const kinds: readonly Kind[] = [
  {
    name: 'PostgreSQL',
    skip: false,
    async make() {
      const database = await (await PostgresServer.shared()).makeDatabase();
      return { ...database, run: async (sql) => void (await queryPostgres(database.url, sql)) };
    },
    table: [
      `create table numbers (id bigint primary key, customer text, did text, note text, status text,
        monthly numeric(20,8), incoming float8, created timestamptz, activated timestamptz, spam boolean, checking boolean)`,
      `insert into numbers values
        (1, 'C1', '+442079460001', '${TEXT}', 'active', 2.25, 0.0059, '${TIME}+00', '2026-02-11 09:30:00.000001+01', true, false),
        (9007199254740991, 'C1', '+442079460002', null, 'active', 999999999.123456, 0, '${TIME}+05:30', null, null, true)`,
    ],
    series: (rows) => `select ${LONG} from generate_series(1, ${rows}) as seq`,
    killOthers: `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
    binary: { sql: `'\\x00'::bytea`, fault: /^q\.sql: comment: holds bytes \(bytea\); .*encode\(/ },
    writes: [
      [
        'with gone as (delete from numbers returning *) select * from gone',
        /^q\.sql: PostgreSQL says: DECLARE/,
      ],
      [`select setval('pg_temp.s', 1) from numbers`, /^q\.sql/],
    ],
    syntax: /^q\.sql:2: PostgreSQL says: syntax error at or near "fro"\.$/,
  },
  {
    name: 'MariaDB',
    skip: NO_MARIADB,
    async make() {
      mariadb ??= MariadbServer.start();
      const server = await mariadb;
      return { url: server.url, run: async (sql) => void (await server.run(sql)), remove: async () => {} };
    },
    table: [
      `create table numbers (id bigint unsigned primary key, customer varchar(50), did varchar(50), note text, status enum('active'),
        monthly decimal(20,8), incoming double, created datetime(6), activated timestamp(6) null, spam tinyint(1), checking bit(1))`,
      `insert into numbers values
        (1, 'C1', '+442079460001', '${TEXT.replace('\\', '\\\\')}', 'active', 2.25, 0.0059, '${TIME}', '2026-02-11 14:00:00.000001', true, b'0'),
        (9007199254740991, 'C1', '+442079460002', null, 'active', 999999999.123456, 0, '2026-02-10 10:34:11.482913', null, null, b'1')`,
    ],
    series: (rows) => `select ${LONG} from seq_1_to_${rows}`,
    killOthers: `begin not atomic
        for one in (select id from information_schema.processlist where id <> connection_id() and user <> 'system user')
        do begin declare continue handler for sqlexception begin end; execute immediate concat('kill ', one.id); end; end for;
      end`,
    binary: { sql: `x'00'`, fault: /^q\.sql: comment: holds bytes; .*hex\(/ },
    writes: [['select * from numbers for update; drop table numbers', /must be one statement\./]],
    syntax: /^q\.sql:3: The server says: .* at line 3 \(1064\)\.$/,
  },
];

/** A row of the result that is right, but for what is given. */
const row = (other: Readonly<Record<string, string>> = {}) =>
  `select ${Object.entries({
    account_id: `'C1'`,
    id: '1',
    did: `'+442079460001'`,
    status: `'active'`,
    subscription_status: `'active'`,
    frequency: `'monthly'`,
    created_at: `'2026-02-10T16:04:11Z'`,
    ...other,
  })
    .map(([name, sql]) => `${sql} as ${name}`)
    .join(', ')}`;

for (const kind of kinds) {
  describe(`from ${kind.name}`, { skip: kind.skip }, () => {
    let carrier: Carrier;
    let store: Store;

    before(async () => {
      carrier = await kind.make();
      for (const statement of kind.table) await carrier.run(statement);
      store = await openStore(`sqlite:${join(folder, `${kind.name}.db`)}`, 'write');
      await pull(COLUMNS);
    });
    after(async () => {
      await store.close();
      await carrier.remove();
    });

    const everything = () => selectIn(store, 'select account_id, id, item from virtual_numbers order by id');

    function pull(sql: string, rules: Partial<ImportJob> = {}, url = carrier.url, silenceMs = 60_000) {
      const job = { store, table: tables.virtual_numbers, ...rules };
      const named = { database: 'billing/carrier', text: 'q.sql' };
      return importQuery(job, { url, sql, silenceMs }, named);
    }

    /** Pulls what is refused, and gives its faults. */
    const refused = (...how: Parameters<typeof pull>) => faultsOfRefused(store, () => pull(...how));

    /** Reads without a thread and without a store, and gives how many rows came, and the faults. */
    async function read(sql: string, url = carrier.url) {
      const job = { list: 'virtual_numbers', rules: {}, files: [], query: { url, sql } } as const;
      const faults: ImportFault[] = [];
      let rows = 0;
      for await (const batch of readBatches(job, new PassThrough())) {
        rows += batch.ids.length;
        faults.push(...batch.faults);
      }
      const sources = [{ rowsOf: 'billing/carrier' }, 'q.sql'];
      return { rows, faults: new ImportRefused(sources, faults, faults.length).faults };
    }
    const faultsOf = async (sql: string) => (await read(sql)).faults;

    test('microseconds, decimals, flags, texts and what is missing come over as they are', async () => {
      const summary = await pull(COLUMNS, { replace_all: true, max_removed: { percent: 100 } });
      assert.equal(summary.rows, 2);
      const [first, second] = (await everything()).map(([, , item]) => JSON.parse(String(item)));
      assert.deepEqual(
        [first.comment, first.monthly, first.incoming, first.created_at, first.activated_at],
        [TEXT, 2.25, 0.0059, '2026-02-10T16:04:11.482913Z', '2026-02-11T08:30:00.000001Z'],
      );
      assert.deepEqual([first.is_spammed, first.is_active_spam_check], [true, false]);
      assert.deepEqual(
        [
          second.id,
          second.comment,
          second.monthly,
          second.created_at,
          second.activated_at,
          second.is_spammed,
        ],
        [9_007_199_254_740_991, '', 999_999_999.123456, '2026-02-10T10:34:11.482913Z', null, false],
      );
      assert.deepEqual((await pull(`${COLUMNS};\n-- that is all`)).unchanged, 2);
    });

    test('--update takes the columns that the query names, and NULL empties one', async () => {
      const before = (await everything()).map(([, , item]) => JSON.parse(String(item)));
      await pull(`select 'C1' as account_id, 1 as id, 1 as is_spammed, null as activated_at`, {
        update: true,
      });
      const now = (await everything()).map(([, , item]) => JSON.parse(String(item)));
      assert.deepEqual(now, [{ ...before[0], is_spammed: true, activated_at: null }, before[1]]);
    });

    test('a mapping reads numbers as they are, and times without a zone as local ones', async () => {
      const mapping = join(folder, 'mapping.json');
      const columns = {
        account_id: 'kunde',
        id: { from: 'nummer', as: 'digits' },
        did: 'nummer',
        monthly: 'preis',
        activation: 'text_preis',
        created_at: 'beginn',
        next_payment_at: 'faellig',
      };
      const constants = { status: 'active', subscription_status: 'active', frequency: 'monthly' };
      const dates = ['YYYY-MM-DD HH:mm:ss', 'DD.MM.YYYY'];
      const rules = { decimal: ',', dates, time_zone: 'Europe/Berlin', columns, constants };
      writeFileSync(mapping, JSON.stringify(rules));
      const sql = `select 'C9' as kunde, '+442079460018' as nummer, cast(2.25 as decimal(12,3)) as preis,
        '1.002,25' as text_preis, timestamp '2026-07-01 12:00:00' as beginn, '01.12.2026' as faellig`;
      await pull(sql, { mapping });
      const item = (await everything()).find(([account_id]) => account_id === 'C9')?.[2];
      assert.partialDeepStrictEqual(JSON.parse(String(item)), {
        id: 442_079_460_018,
        monthly: 2.25,
        activation: 1002.25,
        created_at: '2026-07-01T10:00:00.000000Z',
        next_payment_at: '2026-11-30T23:00:00.000000Z',
      });
      const faults = await refused("select 'C9' as kunde, '+1' as nummer, 1 as mehr", { mapping });
      assert.match(faults[0] ?? '', /^q\.sql: mehr: is neither mapped nor ignored/);
      assert.match(
        faults.join('\n'),
        /^q\.sql: preis \(monthly\): is mapped, but the query does not name it/m,
      );
      await pull(`select 'C9' as account_id, 442079460018 as id, true as removed`);
    });

    test('accounts come like the rows of a list, and NULL empties a value', async () => {
      const accounts = (sql: string) => pull(sql, { table: ACCOUNTS });
      const columns = (name: string, parent: string) =>
        `'${name}' as account_id, '${name}!' as name, 'EUR' as currency, ${parent} as parent_id, 1 = 0 as disabled`;
      const both = `select ${columns('Ä1', `'Ä2'`)} union all select ${columns('Ä2', 'null')}`;
      assert.partialDeepStrictEqual(await accounts(both), { rows: 2, inserted: 2 });
      assert.equal((await accounts(both)).unchanged, 2);
      await accounts(`select 'Ä1' as account_id, cast(null as char(3)) as currency`);
      const found = await selectIn(store, `select name, currency, parent_id from accounts where id = 'Ä1'`);
      assert.deepEqual(found, [['Ä1!', null, 'Ä2']]);
      const faults = await faultsOfRefused(store, () =>
        accounts(`select 'Ä2' as account_id, 'Ä1' as parent_id`),
      );
      assert.deepEqual(faults, [
        'row 1: parent_id: makes a loop: "Ä2" below "Ä1" below "Ä2". No account can be below itself: correct one of them.',
      ]);
    });

    test('columns of fixed width come over without what fills them up', async () => {
      const padded = (text: string) => `rpad('${text}', 40, ' ')`;
      const texts = {
        did: '+442079460001',
        status: 'active',
        subscription_status: 'active',
        frequency: 'monthly',
      };
      const fixed = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, padded(text)]));
      await pull(row({ account_id: padded('C8'), id: '8', monthly: padded('2.25'), ...fixed }));
      assert.equal((await pull(row({ account_id: `'C8'`, id: '8', monthly: '2.25' }))).unchanged, 1);
      await pull(`select 'C8' as account_id, 8 as id, true as removed`);
    });

    test('a fault names its row and column', async () => {
      const rows = [row(), row({ id: '2', did: `'4.42E+11'` }), row({ status: 'null' })].join(' union all ');
      assert.deepEqual(
        (await refused(rows)).map((fault) => fault.slice(0, 50)),
        [
          'row 2: did: was "4.42E+11": a spreadsheet has shor',
          'row 3: status: is required, but was empty.',
          'row 3: id: 1 is there twice; it was first given at',
        ],
      );
    });

    test('a fault of the columns is one of the query', async () => {
      const faults = await faultsOf(`select 1 as id, 'C1' as acount_id, 2 as id from numbers`);
      assert.match(faults[0] ?? '', /^q\.sql: acount_id: is not a column .* Did you mean account_id\?/);
      assert.match(faults[1] ?? '', /^q\.sql: id: is there twice, in columns 1 and 3; leave one out\.$/);
      assert.ok(faults.includes('q.sql: did: is required, but the query does not name it.'));
      const [fault = ''] = await faultsOf(row({ comment: kind.binary.sql }));
      assert.match(fault, kind.binary.fault);
    });

    test('a syntax error names the line of the query', async () => {
      const [fault = ''] = await faultsOf('select *\n  fro\n  numbers where');
      assert.match(fault, kind.syntax);
      assert.match((await faultsOf('select * from nowhere'))[0] ?? '', /^q\.sql(:1)?: .*nowhere.*exist/);
    });

    test('several statements, and one that writes, are refused', async () => {
      assert.match((await faultsOf('select 1; select 2'))[0] ?? '', /must be one/);
      for (const [sql, fault] of kind.writes) assert.match((await faultsOf(sql))[0] ?? '', fault);
      for (const sql of ['update numbers set id = 3', 'drop table numbers', 'create table other (id int)']) {
        assert.match((await faultsOf(sql))[0] ?? '', /^q\.sql/, sql);
      }
      await carrier.run('select 1 from numbers');
    });

    test('a query without rows replaces nothing unless it is allowed to', async () => {
      const none = `${COLUMNS.replace('order by', 'where id < 0 order by')}`;
      await assert.rejects(pull(none, { replace_all: true, max_removed: { items: 1 } }), ImportRejected);
      await assert.rejects(pull(none, { expect_rows: 1 }), ImportRejected);
      assert.equal((await everything()).length, 2);
      assert.equal((await pull(none, { replace_all: true, dry_run: true })).removed, 2);
    });

    test('a whole pull is of one snapshot, whatever is written meanwhile', async () => {
      await carrier.run(`create table busy as ${kind.series(5_000)}`);
      const proxy = await faultProxy(carrier.url, 300_000, () =>
        carrier
          .run(`update busy set comment = 'new'`)
          .then(() => carrier.run('delete from busy where id > 4000')),
      );
      const columns = 'account_id, id, did, status, subscription_status, frequency, created_at, comment';
      await pull(
        `select ${columns} from busy`,
        { replace_all: true, max_removed: { percent: 100 } },
        proxy.url,
      );
      proxy.close();
      const found = await selectIn(
        store,
        `select count(*), count(distinct json_extract(item, '$.comment')), max(json_extract(item, '$.comment')) from virtual_numbers`,
      );
      assert.deepEqual(found[0], [5_000, 1, 'x'.repeat(150)]);
    });

    describe('that goes away', () => {
      const sql = kind.series(3_000);

      test(`at ${CUTS} places of its answers: either all of the rows came, or it is a fault`, async () => {
        const whole = await faultProxy(carrier.url);
        assert.deepEqual(await read(sql, whole.url), { rows: 3_000, faults: [] });
        const total = whole.passed();
        whole.close();
        let cut = 0;
        for (let i = 0; i < CUTS; i++) {
          // The last bytes one by one: there a result ends, and the connection says goodbye.
          const at =
            i < CUTS / 2 ? Math.floor((total * (i + Math.random())) / (CUTS / 2)) : total - (i - CUTS / 2);
          const proxy = await faultProxy(carrier.url, at);
          const { rows, faults } = await read(sql, proxy.url);
          proxy.close();
          if (faults.length === 0) assert.equal(rows, 3_000, `cut at byte ${at} of ${total}`);
          else cut += 1;
        }
        assert.ok(cut >= CUTS / 2, `${cut} of ${CUTS} were cut`);
      });

      for (const mode of [{}, { update: true }, { replace_all: true }] as const) {
        test(`nothing is changed by a pull with ${JSON.stringify(mode)}`, async () => {
          const proxy = await faultProxy(carrier.url, 400_000);
          const [fault = ''] = await refused(sql, { ...mode, max_removed: { percent: 100 } }, proxy.url);
          proxy.close();
          assert.match(
            fault,
            /^billing\/carrier: The (?:database cannot be reached|connection was lost): .+\.$/,
          );
        });
      }

      test('in the middle, where its administrator ends the connection', async () => {
        const wide = kind.series(20_000).replace('150', '1000');
        const proxy = await faultProxy(carrier.url, 500_000, () =>
          carrier.run(kind.killOthers).catch(() => {}),
        );
        const { rows, faults } = await read(wide, proxy.url);
        proxy.close();
        assert.ok(rows < 20_000);
        assert.match(faults[0] ?? '', /^billing\/carrier: (?:The|PostgreSQL says)/);
      });

      test('nor by one that falls silent', async () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const proxy = await faultProxy(carrier.url, 200_000, () => promise);
        const [fault = ''] = await refused(sql, {}, proxy.url, 1_000);
        resolve();
        proxy.close();
        assert.equal(fault, 'billing/carrier: The database has sent nothing for 1 seconds; it was given up.');
      });

      test('nor by one that is stopped', async () => {
        const stopping = new AbortController();
        const proxy = await faultProxy(carrier.url, 200_000, () => {
          stopping.abort();
          return new Promise(() => {});
        });
        const before = await everything();
        await assert.rejects(pull(sql, { signal: stopping.signal }, proxy.url), ImportStopped);
        proxy.close();
        assert.deepEqual(await everything(), before);
      });

      test('where nothing listens', async () => {
        const proxy = await faultProxy(carrier.url);
        proxy.close();
        const [fault = ''] = await refused(sql, {}, proxy.url);
        assert.match(fault, /^billing\/carrier: The database cannot be reached: .*ECONNREFUSED/);
      });
    });

    test(`${MANY_ROWS} rows are read no further ahead than some thousand`, async () => {
      const proxy = await faultProxy(carrier.url);
      const source = await openSource({ url: proxy.url, sql: kind.series(MANY_ROWS).replace('150', '1000') });
      let rows = 0;
      for await (const batch of source.batches()) {
        rows += batch.length;
        if (rows !== batch.length) continue;
        // A reader that has all the time in the world.
        let before = -1;
        while (proxy.passed() !== before) {
          before = proxy.passed();
          await sleep(100);
        }
        // In addition to two batches there is what the buffers of the sockets hold.
        assert.ok(before < 700 * MANY_ROWS, `${before} bytes came before the second thousand was wanted`);
      }
      source.close();
      proxy.close();
      assert.equal(rows, MANY_ROWS);
    });
  });
}

describe('what only one of them has', () => {
  test('a PostgreSQL timestamp without time zone is refused with what to write', async () => {
    const database = await (await PostgresServer.shared()).makeDatabase();
    const { url } = database;
    const store = await openStore(url, 'write');
    const sql = row({ created_at: `timestamp '2026-02-10 16:04:11.482913'` });
    const rules = { store, table: tables.virtual_numbers };
    const named = { database: 'billing', text: 'q.sql' };
    await assert.rejects(
      importQuery(rules, { url, sql }, named),
      /^.*q\.sql: created_at: .* at time zone 'UTC'/,
    );
    // From and to the same server.
    const zoned = row({ created_at: `timestamp '2026-02-10 16:04:11.482913' at time zone 'Europe/Berlin'` });
    assert.equal((await importQuery(rules, { url, sql: zoned }, named)).inserted, 1);
    const [found] = await store.read({ text: 'select item from virtual_numbers', values: [] });
    assert.match(String(found[0]?.[0]), /"created_at":"2026-02-10T15:04:11\.482913Z"/);
    await store.close();
    await database.remove();
  });

  test('a zero date of MariaDB is a fault with what to write', { skip: NO_MARIADB }, async () => {
    mariadb ??= MariadbServer.start();
    const server = await mariadb;
    const store = await openStore(`sqlite:${join(folder, 'zero.db')}`, 'write');
    const rules = { store, table: tables.virtual_numbers };
    const named = { database: 'billing', text: 'q.sql' };
    const zero = `cast('0000-00-00 00:00:00' as datetime)`;
    const pull = (next_payment_at: string) =>
      importQuery(rules, { url: server.url, sql: row({ next_payment_at }) }, named);
    await assert.rejects(pull(zero), /^.*row 1: next_payment_at: was 0000-00-00 00:00:00, .* nullif\(/);
    assert.equal((await pull(`nullif(${zero}, 0)`)).inserted, 1);
    await store.close();
  });
});

describe('the command', () => {
  let carrier: { url: string; remove(): Promise<void> };
  let from: string;
  const file = (name: string, sql: string) => {
    writeFileSync(join(folder, name), sql);
    return name;
  };
  before(async () => {
    const server = await PostgresServer.shared();
    carrier = await server.makeDatabase();
    const role = new URL(carrier.url).pathname.slice(1);
    await queryPostgres(carrier.url, `create role ${role}_reader login password '${PASSWORD}'`);
    from = urlWith(carrier.url, { user: `${role}_reader`, password: encodeURIComponent(PASSWORD) });
  });
  after(async () => {
    const role = new URL(carrier.url).pathname.slice(1);
    await carrier.remove();
    await queryPostgres((await PostgresServer.shared()).url, `drop role ${role}_reader`);
  });

  const start = (words: readonly string[], address = from) =>
    startProgram(['pull', 'virtual-numbers', ...words], {
      cwd: folder,
      env: { LINECARD_FROM: address, LINECARD_DATABASE_URL: 'sqlite:command.db' },
    });

  async function endOf(running: Running) {
    const { status, out, err } = await running.ended;
    for (const printed of [out, err])
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)]) assert.ok(!printed.includes(secret));
    return { status, out, err };
  }

  test('prints the summary, as JSON on standard output', async () => {
    const { status, out, err } = await endOf(start(['--query', file('one.sql', row()), '--json']));
    assert.equal(status, 0, err);
    const { seconds, ...summary } = JSON.parse(out);
    assert.equal(typeof seconds, 'number');
    assert.deepEqual(summary, {
      list: 'virtual_numbers',
      dry_run: false,
      rows: 1,
      columns: ['account_id', 'id', 'did', 'status', 'subscription_status', 'frequency', 'created_at'],
      changed: {},
      negative: 0,
      warnings: [],
      inserted: 1,
      updated: 0,
      moved: 0,
      unchanged: 0,
      removed: 0,
      absent: 0,
      accounts_created: 1,
      left_out: 0,
    });
    assert.match(
      err,
      /^A new database was created: command\.db\n7 of 19 columns: .*\nVirtual numbers: 1 row read, 1 inserted.*\n$/,
    );
  });

  test('reads the query from standard input, and ends with 1 where it is at fault', async () => {
    const running = start(['--query', '-']);
    running.child.stdin.end('delete from numbers');
    const { status, err } = await endOf(running);
    assert.equal(status, 1);
    assert.match(
      err,
      /^linecard-server: standard input: It must hold one statement that reads, .* "delete"\./,
    );
  });

  test('never prints a password, and says 2 for an address that is none', async () => {
    const wrong = await endOf(start(['--query', 'one.sql'], from.replace('rd@', 'rdx@')));
    assert.equal(wrong.status, 1);
    assert.match(
      wrong.err,
      /^127\.0\.0\.1:\d+\/linecard_\w+: PostgreSQL says: password authentication failed .*\n.*1 fault\. Nothing/,
    );
    const broken = await endOf(start(['--query', 'one.sql'], `postgres://reader:${PASSWORD}@db/carrier`));
    assert.equal(broken.status, 2);
    assert.match(broken.err, /must look like postgres:\/\//);
    assert.equal((await endOf(start(['--query', 'one.sql', '--every', '5m', '--dry-run']))).status, 2);
    assert.equal((await endOf(start([]))).status, 2);
  });

  test('--every goes on after a failure, and SIGTERM ends it with 0', async () => {
    const running = start(['--query', file('again.sql', 'select 1 as id'), '--every', '1m']);
    await running.says(/the lists are as they were\.\n$/);
    running.child.kill('SIGTERM');
    const { status, err } = await endOf(running);
    assert.equal(status, 0);
    assert.match(err, /\nStopped after 0 imports; 1 failed\.\n$/);
  });

  test('--every in the middle of a pull rolls back at SIGTERM, and ends with 0', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const proxy = await faultProxy(from, 100_000, () => {
      resolve();
      return new Promise(() => {});
    });
    const series = `select ${LONG} from generate_series(1, 30000) as seq`;
    const running = start(['--query', file('long.sql', series), '--every', '1m'], proxy.url);
    await promise;
    running.child.kill('SIGTERM');
    const { status, err } = await endOf(running);
    proxy.close();
    assert.equal(status, 0, err);
    assert.match(
      err,
      /^Pulling every minute\. Stop it with Ctrl-C\.\nStopped after 0 imports; 0 failed\.\n$/,
    );
  });
});

describe('what is done again and again', () => {
  test('goes on at an even pace, never twice at once, and leaves out what it misses', async () => {
    const stopping = new AbortController();
    const [starts, lengths] = [[] as number[], [0, 130, 0, 0]];
    const begin = performance.now();
    let running = 0;
    await repeat(50, stopping.signal, async () => {
      running += 1;
      assert.equal(running, 1);
      starts.push(Math.floor((performance.now() - begin) / 50));
      await sleep(lengths[starts.length - 1] ?? 0);
      running -= 1;
      if (starts.length === lengths.length) stopping.abort();
    });
    // On a slow machine more is left out, but nothing begins before its time.
    assert.equal(starts[0], 0);
    assert.ok((starts[2] ?? 0) - (starts[1] ?? 0) >= 3, String(starts));
    assert.equal(new Set(starts).size, lengths.length);
  });
});

describe('the query', () => {
  const read = (sql: string) => queryText('numbers.sql', Buffer.from(sql));

  test('begins with a word that reads, after comments and brackets', () => {
    for (const sql of [
      '\ufeff-- one\r\n/* two\n */ # three\nSELECT 1',
      '((select 1))',
      'With a as (select 1) table a',
    ])
      assert.equal(read(sql), sql.replace('\ufeff', ''));
  });

  test('may be UTF-8 or UTF-16, as Windows PowerShell writes it', () => {
    const sql = 'select Größe from numbers -- €';
    for (const [form, bytes] of writtenForms(sql)) assert.equal(queryText('numbers.sql', bytes), sql, form);
  });

  test('is refused with a sentence where it is none', () => {
    for (const sql of ['', ' \n', '-- select 1', '/* select 1 */ ;', ';select 1'])
      assert.throws(() => read(sql), /There is no query in it/, sql);
    for (const sql of ['update a set b = 1', 'call f()', '\\copy a to b', 'selection', 'explain select 1'])
      assert.throws(() => read(sql), Failed, sql);
    assert.throws(() => queryText('numbers.sql', Buffer.from([0x73, 0xff])), /neither UTF-8 nor UTF-16/);
  });
});

describe('the address', () => {
  test('is one of a database that can be pulled from', () => {
    for (const url of [
      'postgres://a:b@h/d',
      'postgresql:///d',
      'postgres://h/d?sslmode=require&connect_timeout=10',
      'mysql://h',
      'mariadb://a@[::1]:3307/d?ssl-mode=verify_ca',
    ])
      assert.equal(addressFault(url), undefined, url);
    for (const url of [
      '',
      'sqlite:data/linecard.db',
      'http://h/d',
      'postgres://h/d?sslmoed=require',
      'mysql://h/d?ssl=1',
      'mysql://h/d?ssl-mode=x',
      'mysql://h/%zz',
      'mysql://127.0.0.1/d?ssl-mode=VERIFY_IDENTITY',
      'mysql://[::1]/d?ssl-mode=VERIFY_IDENTITY',
      'mysql://h/d?ssl-ca=/none',
      `mysql://h/d?ssl-ca=${import.meta.filename}`,
    ])
      assert.notEqual(addressFault(url), undefined, url);
  });

  test('is shown without user and options, and a message without its password', () => {
    assert.equal(databaseName('mysql://me:secret@billing:3306/carrier?x=secret'), 'billing:3306/carrier');
    const url = `mysql://me:${encodeURIComponent(PASSWORD)}@billing/carrier`;
    assert.equal(
      withoutPassword(`no ${PASSWORD} and no ${encodeURIComponent(PASSWORD)}`, url),
      'no *** and no ***',
    );
  });
});
