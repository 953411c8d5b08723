// `linecard … sync FILE` keeps a copy of a list in a file: whatever happens, what is there is a whole copy,
// and the token that belongs to it.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, mock, test } from 'node:test';
import { virtual_numbers } from '../../api/contract/virtual-numbers.ts';
import { syncFile } from '../../cli/sync.ts';
import { Feed } from '../kit/changes-feed.ts';
import { number } from '../kit/customer.ts';
import { ENVIRONMENT } from '../kit/environment.ts';
import { cutJson, drop, rows as exported, Faulty, type Handler, problem } from '../kit/faulty.ts';
import type { ModelRow } from '../kit/model.ts';
import { CLI, type Running, runProgram, startProgram } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

/** A server on a busy machine answers sooner. */
const SILENT_MS = 2_000;
/** That of a command, which a test does not wait for. */
const TIMEOUT_MS = 30_000;
const row = (id: number, values: Partial<ModelRow> = {}) => number(id, `+4420794${id}`, values);
const FIVE = [row(1), row(2, { comment: 'line \u2028 end "\\\n' }), row(3), row(40), row(500)];
const SYNC = ['virtual-numbers', 'sync'];

const server = new Faulty();
let folder: string;
let file: string;
let token: string;
const running = new Set<Running>();

before(async () => {
  await server.open();
});
after(() => {
  server.close();
});
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'numbers.ndjson');
});
afterEach(async () => {
  for (const one of running) {
    one.child.kill('SIGKILL');
    await one.ended;
  }
  running.clear();
});

const environment = (): Record<string, string> => ({
  ...ENVIRONMENT,
  HOME: folder,
  LINECARD_URL: server.url,
  LINECARD_TOKEN: token,
});
const howOf = () => ({ main: CLI, env: environment(), cwd: folder });
const linecard = (...words: string[]) => runProgram(words, howOf());

function start(...words: string[]): Running {
  const started = startProgram(words, howOf());
  running.add(started);
  return started;
}

const linesIn = (path = file) => readFileSync(path, 'utf8').split('\n').slice(0, -1);
const itemsIn = (path = file) => linesIn(path).slice(0, -1);
const endOf = (path = file) => JSON.parse(linesIn(path).at(-1) ?? '') as Record<string, unknown>;
const parts = () => readdirSync(folder).filter((name) => name.endsWith('.part'));

/** An export of which some comes, and then nothing, or its end. */
const partOf =
  (items: number, then: 'destroy' | 'hang'): Handler =>
  (response) => {
    response.writeHead(200, {
      'content-type': 'application/x-ndjson',
      'x-total-count': '5000',
      link: '</api/v1/did/me/changes?since=x>; rel="monitor"',
    });
    response.write('{"id":1}\n'.repeat(items), () => then === 'destroy' && response.destroy());
  };

