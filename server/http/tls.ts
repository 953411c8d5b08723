// The certificate that the service speaks TLS with: read at the start, and anew when its files change, so
// that one that is renewed needs no restart.

import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { FastifyBaseLogger } from 'fastify';
import { Failed } from '../errors.ts';

const LOOK_MILLISECONDS = 10_000;

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** As PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** @throws {Failed} where the files cannot be read, or do not go together. */
export function readCertificate({ cert, key }: CertificateFiles): Certificate {
  try {
    const certificate = { cert: readFileSync(cert), key: readFileSync(key) };
    createSecureContext(certificate);
    return certificate;
  } catch (error) {
    throw new Failed(
      `The certificate cannot be used: ${(error as Error).message}. --tls-cert and --tls-key must name PEM files that belong together and that this user may read.`,
      { cause: error },
    );
  }
}

/** Has new connections use what the files hold once they change; returns how to end that. */
export function followCertificate(
  server: Server,
  files: CertificateFiles,
  logger: FastifyBaseLogger,
  everyMs = LOOK_MILLISECONDS,
): () => void {
  const paths: readonly string[] = [files.cert, files.key];
  const renew = () => {
    try {
      (server as unknown as TlsServer).setSecureContext(readCertificate(files));
      logger.info('the certificate has changed, and was read anew');
    } catch (error) {
      // While one file is new and the other is not: the next change is the other's.
      logger.warn({ reason: (error as Error).message }, 'the certificate has changed, and cannot be used');
    }
  };
  for (const path of paths) watchFile(path, { interval: everyMs, persistent: false }, renew);
  return () => {
    for (const path of paths) unwatchFile(path, renew);
  };
}
