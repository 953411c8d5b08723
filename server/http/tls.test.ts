// The certificate of `serve`: a pair that does not belong together is refused at start, and changes nothing
// of a service that runs.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { hasOpenssl, joined, makeCertificate } from '../../test/kit/certificates.ts';
import { temporaryFolder } from '../../test/kit/temporary-folder.ts';
import { until } from '../../test/kit/until.ts';
import { isInOrder } from '../certificates.ts';
import { certificateEnd, certificateState, followCertificate, readCertificate } from './tls.ts';

const EVERY_MS = 20;
const DAY_MS = 86_400_000;

/** The name in the certificate that a client is shown. */
async function nameAt(server: Server): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const socket: TLSSocket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

describe('a certificate and its key', { skip: !hasOpenssl && 'openssl is not installed' }, () => {
  const folder = temporaryFolder();
  const inFolder = (name: string) => join(folder, name);
  const [ec, rsa, other] = [
    makeCertificate(folder, 'ec'),
    makeCertificate(folder, 'rsa', { kind: 'rsa' }),
    makeCertificate(folder, 'other', { kind: 'rsa' }),
  ];
  const [leaf, locked] = [
    makeCertificate(folder, 'leaf', { kind: 'rsa', issuer: 'ec' }),
    makeCertificate(folder, 'locked', { passphrase: 'hush' }),
  ];
  const chain = joined(inFolder('chain.pem'), leaf.cert, ec.cert);
  const reversed = joined(inFolder('reversed.pem'), ec.cert, leaf.cert);
  const half = (path: string) => {
    const name = `${path}.half`;
    writeFileSync(name, readFileSync(path).subarray(0, 200));
    return name;
  };

  for (const [what, files, says] of [
    ['of two kinds, EC and RSA', { cert: ec.cert, key: rsa.key }, /key of --tls-key is not that of the cert/],
    ['of two kinds, RSA and EC', { cert: rsa.cert, key: ec.key }, /key of --tls-key is not that of the cert/],
    ['of one kind that do not fit', { cert: rsa.cert, key: other.key }, /key of --tls-key is not that of/],
    [
      'whose chain begins with the issuer',
      { cert: reversed, key: leaf.key },
      /not the first in --tls-cert: put/,
    ],
    ['with a passphrase', locked, /the key of --tls-key has a passphrase: write it without one/],
    ['with half of a key', { cert: ec.cert, key: half(ec.key) }, /--tls-key has no complete private key/],
    ['with half of a certificate', { cert: half(ec.cert), key: ec.key }, /no complete certificate in PEM/],
    [
      'with half of an issuer',
      { cert: joined(inFolder('cut.pem'), leaf.cert, half(ec.cert)), key: leaf.key },
      /OpenSSL/,
    ],
    ['in each other’s place', { cert: ec.key, key: ec.cert }, /--tls-key has no complete private key/],
    ['that are not there', { cert: inFolder('none.pem'), key: ec.key }, /no such file/],
  ] as const) {
    test(`${what} are refused at start, with what to do`, () => {
      assert.throws(() => readCertificate(files), says);
      assert.throws(
        () => readCertificate(files),
        /^Failed: The certificate cannot be used: .*belong together\.$/,
      );
    });
  }

  test('that fit are used, each alone, with a chain, and in one file', () => {
    const both = joined(inFolder('both.pem'), rsa.key, rsa.cert);
    for (const files of [ec, rsa, { cert: chain, key: leaf.key }, { cert: both, key: both }])
      assert.ok(readCertificate(files).cert.length > 0);
  });

  test('are warned of where they are not valid now, or the chain is in another order', () => {
    const pem = { cert: readFileSync(chain) };
    const ends = certificateEnd(chain) ?? 0;
    assert.equal(certificateState(pem, ends * 1_000 - 1).status, 'advice');
    assert.equal(certificateState(pem, ends * 1_000 + 1).status, 'wrong');
    assert.equal(certificateEnd(inFolder('none.pem')), undefined);
    assert.match(certificateState(pem, Date.now() - 3 * DAY_MS).says, /not valid before/);
    assert.match(certificateState(pem, Date.now() + 3 * DAY_MS).says, /expired at/);
    assert.equal(isInOrder(pem.cert), true);
    assert.equal(isInOrder(readFileSync(joined(inFolder('mixed.pem'), leaf.cert, rsa.cert, ec.cert))), false);
  });

  test('keep the pair from before until both new ones are there, whatever their kinds', async () => {
    const files = { cert: inFolder('live.pem'), key: inFolder('live.key') };
    const install = (part: 'cert' | 'key', from: string) => copyFileSync(from, files[part]);
    install('cert', rsa.cert);
    install('key', rsa.key);
    const server = createServer(readCertificate(files)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const said: string[] = [];
    const logger = {
      info: (text: string) => said.push(text),
      warn: (first: string | object, text?: string) => said.push(text ?? (first as string)),
    };
    const end = followCertificate(server, files, logger as never, EVERY_MS);
    try {
      for (const [first, second] of [
        ['cert', 'key'],
        ['key', 'cert'],
      ] as const) {
        const before = await nameAt(server);
        const next = before === 'rsa' ? ec : rsa;
        said.length = 0;
        // What is written before the files are looked at for the first time is no change.
        await until('half of it is refused', async () => {
          install(first, next[first]);
          await sleep(EVERY_MS);
          return said.some((text) => text.includes('the one from before is kept'));
        });
        assert.equal(await nameAt(server), before);
        await until('both are used', async () => {
          install(second, next[second]);
          await sleep(EVERY_MS);
          return said.includes('certificate reloaded');
        });
        assert.equal(await nameAt(server), next === ec ? 'ec' : 'rsa');
        assert.ok(said.some((text) => text.startsWith('The certificate expires at')));
      }
    } finally {
      end();
      server.close();
    }
  });
});