/** All of the list, as an export has it. */
async function list(filters = ''): Promise<string[]> {
  const answer = await fetch(`${server.url}/api/v1/did/me?${filters}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' },
  });
  return (await answer.text()).split('\n').slice(0, -1);
}

/** The list changes twice, and the copy after it. */
async function mustFollow(feed: Feed): Promise<void> {
  for (const rows of [[row(1)], [row(1), row(2)]]) {
    await feed.set(rows);
    await until(`there are ${rows.length}`, () => linesIn().length === rows.length + 1);
  }
}

describe('a copy in a file', () => {
  let feed: Feed;
  before(async () => {
    feed = await Feed.open();
  });
  after(() => feed.close());
  beforeEach(async () => {
    token = feed.token;
    server.answers(feed.answer);
    await feed.set(FIVE);
  });

  test('is made, brought up to date, and left alone where nothing has changed', async () => {
    const made = await linecard(...SYNC, file);
    assert.deepEqual(made, {
      status: 0,
      signal: null,
      out: '',
      err: `5 virtual numbers in ${file}: all of them read.\n`,
    });
    assert.deepEqual(itemsIn(), await list());
    const { since, synced_at, ...end } = endOf();
    assert.deepEqual(end, {
      total: 5,
      list: 'virtual_numbers',
      url: server.url,
      account: 'harbour-dental',
      filters: {},
    });
    assert.equal(typeof since, 'string');
    assert.match(String(synced_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

    const { ino } = statSync(file);
    const again = await linecard(...SYNC, file);
    assert.equal(again.err, `5 virtual numbers in ${file}: nothing has changed.\n`);
    assert.equal(statSync(file).ino, ino);

    await feed.set([row(2), row(3, { comment: 'Desk' }), row(40), row(41), row(500), row(501)]);
    const { err } = await linecard(...SYNC, 'numbers.ndjson');
    assert.equal(err, '6 virtual numbers in numbers.ndjson: 5 changes.\n');
    assert.deepEqual(itemsIn(), await list());
    assert.equal(endOf()['total'], 6);
    assert.deepEqual(parts(), []);
  });

  test('has the filters that it was made with, and refuses others', async () => {
    const german = [...SYNC, file, '--country-codes', 'DE'];
    await feed.set([row(1), row(2, { country_code: 'DE' })]);
    await linecard(...german);
    await feed.set([row(1, { country_code: 'DE' }), row(2)]);
    assert.equal((await linecard(...german)).err, `1 virtual number in ${file}: 2 changes.\n`);
    assert.deepEqual(itemsIn(), await list('country_codes=DE'));
    const before = readFileSync(file, 'utf8');
    const other = await linecard(...SYNC, file);
    assert.equal(other.status, 1);
    assert.equal(
      other.err,
      `linecard: ${file} is a copy with --country-codes DE, and not without filters. Name another file, or remove this one.\n`,
    );
    assert.match(
      (await linecard('additional-services', 'sync', file)).err,
      /is a copy of virtual numbers, and not of additional services\./,
    );
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  test('is rebuilt where what has changed can no longer be reported', async () => {
    await linecard(...SYNC, file);
    await feed.set([row(1), row(7)]);
    const gone = problem(410, 'changes-gone', {}, 'The list was rebuilt at once since this token.');
    server.answers(feed.answer, gone, feed.answer);
    const { status, err } = await linecard(...SYNC, file);
    assert.equal(status, 0);
    assert.equal(
      err,
      `${file}: What has changed since can no longer be reported. Reading all of the list.\n2 virtual numbers in ${file}: all of them read.\n`,
    );
    assert.deepEqual(itemsIn(), await list());
  });

  test('is rebuilt where lines were taken out of it', async () => {
    await linecard(...SYNC, file);
    writeFileSync(file, `${linesIn().toSpliced(1, 1).join('\n')}\n`);
    await feed.set([...FIVE, row(6)]);
    const { status, err } = await linecard(...SYNC, file);
    assert.equal(status, 0, err);
    assert.match(err, /The copy would hold 5 items, and the list has 6\. Reading all of the list\./);
    assert.deepEqual(itemsIn(), await list());
  });

  test('is rebuilt where lines were taken out of it, also while the list stays the same', async () => {
    await linecard(...SYNC, file);
    writeFileSync(file, `${linesIn().toSpliced(1, 2).join('\n')}\n`);
    const { status, err } = await linecard(...SYNC, file);
    assert.equal(status, 0, err);
    assert.equal(
      err,
      `${file}: The copy holds 3 items, and the list has 5. Reading all of the list.\n5 virtual numbers in ${file}: all of them read.\n`,
    );
    assert.deepEqual(itemsIn(), await list());
  });

  test('is rebuilt where an item of it stands twice', async () => {
    await linecard(...SYNC, file);
    const [first = '', ...others] = linesIn();
    writeFileSync(file, `${[first, first, ...others].join('\n')}\n`);
    const { status, err } = await linecard(...SYNC, file);
    assert.equal(status, 0, err);
    assert.match(err, /The copy has an item twice or out of order\. Reading all of the list\./);
    assert.deepEqual(itemsIn(), await list());
  });

  test('follows until it is stopped', async () => {
    const { child, ended } = start(...SYNC, file, '--watch');
    // The account, the export, what has changed since, and the one that waits.
    await until('one waits', () => server.requests.length === 4);
    await mustFollow(feed);
    child.kill('SIGTERM');
    const { signal, err } = await ended;
    assert.equal(signal, 'SIGTERM');
    assert.deepEqual(itemsIn(), await list());
    assert.deepEqual(err.split('\n').slice(0, 3), [
      `5 virtual numbers in ${file}: all of them read.`,
      'Waiting for changes; Ctrl-C ends it.',
      `1 virtual number in ${file}: 4 changes.`,
    ]);
  });

  test('is made again where it was removed while a program follows', async () => {
    const { child, ended, says } = start(...SYNC, file, '--watch');
    await until('it waits', () => feed.waiting === 1);
    rmSync(file);
    await feed.set([row(1), row(2)]);
    await says(/2 virtual numbers in/);
    child.kill('SIGTERM');
    const { signal, err } = await ended;
    assert.equal(signal, 'SIGTERM', err);
    assert.match(err, /The copy is not there any more\. Reading all of the list\.\n2 virtual numbers in /);
    assert.deepEqual(itemsIn(), await list());
    assert.deepEqual(parts(), []);
  });

  test('is left alone where another program has written to it', async () => {
    await linecard(...SYNC, file);
    await feed.set([row(1, { comment: 'older' }), ...FIVE.slice(1)]);
    let newer = '';
    let isFirst = true;
    server.answers(async (response, request, nth) => {
      if (!isFirst || request.url?.includes('/changes') !== true) return feed.answer(response, request, nth);
      isFirst = false;
      // A second run overtakes the first, whose answer is older and comes later.
      const answer = await fetch(`${server.url}${request.url}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const older = await answer.text();
      await feed.set([row(1, { comment: 'newer' }), ...FIVE.slice(2), row(501)]);
      const second = startProgram([...SYNC, file], { ...howOf(), input: '' });
      assert.equal((await second.ended).status, 0);
      newer = readFileSync(file, 'utf8');
      response.writeHead(200, { 'content-type': 'application/json' }).end(older);
    });
    const { status, err } = await linecard(...SYNC, file);
    assert.deepEqual([status, err], [1, `linecard: Another program has written to ${file}.\n`]);
    assert.equal(readFileSync(file, 'utf8'), newer);
    assert.deepEqual(itemsIn(), await list());
    assert.deepEqual(parts(), []);
  });

  test('has the bytes of an export, above its last line', async () => {
    await linecard(...SYNC, file);
    await feed.set([row(1), row(3)]);
    await linecard(...SYNC, file);
    const { out } = await linecard('virtual-numbers', 'export', '--output', 'ndjson');
    assert.equal(readFileSync(file, 'utf8').replace(/[^\n]+\n$/, ''), out);
  });
});

