// The parameters of a PostgreSQL URL: which there are, and how the driver is to read them. The driver takes
// any name and means nothing by most, so that a mistyped one could leave TLS out.

import { accessSync, constants } from 'node:fs';
import { nearest } from '@linecard/client/contract/suggestion';

/** From the weakest to the strongest; libpq's `allow` begins in clear text, which the driver cannot do. */
const MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];
/** What the driver does by them is what libpq does. */
const TAKEN = [
  'host',
  'port',
  'user',
  'password',
  'sslmode',
  ...FILES,
  'sslnegotiation',
  'options',
  'application_name',
  'client_encoding',
  'target_session_attrs',
];
/** Of libpq, often part of a URL, and not heeded: Linecard has deadlines and signs of life of its own. */
const NOT_HEEDED = [
  'connect_timeout',
  'fallback_application_name',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'tcp_user_timeout',
];
/** Has the driver take `sslmode` for what libpq takes it for. */
const AS_LIBPQ = 'uselibpqcompat';

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * What is wrong with the parameters of a URL, as the end of a sentence whose subject is the URL;
 * `undefined` where nothing is. It repeats no value: one may be a password.
 */
export function parameterFault(url: string): string | undefined {
  const { searchParams } = new URL(url);
  const known = [...TAKEN, ...NOT_HEEDED];
  const unknown = [...searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, known);
    const advice = meant === undefined ? `There are ${TAKEN.join(', ')}.` : `Is it to be ${meant}?`;
    return `has the parameter ${unknown}, which is none that Linecard takes. ${advice}`;
  }
  const mode = searchParams.get('sslmode');
  if (mode !== null && !MODES.includes(mode)) return `has an sslmode that is none of ${MODES.join(', ')}.`;
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert'))
    return 'has sslmode=verify-ca without sslrootcert, the file of the authority.';
  const missing = FILES.find((name) => searchParams.has(name) && !isReadable(String(searchParams.get(name))));
  return missing === undefined ? undefined : `names a file as ${missing} that cannot be read.`;
}

/** Codes of certificates that nobody signed who is trusted. */
const UNTRUSTED = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];
const NODES_ADVICE = /; if the root CA is installed locally.*$/;

/** What an error of TLS says of the server's certificate, and what to change; `undefined` for any other. */
export function certificateFault(error: unknown): string | undefined {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate is of another host (${message.trim()}). Name the host as it does, or say sslmode=verify-ca.`;
  if (!UNTRUSTED.includes(code)) return undefined;
  const says = message.replace(NODES_ADVICE, '');
  return `${says}. Name the certificate of the authority that signed its own with sslrootcert=FILE in the URL.`;
}

/** A URL without fault as the driver is to have it. */
export function driverUrl(url: string): string {
  const withModes = new URL(url);
  if (!withModes.searchParams.has('sslmode')) return url;
  withModes.searchParams.set(AS_LIBPQ, 'true');
  return withModes.href;
}
