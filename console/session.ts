// The token of this browser session, pasted or from a sign-in link. It is in an address only as the fragment
// of such a link, until the page is loaded (page.ts). A new tab requests it from the others.

import { observable } from './observable.ts';
import { linkToken, takeToken } from './page.ts';

const KEY = 'linecard-token';
const SOURCE_KEY = 'linecard-token-source';
const CHANNEL = 'linecard-session';
const SOURCES = ['pasted', 'link', 'tab'] as const;
/** What a header can carry (RFC 6750, section 2.1). */
const TOKEN = /^[\w.~+/=-]+$/;

/** Where a token is from. One that was pasted for this tab alone (`tab`) is not given to others. */
type Source = (typeof SOURCES)[number];

type Message =
  | { readonly kind: 'ask' | 'leave' }
  | { readonly kind: 'give'; readonly token: string; readonly source: Source };

export type SignedOut = 'new' | 'expired' | 'left' | 'link';

interface Session {
  readonly token: string | undefined;
  readonly source: Source;
  readonly why: SignedOut;
}

const session = observable<Session>(linked(linkToken) ?? stored());
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL);

function stored(): Session {
  const signedOut: Session = { token: undefined, source: 'pasted', why: 'new' };
  try {
    const token = sessionStorage.getItem(KEY) ?? undefined;
    const source = SOURCES.find((one) => one === sessionStorage.getItem(SOURCE_KEY));
    return { ...signedOut, token, source: source ?? signedOut.source };
  } catch {
    return signedOut; // a browser that stores nothing: the token lives as long as the page
  }
}

function keep({ token, source }: Session): void {
  try {
    if (token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
    sessionStorage.setItem(SOURCE_KEY, source);
  } catch {
    // See above.
  }
}

/** @param token of a sign-in link, if there is one */
function linked(token: string | undefined): Session | undefined {
  if (token === undefined) return undefined;
  const next: Session = { token: TOKEN.test(token) ? token : undefined, source: 'link', why: 'link' };
  keep(next);
  return next;
}

function change(next: Session): void {
  keep(next);
  session.set(next);
}

function send(message: Message): void {
  channel?.postMessage(message);
}

channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  const { token, source, why } = session.get();
  if (data.kind === 'ask' && token !== undefined && source !== 'tab') send({ kind: 'give', token, source });
  if (data.kind === 'give' && token === undefined && why === 'new')
    change({ token: data.token, source: data.source, why });
  if (data.kind === 'leave' && token !== undefined) change({ token: undefined, source, why: 'left' });
});
// A link that differs from the address in its fragment alone loads no page.
window.addEventListener('hashchange', () => {
  const next = linked(takeToken());
  if (next !== undefined) session.set(next);
});
// A page that the browser retained for the way back heard nothing meanwhile: not that its tab signed out.
window.addEventListener('pageshow', ({ persisted }) => {
  const now = stored();
  if (!persisted || now.token === session.get().token) return;
  session.set({ ...now, why: now.token === undefined ? 'left' : 'new' });
});
if (session.get().token === undefined) send({ kind: 'ask' });

export const { get: currentSession, observe: onSession } = session;

export function signIn(token: string, source: Source = 'pasted'): void {
  change({ token, source, why: 'new' });
}

/** Signs out in every tab. */
export function signOut(): void {
  send({ kind: 'leave' });
  change({ ...session.get(), token: undefined, why: 'left' });
}

/** Called when the service rejects the token. */
export function expire(token: string): void {
  const { token: current, source } = session.get();
  if (current === token) change({ token: undefined, source, why: source === 'link' ? 'link' : 'expired' });
}
