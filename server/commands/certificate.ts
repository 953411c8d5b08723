// The certificate of the service as its settings name it, and how long it is still good for.

import { X509Certificate } from 'node:crypto';
import { type Certificate, type CertificateFiles, readCertificate } from '../http/tls.ts';
import type { ListenSettings } from './listening.ts';

/** A certificate that is renewed in good time never comes so near its end. */
const SOON_MILLISECONDS = 14 * 86_400_000;

/** What is to be known of when a certificate is good. */
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

/** Of the first certificate of the file, which is the service's own; clients refuse one that is `wrong`. */
export function certificateTimes({ cert }: Pick<Certificate, 'cert'>, now = Date.now()): CertificateTimes {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const [from, to] = [validFromDate.toISOString(), validToDate.toISOString()];
  if (now > validToDate.getTime()) return { status: 'wrong', says: `The certificate expired at ${to}.` };
  if (now < validFromDate.getTime())
    return { status: 'wrong', says: `The certificate is good only from ${from} on.` };
  const status = validToDate.getTime() - now < SOON_MILLISECONDS ? 'advice' : 'ok';
  return { status, says: `The certificate expires at ${to}.` };
}

/**
 * What an operator should know of it when the service starts; `undefined` where nothing is to be said.
 * @throws {Failed} where it cannot be used.
 */
export function certificateWarning(settings: ListenSettings): string | undefined {
  const files = certificateFiles(settings);
  if (files === undefined) return undefined;
  const { status, says } = certificateTimes(readCertificate(files));
  return status === 'ok' ? undefined : `${says} Renew the files of --tls-cert and --tls-key.`;
}
