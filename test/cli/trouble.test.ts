// `linecard` when things go wrong: the reader goes away, Ctrl-C, an export that breaks off, lists that do
// not agree, a server that is not there. It ends with a word and a status, and never with a part that looks
// like the whole.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Customer, number, openCustomer, rows } from '../kit/customer.ts';
import { freePort, listen } from '../kit/free-port.ts';
import { isNonBlocking } from '../kit/process-facts.ts';
import { CLI } from '../kit/program.ts';

/** More than pipes and sockets hold, by far. */
const MANY = 10_000;
/** It waits for two seconds; the rest is for a busy machine. */
const QUICKLY_MS = 20_000;

describe('linecard, when things go wrong', () => {
  let customer: Customer;
  /** Hands on what the service says, unless a test spoils it. */
  let between: Server;
  let betweenUrl: string;
  let spoil: (body: string, path: string, type: string) => { body: string; isCut?: true } = (body) => ({
    body,
  });

  before(async () => {
    const many = Array.from({ length: MANY }, (_, i) => number(i + 1, `+4420${String(i).padStart(8, '0')}`));
    customer = await openCustomer({ virtual_numbers: many, additional_services: rows.additional_services });
    between = createServer((request, response) => {
      const { url = '', headers } = request;
      const { authorization = '', accept = '' } = headers;
      void fetch(customer.url + url, { headers: { authorization, accept } }).then(async (answer) => {
        const type = answer.headers.get('content-type') ?? '';
        const total = answer.headers.get('x-total-count');
        const { body, isCut } = spoil(await answer.text(), url, type);
        response.writeHead(answer.status, { 'content-type': type, ...(total && { 'x-total-count': total }) });
        if (isCut) response.write(body, () => response.destroy());
        else response.end(body);
      });
    });
    betweenUrl = `http://127.0.0.1:${await listen(between)}`;
  });
  after(async () => {
    between.close();
    between.closeAllConnections();
    await customer.close();
  });

  test('a reader of only the beginning, such as `head`, ends it quietly', async () => {
    for (const words of [['list', '--all'], ['export']]) {
      const { child, ended } = customer.start(['virtual-numbers', ...words]);
      child.stdin.end();
      child.stdout.once('data', () => child.stdout.destroy());
      const { status, err } = await ended;
      assert.deepEqual([status, err], [0, '']);
    }
  });

  test('Ctrl-C ends an export by that signal and leaves no half file', async () => {
    const path = join(customer.home, 'interrupted.csv');
    writeFileSync(path, 'before');
    let onRequest = () => {};
    const stalled = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'x-total-count': '5' });
      response.write('id,did\r\n1,+4420\r\n');
      onRequest();
    });
    const isRequested = new Promise<void>((resolve) => {
      onRequest = resolve;
    });
    const url = `http://127.0.0.1:${await listen(stalled)}`;
    const { child, ended } = customer.start(['virtual-numbers', 'export', '--file', path], {
      environment: { LINECARD_URL: url },
    });
    await isRequested;
    child.kill('SIGINT');
    const { signal, err } = await ended;
    stalled.closeAllConnections();
    stalled.close();
    assert.deepEqual([signal, err], ['SIGINT', '']);
    assert.equal(readFileSync(path, 'utf8'), 'before');
    assert.deepEqual(
      readdirSync(customer.home).filter((name) => name.endsWith('.part')),
      [],
    );
  });

  test('what it does not read is left as it is: programs that share its standard input still wait on it', {
    skip: existsSync('/proc/self/fdinfo') ? false : 'there is no /proc',
  }, async () => {
    const silent = createServer();
    const url = `http://127.0.0.1:${await listen(silent)}`;
    const { child, ended } = customer.start(['virtual-numbers', 'list'], {
      environment: { LINECARD_URL: url },
    });
    await once(silent, 'request');
    const isLeft = !isNonBlocking(Number(child.pid), 0);
    child.kill('SIGKILL');
    await ended;
    silent.close();
    assert.ok(isLeft);
  });

  test('on a Node.js that is too old it says so in one sentence', () => {
    const { engines } = JSON.parse(readFileSync(join(CLI, '..', 'package.json'), 'utf8'));
    const oldest = engines.node.slice('>='.length);
    const runOn = (version: string, ...words: string[]) => {
      const change = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
      const pretended = `data:text/javascript,${encodeURIComponent(change)}`;
      const run = spawnSync(process.execPath, ['--import', pretended, CLI, ...words], { encoding: 'utf8' });
      return [run.status, run.stdout, run.stderr];
    };
    for (const version of ['18.20.0', '20.20.2', '22.11.0']) {
      const said = `linecard: This is Node.js ${version}, and linecard needs ${oldest} or newer: install it from https://nodejs.org.\n`;
      assert.deepEqual(runOn(version, 'whoami'), [1, '', said]);
    }
    for (const version of [`${oldest}.0`, '24.0.0']) assert.equal(runOn(version, '--version')[0], 0);
  });

  test('an export that breaks off fails and leaves the file that was there', async () => {
    const path = join(customer.home, 'broken.csv');
    writeFileSync(path, 'before');
    spoil = (body) => ({ body: body.slice(0, 100_000), isCut: true });
    const environment = { LINECARD_URL: betweenUrl };
    const { status, err } = await customer.alone(['virtual-numbers', 'export', '--file', path], {
      environment,
    });
    assert.equal(status, 1);
    assert.match(err, /^linecard: /);
    assert.equal(readFileSync(path, 'utf8'), 'before');
  });

  test('a server that cannot be reached is a failure in a sentence', async () => {
    const environment = { LINECARD_URL: `http://127.0.0.1:${await freePort()}` };
    // The process that runs it is there already: how long that takes says nothing of the command.
    await customer.linecard(['--version']);
    const begun = performance.now();
    const { status, out, err } = await customer.linecard(['virtual-numbers', 'list'], { environment });
    assert.deepEqual([status, out], [1, '']);
    assert.ok(performance.now() - begun < QUICKLY_MS);
    assert.match(err, /^linecard: No answer from http:\/\/127\.0\.0\.1:\d+: nothing listens there .+\n$/);
    assert.ok(!err.includes(customer.token));
  });
});
