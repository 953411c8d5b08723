// The TLS certificate: read at startup and again when its files change, so that renewals need no restart.

import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { FastifyBaseLogger } from 'fastify';
import { Failed } from '../errors.ts';

const CHECK_MILLISECONDS = 10_000;

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** @throws {Failed} if the files cannot be read or do not match. */
export function readCertificate({ cert, key }: CertificateFiles): Certificate {
  try {
    const certificate = { cert: readFileSync(cert), key: readFileSync(key) };
    createSecureContext(certificate);
    return certificate;
  } catch (error) {
    throw new Failed(
      `The certificate cannot be used: ${(error as Error).message}. --tls-cert and --tls-key must be readable PEM files that belong together.`,
      { cause: error },
    );
  }
}

/** Uses changed files for new connections. Returns a function that stops watching them. */
export function followCertificate(
  server: Server,
  files: CertificateFiles,
  logger: FastifyBaseLogger,
  everyMs = CHECK_MILLISECONDS,
): () => void {
  const paths: readonly string[] = [files.cert, files.key];
  const renew = () => {
    try {
      (server as unknown as TlsServer).setSecureContext(readCertificate(files));
      logger.info('certificate reloaded');
    } catch (error) {
      // Expected if only one of the two files has been replaced so far.
      logger.warn({ reason: (error as Error).message }, 'changed certificate cannot be used');
    }
  };
  for (const path of paths) watchFile(path, { interval: everyMs, persistent: false }, renew);
  return () => {
    for (const path of paths) unwatchFile(path, renew);
  };
}
