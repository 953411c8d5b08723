// Where the service runs: its connections behind a proxy, a Unix socket, TLS, settings in a file, a database
// that comes later, and a Node.js that is too old. Each as an operator would set it up.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as requestOverHttp } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { settingsFindings } from '../../server/commands/doctor-checks.ts';
import { certificateState, followCertificate } from '../../server/http/tls.ts';
import { readSettings } from '../../server/settings/config.ts';
import { type SettingName, settings as table } from '../../server/settings/settings.ts';
import { COPYING, setDeploymentValue } from '../../server/store/deployment.ts';
import { openStore } from '../../server/store/open.ts';
import { hasOpenssl, makeCertificate } from '../kit/certificates.ts';
import { freePort } from '../kit/free-port.ts';
import { killPrograms, startProgram } from '../kit/program.ts';
import { databaseOf, openService, type Service, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const PATIENCE_MS = 60_000;
const [kind] = stores;
const DAY_MS = 86_400_000;
const everySetting = Object.keys(table) as SettingName[];

describe('a connection', () => {
  const [IDLE_MS, KEEP_ALIVE_MS] = [1_000, 2_000];
  assert.ok(kind !== undefined);
  let service: Service;
  let port: number;
  before(async () => {
    service = await openService(kind, { idleMs: IDLE_MS, keepAliveMs: KEEP_ALIVE_MS });
    port = await service.listen();
  });
  after(async () => service.close());

  test('stays open between requests for as long as a proxy wants to use it again', {
    timeout: PATIENCE_MS,
  }, async () => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    let text = '';
    socket.on('data', (some: string) => {
      text += some;
    });
    let isOpen = true;
    const closed = once(socket, 'close').then(() => {
      isOpen = false;
    });
    const ask = () => socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    ask();
    await sleep(1.5 * IDLE_MS);
    assert.ok(isOpen, 'it was closed as if it had asked nothing');
    assert.match(text, /^keep-alive: timeout=2$/im);
    ask();
    await closed;
    assert.equal(text.match(/HTTP\/1\.1 200 /g)?.length, 2);
  });

  test('without a request is closed all the same', { timeout: PATIENCE_MS }, async () => {
    const socket = connect(port, '127.0.0.1').resume();
    await once(socket, 'close');
  });
});

describe('answers without a validator', () => {
  assert.ok(kind !== undefined);
  test('may not be stored, and those with one may be revalidated', async (t) => {
    const service = await openService(kind, { accounts: ['acme'] });
    t.after(() => service.close());
    for (const path of ['/healthz', '/readyz', '/nothing', '/api/v1/did/me?page=0']) {
      const { headers } = await service.ask('acme', path);
      assert.deepEqual([headers['cache-control'], headers['etag']], ['no-store', undefined], path);
    }
    for (const path of ['/api/v1/did/me', '/api/v1/account', '/docs', '/docs.md', '/openapi.json']) {
      const { headers } = await service.ask('acme', path);
      assert.match(headers['cache-control'] ?? '', /no-cache/, path);
      assert.ok(headers['etag'], path);
    }
  });
});

