// What the platform says about a request that failed, in words for people. It must not know what is tried
// again.

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

const WORDS: Readonly<Record<string, string>> = {
  ...UNREACHABLE,
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
  const { code } = (deepestOf(error) ?? {}) as { code?: unknown };
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
