// Certificates and their keys, as PEM: what is wrong with a pair of them before anybody connects.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

export interface CertificatePair {
  /** The certificate itself, and after it those of its issuers. */
  readonly cert: Buffer;
  readonly key: Buffer;
}

const PEM =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;
const ENCRYPTED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/;

/** The certificates of a file, in its order; what is no certificate is left out. */
function certificatesOf(file: Buffer): X509Certificate[] {
  return (file.toString('latin1').match(PEM) ?? []).flatMap((pem) => {
    try {
      return [new X509Certificate(pem)];
    } catch {
      return [];
    }
  });
}

function keyOf(key: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(key);
  } catch {
    return undefined;
  }
}

/**
 * What is wrong with a certificate and its key, as a sentence without its full stop; `undefined` if nothing
 * is. `names` are those of the two settings. OpenSSL itself takes a pair of two kinds, such as RSA and EC,
 * and then no client can connect.
 */
export function pairFault(
  { cert, key }: CertificatePair,
  names: Readonly<Record<keyof CertificatePair, string>>,
): string | undefined {
  if (ENCRYPTED.test(key.toString('latin1')))
    return `the key of ${names.key} has a passphrase: write it without one, such as with "openssl pkey -in KEY -out NEW_KEY"`;
  const privateKey = keyOf(key);
  if (privateKey === undefined) return `${names.key} has no complete private key in PEM format`;
  const [first, ...others] = certificatesOf(cert);
  if (first === undefined) return `${names.cert} has no complete certificate in PEM format`;
  if (!first.checkPrivateKey(privateKey)) {
    return others.some((one) => one.checkPrivateKey(privateKey))
      ? `the certificate of the key is not the first in ${names.cert}: put it first, and those of its issuers after it`
      : `the key of ${names.key} is not that of the certificate in ${names.cert}`;
  }
  try {
    createSecureContext({ cert, key });
    return undefined;
  } catch (error) {
    return `OpenSSL refuses it (${(error as Error).message})`;
  }
}

export const hasCertificate = (file: Buffer): boolean => certificatesOf(file).length > 0;

/** Whether each certificate of a file is followed by that of its issuer. */
export function isInOrder(cert: Buffer): boolean {
  const all = certificatesOf(cert);
  return all.every((one, i) => i === 0 || all[i - 1]?.checkIssued(one) === true);
}
