// Deliverers as processes: the command and the thread of `serve`, their metrics and how they stop. What one
// leaves behind that is killed is in kills.long.test.ts.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { ENVIRONMENT } from '../kit/environment.ts';
import { query, urlWith } from '../kit/postgres-server.ts';
import { mustRun, Operator, type Running, runProgram, stopProgram } from '../kit/program.ts';
import { stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';
import { openReceiver, type Receiver, testCertificate } from '../kit/webhook-receiver.ts';

const KEY = randomBytes(32).toString('base64');
const NUMBERS = 'account_id,id,did,status,frequency,subscription_status,created_at,comment\n';

const row = (id: number, comment: string) =>
  `acme,${id},+44207946${1_000 + id},active,monthly,active,2026-01-02T03:04:05Z,${comment}\n`;

const ENVIRONMENT_OF_RECEIVER = {
  LINECARD_SIGNING_KEY: KEY,
  LINECARD_DELIVER_ALLOW: '127.0.0.0/8',
  NODE_EXTRA_CA_CERTS: testCertificate().file,
};

async function importInto(
  operator: Operator,
  comment: string,
  ids: readonly number[] = [1, 2],
): Promise<void> {
  const file = join(temporaryFolder(), 'numbers.csv');
  writeFileSync(file, NUMBERS + ids.map((id) => row(id, comment)).join(''));
  await operator.command('import', 'virtual-numbers', file);
}

describe('a deliverer', () => {
  const folder = temporaryFolder();
  const operator = new Operator(`sqlite:${join(folder, 'linecard.db')}`, ENVIRONMENT_OF_RECEIVER);
  let receiver: Receiver;
  let secret: string;
  before(async () => {
    receiver = await openReceiver();
    await operator.command('account', 'create', 'acme');
    await importInto(operator, 'first');
    const url = `https://127.0.0.1:${receiver.port}/hook`;
    secret = await operator.mustDo(
      'webhook',
      'create',
      '--account',
      'acme',
      '--url',
      url,
      '--events',
      'changed',
    );
    assert.match(secret, /^whsec_/);
  });
  after(async () => {
    operator.close();
    await receiver.close();
  });

  const received = (what: string) =>
    until(`${what} is received`, () => receiver.received.find(({ body }) => body.includes(what)));

  async function metricsOf(running: Running): Promise<string> {
    const [, url = ''] = await running.says(/"url":"(http:[^"]*\/metrics)"/);
    return (await fetch(url)).text();
  }

  test('delivers what is imported, has its metrics, and stops gracefully', async () => {
    const running = operator.start('deliver', '--metrics-port', '0');
    await running.says(/Webhooks are delivered/);
    await importInto(operator, 'second');
    const { headers } = await received('second');
    assert.ok(headers['webhook-signature']);
    const text = await until('it is counted', async () => {
      const metrics = await metricsOf(running);
      return /attempts_total\{outcome="delivered"\} [1-9]/.test(metrics) && metrics;
    });
    assert.match(text, /^linecard_webhooks\{status="active"\} 1$/m);
    assert.match(text, /^linecard_webhook_oldest_pending_seconds 0$/m);
    assert.match(text, /^nodejs_heap_size_used_bytes /m);
    const [webhook] = JSON.parse(await operator.mustDo('webhook', 'list', '--json'));
    const tested = await operator.run('webhook', 'test', webhook.id);
    assert.match(tested.err, /^The receiver of \w+ answered 204 in [\d,]+ ms\.$/m);
    const { status } = await stopProgram(running);
    assert.equal(status, 0);
  });

  test('is a thread of serve --deliver as well, of one process or of several', async () => {
    for (const workers of ['1', '2']) {
      const running = operator.start(
        'serve',
        '--deliver',
        '--port',
        '0',
        '--metrics-port',
        '0',
        '--workers',
        workers,
      );
      await running.says(/answers at/);
      await importInto(operator, `workers ${workers}`);
      await received(`workers ${workers}`);
      await until('it is counted', async () =>
        /attempts_total\{outcome="delivered"\} [1-9]/.test(await metricsOf(running)),
      );
      const { status } = await stopProgram(running);
      assert.equal(status, 0);
    }
  });

  test('goes on after kill -9 between a message and its answer, with the same id', async () => {
    const ids: string[] = [];
    let running = operator.start('deliver');
    const killing = await openReceiver((response, { headers }) => {
      ids.push(String(headers['webhook-id']));
      if (ids.length === 1) running.child.kill('SIGKILL');
      else response.writeHead(204).end();
    });
    const url = `https://127.0.0.1:${killing.port}/hook`;
    await operator.command('webhook', 'create', '--account', 'acme', '--url', url, '--events', 'changed');
    await importInto(operator, 'killed');
    await running.ended;
    assert.equal(ids.length, 1);
    // Its claim would last for a minute.
    const tokens = new DatabaseSync(join(folder, 'linecard.db-tokens'));
    tokens.exec("update webhooks set claimed_until = '2026-01-01T00:00:00.000000Z'");
    tokens.close();
    running = operator.start('deliver');
    await until('it is sent again', () => ids.length > 1);
    assert.equal(ids[1], ids[0]);
    await stopProgram(running);
    await killing.close();
  });

  test('says what is missing: the signing key, or a database that serve can deliver from', async () => {
    const env = { ...ENVIRONMENT, LINECARD_DATABASE_URL: `sqlite:${join(folder, 'linecard.db')}` };
    const without = await runProgram(['deliver'], { env });
    assert.equal(without.status, 1);
    assert.match(without.err, /set LINECARD_SIGNING_KEY to 32 random bytes/);
    const words = ['serve', '--deliver', '--database-url', 'postgres://nobody@localhost/none'];
    const { status, err } = await runProgram(words, { env: { ...env, LINECARD_SIGNING_KEY: KEY } });
    assert.equal(status, 2);
    assert.match(err, /serve --deliver needs SQLite/);
    assert.match((await mustRun(['deliver', '--help'])).out, /--deliver-allow/);
  });
});

for (const kind of stores.filter(({ name }) => name !== 'SQLite'))
  test(`a role of ${kind.name} that may deliver and nothing else delivers, also under row security`, async () => {
    const [role, serving, password] = ['linecard_test_deliver', 'linecard_test_read', 'secret'];
    const database = await kind.make();
    const receiver = await openReceiver();
    const operator = new Operator(database.url, ENVIRONMENT_OF_RECEIVER);
    const own = new Operator(urlWith(database.url, { user: role, password }), ENVIRONMENT_OF_RECEIVER);
    try {
      await operator.command('migrate', '--deliver-role', role, '--serving-role', serving, '--row-security');
      await query(database.url, `alter role ${role} password '${password}'`);
      await operator.command('account', 'create', 'acme');
      await importInto(operator, 'first');
      const url = `https://127.0.0.1:${receiver.port}/hook`;
      await operator.command('webhook', 'create', '--account', 'acme', '--url', url, '--events', 'changed');
      const running = own.start('deliver');
      await running.says(/Webhooks are delivered/);
      await importInto(operator, 'second');
      await until('it is received', () => receiver.received.some(({ body }) => body.includes('second')));
      assert.equal((await stopProgram(running)).status, 0);
      assert.doesNotMatch(running.said.err, /"level":(?:40|50)/);
    } finally {
      operator.close();
      own.close();
      await receiver.close();
      for (const one of [role, serving]) await query(database.url, `drop owned by ${one}`);
      for (const one of [role, serving]) await query(database.url, `drop role ${one}`);
      await database.remove();
    }
  });
