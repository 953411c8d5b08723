// The parameters of a PostgreSQL URL: what is mistyped is refused, and TLS is what libpq makes of `sslmode`.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openPostgres } from '../../server/import/sources/postgres.ts';
import { parameterFault } from '../../server/postgres-url.ts';
import { openStore } from '../../server/store/open.ts';
import { statement } from '../../server/store/sql.ts';
import { StoreRefused } from '../../server/store/store-errors.ts';
import { hasOpenssl, makeCertificate } from '../kit/certificates.ts';
import { giveToServer, serverFolder } from '../kit/postgres-process.ts';
import { PostgresServer } from '../kit/postgres-server.ts';
import { runProgram } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const URL_OF = 'postgres://user:secret@127.0.0.1:1/linecard';

describe('the parameters of a PostgreSQL URL', () => {
  for (const [query, says] of [
    ['sslmoed=require', /the unknown parameter sslmoed\. Did you mean sslmode\?/],
    ['sslmode=require&wholly-unknown=x', /the unknown parameter wholly-unknown\. Use one of host, .*sslmode/],
    ['sslmode=requrie', /an sslmode that is not one of disable, prefer, require, verify-ca, verify-full/],
    ['sslmode=verify-ca', /verify-ca without sslrootcert/],
    ['sslmode=verify-full&sslrootcert=/none/ca.pem', /a file in sslrootcert that cannot be read/],
    ['pasword=hush', /the unknown parameter pasword\. Did you mean password\?/],
  ] as const) {
    test(`are refused where they are ${query}`, async () => {
      await assert.rejects(openStore(`${URL_OF}?${query}`, 'read'), (error) => {
        assert.ok(error instanceof StoreRefused, String(error));
        assert.match(error.message, says);
        assert.match(error.message, /^The database URL has |^The database URL names /);
        assert.doesNotMatch(error.message, /secret|hush/);
        return true;
      });
      const replicas = { urls: [`${URL_OF}?${query}`], maxLagMs: 1, health: new Int32Array() as never };
      await assert.rejects(openStore(URL_OF, 'read', { replicas }), says);
    });
  }

  test('may be what Linecard does not heed, where libpq has it', () => {
    assert.equal(parameterFault(`${URL_OF}?connect_timeout=10&keepalives=1&application_name=x`), undefined);
  });
});

describe('TLS to PostgreSQL', { skip: !hasOpenssl && 'openssl is not installed' }, () => {
  let server: PostgresServer;
  let ca: string;

  before(async () => {
    const folder = serverFolder('linecard-tls-');
    const [key, cert] = [join(folder, 'server.key'), join(folder, 'server.pem')];
    const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=db.example', '-days', '2'];
    const made = spawnSync('openssl', [...words, '-keyout', key, '-out', cert], { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
    giveToServer(folder);
    ca = encodeURIComponent(cert);
    const settings = ['ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`];
    server = await PostgresServer.start(settings.flatMap((one) => ['-c', one]));
    await (await openStore(server.url, 'write')).close();
  });
  after(() => server.stop());

  async function isEncrypted(query: string): Promise<boolean> {
    const store = await openStore(`${server.url}?${query}`, 'read');
    try {
      const text = 'select ssl::int from pg_stat_ssl where pid = pg_backend_pid()';
      const [[row]] = await store.read(statement(text));
      return row?.[0] === 1;
    } finally {
      await store.close();
    }
  }

  test('is what sslmode says, as psql takes it', async () => {
    assert.equal(await isEncrypted('sslmode=disable'), false);
    for (const query of ['require', 'prefer', `require&sslrootcert=${ca}`, `verify-ca&sslrootcert=${ca}`])
      assert.equal(await isEncrypted(`sslmode=${query}`), true, query);
    // The certificate is signed by nobody, and is of another name.
    for (const [query, says] of [
      ['verify-full', /cannot be reached: self-signed certificate\. Add sslrootcert=FILE to the URL, .*\.$/],
      [
        `verify-full&sslrootcert=${ca}`,
        /reached: the certificate is for another host .* or sslmode=verify-ca\.$/,
      ],
    ] as const) {
      await assert.rejects(isEncrypted(`sslmode=${query}`), says, query);
      const source = { sql: 'select 1', url: `${server.url}?sslmode=${query}` };
      await assert.rejects(openPostgres(source), says, query);
    }
  });

  test('is refused for a client certificate whose key is another, or has a passphrase', async () => {
    const folder = temporaryFolder();
    const [ec, rsa] = [makeCertificate(folder, 'ec'), makeCertificate(folder, 'rsa', { kind: 'rsa' })];
    const locked = makeCertificate(folder, 'locked', { passphrase: 'hush' });
    for (const [{ cert, key }, says] of [
      [ec, undefined],
      [
        { cert: ec.cert, key: rsa.key },
        /cannot be used: the key of sslkey is not that of the certificate in ssl/,
      ],
      [locked, /cannot be used: the key of sslkey has a passphrase: write it without one/],
      [{ cert: ec.key, key: ec.key }, /cannot be used: sslcert has no complete certificate/],
    ] as const) {
      const query = new URLSearchParams({ sslmode: 'require', sslcert: cert, sslkey: key });
      if (says === undefined) assert.equal(await isEncrypted(query.toString()), true);
      else await assert.rejects(isEncrypted(query.toString()), says);
    }
    const roots = new URLSearchParams({ sslmode: 'verify-ca', sslrootcert: ec.key });
    await assert.rejects(isEncrypted(roots.toString()), /sslrootcert that has no complete certificate/);
  });

  test('writes nothing of the driver to standard error', async () => {
    const url = `${server.url}?sslmode=require`;
    const { status, out, err } = await runProgram(['account', 'list', '--json', '--database-url', url]);
    assert.deepEqual([status, out, err], [0, '[]\n', '']);
  });
});
