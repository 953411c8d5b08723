// The parameters of a PostgreSQL URL. The driver accepts any name and ignores most of them, so a mistyped one
// could disable TLS unnoticed; they are therefore checked here.

import { readFileSync } from 'node:fs';
import { nearest } from '@linecard/client/contract/suggestion';
import { hasCertificate, pairFault } from './certificates.ts';

/** From weakest to strongest. libpq's `allow`, which starts in clear text, is not supported by the driver. */
const MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];
/** The driver interprets these as libpq does. */
const SUPPORTED = [
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
];
/**
 * Parameters of libpq that are accepted and ignored: Linecard has its own deadlines and keepalives, and one
 * host, which must take writes.
 */
const IGNORED = [
  'connect_timeout',
  'fallback_application_name',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'target_session_attrs',
  'tcp_user_timeout',
];
/** Makes the driver interpret `sslmode` as libpq does. */
const AS_LIBPQ = 'uselibpqcompat';

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** What is wrong with the files of a URL: without the passphrase of a key, the driver cannot use it. */
function fileFault(parameters: URLSearchParams): string | undefined {
  const files = new Map<string, Buffer>();
  for (const name of FILES) {
    if (!parameters.has(name)) continue;
    const content = contentOf(String(parameters.get(name)));
    if (content === undefined) return `names a file in ${name} that cannot be read.`;
    files.set(name, content);
  }
  const root = files.get('sslrootcert');
  if (root !== undefined && !hasCertificate(root))
    return 'names a file in sslrootcert that has no complete certificate in PEM format.';
  const [cert, key] = [files.get('sslcert'), files.get('sslkey')];
  const fault = cert && key && pairFault({ cert, key }, { cert: 'sslcert', key: 'sslkey' });
  return fault && `has a client certificate that cannot be used: ${fault}.`;
}

/**
 * What is wrong with the parameters of a URL, as a predicate whose subject is the URL; `undefined` if they
 * are valid. It does not quote values: one may be a password.
 */
export function parameterFault(url: string): string | undefined {
  const { searchParams } = new URL(url);
  const known = [...SUPPORTED, ...IGNORED];
  const unknown = [...searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, known);
    const advice = meant === undefined ? `Use one of ${SUPPORTED.join(', ')}.` : `Did you mean ${meant}?`;
    return `has the unknown parameter ${unknown}. ${advice}`;
  }
  const mode = searchParams.get('sslmode');
  if (mode !== null && !MODES.includes(mode)) return `has an sslmode that is not one of ${MODES.join(', ')}.`;
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert'))
    return 'has sslmode=verify-ca without sslrootcert, the root certificate file.';
  return fileFault(searchParams);
}

/** Error codes of certificates not signed by a trusted authority. */
const UNTRUSTED = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];
const NODES_ADVICE = /; if the root CA is installed locally.*$/;

/** What is wrong with the server's certificate, and how to fix it; `undefined` for any other error. */
export function certificateFault(error: unknown): string | undefined {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate is for another host (${message.trim()}). Use a host that it names, or sslmode=verify-ca.`;
  if (!UNTRUSTED.includes(code)) return undefined;
  const says = message.replace(NODES_ADVICE, '');
  return `${says}. Add sslrootcert=FILE to the URL, with the certificate of the authority that signed it.`;
}

export function driverUrl(url: string): string {
  const withModes = new URL(url);
  if (!withModes.searchParams.has('sslmode')) return url;
  withModes.searchParams.set(AS_LIBPQ, 'true');
  return withModes.href;
}
