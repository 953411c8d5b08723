// What requests of nobody that is known can do to an intake: take nothing that senders with a token need, and
// learn nothing.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { type Intake, NDJSON, openIntake } from '../kit/intake-server.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { stores } from '../kit/service.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const OTHER_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const PATH = '/intake/v1/virtual-numbers';
/** More than the intake receives at once. */
const MANY = 80;
/** As many as are on their way from one address, unverified. */
const OF_ADDRESS = 8;
const FAILURES = 20;
const MEBIBYTE = 1_048_576;
const [embedded] = stores;

/** The headers of a delivery, signed with a secret. */
function signed(body: string, secret: string, more: Record<string, string> = {}): Record<string, string> {
  const id = `msg_${randomBytes(6).toString('hex')}`;
  const at = new Date();
  return {
    ...NDJSON,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
    ...more,
  };
}

describe('requests of nobody that is known', () => {
  let intake: Intake;
  let sockets: Socket[] = [];
  before(async () => {
    if (embedded === undefined) throw new Error('There is no store.');
    intake = await openIntake(embedded, { secrets: [SECRET], failureLimit: FAILURES });
  });
  after(() => intake.close());

  /** Begins a request whose body does not come to its end; gives its answer. */
  async function begin(
    headers: Record<string, string>,
  ): Promise<{ socket: Socket; answer: Promise<string> }> {
    const socket = connect(intake.port, '127.0.0.1').setEncoding('utf8');
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    const lines = Object.entries({ host: 'x', 'content-length': '1000', ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const answer = once(socket, 'data').then(([text]) => String(text));
    await new Promise((resolve) => socket.write(`POST ${PATH} HTTP/1.1\r\n${lines.join('')}\r\n{`, resolve));
    return { socket, answer };
  }

  async function endAll(): Promise<void> {
    const closed = sockets.filter((one) => !one.destroyed).map((one) => once(one, 'close'));
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    sockets = [];
  }

  const importOne = (id: number) =>
    intake.send('POST', 'virtual-numbers', ndjson([numberRow('C1', id)]), NDJSON);
  const forge = (body: string, more?: Record<string, string>) =>
    intake.sendWith('POST', 'virtual-numbers', body, signed(body, OTHER_SECRET, more));

  test('take none of the places of senders with a token, however many wait with a wrong one', async () => {
    const begun = await Promise.all(
      Array.from({ length: MANY }, () => begin({ ...NDJSON, authorization: 'nobody' })),
    );
    for (let i = 1; i <= 10; i++) assert.equal((await importOne(i)).status, 200);
    const answers = await Promise.all(begun.map(({ answer }) => answer));
    assert.equal(answers.filter((one) => one.startsWith('HTTP/1.1 401 ')).length, FAILURES);
    assert.equal(answers.filter((one) => one.startsWith('HTTP/1.1 429 ')).length, MANY - FAILURES);
    await endAll();
  });

  describe('that say they are signed', () => {
    before(async () => {
      await intake.close();
      if (embedded === undefined) throw new Error('There is no store.');
      intake = await openIntake(embedded, { secrets: [SECRET], failureLimit: FAILURES });
    });

    test('learn nothing of a feed; who has signed does', async () => {
      const body = ndjson([numberRow('C1', 50)]);
      const of = (sequence: string) => ({ 'linecard-feed': 'billing', 'linecard-sequence': sequence });
      const mine = signed(body, SECRET, of('7'));
      assert.equal((await intake.sendWith('POST', 'virtual-numbers', body, mine)).status, 200);
      assert.equal((await forge(body, of('7'))).status, 401);
      const late = signed(body, SECRET, of('7'));
      const { status, json } = await intake.sendWith('POST', 'virtual-numbers', body, late);
      assert.deepEqual([status, json.type], [409, 'urn:linecard:problem:out-of-order']);
    });

    test('are received a few at a time from one address: the oldest makes room for a good one', async () => {
      const answers: Promise<string>[] = [];
      for (let i = 0; i < OF_ADDRESS; i++) {
        const { socket, answer } = await begin(signed('', OTHER_SECRET, { expect: '100-continue' }));
        assert.match(await answer, /^HTTP\/1\.1 100 /);
        answers.push(once(socket, 'data').then(([text]) => String(text)));
      }
      const good = ndjson([numberRow('C1', 53)]);
      assert.equal(
        (await intake.sendWith('POST', 'virtual-numbers', good, signed(good, SECRET))).status,
        200,
      );
      assert.match(await Promise.race(answers), /^HTTP\/1\.1 429 [\s\S]*retry-after: 5/);
      assert.equal((await importOne(51)).status, 200);
      await endAll();
    });

    test('may not have large bodies until it is known who has signed', async () => {
      const { answer } = await begin({
        ...signed('', OTHER_SECRET),
        'content-length': String(65 * MEBIBYTE),
      });
      assert.match(await answer, /^HTTP\/1\.1 413 /);
      await endAll();
    });

    test('are received for five minutes at the most, however steadily they come', async () => {
      if (embedded === undefined) throw new Error('There is no store.');
      const quick = await openIntake(embedded, { secrets: [SECRET], secondMs: 40 });
      try {
        const length = { 'content-length': '60000000' };
        const socket = connect(quick.port, '127.0.0.1').setEncoding('utf8');
        const lines = Object.entries({ host: 'x', ...length, ...signed('', OTHER_SECRET) });
        socket.write(`POST ${PATH} HTTP/1.1\r\n${lines.map((one) => `${one.join(': ')}\r\n`).join('')}\r\n`);
        const steady = 'x'.repeat(8_000);
        const drip = setInterval(() => socket.write(steady), 30);
        const [answer] = (await once(socket, 'data')) as [string];
        clearInterval(drip);
        socket.destroy();
        assert.match(answer, /^HTTP\/1\.1 408 [\s\S]*must arrive within 300 seconds/);
      } finally {
        await quick.close();
      }
    });

    test('count as failures of their address where they break off or are wrong, until it may send none', async () => {
      await begin(signed('', OTHER_SECRET));
      await endAll();
      let answered: string[] = [];
      for (let i = 0; i < FAILURES; i++) answered = [...answered, String((await forge('{}\n')).status)];
      assert.equal(answered.at(0), '401');
      assert.equal(answered.at(-1), '429', 'those that broke off did not count');
      assert.match((await forge('{}\n')).text, /no valid token/);
      // A good signature from the same address is none of them.
      const good = ndjson([numberRow('C1', 54)]);
      assert.equal(
        (await intake.sendWith('POST', 'virtual-numbers', good, signed(good, SECRET))).status,
        200,
      );
      assert.equal((await importOne(52)).status, 200);
      await endAll();
    });
  });

  test('get the first few faults of their parameters, and how many there are', async () => {
    const names = Array.from({ length: 900 }, (_, i) => `maxremov${i}`).join('&');
    const answer = await fetch(`${intake.url}${PATH}?${names}`, {
      method: 'POST',
      headers: { ...NDJSON, authorization: intake.token },
      body: '{}\n',
    });
    const { detail, errors } = (await answer.json()) as { detail: string; errors: unknown[] };
    assert.deepEqual([answer.status, errors.length], [400, 20]);
    assert.match(detail, /^100 or more faults, the first 20 in /);
  });

  test('through a proxy that is not named are reported once: they count as one address', async () => {
    const headers = { ...NDJSON, 'x-forwarded-for': '192.0.2.7' };
    const said = () => intake.log.filter((line) => line.includes('--trust-proxy'));
    for (let i = 0; i < 3; i++)
      await intake.send('POST', 'virtual-numbers', ndjson([numberRow('C1', 60 + i)]), headers);
    assert.equal(said().length, 1);
  });

  test('that expect what nobody knows are answered all the same', async () => {
    const { socket, answer } = await begin({ ...NDJSON, authorization: 'nobody', expect: 'foo' });
    assert.match(await answer, /^HTTP\/1\.1 4\d\d [\s\S]*application\/problem\+json/);
    socket.destroy();
  });
});
