// The TLS certificate of the service: its files and validity.

import { X509Certificate } from 'node:crypto';
import { type Certificate, type CertificateFiles, readCertificate } from '../http/tls.ts';
import type { ListenSettings } from './listening.ts';

/** Certificates that are renewed in time do not come this close to their expiry. */
const SOON_MILLISECONDS = 14 * 86_400_000;

export interface CertificateTimes {
  readonly status: 'ok' | 'advice' | 'wrong';
  readonly says: string;
}

export function certificateFiles({
  tls_cert: cert,
  tls_key: key,
}: Pick<ListenSettings, 'tls_cert' | 'tls_key'>): CertificateFiles | undefined {
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

/** The validity of the first certificate of the file, which is the service's own. */
export function certificateTimes({ cert }: Pick<Certificate, 'cert'>, now = Date.now()): CertificateTimes {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const [from, to] = [validFromDate.toISOString(), validToDate.toISOString()];
  if (now > validToDate.getTime()) return { status: 'wrong', says: `The certificate expired at ${to}.` };
  if (now < validFromDate.getTime())
    return { status: 'wrong', says: `The certificate is not valid before ${from}.` };
  const status = validToDate.getTime() - now < SOON_MILLISECONDS ? 'advice' : 'ok';
  return { status, says: `The certificate expires at ${to}.` };
}

/**
 * A warning about the certificate at startup, if there is one to give.
 * @throws {Failed} if it cannot be used.
 */
export function certificateWarning(settings: ListenSettings): string | undefined {
  const files = certificateFiles(settings);
  if (files === undefined) return undefined;
  const { status, says } = certificateTimes(readCertificate(files));
  return status === 'ok' ? undefined : `${says} Renew the files of --tls-cert and --tls-key.`;
}