describe('serve', { concurrency: 2 }, () => {
  const folder = temporaryFolder();
  after(killPrograms);

  function start(words: readonly string[], env: Record<string, string> = {}) {
    const { child, said, ended, says } = startProgram(words, { cwd: folder, env });
    const signal = (name: NodeJS.Signals) => child.kill(name);
    return { says, ended: ended.then(({ status }) => status), said: () => said.all, signal };
  }

  function ask(options: object, send = requestOverHttp): Promise<{ status: number; peer?: PeerCertificate }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; peer?: PeerCertificate }>();
    const outgoing = send({ agent: false, path: '/healthz', ...options }, (answer) => {
      const { socket } = answer;
      const peer = (socket as TLSSocket).getPeerCertificate?.();
      answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, ...(peer ? { peer } : {}) }));
    });
    outgoing.on('error', reject).end();
    return promise;
  }

  test('listens on a Unix socket that its group may use, also where one was left behind', async () => {
    const socket = join(folder, 'linecard.sock');
    writeFileSync(join(folder, 'socket.json'), JSON.stringify({ socket, database_url: 'sqlite:socket.db' }));
    const words = ['serve', '--create', '--config', 'socket.json'];
    const first = start(words);
    await first.says(/Linecard answers at unix:/);
    assert.equal(statSync(socket).mode & 0o777, 0o660);
    const second = start(words);
    assert.equal(await second.ended, 1);
    assert.match(second.said(), /Another program is listening on .*linecard\.sock/);
    first.signal('SIGKILL');
    await first.ended;
    const third = start(words);
    await third.says(/Linecard answers at unix:/);
    const { status } = await ask({
      socketPath: socket,
      path: '/',
      headers: { 'x-forwarded-for': '192.0.2.7' },
    });
    assert.ok(status < 400);
    // The proxy is the only peer that there can be.
    await third.says(/"peer":"192\.0\.2\.7"/);
    third.signal('SIGTERM');
    assert.equal(await third.ended, 0);
    assert.throws(() => statSync(socket), 'it was left behind');
  });

  test('leaves alone what is no socket where --socket names it, its own database included', async () => {
    const here = join(folder, 'no-socket');
    mkdirSync(join(here, 'folder'), { recursive: true });
    const run = async (...words: string[]) => {
      const { ended, said } = startProgram(words, { cwd: here });
      return [(await ended).status, said.all] as const;
    };
    const [status, said] = await run('migrate', '--database-url', 'sqlite:s.db');
    assert.equal(status, 0, said);
    writeFileSync(join(here, 'notes.txt'), 'precious');
    symlinkSync('notes.txt', join(here, 'link'));
    const database = readFileSync(join(here, 's.db'));
    for (const [path, says] of [
      ['notes.txt', /notes\.txt is a file, not a socket.*--socket/],
      ['s.db', /s\.db is a file, not a socket/],
      ['link', /link is a link, not a socket/],
      ['folder', /folder is a folder, not a socket/],
      ['notes.txt/x', /The folder of notes\.txt\/x does not exist/],
    ] as const) {
      const [served, why] = await run('serve', '--database-url', 'sqlite:s.db', '--socket', path);
      assert.equal(served, 1, why);
      assert.match(why, says);
    }
    assert.equal(readFileSync(join(here, 'notes.txt'), 'utf8'), 'precious');
    assert.deepEqual(readFileSync(join(here, 's.db')), database);
    const [, found] = await run('doctor', '--database-url', 'sqlite:s.db', '--socket', 'folder');
    assert.match(found, /^wrong +settings +folder is a folder, not a socket/m);
  });

  test('takes settings from a file; variables and options win; what is none is named', async () => {
    const file = join(folder, 'settings.json');
    writeFileSync(
      file,
      JSON.stringify({ port: 'eighty', max_page_size: 5, log_level: 'silent', mappings: 'x' }),
    );
    const words = ['serve', '--create', '--config', file];
    const wrong = start(words);
    assert.equal(await wrong.ended, 2);
    assert.match(wrong.said(), /settings\.json: port must be an integer from 0 to 65535, but was "eighty"/);
    const served = start([...words, '--port', '0'], {
      LINECARD_DATABASE_URL: 'sqlite:file.db',
      LINECARD_MAX_PAGE_SIZE: '7',
    });
    const [, url] = await served.says(/Linecard answers at (http:\S+?);/);
    const document = await (await fetch(`${url}/openapi.json`)).text();
    assert.match(document, /"maximum":7\b/);
    served.signal('SIGTERM');
    await served.ended;
    for (const [text, says] of [
      ['{"prot": 1}', /"prot" is not a setting.*"port"/],
      ['{"port": {}}', /port must be a string, a number, true or false/],
      ['[1]', /must be a JSON object/],
      ['{', /is not JSON/],
    ] as const) {
      writeFileSync(file, text);
      const refused = start(['migrate', '--config', file]);
      assert.equal(await refused.ended, 2, refused.said());
      assert.match(refused.said(), says);
    }
  });

  test('waits for a database that comes later, and says so', async () => {
    const url = 'postgres://linecard@127.0.0.1:1/linecard';
    const waiting = start(['serve', '--port', '0', '--database-url', url, '--wait-for-database', '1s']);
    assert.equal(await waiting.ended, 1);
    const lines = waiting.said().trimEnd().split('\n');
    assert.deepEqual([lines.length, lines.map((line) => JSON.parse(line).level)], [2, [30, 60]]);
    assert.match(lines[0] ?? '', /cannot be reached.*Waiting up to 1 seconds/);
  });

  test('is alive and not ready while it waits for its database', async () => {
    const port = String(await freePort());
    const url = 'postgres://linecard@127.0.0.1:1/linecard';
    const waiting = start(['serve', '--port', port, '--database-url', url, '--wait-for-database', '1m']);
    await waiting.says(/Waiting up to/);
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await until('it listens', async () => (await get('/healthz').catch(() => undefined))?.ok === true);
    assert.deepEqual(await (await get('/healthz')).json(), { status: 'alive' });
    for (const path of ['/readyz', '/api/v1/did/me']) {
      const answer = await get(path);
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1']);
      assert.match(await answer.text(), /is waiting for its database/);
    }
    waiting.signal('SIGTERM');
    await waiting.ended;
  });

  test('refuses a URL of several hosts, without the password', async () => {
    const several = start(['migrate', '--database-url', 'postgres://u:p@one:5432,two:5432/linecard']);
    assert.equal(await several.ended, 1);
    assert.match(several.said(), /names several hosts\. Name one address/);
    assert.doesNotMatch(several.said(), /u:p/);
  });

  test('warns of clear text beyond this machine, unless a proxy is named or it speaks TLS', async () => {
    const words = [
      'serve',
      '--create',
      '--port',
      '0',
      '--database-url',
      'sqlite:clear.db',
      '--host',
      '0.0.0.0',
    ];
    const clear = start(words);
    await clear.says(/"level":40.*clear text, on every address of this machine.*--trust-proxy.*--tls-cert/);
    await clear.says(/Linecard answers/);
    clear.signal('SIGTERM');
    await clear.ended;
    const behind = start([...words, '--trust-proxy', '10.0.0.0/8']);
    await behind.says(/Linecard answers/);
    behind.signal('SIGTERM');
    await behind.ended;
    assert.doesNotMatch(behind.said(), /clear text/);
    const half = start([...words, '--tls-cert', 'cert.pem']);
    assert.equal(await half.ended, 2);
    assert.match(half.said(), /^linecard-server: TLS needs both the certificate and its key/);
  });

  test('speaks TLS, and takes a renewed certificate without a restart', {
    skip: !hasOpenssl && 'openssl is not installed',
  }, async () => {
    for (const name of ['one', 'two']) makeCertificate(folder, name);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const install = (name: string) => {
      copyFileSync(join(folder, `${name}.pem`), cert);
      copyFileSync(join(folder, `${name}.key`), key);
    };
    install('one');
    const words = [
      'serve',
      '--create',
      '--port',
      '0',
      '--database-url',
      'sqlite:tls.db',
      '--tls-cert',
      cert,
      '--tls-key',
      key,
    ];
    const served = start(words);
    const [, port] = await served.says(/Linecard answers at https:\/\/127\.0\.0\.1:(\d+);/);
    const name = async () => {
      const answer = await ask({ port, rejectUnauthorized: false }, requestOverTls);
      assert.equal(answer.status, 200);
      return answer.peer?.subject.CN;
    };
    assert.equal(await name(), 'one');
    await assert.rejects(ask({ port, host: '127.0.0.1' }), 'it answered without TLS');
    served.signal('SIGTERM');
    assert.equal(await served.ended, 0);

    const used: string[] = [];
    const server = { setSecureContext: (made: { cert: Buffer }) => used.push(made.cert.toString()) };
    const reported: string[] = [];
    const logger = { info: () => reported.push('info'), warn: () => reported.push('warn') };
    const end = followCertificate(server as never, { cert, key }, logger as never, 20);
    // Half of a new one is not used; the other half makes it whole. What is copied before the files were
    // looked at for the first time is no change, so it is copied again.
    await until('half of it is refused', async () => {
      copyFileSync(join(folder, 'two.pem'), cert);
      await sleep(100);
      return reported.includes('warn');
    });
    await until('the whole is used', async () => {
      copyFileSync(join(folder, 'two.key'), key);
      await sleep(100);
      return used.length > 0;
    });
    end();
    assert.equal(used.at(-1), readFileSync(join(folder, 'two.pem'), 'utf8'));
    const mixed = start([...words.slice(0, -1), join(folder, 'one.key')]);
    assert.equal(await mixed.ended, 1);
    assert.match(mixed.said(), /The certificate cannot be used/);
  });

  test('warns of a certificate that has expired or soon will, and doctor finds it', {
    skip: !hasOpenssl && 'openssl is not installed',
  }, async () => {
    const { cert: tls_cert, key: tls_key } = makeCertificate(folder, 'short');
    const settings = { ...readSettings([...everySetting, 'demo'], {}, {}), tls_cert, tls_key };
    const found = settingsFindings(settings).map(({ check, status }) => `${check} ${status}`);
    assert.deepEqual(found, ['certificate advice']);
    const pem = { cert: readFileSync(tls_cert) };
    const statusIn = (days: number) => certificateState(pem, Date.now() + days * DAY_MS).status;
    assert.deepEqual([-30, -1, 1, 3].map(statusIn), ['wrong', 'wrong', 'advice', 'wrong']);
    assert.equal(certificateState(pem, Date.now() + 3 * DAY_MS).says.includes('expired at 2'), true);
    const url = 'sqlite:short.db';
    const words = ['serve', '--create', '--port', '0', '--tls-cert', tls_cert, '--tls-key', tls_key];
    const served = start([...words, '--database-url', url]);
    await served.says(/"level":40.*The certificate expires at .*Renew/);
    await served.says(/Linecard answers/);
    served.signal('SIGTERM');
    await served.ended;
  });

  test('ends where the port of its metrics is that of the service, or is taken, and says so', {
    timeout: PATIENCE_MS,
  }, async () => {
    const port = String(await freePort());
    const words = ['serve', '--create', '--database-url', 'sqlite:ports.db', '--metrics-port', port];
    const both = start([...words, '--port', port]);
    assert.equal(await both.ended, 2);
    assert.match(both.said(), new RegExp(`a separate port: .* are both ${port}\\.`));
    const other = createServer().listen(Number(port), '127.0.0.1');
    await once(other, 'listening');
    for (const workers of ['1', '2']) {
      const taken = start([...words, '--port', '0', '--workers', workers]);
      assert.equal(await taken.ended, 1);
      assert.match(taken.said(), /already in use.*--metrics-port/);
      const unknown = start([...words, '--port', '0', '--workers', workers, '--metrics-host', 'no.invalid']);
      assert.equal(await unknown.ended, 1);
      assert.match(unknown.said(), /The host name no\.invalid cannot be resolved\..* --metrics-host/);
    }
    other.close();
    const long = start([...words, '--socket', join(folder, 'x'.repeat(120))]);
    assert.equal(await long.ended, 1);
    assert.match(long.said(), /x is too long for a Unix socket\. Choose a shorter path with --socket/);
  });

  for (const one of stores) {
    test(`that cannot start on ${one.name} says why, and ends`, { timeout: PATIENCE_MS }, async () => {
      const database = await databaseOf(one);
      const store = await openStore(database.url, 'write');
      await store.write(setDeploymentValue(COPYING, 'yes'));
      await store.close();
      for (const workers of ['1', '2']) {
        const unfinished = start([
          'serve',
          '--port',
          '0',
          '--database-url',
          database.url,
          '--workers',
          workers,
        ]);
        assert.equal(await unfinished.ended, 1);
        assert.match(unfinished.said(), /has not come to its end/);
      }
      await database.remove();
    });
  }
});
