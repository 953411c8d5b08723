// What the platform says about a request that failed, in words for people.

/** How far a chain of causes is followed. */
export const MAX_CAUSES = 4;

/** Where not even a connection was made, in words. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no host of that name is known, or there is no network',
  EAI_AGAIN: 'its name cannot be looked up, perhaps there is no network',
  ECONNREFUSED: 'nothing listens there',
  ENETUNREACH: 'there is no network that leads there',
  ENETDOWN: 'the network is down',
  EHOSTUNREACH: 'the host cannot be reached',
  EHOSTDOWN: 'the host is down',
  EADDRNOTAVAIL: 'the host cannot be reached from here',
  ETIMEDOUT: 'the host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
};

const UNKNOWN_AUTHORITY =
  'its certificate is signed by no authority known here; in Node.js, NODE_EXTRA_CA_CERTS names a file of others';
const NO_TLS = 'what listens there does not speak TLS: perhaps the address begins with http://';
/** Of a port that the Fetch standard blocks; this error has no code. */
const BAD_PORT = 'bad port';

/** Where the address or the certificate is wrong, and the next attempt would end alike. */
const WRONG_ADDRESS: Readonly<Record<string, string>> = {
  [BAD_PORT]: 'that is a port to which fetch never connects',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
};

const WORDS: Readonly<Record<string, string>> = {
  ...UNREACHABLE,
  ...WRONG_ADDRESS,
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  UND_ERR_SOCKET: 'the connection was lost',
};

function deepestOf(error: unknown): unknown {
  let deepest = error;
  for (let i = 1; i < MAX_CAUSES && deepest instanceof Error && deepest.cause instanceof Error; i++) {
    deepest = deepest.cause;
  }
  return deepest;
}

function codeOf(error: unknown): string | undefined {
  const { code, message } = (deepestOf(error) ?? {}) as { code?: unknown; message?: unknown };
  if (message === BAD_PORT) return BAD_PORT;
  return typeof code === 'string' ? code : undefined;
}

/** The platform's reason for a failure, in a sentence: the deepest cause is the most precise. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined) return Object.hasOwn(WORDS, code) ? `${WORDS[code]} (${code})` : code;
  const deepest = deepestOf(error);
  return deepest instanceof Error ? deepest.message : String(deepest);
}

/** Whether no connection was made: nothing is at the other end, or there is no network. */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return Object.hasOwn(UNREACHABLE, code);
  const { navigator } = globalThis as { navigator?: { readonly onLine?: boolean } };
  return navigator?.onLine === false;
}

/** Whether the address or the certificate is wrong, so that to try again is no use. */
export function isWrongAddress(error: unknown): boolean {
  return Object.hasOwn(WRONG_ADDRESS, codeOf(error) ?? '');
}
