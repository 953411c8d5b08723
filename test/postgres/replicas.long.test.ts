// A real primary with a real streaming replica, which lags, stops, dies, hangs and is promoted: requests
// meanwhile are answered with what the primary holds, in time, and the replica is back in rotation when it is
// healthy.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Client } from 'pg';
import { storeOptions } from '../../server/commands/store-options.ts';
import { revokeToken } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import { grantRights } from '../../server/store/postgres/rights.ts';
import type { ReplicaChange } from '../../server/store/store.ts';
import { insertWebhook } from '../../server/store/webhooks/webhook-changes.ts';
import { runHistories } from '../kit/changes-history.ts';
import { deploymentOf } from '../kit/changes-world.ts';
import { freePort } from '../kit/free-port.ts';
import { hardQuery, queriesAtRandom } from '../kit/hard-queries.ts';
import { ACCOUNTS, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { Model, type ModelRow, modelLists, virtual_numbers } from '../kit/model.ts';
import { naiveRanges } from '../kit/naive-ranges.ts';
import { declareField, removeField, updateNumbers } from '../kit/own-fields.ts';
import { PostgresReplica } from '../kit/postgres-replica.ts';
import { PostgresServer, query, urlWith } from '../kit/postgres-server.ts';
import { runProgram, startProgram } from '../kit/program.ts';
import { answerFrom, questionOf, textOf } from '../kit/questions.ts';
import { load, openService, type Service } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const PATH = `${virtual_numbers.path}?page_size=5`;
const NDJSON = { accept: 'application/x-ndjson' };
const QUERIES = queriesAtRandom(30);
const IMPORTS_A_PAUSE = 6;
const CLIENTS = 6;
const HISTORIES = Math.max(6, Math.round(Number(process.env['TEST_HISTORIES'] ?? 0) / 10));
/** Much less than a replica that hangs, or is gone, would take without health checks and deadlines. */
const SLOWEST_MS = 10_000;
const DATABASE_TIMEOUT = 6_000;
const LAG_MS = 500;
/** Much longer than a replica takes to leave the rotation or to come back, for busy machines. */
const PATIENCE_MS = 30_000;
const REVOKED_WITHIN_MS = 5_000;
const ROLE = 'linecard_serving';
const LOUD = ['-c', 'log_statement=all', '-c', 'wal_keep_size=256MB'];
/** More than one round trip of an export brings. */
const WIDE_ACCOUNT = 'wide';
const WIDE_ROWS = 4_000;

const model = new Model(hardRows);
const [rowOfAll] = hardRows.virtual_numbers as unknown as [ModelRow];
const wideRows = Array.from({ length: WIDE_ROWS }, (_, i) => ({
  ...rowOfAll,
  account_id: WIDE_ACCOUNT,
  id: 5_000_000 + i,
}));

describe('with a replica', () => {
  let primary: PostgresServer;
  let replica: PostgresReplica;
  let database: { url: string; remove(): Promise<void> };
  let replicaUrl: string;
  /** As an operator has it at first; and with the least rights and row security. Neither has a cache. */
  let service: Service;
  let secured: Service;
  /** The same without a replica. */
  let plain: Service;

  const open = (
    reading: Partial<{ user: string; password: string }>,
    urls: readonly string[],
    replica_lag = LAG_MS,
  ) =>
    openService(
      {
        name: 'with replicas',
        share: 1,
        make: async () => ({
          url: database.url,
          readingUrl: urlWith(database.url, reading),
          remove: async () => {},
        }),
      },
      {
        accounts: [...ACCOUNTS, WIDE_ACCOUNT],
        cacheBytes: 0,
        indexBytes: 0,
        reach: {
          database_timeout: DATABASE_TIMEOUT,
          replica_url: urls,
          replica_lag,
          row_security: reading.user !== undefined,
        },
      },
    );

  before(async () => {
    primary = await PostgresServer.start(LOUD);
    replica = await PostgresReplica.of(primary, LOUD);
    database = await primary.makeDatabase();
    const operator = await openStore(database.url, 'write');
    await load(operator, 'virtual_numbers', [...hardRows.virtual_numbers, ...wideRows]);
    await load(operator, 'additional_services', hardRows.additional_services);
    await operator.close();
    await query(database.url, `create role ${ROLE} login password 'serving'`);
    replicaUrl = Object.assign(new URL(database.url), { port: new URL(replica.url).port }).href;
    await replica.catchUp(primary);
    plain = await open({}, []);
    service = await open({}, [replicaUrl]);
    const { missing } = await grantRights(database.url, { rowSecurity: true }, ROLE, 'serving');
    assert.deepEqual(missing, []);
    const serving = { user: ROLE, password: 'serving' };
    secured = await open(serving, [urlWith(replicaUrl, serving)]);
    await replica.catchUp(primary);
  });
  after(async () => {
    for (const one of [service, secured, plain]) await one?.close();
    await database?.remove();
    await replica?.remove();
    await primary?.stop();
  });

  const reported = ({ log }: Service) => log.filter((line) => line.startsWith('replica '));

  /** Waits until the service reports that the replica is healthy, or why it is out of rotation. */
  async function mustReport(reason?: RegExp, one = service): Promise<void> {
    const isExpected = (line = '') => (reason === undefined ? !line.includes('reason') : reason.test(line));
    await until(
      `${String(reason)} is reported`,
      () => isExpected(reported(one).at(-1)),
      () => reported(one).join('\n'),
    );
  }

  /** How many statements about numbers a server runs while something is done. */
  async function statementsDuring(
    { log, url }: { readonly log: readonly string[]; readonly url: string },
    work: () => Promise<void>,
  ): Promise<number> {
    const mark = async () => {
      const name = `mark ${Math.random()}`;
      await query(url, `select '${name}'`);
      while (!log.join('').includes(name)) await sleep(10);
      return log.join('').length;
    };
    const from = await mark();
    await work();
    const to = await mark();
    return (
      log
        .join('')
        .slice(from, to)
        .split(/ from virtual_numbers where /).length - 1
    );
  }

  /** Asks again while a busy machine lets the deadlines pass. */
  const askPatiently = (one: Service, ...request: Parameters<Service['ask']>) =>
    until('it is answered', async () => {
      const answer = await one.ask(...request);
      return answer.status !== 503 && answer;
    });

  async function askAll(one: Service): Promise<void> {
    for (const account_id of ['acme', 'ACME', WIDE_ACCOUNT]) {
      for (const [path, headers] of [
        [PATH, {}],
        [`${virtual_numbers.path}/facets`, {}],
        [`${virtual_numbers.path}?sort_by=did`, NDJSON],
      ] as const) {
        assert.equal((await askPatiently(one, account_id, path, headers)).status, 200);
      }
    }
  }

  /** Lists must be read from the replica alone; on a busy machine not at the first attempt. */
  async function mustReadFromReplica(one = service): Promise<void> {
    const late = performance.now() + PATIENCE_MS;
    // Pages and exports are one statement each; facets are six: sums, and one for each filter that has
    // values.
    const complete = 3 * (1 + 1 + 6);
    for (let [ofPrimary, ofReplica] = [0, 0]; ofPrimary > 0 || ofReplica < complete; ) {
      assert.ok(performance.now() < late, `${ofReplica} statements; ${ofPrimary} of the primary`);
      await mustReport(undefined, one);
      ofReplica = await statementsDuring(replica, async () => {
        ofPrimary = await statementsDuring(primary, () => askAll(one));
      });
    }
  }

  test('lists are read from it, and from the primary no more than revisions', async () => {
    await mustReadFromReplica();
  });

  test(`${2 * QUERIES} queries at random are answered as without it, also one account at a time`, async () => {
    await mustReadFromReplica(secured);
    for (const list of modelLists) {
      const queries = fc.sample(fc.tuple(fc.constantFrom(...ACCOUNTS), hardQuery(list)), QUERIES);
      for (const [account_id, text] of queries) {
        const url = `${list.path}?${text}`;
        const answers = await Promise.all(
          [plain, service, secured].map(async (one) => {
            const { status, body, headers } = await askPatiently(one, account_id, url);
            const { etag, link } = headers;
            return { status, etag, link, body: body.replace(/"request_id":"[^"]*"/, '') };
          }),
        );
        const [without] = answers;
        for (const answer of answers) assert.deepEqual(answer, without, url);
        const expected = model.expect(list, account_id, text);
        assert.equal(without?.status, expected.status, url);
        if (expected.status === 200) assert.equal(without?.body, expected.body, url);
      }
    }
  });

  test(`ranges are answered as without it, to ${QUERIES} queries at random, and read from it`, async () => {
    await mustReadFromReplica(secured);
    const path = `${virtual_numbers.path}/ranges`;
    const answersTo = (account_id: string, url: string) =>
      Promise.all(
        [plain, service, secured].map(async (one) => {
          const { status, body, headers } = await askPatiently(one, account_id, url);
          return { status, etag: headers['etag'], body: body.replace(/"request_id":"[^"]*"/, '') };
        }),
      );
    for (const account_id of ACCOUNTS) {
      const rows = hardRows.virtual_numbers.filter((row) => row.account_id === account_id);
      const [without, ...others] = await answersTo(account_id, `${path}?page_size=1000`);
      for (const answer of others) assert.deepEqual(answer, without, account_id);
      assert.deepEqual(JSON.parse(String(without?.body)).data, naiveRanges(rows).slice(0, 1_000));
    }
    const queries = fc.sample(fc.tuple(fc.constantFrom(...ACCOUNTS), hardQuery(virtual_numbers)), QUERIES);
    let answered = 0;
    for (const [nth, [account_id, text]] of queries.entries()) {
      const filters = text.replaceAll(/(?:^|&)(?:page|page_size|sort_by|sort_order|fields)[^&=]*=[^&]*/g, '');
      const url = nth % 3 === 0 ? `${path}.csv?${filters}` : `${path}?${filters}`;
      const [without, ...others] = await answersTo(account_id, url);
      for (const answer of others) assert.deepEqual(answer, without, url);
      if (without?.status === 200) answered += 1;
    }
    assert.ok(answered > QUERIES / 4, `${answered} of ${QUERIES} queries are answered`);
    for (const one of [service, secured]) {
      const statements = await statementsDuring(replica, async () => {
        await askPatiently(one, LARGE_ACCOUNT, path);
      });
      assert.ok(statements > 0, 'no statement is of the replica');
    }
  });

  /** The service must not report that it lags. */
  async function mustNotLag(work: () => Promise<void>): Promise<void> {
    const before = reported(service).length;
    await work();
    assert.deepEqual(
      reported(service)
        .slice(before)
        .filter((line) => line.includes('It lags')),
      [],
    );
    await mustReadFromReplica();
  }

  test('a primary with nothing to do is no reason to report lag', async () => {
    await mustNotLag(async () => {
      await sleep(3 * LAG_MS);
    });
  });

  test('nor is a change that is begun and not ended', async () => {
    await query(database.url, 'create table half_done (text text)');
    const writer = new Client(database.url);
    await writer.connect();
    // So much of it that the primary writes it down, up to the end of a page and amid a record.
    await writer.query(`begin; insert into half_done select repeat('x', 100) from generate_series(1, 5000)`);
    await mustNotLag(async () => {
      await sleep(3 * LAG_MS);
    });
    await writer.query('rollback');
    await writer.end();
  });

  /** Renames an account's numbers in an import, and asks at once. */
  async function importAndAsk(comment: string): Promise<void> {
    const rows = hardRows.virtual_numbers.filter(({ account_id }) => account_id === 'ACME');
    await load(
      service.operator,
      'virtual_numbers',
      rows.map((row) => ({ ...row, comment })),
    );
    for (const one of [service, secured]) {
      const page = await one.ask('ACME', `${virtual_numbers.path}?page_size=1000`);
      const comments = (items: { comment: string }[]) => new Set(items.map((item) => item.comment));
      assert.deepEqual(comments(JSON.parse(page.body).data), new Set([comment]));
      const found = await one.ask('ACME', `${virtual_numbers.path}/facets?q=${comment}`);
      assert.equal(JSON.parse(found.body).total, rows.length);
      const all = await one.ask('ACME', virtual_numbers.path, NDJSON);
      const lines = all.body.trimEnd().split('\n');
      assert.deepEqual(comments(lines.map((line) => JSON.parse(line))), new Set([comment]));
      assert.equal(all.headers['etag']?.includes(String(page.headers['etag']?.slice(1, -1))), true);
    }
  }

  async function mustBeSaidByDoctor(status: string, says: RegExp): Promise<void> {
    const words = ['--database-url', database.url, '--replica-url', replicaUrl];
    const { out, err } = await runProgram(['doctor', '--json', ...words]);
    const { findings } = JSON.parse(out) as { findings: { check: string; status: string; says: string }[] };
    const found = findings.filter(({ check }) => check === 'replica');
    assert.deepEqual(
      found.map((one) => one.status),
      [status],
      err,
    );
    assert.match(String(found[0]?.says), says);
  }

  test('what was imported is seen at once, whatever the lag; and when there is none, it is read from again', async () => {
    await replica.pause();
    for (const comment of ['first', 'second', 'third']) await importAndAsk(comment);
    await mustReport(/It lags: \d+ bytes/);
    await mustBeSaidByDoctor('wrong', /It lags: \d+ bytes/);
    await importAndAsk('fourth');
    await replica.resume();
    await mustReport();
    await mustReport(undefined, secured);
    await mustBeSaidByDoctor('ok', /is healthy/);
    await mustReadFromReplica();
    for (let i = 0; i < 5; i++) await importAndAsk(`hot-${i}`);
  });

  test('the webhooks of an account are those of now, whatever the replica still holds', async () => {
    // One that lags is not taken out of rotation.
    const lagging = await open({}, [replicaUrl], 600_000);
    await replica.catchUp(primary);
    await replica.pause();
    const scope = { name: 'new', url: 'https://crm.example.com/', format: 'json', charges: true } as const;
    const subscribed = { ...scope, lists: null, events: ['added'], fields: null } as const;
    await insertWebhook(service.operator, 'ACME', subscribed, 1, { origin: 'command', actor: 'me' });
    const { body } = await askPatiently(lagging, 'ACME', '/api/v1/webhooks');
    await replica.resume();
    await lagging.close();
    assert.deepEqual(
      JSON.parse(body).data.map(({ name }: { name: string }) => name),
      ['new'],
    );
  });

  test('own fields are those of now with the values of now, whatever the replica still holds', async () => {
    // One that lags is not taken out of rotation.
    const lagging = await open({}, [replicaUrl], 600_000);
    const { operator } = lagging;
    const own = (account_id: string, query: string) =>
      until('it is answered', async () => {
        const { status, body } = await lagging.ask(account_id, `${virtual_numbers.path}?${query}`);
        return status === 200 && JSON.parse(body);
      });
    const id = hardRows.virtual_numbers.find(({ account_id }) => account_id === 'ACME')?.id as number;
    const mustBe = async (name: string, value: string) => {
      await lagging.refresh();
      const { data } = await own('ACME', `page_size=1000&sort_by=${name}`);
      for (const one of data) assert.equal(one[name], one.id === id ? value : '', `${name} of ${one.id}`);
      const { total } = await own('ACME', `${name}=Basel`);
      assert.equal(total, value === 'Basel' ? 1 : 0);
      const lines = (await lagging.ask('ACME', virtual_numbers.path, NDJSON)).body.trimEnd().split('\n');
      assert.equal(lines.filter((line) => JSON.parse(line)[name] === 'Basel').length, total);
    };
    const give = (name: string) => updateNumbers(operator, [{ account_id: 'ACME', id, [name]: 'Basel' }]);
    await replica.catchUp(primary);
    await replica.pause();
    await declareField(operator, { name: 'x_site', kind: 'text' });
    await mustBe('x_site', '');
    await give('x_site');
    await mustBe('x_site', 'Basel');
    await replica.resume();
    await replica.catchUp(primary);
    const statements = await statementsDuring(replica, () => mustBe('x_site', 'Basel'));
    assert.ok(statements > 0, 'no statement is of the replica');
    await replica.pause();
    // The next field gets the columns of this one, as if they had rested: the replica still has its values.
    await removeField(operator, 'x_site');
    await operator.write({ text: 'delete from own_fields', values: [] });
    await declareField(operator, { name: 'x_trunk', kind: 'text' });
    await mustBe('x_trunk', '');
    await replica.resume();
    await replica.catchUp(primary);
    await mustBe('x_trunk', '');
    await removeField(operator, 'x_trunk');
    for (const one of [lagging, service, secured, plain]) await one.refresh();
    await lagging.close();
    await mustReport();
    await mustReport(undefined, secured);
  });

  test('a revoked token is refused within five seconds, whatever the replica still holds', async () => {
    await replica.pause();
    const { id, token } = plain.tokenOf('ACME');
    const ask = () => service.send('GET', PATH, { authorization: `Bearer ${token}` });
    assert.equal((await ask()).status, 200);
    await revokeToken(service.operator, id);
    const late = performance.now() + REVOKED_WITHIN_MS;
    while ((await ask()).status === 200) {
      assert.ok(performance.now() < late, 'The token is still good.');
      await sleep(50);
    }
    assert.equal((await ask()).status, 401);
    await replica.resume();
    await mustReport();
  });

  /**
   * Begins a long export at the store, and does something when its first chunk has come; returns its text.
   */
  async function exportAmid(trouble: () => Promise<void>): Promise<string> {
    const { slow } = storeOptions(
      {
        database_pooler: 'none',
        database_connections: 2,
        database_timeout: DATABASE_TIMEOUT,
        replica_url: [replicaUrl],
        replica_lag: LAG_MS,
        row_security: false,
      },
      () => {},
    );
    // As in a worker thread: the health of the replica is what another thread has found.
    slow.replicas?.health.fill(1);
    const store = await openStore(database.url, 'read', slow);
    try {
      const question = questionOf('export', 'virtual_numbers', WIDE_ACCOUNT, { format: 'ndjson' });
      const file = await answerFrom(store, question);
      return await textOf(file, (text) => (text === '' ? trouble() : undefined));
    } finally {
      await store.close();
    }
  }

  const change = (comment: string) =>
    load(
      service.operator,
      'virtual_numbers',
      wideRows.map((row) => ({ ...row, comment })),
    );
  const commentsIn = (text: string) =>
    new Set(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).comment),
    );

  test('a copy that is brought up to date by changes is never wrong, and never gone for it, however the replica lags', async (t) => {
    const own = await primary.makeDatabase();
    await (await openStore(own.url, 'write')).close();
    assert.deepEqual((await grantRights(own.url, { rowSecurity: true }, ROLE, 'serving')).missing, []);
    await replica.catchUp(primary);
    const serving = { user: ROLE, password: 'serving' };
    const lagging = Object.assign(new URL(own.url), { port: new URL(replica.url).port }).href;
    const one = await openService(
      { name: 'lagging', share: 1, make: async () => ({ ...own, readingUrl: urlWith(own.url, serving) }) },
      {
        quiet: true,
        indexBytes: 0,
        // One that lags is not taken out of rotation: what it answers is compared with the primary.
        reach: { replica_url: [urlWith(lagging, serving)], replica_lag: 600_000, row_security: true },
      },
    );
    let [isPaused, pauses] = [false, 0];
    const counts = await runHistories(deploymentOf(one), {
      seed: Math.floor(Math.random() * 2 ** 20),
      histories: HISTORIES,
      furnish: (world) => {
        const pauseOrResume = async () => {
          await (isPaused ? replica.resume() : replica.pause());
          isPaused = !isPaused;
          if (isPaused) pauses += 1;
        };
        world.every(IMPORTS_A_PAUSE, pauseOrResume);
      },
    });
    await replica.resume();
    await one.close();
    await replica.catchUp(primary);
    const read = replica.log.join('').split(/ from virtual_numbers_changes where /).length - 1;
    t.diagnostic(`${counts}, pauses ${pauses}, reads of the log from the replica ${read}`);
    assert.ok(pauses > 0 && read > HISTORIES, `${pauses} pauses, ${read} reads of the log from the replica`);
    assert.equal(counts.of('histories'), HISTORIES);
  });

  test('an export is of one snapshot, whatever is imported meanwhile', async () => {
    await change('before');
    await replica.catchUp(primary);
    const statements = await statementsDuring(replica, async () => {
      const text = await exportAmid(() => change('after'));
      assert.deepEqual(commentsIn(text), new Set(['before']));
      assert.equal(text.split('\n').length, WIDE_ROWS + 1);
    });
    assert.ok(statements > 0);
  });

  test('an export whose replica dies amid it breaks off, as one whose primary dies does', async () => {
    await replica.catchUp(primary);
    await assert.rejects(
      exportAmid(() => replica.end('SIGKILL')),
      { name: 'StoreUnavailable' },
    );
    await replica.start();
    await mustReport();
  });

  /** Many requests come while something happens to the replica: all are answered, rightly and in time. */
  async function underRequests(trouble: () => Promise<void>): Promise<void> {
    let isRunning = true;
    const clients = Array.from({ length: CLIENTS }, async (_, i) => {
      for (let round = i; isRunning; round += CLIENTS + 1) {
        const one = round % 2 === 0 ? service : secured;
        const path = round % 9 === 0 ? `${virtual_numbers.path}/facets` : PATH;
        const at = performance.now();
        const { status, body } = await one.ask(LARGE_ACCOUNT, path);
        const ms = performance.now() - at;
        assert.equal(status, 200, body);
        assert.ok(ms < SLOWEST_MS, `${path} took ${ms} ms`);
        const expected = model.expect(virtual_numbers, LARGE_ACCOUNT, 'page_size=5');
        if (path === PATH) assert.equal(body, expected.status === 200 && expected.body);
        await sleep(5);
      }
    });
    const all = Promise.all(clients);
    all.catch(() => {});
    await sleep(100);
    // Also where a request fails: the next test needs the replica as the trouble leaves it.
    await trouble().finally(() => {
      isRunning = false;
    });
    await all;
  }

  for (const [what, signal, reason] of [
    ['is stopped', 'SIGINT', /ECONNREFUSED|ECONNRESET|terminat|shutting down|cannot be reached/],
    ['is killed', 'SIGKILL', /ECONNREFUSED|ECONNRESET|terminat|cannot be reached/],
  ] as const) {
    test(`it ${what}: no request fails, and it is back in rotation when it is started again`, async () => {
      await underRequests(async () => {
        await replica.end(signal);
        await mustReport(reason);
        await sleep(300);
        await replica.start();
        await mustReport();
        await mustReport(undefined, secured);
      });
      await mustReadFromReplica();
    });
  }

  test('it hangs: no request waits for long, and it is back in rotation when it goes on', async () => {
    await underRequests(async () => {
      await replica.freeze();
      await mustReport(/did not answer in time|timeout|more to do/);
      await sleep(300);
      replica.thaw();
      await mustReport();
      await mustReport(undefined, secured);
    });
    await mustReadFromReplica();
  });

  test('one of another database is refused, and so is a URL that is none; one that is down is waited for', async () => {
    const other = await primary.makeDatabase();
    await (await openStore(other.url, 'write')).close();
    const changes: ReplicaChange[] = [];
    const opened = (...urls: string[]) => {
      const { quick } = storeOptions(
        {
          database_pooler: 'none',
          database_connections: 1,
          database_timeout: DATABASE_TIMEOUT,
          replica_url: urls,
          replica_lag: LAG_MS,
          row_security: false,
        },
        (one) => changes.push(one),
      );
      return openStore(database.url, 'read', quick);
    };
    await assert.rejects(
      opened(other.url),
      /127\.0\.0\.1:\d+\/linecard_\w+ is of no use.*another deployment/,
    );
    for (const wrong of ['sqlite:data/linecard.db', 'replica.example', 'postgres://u:p%ss@h:x/d']) {
      await assert.rejects(opened(wrong), (error: Error) => {
        assert.match(error.message, /--replica-url must look like postgres:/);
        return !error.message.includes('p%ss');
      });
    }
    const down = `postgres://me:secret@127.0.0.1:${await freePort()}/linecard`;
    const store = await opened(down, database.url);
    assert.deepEqual(
      changes.slice(-2).map(({ reason = '' }) => /ECONNREFUSED|It is no replica/.exec(reason)?.[0]),
      ['ECONNREFUSED', 'It is no replica'],
    );
    assert.equal(JSON.stringify(changes).includes('secret'), false);
    await store.close();
    await other.remove();
  });

  test('the log reports its health without a password, and the service ends while it hangs', async (t) => {
    const down = `postgres://me:secret@127.0.0.1:${await freePort()}/linecard`;
    const words = ['serve', '--port', '0', '--replica-url', down, '--replica-url', replicaUrl];
    const { child, said, ended, says } = startProgram(words, {
      env: { LINECARD_DATABASE_URL: database.url },
    });
    t.after(() => {
      child.kill('SIGKILL');
      replica.thaw();
    });
    await says(/Linecard answers at/);
    await says(
      /"replica":"127.0.0.1:\d+\/linecard_\w+","msg":"the replica is healthy: lists are read from it"/,
    );
    await says(
      /"replica":"127.0.0.1:\d+\/linecard","reason":"[^"]*ECONNREFUSED[^"]*","msg":"the replica is out of rotation/,
    );
    await replica.freeze();
    await says(
      /"replica":"127.0.0.1:\d+\/linecard_\w+","reason":"[^"]*in time[^"]*","msg":"the replica is out of rotation/,
    );
    child.kill('SIGTERM');
    assert.partialDeepStrictEqual(await ended, { status: 0, signal: null }, said.err);
    replica.thaw();
    for (const password of ['secret', new URL(replicaUrl).password])
      assert.equal(said.all.includes(password), false);
    await mustReport();
  });

  test('it is promoted: nothing that is imported there is seen', async () => {
    await underRequests(async () => {
      await replica.promote();
      const promoted = await openStore(replicaUrl, 'write');
      const rows = hardRows.virtual_numbers.map((row) => ({ ...row, comment: 'promoted' }));
      await load(promoted, 'virtual_numbers', rows);
      await promoted.close();
      await mustReport(/It is no replica/);
    });
    await importAndAsk('after-all');
    assert.equal(await statementsDuring(replica, () => askAll(service)), 0);
  });
});
