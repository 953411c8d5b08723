// `linecard … sync FILE.db` keeps copies of lists in a SQLite database: items and token in one transaction,
// read by others at any time.

import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { Feed } from '../kit/changes-feed.ts';
import { number } from '../kit/customer.ts';
import { ENVIRONMENT } from '../kit/environment.ts';
import { Faulty, type Handler, problem } from '../kit/faulty.ts';
import type { ModelRow } from '../kit/model.ts';
import { CLI, runProgram, startProgram } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const row = (id: number, values: Partial<ModelRow> = {}) => number(id, `+4420794${id}`, values);
const FIVE = [row(1), row(2, { comment: 'line \u2028 end "\\\n' }), row(3), row(40), row(500)];
const SYNC = ['virtual-numbers', 'sync'];

const server = new Faulty();
let feed: Feed;
let folder: string;
let file: string;

const environment = (): Record<string, string> => ({
  ...ENVIRONMENT,
  HOME: folder,
  LINECARD_URL: server.url,
  LINECARD_TOKEN: feed.token,
});
const howOf = () => ({ main: CLI, env: environment(), cwd: folder });
const linecard = (...words: string[]) => runProgram(words, howOf());

function read<T>(work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 60_000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
const itemsIn = () =>
  read((database) =>
    database
      .prepare('select item from virtual_numbers order by id')
      .all()
      .map(({ item }) => String(item)),
  );
const sinceOf = () =>
  read((database) => database.prepare('select since from copies').get()?.['since'] as string | undefined);

/** All of the list, as an export has it. */
async function list(filters = ''): Promise<string[]> {
  const answer = await fetch(`${server.url}/api/v1/did/me?${filters}`, {
    headers: { authorization: `Bearer ${feed.token}`, accept: 'application/x-ndjson' },
  });
  return (await answer.text()).split('\n').slice(0, -1);
}

describe('a copy in a SQLite database', () => {
  before(async () => {
    await server.open();
  });
  after(() => {
    server.close();
  });
  beforeEach(async () => {
    folder = temporaryFolder();
    file = join(folder, 'numbers.db');
    feed = await Feed.open();
    await feed.set(FIVE);
    server.answers(feed.answer);
  });
  afterEach(() => feed.close());

  test('is made, brought up to date, and left alone where nothing has changed', async () => {
    const made = await linecard(...SYNC, file);
    assert.deepEqual(made, {
      status: 0,
      signal: null,
      out: '',
      err: `5 virtual numbers in ${file}: all of them read.\n`,
    });
    assert.deepEqual(itemsIn(), await list());
    const bytes = readFileSync(file);
    const again = await linecard(...SYNC, file);
    assert.equal(again.err, `5 virtual numbers in ${file}: nothing has changed.\n`);
    assert.deepEqual(readFileSync(file), bytes);

    await feed.set([row(2), row(3, { comment: 'Desk' }), row(40), row(41), row(500), row(501)]);
    assert.equal(
      (await linecard(...SYNC, 'numbers.db')).err,
      '6 virtual numbers in numbers.db: 5 changes.\n',
    );
    assert.deepEqual(itemsIn(), await list());
    const found = read((database) =>
      database.prepare("select item ->> 'comment' as comment from virtual_numbers where id = 3").get(),
    );
    assert.equal(found?.['comment'], 'Desk');
  });

  test('is made of no database that has the mark of one, and else other tables', async () => {
    const damages = [
      "update copies set filters = '{'",
      "update copies set filters = 'null'",
      "drop table copies; create table copies (list, total); insert into copies values ('virtual_numbers', 5)",
      'drop table copies',
      "drop table copies; create view copies as select 'virtual_numbers' as list, null as filters",
      'drop table virtual_numbers; create table virtual_numbers (other text)',
    ];
    for (const [i, damage] of damages.entries()) {
      file = join(folder, `${i}.db`);
      await linecard(...SYNC, file);
      const database = new DatabaseSync(file);
      database.exec(damage);
      database.close();
      const { status, err } = await linecard(...SYNC, file);
      assert.equal(status, 1, damage);
      assert.match(
        err,
        /is no database that `sync` has written\. Name another file, or remove it\.\n$/,
        damage,
      );
    }
  });

  test('is brought up to date after a program was killed while it wrote to it', async () => {
    await linecard(...SYNC, file);
    // The files as they are amid a transaction that is larger than the cache.
    const killed = join(folder, 'killed.db');
    const database = new DatabaseSync(file);
    database.exec(`pragma cache_size = 1; begin immediate; delete from virtual_numbers;
      with recursive ids (id) as (select 1 union all select id + 1 from ids where id < 500)
      insert into virtual_numbers select id, hex(zeroblob(500)) from ids`);
    for (const ending of ['', '-journal']) copyFileSync(file + ending, killed + ending);
    database.close();
    file = killed;
    assert.equal((await linecard(...SYNC, file)).err, `5 virtual numbers in ${file}: nothing has changed.\n`);
    assert.deepEqual(itemsIn(), await list());
  });

  test('is made again after a program was killed while it made it', async () => {
    const database = new DatabaseSync(file);
    database.exec('pragma cache_size = 1; begin immediate; create table virtual_numbers (item text) strict');
    database.exec(`with recursive ids (id) as (select 1 union all select id + 1 from ids where id < 500)
      insert into virtual_numbers select hex(zeroblob(500)) from ids`);
    const killed = join(folder, 'killed.db');
    for (const ending of ['', '-journal']) copyFileSync(file + ending, killed + ending);
    database.close();
    file = killed;
    assert.equal((await linecard(...SYNC, file)).err, `5 virtual numbers in ${file}: all of them read.\n`);
    assert.deepEqual(itemsIn(), await list());
  });

  for (const name of ['numbers.sqlite', 'numbers.sqlite3', 'NUMBERS.DB']) {
    test(`may be called ${name}`, async () => {
      file = join(folder, name);
      assert.equal((await linecard(...SYNC, name)).status, 0);
      assert.deepEqual(itemsIn(), await list());
    });
  }

  test('has the filters that it was made with, and refuses others', async () => {
    await feed.set([row(1), row(2, { country_code: 'DE' })]);
    await linecard(...SYNC, '--country-codes', 'DE', file);
    assert.deepEqual(itemsIn(), await list('country_codes=DE'));
    const { status, err } = await linecard(...SYNC, file);
    assert.equal(status, 1);
    assert.match(err, /is a copy with --country-codes DE, and not without filters\./);
  });

  test('is named after a flag, whose value may be left out', async () => {
    await feed.set([row(1), row(2, { is_spammed: true })]);
    for (const [words, query] of [
      [['--is-spammed', 'a.db'], 'is_spammed=true'],
      [['--is-spammed', 'false', 'b.db'], 'is_spammed=false'],
      [['--is-spammed=false', 'c.db'], 'is_spammed=false'],
      [['d.db', '--is-spammed'], 'is_spammed=true'],
      [['--no-is-spammed', 'e.db'], 'is_spammed=false'],
      [['--is-spammed', '--watch', '--help'], undefined],
    ] as const) {
      const { status, err } = await linecard(...SYNC, ...words);
      assert.equal(status, 0, `${words.join(' ')}: ${err}`);
      if (query === undefined) continue;
      file = join(folder, words.find((word) => word.endsWith('.db')) ?? '');
      assert.deepEqual(itemsIn(), await list(query));
    }
    const { status, err } = await linecard(...SYNC, '--is-spammed', 'yes', 'f.db');
    assert.deepEqual([status, err], [2, 'linecard: --is-spammed must be true or false, but was "yes".\n']);
  });

  test('takes no option that only facets have', async () => {
    for (const words of [['--charges'], ['--due-days', '7']] as const) {
      const { status, err } = await linecard(...SYNC, ...words, file);
      assert.deepEqual([status, err.includes(`There is no option ${words[0]}`)], [2, true], err);
    }
  });

  test('holds both lists, each for itself', async () => {
    await linecard(...SYNC, file);
    const services = await linecard('additional-services', 'sync', file);
    assert.equal(services.status, 0, services.err);
    const names = read((database) =>
      database
        .prepare('select list from copies order by list')
        .all()
        .map(({ list }) => list),
    );
    assert.deepEqual(names, ['additional_services', 'virtual_numbers']);
    assert.deepEqual(itemsIn(), await list());
  });

  test('is rebuilt where rows were taken out of it, or its changes are gone', async () => {
    await linecard(...SYNC, file);
    for (const damage of ['delete from virtual_numbers where id = 3', 'delete from virtual_numbers']) {
      const database = new DatabaseSync(file);
      database.exec(damage);
      database.close();
      const { status, err } = await linecard(...SYNC, file);
      assert.equal(status, 0, err);
      assert.match(err, /Reading all of the list\.\n5 virtual numbers in .*: all of them read\.\n$/);
      assert.deepEqual(itemsIn(), await list());
    }
    await feed.set([row(1), row(7)]);
    server.answers(feed.answer, problem(410, 'changes-gone', {}, 'The list was rebuilt.'), feed.answer);
    assert.match(
      (await linecard(...SYNC, file)).err,
      /can no longer be reported\. Reading all of the list\./,
    );
    assert.deepEqual(itemsIn(), await list());
  });

  test('is never written over another file or database', async () => {
    const foreign = new DatabaseSync(file);
    foreign.exec('create table virtual_numbers (id integer primary key)');
    foreign.close();
    for (const bytes of [
      readFileSync(file),
      Buffer.from('id,did\n1,+44\n'),
      Buffer.from('SQLite format 3'),
    ]) {
      writeFileSync(file, bytes);
      const { status, err } = await linecard(...SYNC, file);
      assert.equal(status, 1);
      assert.match(err, /is no database that `sync` has written\. Name another file, or remove it\.\n$/);
      assert.deepEqual(readFileSync(file), bytes);
    }
    assert.deepEqual(server.requests, []);
    assert.match((await linecard(...SYNC, 'nowhere/numbers.db')).err, /cannot be used as a copy/);
  });

  test('is not there where the list did not come whole', async () => {
    const half: Handler = (response) => {
      response.writeHead(200, {
        'content-type': 'application/x-ndjson',
        'x-total-count': '5000',
        link: '</api/v1/did/me/changes?since=x>; rel="monitor"',
      });
      response.write('{"id":1}\n', () => response.destroy());
    };
    server.answers(feed.answer, half);
    assert.equal((await linecard(...SYNC, file)).status, 1);
    assert.equal(existsSync(file), false);
  });

  test('follows until it is killed, and continues from what is stored', async () => {
    const { child, ended } = startProgram([...SYNC, file, '--watch'], howOf());
    await until('it waits', () => feed.waiting === 1);
    for (const rows of [[row(1)], [row(1), row(2)]]) {
      await feed.set(rows);
      await until(`there are ${rows.length}`, () => itemsIn().length === rows.length);
    }
    child.kill('SIGKILL');
    await ended;
    await feed.set([row(2), row(3)]);
    assert.equal(
      (await linecard(...SYNC, 'numbers.db')).err,
      '2 virtual numbers in numbers.db: 2 changes.\n',
    );
    assert.deepEqual(itemsIn(), await list());
  });

  test('is made again where it was removed while a program follows', async () => {
    const { child, ended, says } = startProgram([...SYNC, file, '--watch'], howOf());
    await until('it waits', () => feed.waiting === 1);
    rmSync(file);
    await feed.set([row(1), row(2)]);
    await says(/2 virtual numbers in/);
    child.kill('SIGKILL');
    const { err } = await ended;
    assert.match(err, /The copy is not there any more\. Reading all of the list\.\n2 virtual numbers in /);
    assert.deepEqual(itemsIn(), await list());
  });

  test('is left alone where another program writes to it', async () => {
    await linecard(...SYNC, file);
    await feed.set([row(1)]);
    const before = sinceOf();
    server.answers((response, request, nth) => {
      if (request.url?.includes('/changes')) {
        const database = new DatabaseSync(file);
        database.exec("update copies set since = 'other'");
        database.close();
      }
      return feed.answer(response, request, nth);
    });
    const { status, err } = await linecard(...SYNC, file);
    assert.deepEqual([status, err], [1, `linecard: Another program has written to ${file}.\n`]);
    assert.notEqual(before, 'other');
    assert.equal(sinceOf(), 'other');
    assert.equal(itemsIn().length, 5);
  });
});