test('a copy in a file may have filters too long for a URL', async () => {
  const feed = await Feed.open();
  try {
    token = feed.token;
    server.answers(feed.answer);
    await feed.set(FIVE);
    const ids = ['1', '2', ...Array.from({ length: 1_500 }, (_, i) => String(i + 1_000))].join(',');
    const made = await linecard(...SYNC, file, '--ids', ids);
    assert.equal(made.err, `2 virtual numbers in ${file}: all of them read.\n`);
    assert.deepEqual(itemsIn(), await list('ids=1,2'));
    await feed.set([row(2), row(3), row(2_000)]);
    const again = await linecard(...SYNC, file, '--ids', ids);
    assert.match(again.err, /^2 virtual numbers in .*: \d changes\.\n$/);
    assert.deepEqual(itemsIn(), await list('ids=2,2000'));
  } finally {
    await feed.close();
  }
});

describe('a copy in a file', () => {
  let feed: Feed;
  beforeEach(async () => {
    feed = await Feed.open();
    token = feed.token;
    await feed.set(FIVE);
    server.answers(feed.answer);
  });
  afterEach(() => feed.close());

  test('is of one account and one server', async () => {
    await linecard(...SYNC, file);
    const before = readFileSync(file, 'utf8');
    await feed.forget();
    feed.account = 'quay-dental';
    const { status, err } = await linecard(...SYNC, file);
    assert.equal(status, 1);
    assert.match(err, /is a copy of the account harbour-dental, and not of the account quay-dental\./);
    feed.account = 'harbour-dental';
    writeFileSync(file, before.replace(server.url, 'https://linecard.example.com'));
    assert.match(
      (await linecard(...SYNC, file)).err,
      /is a copy from https:\/\/linecard\.example\.com, and not from http:/,
    );
  });

  test('goes on when its account is renamed, and says so', async () => {
    await linecard(...SYNC, file);
    feed.account = 'quay-dental';
    const { status, err } = await linecard(...SYNC, file);
    assert.equal(status, 0, err);
    assert.match(err, /The account harbour-dental has the id quay-dental now\.\n.*nothing has changed/);
    assert.match(readFileSync(file, 'utf8'), /"account":"quay-dental"/);
  });

  test('is never written over another file', async () => {
    for (const text of ['id,did\n1,+44\n', '{"id":1}\n{"id":2}\n', '\n', 'no end', '{"since":"x"']) {
      writeFileSync(file, text);
      const { status, err } = await linecard(...SYNC, file);
      assert.equal(status, 1);
      assert.match(
        err,
        /does not end as a copy does that `sync` has written\. Name another file, or remove it\./,
      );
      assert.equal(readFileSync(file, 'utf8'), text);
    }
    const unnamed = await linecard(...SYNC, '');
    assert.deepEqual(
      [unnamed.status, unnamed.err],
      [2, 'linecard: The file has no name: say where the copy is, such as numbers.ndjson.\n'],
    );
    assert.deepEqual(server.requests, []);
    assert.match((await linecard(...SYNC, folder)).err, /does not end as a copy|cannot be read/);
    for (const name of ['numbers.csv', 'numbers.xlsx', 'numbers.ndjson.gz']) {
      const { status, err } = await linecard(...SYNC, name);
      assert.equal(status, 2);
      assert.match(err, /must not end in \.\w+: call it \.ndjson or \.db\./);
    }
    writeFileSync(file, '');
    assert.equal((await linecard(...SYNC, file)).status, 0);
    assert.equal((await linecard(...SYNC, 'nowhere/numbers.ndjson')).status, 1);
  });

  test('is made of an export that came whole, and of no other', async () => {
    const half = partOf(2, 'destroy');
    server.answers(feed.answer, half, feed.answer);
    const { status, err } = await linecard(...SYNC, file);
    assert.equal(status, 0);
    assert.match(
      err,
      /broke off.* Reading all of the list\.\n5 virtual numbers in .*: all of them read\.\n$/,
    );
    rmSync(file);
    server.answers(feed.answer, half);
    assert.equal((await linecard(...SYNC, file)).status, 1);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('numbers')),
      [],
    );
  });

  test('is continued where an answer about changes was cut off, and says so', async () => {
    await linecard(...SYNC, file);
    await feed.set([...FIVE, row(501)]);
    let cuts = 0;
    server.answers((response, request, nth) => {
      const isCut = request.url?.includes('/changes') === true && cuts < 4;
      if (isCut) cuts += 1;
      return (isCut ? cutJson : feed.answer)(response, request, nth);
    });
    const { status, err } = await linecard(...SYNC, file);
    assert.equal(status, 0, err);
    assert.ok(err.includes(`${file}: The answer is incomplete: it is not JSON. Trying again.\n`), err);
    assert.match(err, /\n6 virtual numbers in .*: 1 change\.\n$/);
  });

  test('is made of another export where one stands still halfway', async () => {
    server.answers(feed.answer, partOf(2, 'hang'), feed.answer);
    const said = mock.method(process.stderr, 'write', () => true);
    const { setTimeout: start } = globalThis;
    const sooner = (work: () => void, ms: number) => start(work, ms === TIMEOUT_MS ? SILENT_MS : ms);
    const timers = mock.method(globalThis, 'setTimeout', sooner);
    const { LINECARD_URL, LINECARD_TOKEN } = environment();
    Object.assign(process.env, { LINECARD_URL, LINECARD_TOKEN });
    const { signal } = new AbortController();
    try {
      await syncFile({ list: virtual_numbers, given: new Map(), signal }, file, {}, false);
    } finally {
      said.mock.restore();
      timers.mock.restore();
    }
    assert.match(
      said.mock.calls.map(({ arguments: [text] }) => String(text)).join(''),
      /Nothing came from .* Reading all of the list\.\n5 virtual numbers in .*: all of them read\.\n$/,
    );
    assert.deepEqual(itemsIn(), await list());
  });

  test('is made also where a proxy takes the Link out of the export', async () => {
    const text = (await list()).map((line) => `${line}\n`).join('');
    const withoutLink = exported(5, text, 'end');
    server.answers((response, request, nth) =>
      (request.url?.endsWith('/did/me') ? withoutLink : feed.answer)(response, request, nth),
    );
    const { status, err } = await linecard(...SYNC, file);
    assert.equal(status, 0, err);
    server.answers(feed.answer);
    assert.deepEqual(itemsIn(), await list());
    await feed.set([row(1), row(9)]);
    assert.equal((await linecard(...SYNC, file)).err, `2 virtual numbers in ${file}: 5 changes.\n`);
    assert.deepEqual(itemsIn(), await list());
  });

  test('is an error, and the export, where the server lies about the total', async () => {
    await linecard(...SYNC, file);
    const before = readFileSync(file, 'utf8');
    await feed.set([...FIVE, row(6)]);
    feed.totalOff = 1;
    const { status, err } = await linecard(...SYNC, file);
    assert.equal(status, 1);
    assert.match(err, /^linecard: The copy holds 6 items, and the list has 7\.\n$/m);
    assert.doesNotMatch(err, /\n {4}at /);
    assert.notEqual(readFileSync(file, 'utf8'), before);
    assert.deepEqual(itemsIn(), await list());
  });

  test('survives outages while it follows', async () => {
    const { child, ended } = start(...SYNC, file, '--watch');
    await until('it waits', () => feed.waiting === 1);
    const away = problem(503, 'unavailable', { 'retry-after': '0' });
    server.answers(away, drop, feed.answer);
    await mustFollow(feed);
    child.kill('SIGINT');
    assert.equal((await ended).signal, 'SIGINT');
  });

  test('is the old one or the new one after kill -9, whenever it comes', async () => {
    await linecard(...SYNC, file);
    for (let i = 0; i < 4; i += 1) {
      const old = readFileSync(file, 'utf8');
      const left = parts().length;
      await feed.set([row(1), row(9), row(1_000 + i)]);
      // The first is killed halfway through an export, the others while a file is written or moved.
      if (i === 0) await feed.forget();
      server.answers(feed.answer, feed.answer, i === 0 ? partOf(2_000, 'hang') : feed.answer);
      const { child, ended } = start(...SYNC, file, '--watch');
      await until('it writes', () => parts().length > left || readFileSync(file, 'utf8') !== old);
      child.kill('SIGKILL');
      await ended;
      server.answers(feed.answer);
      if (i === 0) assert.equal(readFileSync(file, 'utf8'), old);
      if (readFileSync(file, 'utf8') !== old) assert.deepEqual(itemsIn(), await list());
      assert.equal(endOf()['total'], itemsIn().length);
      assert.equal((await linecard(...SYNC, file)).status, 0);
      assert.deepEqual(itemsIn(), await list());
    }
    const [stale = 'none', ...others] = parts();
    const twoHoursAgo = Date.now() / 1_000 - 7_200;
    utimesSync(join(folder, stale), twoHoursAgo, twoHoursAgo);
    await linecard(...SYNC, file);
    assert.deepEqual(parts(), others);
  });

  test('says what to do where the token is not valid', async () => {
    server.answers(problem(401, 'unauthenticated', {}, 'The token is not valid.'));
    const { status, err } = await linecard(...SYNC, file);
    assert.deepEqual([status, err.split('\n')[0]], [1, 'linecard: The token is not valid.']);
    assert.equal(existsSync(file), false);
  });
});
