// What happens to the files of the embedded store under a service, and what signals do to it: faults that are
// produced for real.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { withStore } from '../../server/commands/command.ts';
import { createAccount } from '../../server/store/access/accounts.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { virtual_numbers } from '../kit/model.ts';
import { mustRun, Operator, runProgram, statusOf } from '../kit/program.ts';
import { numberRow } from '../kit/rows.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const ACCOUNT = 'acme';
/** Together more than sockets hold. */
const ROWS = 8_000;
const WINDOWS = process.platform === 'win32';
const [SQLITE] = stores;
assert.ok(SQLITE);

const rows = Array.from({ length: ROWS }, (_, i) =>
  numberRow(ACCOUNT, i + 1, { comment: 'x'.repeat(1_500) }),
);

/** An export whose client has read its headers and reads no further. */
async function beginExport(port: number | string, token: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}` };
  const outgoing = request({ port, path: `${virtual_numbers.path}.ndjson`, headers, agent: false }).end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  return answer;
}

/** Reads on; whether that comes to an end as it should. */
async function isWhole(answer: IncomingMessage): Promise<boolean> {
  try {
    answer.resume();
    await once(answer, 'end');
    return answer.complete;
  } catch {
    return false;
  }
}

describe('files that change under a service', { skip: WINDOWS }, () => {
  let service: Service;
  let path: string;
  before(async () => {
    service = await openService(SQLITE, { rows: { virtual_numbers: rows } });
    path = service.database_url.slice('sqlite:'.length);
  });
  after(() => service.close());

  const list = `${virtual_numbers.path}?page_size=1`;
  const answers = async () => [
    (await service.ask(ACCOUNT, list)).status,
    (await service.send('GET', '/readyz')).status,
    (await service.send('GET', '/healthz')).status,
  ];
  const mustBe = (what: string, ...expected: number[]) =>
    until(`${what}: ${expected}`, async () => String(await answers()) === String(expected));

  const mustLog = (text: string) =>
    until(text, async () => {
      await answers();
      return service.log.some((line) => line.includes(text));
    });

  for (const [name, file] of [
    ['the database', ''],
    ['its tokens', '-tokens'],
    ['its log', '-wal'],
  ] as const) {
    test(`where ${name} is removed or replaced all is 503, until it is back`, async () => {
      const [there, away, copy] = [path + file, `${path}${file}.away`, `${path}${file}.copy`];
      await mustBe('at first', 200, 200, 200);
      // Not by this process: it would give up its locks of the file.
      execFileSync('cp', [there, copy]);
      renameSync(there, away);
      await mustBe('removed', 503, 503, 200);
      const { body } = await service.send('GET', '/readyz');
      assert.match(body, /removed or replaced/);
      assert.doesNotMatch(body, /linecard\.db/);
      await mustLog(`${there} was removed while it was open`);
      renameSync(copy, there);
      await mustLog(`${there} was replaced while it was open`);
      await mustBe('another file', 503, 503, 200);
      renameSync(away, there);
      await mustBe('back', 200, 200, 200);
    });
  }

  test('an export that is running is cut, because nobody can say any more whether its token is good', async () => {
    const answer = await beginExport(await service.listen(), service.tokenOf(ACCOUNT).token);
    renameSync(path, `${path}.away`);
    await until('it is cut', () => service.log.some((line) => line.includes('export aborted')));
    assert.equal(await isWhole(answer), false);
    renameSync(`${path}.away`, path);
    await mustBe('back', 200, 200, 200);
  });
});

describe('a service and its database', { concurrency: 2 }, () => {
  const folder = temporaryFolder();
  const operators: Operator[] = [];
  after(() => {
    for (const one of operators) one.close();
  });
  const operatorOn = (name: string) => {
    const operator = new Operator(`sqlite:${join(folder, name)}`);
    operators.push(operator);
    return operator;
  };

  test('that is not there, or empty, is an error which names it, unless it is to be made', async () => {
    const operator = operatorOn('nowhere/missing.db');
    const { status, out, err } = await operator.run('serve', '--port', '0');
    assert.deepEqual([status, out], [1, '']);
    assert.match(err, /"msg":"There is no database at \S+nowhere\/missing\.db\. .*--create/);
    assert.equal(existsSync(join(folder, 'nowhere')), false);
    writeFileSync(join(folder, 'empty.db'), '');
    const empty = await operatorOn('empty.db').run('serve', '--port', '0');
    assert.equal(empty.status, 1);
    assert.match(empty.err, /The database at \S+empty\.db is empty/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('empty')),
      ['empty.db'],
    );
    const made = await operator.serve('--create');
    assert.equal(await statusOf(`${made.url}/readyz`), 200);
    made.child.kill('SIGTERM');
    assert.equal((await made.ended).status, 0);
  });

  test('that was cut to nothing while its log or its tokens are there is not begun again', async () => {
    const operator = operatorOn('cut.db');
    await operator.mustDo('account', 'create', ACCOUNT);
    truncateSync(join(folder, 'cut.db'), 0);
    const { status, err } = await operator.run('serve', '--port', '0', '--create');
    assert.equal(status, 1);
    assert.match(err, /cut\.db is missing, but \S+cut\.db-tokens is there/);
  });

  test('that is a file has no roles: the options for them are refused before it is made', async () => {
    const operator = operatorOn('roles.db');
    for (const [words, option] of [
      [['serve', '--create', '--row-security'], /--row-security needs PostgreSQL/],
      [['migrate', '--serving-role', 'reader'], /--serving-role needs PostgreSQL/],
      [['migrate', '--intake-role', 'writer'], /--intake-role needs PostgreSQL/],
    ] as const) {
      const { status, err } = await operator.run(...words);
      assert.equal(status, 2);
      assert.match(err, option);
    }
    assert.equal(existsSync(join(folder, 'roles.db')), false);
  });

  test('on a disk that takes no more say so, whatever the command, and nothing was changed', {
    skip: WINDOWS,
  }, async () => {
    const url = `sqlite:${join(folder, 'full.db')}`;
    const onFullDisk = (...words: string[]) =>
      runProgram([...words, '--database-url', url], { within: ['sh', '-c', 'ulimit -f 0; exec "$0" "$@"'] });
    const mustSaySo = async (...words: string[]) => {
      const { status, err } = await onFullDisk(...words);
      assert.equal(status, 1, words.join(' '));
      assert.match(err, /^linecard-server: The disk .*\. Nothing was changed\.\n$/, words.join(' '));
    };
    await mustSaySo('migrate');
    // What it has begun is in nobody's way.
    await mustRun(['account', 'create', ACCOUNT, '--database-url', url]);
    await mustSaySo('account', 'create', 'other');
    await mustSaySo('account', 'delete', ACCOUNT, '--yes');
    await mustSaySo('token', 'create', '--account', ACCOUNT);
    await mustSaySo('token', 'create', '--operator', '--name', 'feed');
    const { out } = await mustRun(['account', 'list', '--json', '--database-url', url]);
    assert.deepEqual(
      (JSON.parse(out) as { id: string }[]).map(({ id }) => id),
      [ACCOUNT],
    );
  });

  test('stop during an export that nobody reads: it is cut, and the status is 0', async () => {
    const operator = operatorOn('slow.db');
    const database = { database_url: `sqlite:${join(folder, 'slow.db')}`, database_pooler: 'none' } as const;
    const made = await withStore(database, async (store) => {
      await createAccount(store, ACCOUNT);
      await load(store, 'virtual_numbers', rows);
      return createToken(store, ACCOUNT, 'slow');
    });
    const service = await operator.serve();
    const answer = await beginExport(new URL(service.url).port, String(made?.token));
    service.child.kill('SIGTERM');
    const { status, signal, err } = await service.ended;
    assert.deepEqual([status, signal], [0, null], err);
    assert.equal(await isWhole(answer), false);
    assert.match(err, /"reason":"the service is stopping".*export aborted/);
  });

  test('go on after signals that mean nothing, without a debugger, and stop after one that is odd', {
    skip: WINDOWS,
  }, async () => {
    const operator = operatorOn('signals.db');
    const service = await operator.serve('--create');
    for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGHUP'] as const) {
      service.child.kill(signal);
      await until(`${signal} is logged`, () =>
        service.said.err.includes(`"signal":"${signal}","msg":"signal ignored`),
      );
      assert.equal(await statusOf(`${service.url}/readyz`), 200);
    }
    service.child.kill('SIGQUIT');
    const { status, err } = await service.ended;
    assert.equal(status, 131);
    assert.match(err, /"signal":"SIGQUIT".*\n.*"msg":"stopped"/);
    assert.doesNotMatch(err, /debugger/i);
  });

  test('no command opens a debugger, also one that is not a service', { skip: WINDOWS }, async () => {
    const operator = operatorOn('import.db');
    const held = operator.start('import', 'virtual-numbers', '--format', 'csv', '-');
    held.child.stdin.write('account_id,id,did,frequency,status,subscription_status,created_at\n');
    await until('it has begun', () => existsSync(join(folder, 'import.db-tokens')));
    held.child.kill('SIGUSR1');
    held.child.stdin.end('acme,1,+442079460001,monthly,active,active,2026-02-10T16:04:11Z\n');
    const { status, err } = await held.ended;
    assert.equal(status, 0, err);
    assert.doesNotMatch(err, /debugger/i);
  });
});
