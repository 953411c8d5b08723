// The token that requests are sent with. It is stored for the browser session and no longer, never in an
// address; a new tab asks the others for it. It must not know what the token is used for.

const KEY = 'linecard-token';
const CHANNEL = 'linecard-session';

type Message = { readonly kind: 'ask' | 'leave' } | { readonly kind: 'give'; readonly token: string };

/** Why there is no token. */
export type SignedOut = 'new' | 'expired' | 'left';

interface Session {
  readonly token: string | undefined;
  readonly why: SignedOut;
}

let session: Session = { token: stored(), why: 'new' };
const listeners = new Set<() => void>();
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL);

function stored(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined; // a browser that stores nothing: the token lives as long as the page
  }
}

function change(next: Session): void {
  session = next;
  try {
    if (next.token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, next.token);
  } catch {
    // As above.
  }
  for (const listener of listeners) listener();
}

function send(message: Message): void {
  channel?.postMessage(message);
}

channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data.kind === 'ask' && session.token !== undefined) send({ kind: 'give', token: session.token });
  if (data.kind === 'give' && session.token === undefined && session.why === 'new') {
    change({ token: data.token, why: 'new' });
  }
  if (data.kind === 'leave' && session.token !== undefined) change({ token: undefined, why: 'left' });
});
if (session.token === undefined) send({ kind: 'ask' });

export function currentSession(): Session {
  return session;
}

/** Calls back at every change; gives what ends it. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function signIn(token: string): void {
  change({ token, why: 'new' });
}

/** In every tab. */
export function signOut(): void {
  send({ kind: 'leave' });
  change({ token: undefined, why: 'left' });
}

/** The service says that the token is not valid any more. */
export function expire(token: string): void {
  if (session.token === token) change({ token: undefined, why: 'expired' });
}
