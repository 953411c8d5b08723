// The token of this browser session. It is never in an address; a new tab requests it from the others.

import { observable } from './observable.ts';

const KEY = 'linecard-token';
const CHANNEL = 'linecard-session';

type Message = { readonly kind: 'ask' | 'leave' } | { readonly kind: 'give'; readonly token: string };

export type SignedOut = 'new' | 'expired' | 'left';

interface Session {
  readonly token: string | undefined;
  readonly why: SignedOut;
}

const session = observable<Session>({ token: stored(), why: 'new' });
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL);

function stored(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined; // a browser that stores nothing: the token lives as long as the page
  }
}

function change(next: Session): void {
  try {
    if (next.token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, next.token);
  } catch {
    // See above.
  }
  session.set(next);
}

function send(message: Message): void {
  channel?.postMessage(message);
}

channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  const { token, why } = session.get();
  if (data.kind === 'ask' && token !== undefined) send({ kind: 'give', token });
  if (data.kind === 'give' && token === undefined && why === 'new') change({ token: data.token, why });
  if (data.kind === 'leave' && token !== undefined) change({ token: undefined, why: 'left' });
});
if (session.get().token === undefined) send({ kind: 'ask' });

export const { get: currentSession, observe: onSession } = session;

export function signIn(token: string): void {
  change({ token, why: 'new' });
}

/** Signs out in every tab. */
export function signOut(): void {
  send({ kind: 'leave' });
  change({ token: undefined, why: 'left' });
}

/** Called when the service rejects the token. */
export function expire(token: string): void {
  if (session.get().token === token) change({ token: undefined, why: 'expired' });
}
