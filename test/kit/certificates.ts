// Certificates for tests, made with openssl: of a kind, and signed by themselves or by another one.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

const KEYS = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  rsa: ['-newkey', 'rsa:2048'],
} as const;

interface CertificateOptions {
  readonly kind?: keyof typeof KEYS;
  /** The name of the one that signs it. */
  readonly issuer?: string;
  readonly passphrase?: string;
}

/** Writes `NAME.pem` and `NAME.key`, valid for two days, and returns their paths. */
export function makeCertificate(folder: string, name: string, options: CertificateOptions = {}) {
  const { kind = 'ec', issuer, passphrase } = options;
  const protection = passphrase === undefined ? ['-nodes'] : ['-passout', `pass:${passphrase}`];
  const signer = issuer === undefined ? [] : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`];
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
  const words = ['req', '-x509', ...KEYS[kind], ...protection, ...signer];
  const made = spawnSync('openssl', [...words, '-days', '2', '-subj', `/CN=${name}`, ...files], {
    cwd: folder,
  });
  assert.equal(made.status, 0, String(made.stderr));
  return { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
}

/** Writes the files one after the other into a new one, and returns its path. */
export function joined(path: string, ...parts: readonly string[]): string {
  writeFileSync(path, parts.map((part) => readFileSync(part, 'utf8')).join(''));
  return path;
}
