// `linecard` when things go wrong: the reader goes away, Ctrl-C, an export that breaks off, lists that do
// not agree, a server that is not there. It ends with a word and a status, and never with a part that looks
// like the whole.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Customer, number, openCustomer, rows } from '../kit/customer.ts';
import { freePort, listen } from '../kit/free-port.ts';
import { openProxy } from '../kit/http-proxy.ts';
import { isNonBlocking } from '../kit/process-facts.ts';
import { CLI } from '../kit/program.ts';
import { openReceiver, testCertificate } from '../kit/webhook-receiver.ts';

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
    // In a checkout Node.js itself must read TypeScript; what is published needs less.
    const oldest = '22.18';
    const runOn = (version: string, ...words: string[]) => {
      const change = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
      const pretended = `data:text/javascript,${encodeURIComponent(change)}`;
      const entry = join(CLI, '..', 'linecard.cjs');
      const run = spawnSync(process.execPath, ['--import', pretended, entry, ...words], { encoding: 'utf8' });
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

  describe('without a home folder', () => {
    /** A user whom the system does not know, as containers have them; with a folder, one whom it does. */
    const userWith = (home?: string): Record<string, string> => {
      const found = home === undefined ? `throw new Error('ENOENT')` : `return { homedir: '${home}' }`;
      const change = `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
        os.userInfo = () => { ${found}; }; os.homedir = () => os.userInfo().homedir; syncBuiltinESMExports();`;
      return { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(change)}"` };
    };
    const NO_FOLDERS = { XDG_CONFIG_HOME: undefined, XDG_CACHE_HOME: undefined, HOME: undefined };
    const NOBODY = { LINECARD_URL: undefined, LINECARD_TOKEN: undefined };

    for (const HOME of [undefined, '', '.']) {
      test(`it works by its variables, and a sign-in says what to do (HOME is ${HOME})`, async () => {
        const before = readdirSync(customer.home);
        const environment = { ...NO_FOLDERS, HOME, ...userWith() };
        const answered = await customer.alone(['whoami'], { environment });
        assert.deepEqual([answered.status, answered.err], [0, '']);
        const words = ['login', '--url', customer.url];
        const refused = await customer.alone(words, {
          environment: { ...environment, ...NOBODY },
          input: customer.token,
        });
        assert.equal(refused.status, 1);
        assert.match(
          refused.err,
          /^linecard: There is no home folder .* Set XDG_CONFIG_HOME .* or set LINECARD_URL/,
        );
        const unknown = await customer.alone(['whoami'], { environment: { ...environment, ...NOBODY } });
        assert.match(unknown.err, /^linecard: You are not signed in/);
        for (const more of [['logout'], ['complete', '--', 'virtual-numbers', 'list', '--providers', '']])
          assert.equal((await customer.alone(more, { environment })).status, 0, String(more[0]));
        assert.deepEqual(readdirSync(customer.home), before);
      });
    }

    for (const [variable, value] of [
      ['HOME', ''],
      ['XDG_CONFIG_HOME', ''],
      ['XDG_CONFIG_HOME', 'config'],
    ] as const) {
      test(`a token is never written into the current folder (${variable}=${value})`, async () => {
        const home = join(customer.home, `home of ${variable} ${value}`);
        const before = readdirSync(customer.home);
        const environment = { ...NO_FOLDERS, ...NOBODY, ...userWith(home), [variable]: value };
        const words = ['login', '--url', customer.url];
        const { status, err } = await customer.alone(words, { environment, input: customer.token });
        assert.equal(status, 0, err);
        assert.ok(err.includes(`Stored in ${home}`), err);
        rmSync(home, { recursive: true });
        assert.deepEqual(readdirSync(customer.home), before);
      });
    }

    test('a folder that cannot be made is a failure in a sentence', async () => {
      const file = join(customer.home, 'file');
      writeFileSync(file, '');
      const environment = { ...NOBODY, XDG_CONFIG_HOME: join(file, 'below') };
      const words = ['login', '--url', customer.url];
      const { status, err } = await customer.linecard(words, { environment, input: customer.token });
      assert.equal(status, 1);
      assert.match(err, /^linecard: .+config\.json cannot be written: there is no such folder\.\n$/);
    });
  });

  describe('behind a proxy', () => {
    const host = 'http://linecard.example.com';
    const whoami = (environment: Record<string, string>) =>
      customer.alone(['whoami'], { environment: { LINECARD_URL: host, ...environment } });

    test('it uses the proxy that the environment names, over HTTP and HTTPS', async () => {
      const proxy = await openProxy({ port: Number(new URL(customer.url).port), login: 'ada:p@ss' });
      const receiver = await openReceiver((response, { headers }, request) =>
        fetch(customer.url + request.url, { headers: { authorization: String(headers.authorization) } })
          .then((answer) => answer.text())
          .then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body)),
      );
      const tunnel = await openProxy({ port: receiver.port });
      try {
        for (const name of ['HTTP_PROXY', 'http_proxy']) {
          const { status, err } = await whoami({ [name]: `http://ada:p%40ss@${proxy.host}` });
          assert.deepEqual([status, err], [0, '']);
        }
        assert.ok(proxy.requests.includes(`GET ${host}/api/v1/account`), String(proxy.requests));
        for (const name of ['HTTPS_PROXY', 'https_proxy']) {
          const { status, err } = await whoami({
            LINECARD_URL: 'https://receiver.example',
            NODE_EXTRA_CA_CERTS: testCertificate().file,
            [name]: tunnel.host,
          });
          assert.deepEqual([status, err], [0, '']);
        }
        assert.ok(tunnel.requests.includes('CONNECT receiver.example:443'), String(tunnel.requests));
      } finally {
        await receiver.close();
        proxy.close();
        tunnel.close();
      }
    });

    test('this machine and what NO_PROXY has never go through it', async () => {
      const proxy = { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' };
      const local = await whoami({ ...proxy, LINECARD_URL: customer.url });
      assert.deepEqual([local.status, local.err], [0, '']);
      for (const NO_PROXY of ['invalid', 'a.example, .invalid', '*.invalid:80', '*']) {
        const { err } = await whoami({ ...proxy, LINECARD_URL: 'http://linecard.invalid', NO_PROXY });
        assert.match(
          err,
          /^linecard: No answer from http:\/\/linecard\.invalid: (?:no host|its name)/,
          NO_PROXY,
        );
      }
    });

    test('an error names the proxy, without its password', async () => {
      const proxy = await openProxy({ port: 1, login: 'ada:secret' });
      const strict = await openProxy({ port: 1, refusal: 403 });
      const secure = 'https://linecard.example.com';
      try {
        for (const [environment, said] of [
          [
            { HTTP_PROXY: 'http://ada:secret@127.0.0.1:1' },
            /the proxy http:\/\/127\.0\.0\.1:1 \(HTTP_PROXY\) was used, and nothing listens there/,
          ],
          [
            { https_proxy: proxy.host, LINECARD_URL: secure },
            /\(https_proxy\) was used, and it asks for a user name and a password/,
          ],
          [{ HTTP_PROXY: proxy.host }, /\(HTTP_PROXY\) was used, and it asks for a user name and a password/],
          [{ HTTPS_PROXY: strict.url, LINECARD_URL: secure }, /it refuses to connect to this host/],
          [
            { HTTPS_PROXY: 'socks5://127.0.0.1:1', LINECARD_URL: secure },
            /^linecard: HTTPS_PROXY must be the address of an HTTP proxy, .* NO_PROXY=linecard\.example\.com/,
          ],
        ] as const) {
          const { status, out, err } = await whoami({ ...environment });
          assert.deepEqual([status, out], [1, '']);
          assert.match(err, said);
          assert.doesNotMatch(err, /secret|Trying again/);
        }
      } finally {
        proxy.close();
        strict.close();
      }
    });
  });
});
