// The TLS certificate: read at startup and again when its files change, so that renewals need no restart.

import { X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { FastifyBaseLogger } from 'fastify';
import { type CertificatePair, isInOrder, pairFault } from '../certificates.ts';
import { Failed } from '../errors.ts';

const CHECK_MILLISECONDS = 10_000;
/** Certificates that are renewed in time do not come this close to their expiry. */
const SOON_MILLISECONDS = 14 * 86_400_000;
const NAMES = { cert: '--tls-cert', key: '--tls-key' } as const;

export type CertificateFiles = Readonly<Record<keyof CertificatePair, string>>;

/** @throws {Failed} if the files cannot be read or do not match. */
export function readCertificate(files: CertificateFiles): CertificatePair {
  const refused = (why: string, cause?: unknown) =>
    new Failed(
      `The certificate cannot be used: ${why}. --tls-cert and --tls-key must be readable PEM files that belong together.`,
      { cause },
    );
  let pair: CertificatePair;
  try {
    pair = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
  } catch (error) {
    throw refused((error as Error).message, error);
  }
  const fault = pairFault(pair, NAMES);
  if (fault !== undefined) throw refused(fault);
  return pair;
}

export interface CertificateState {
  readonly status: 'ok' | 'advice' | 'wrong';
  readonly says: string;
}

/** The validity of the first certificate of the file, which is the service's own, and the order of all. */
export function certificateState(
  { cert }: Pick<CertificatePair, 'cert'>,
  now = Date.now(),
): CertificateState {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const [from, to] = [validFromDate.toISOString(), validToDate.toISOString()];
  if (now > validToDate.getTime()) return { status: 'wrong', says: `The certificate expired at ${to}.` };
  if (now < validFromDate.getTime())
    return { status: 'wrong', says: `The certificate is not valid before ${from}.` };
  if (validToDate.getTime() - now < SOON_MILLISECONDS)
    return { status: 'advice', says: `The certificate expires at ${to}.` };
  if (!isInOrder(cert)) {
    const says = `The certificates of ${NAMES.cert} are not in order, and some clients refuse them: each must be followed by that of its issuer.`;
    return { status: 'advice', says };
  }
  return { status: 'ok', says: `The certificate expires at ${to}.` };
}

/** When the certificate of a file expires, in seconds since 1970; `undefined` while there is none. */
export function certificateEnd(path: string | undefined): number | undefined {
  if (path === undefined) return undefined;
  try {
    return new X509Certificate(readFileSync(path)).validToDate.getTime() / 1_000;
  } catch {
    return undefined;
  }
}

/**
 * Uses changed files for new connections, once both are there and fit. Returns a function that stops watching
 * them.
 */
export function followCertificate(
  server: Server,
  files: CertificateFiles,
  logger: FastifyBaseLogger,
  everyMs = CHECK_MILLISECONDS,
): () => void {
  const paths: readonly string[] = [files.cert, files.key];
  const renew = () => {
    try {
      const pair = readCertificate(files);
      (server as TlsServer).setSecureContext(pair);
      logger.info('certificate reloaded');
      const { status, says } = certificateState(pair);
      if (status !== 'ok') logger.warn(says);
    } catch (error) {
      // Expected if only one of the two files has been replaced so far.
      const { message: reason } = error as Error;
      logger.warn({ reason }, 'changed certificate cannot be used; the one from before is kept');
    }
  };
  for (const path of paths) watchFile(path, { interval: everyMs, persistent: false }, renew);
  return () => {
    for (const path of paths) unwatchFile(path, renew);
  };
}
