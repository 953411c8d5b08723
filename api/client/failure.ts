// Failures in words for people: errors of the platform, and answers that are not successful.

import { type Fault, PROBLEM_TYPE, Problem, type ProblemCode } from '../contract/problems.ts';
import { retryAfterOf } from './headers.ts';
import { isObject } from './shape.ts';

/** How far a chain of causes is followed. */
export const MAX_CAUSES = 4;
export const NOT_OURS = 'perhaps `url` leads to something else, or a proxy answered';

/** No connection was made. */
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
/** The message for a port that the Fetch standard blocks; this error has no code. */
const BAD_PORT = 'bad port';

/** The address or the certificate is wrong, and a retry would fail in the same way. */
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

/** A proxy in between refuses the connection. */
const PROXY_AUTHENTICATION = 'ERR_PROXY_AUTHENTICATION';
const PROXY_REFUSED = 'ERR_PROXY_TUNNEL';
const REFUSED_BY_PROXY: Readonly<Record<string, string>> = {
  [PROXY_AUTHENTICATION]:
    'it asks for a user name and a password: write them into the variable, as in http://user:password@proxy.example.com:3128',
  [PROXY_REFUSED]: 'it refuses to connect to this host',
};

const WORDS: Readonly<Record<string, string>> = {
  ...UNREACHABLE,
  ...WRONG_ADDRESS,
  ...REFUSED_BY_PROXY,
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  UND_ERR_SOCKET: 'the connection was lost',
};

const PROXY_UNAUTHENTICATED = 407;
const FIRST_SERVER_ERROR = 500;

/** A request that failed and was sent through a proxy. */
export class ThroughProxy extends Error {
  override readonly name = 'ThroughProxy';
  readonly proxy: string;

  /** @param status that the proxy itself answered with, where it did. */
  constructor(proxy: string, error: unknown, status?: number) {
    const code = status === PROXY_UNAUTHENTICATED ? PROXY_AUTHENTICATION : PROXY_REFUSED;
    const isLasting = status !== undefined && status < FIRST_SERVER_ERROR;
    const answered = Object.assign(new Error(`it answers ${status}`), isLasting ? { code } : {});
    super(`through the proxy ${proxy}`, { cause: status === undefined ? error : answered });
    this.proxy = proxy;
  }
}

/** The innermost cause, which is the most precise, and its code. */
export function deepestOf(error: unknown): { deepest: unknown; code: string | undefined } {
  let deepest = error;
  for (let i = 1; i < MAX_CAUSES && deepest instanceof Error && deepest.cause instanceof Error; i++) {
    deepest = deepest.cause;
  }
  const { code, message } = (deepest ?? {}) as { code?: unknown; message?: unknown };
  if (message === BAD_PORT) return { deepest, code: BAD_PORT };
  return { deepest, code: typeof code === 'string' ? code : undefined };
}

/** The platform's reason, as part of a sentence. */
/** A browser does not say that it was the origin of the page which was refused. */
export function originAdvice(base: string): string {
  const { location } = globalThis as { location?: { readonly origin?: string } };
  const { origin } = location ?? {};
  if (origin === undefined || origin === new URL(base).origin) return '';
  return ` A page of ${origin} can read it if the operator allows that origin with --cors-origin.`;
}

export function reasonOf(error: unknown): string {
  const { deepest, code } = deepestOf(error);
  const through = error instanceof ThroughProxy ? `the proxy ${error.proxy} was used, and ` : '';
  if (code !== undefined) return through + (Object.hasOwn(WORDS, code) ? `${WORDS[code]} (${code})` : code);
  return through + (deepest instanceof Error ? deepest.message : String(deepest));
}

/** Whether no connection was made: the host does not answer, or there is no network. */
export function isUnreachable(error: unknown): boolean {
  const { code } = deepestOf(error);
  if (code !== undefined) return Object.hasOwn(UNREACHABLE, code);
  const { navigator } = globalThis as { navigator?: { readonly onLine?: boolean } };
  return navigator?.onLine === false;
}

export function isWrongAddress(error: unknown): boolean {
  const { code = '' } = deepestOf(error);
  return Object.hasOwn(WRONG_ADDRESS, code) || Object.hasOwn(REFUSED_BY_PROXY, code);
}

/** For an answer that is not Linecard's: the only problem with its status. */
const FOREIGN: Readonly<Record<number, ProblemCode>> = {
  401: 'unauthenticated',
  404: 'not-found',
  405: 'method-not-allowed',
  429: 'rate-limited',
  500: 'internal',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

function isFault(value: unknown): value is Fault {
  if (!isObject(value)) return false;
  const { parameter, detail, value: sent = '' } = value;
  return [parameter, detail, sent].every((text) => typeof text === 'string');
}

/** Members of a problem body (RFC 9457), where the answer has one of Linecard's. */
function problemFields({ headers }: Response, text: string) {
  if (headers.get('content-type')?.startsWith('application/problem+json') !== true) return undefined;
  try {
    const { type, detail, errors, request_id } = JSON.parse(text) as Record<string, unknown>;
    if (typeof type !== 'string' || !type.startsWith(PROBLEM_TYPE) || typeof detail !== 'string')
      return undefined;
    const code = type.slice(PROBLEM_TYPE.length);
    return {
      // A newer server may have codes that this client does not know.
      code: code as ProblemCode,
      detail,
      ...(Array.isArray(errors) && { faults: errors.filter(isFault) }),
      ...(typeof request_id === 'string' && { request_id }),
    };
  } catch {
    return undefined;
  }
}

/** @param request_id of the request, for an answer without one */
export function refusalOf(response: Response, text: string, base: string, request_id?: string): Problem {
  const { status, headers } = response;
  const more = {
    status,
    request_id: headers.get('x-request-id') ?? request_id,
    retry_after: retryAfterOf(headers),
  };
  const own = problemFields(response, text);
  if (own !== undefined) return new Problem(own.code, own.detail, { ...more, ...own });
  const code = FOREIGN[status] ?? 'unexpected-answer';
  return new Problem(code, `${base} answered ${status}, but not in Linecard's words: ${NOT_OURS}.`, more);
}
