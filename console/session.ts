// The token of this browser session, pasted or from a sign-in link. It is in an address only as the fragment
// of such a link, until the page is loaded (page.ts). A new tab requests it from the others.

import { observable } from './observable.ts';
import { ACCOUNT, linkToken, takeToken } from './page.ts';

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
  /** The token of a sign-in link while another one is signed in: whose it is decides what becomes of it. */
  readonly offered?: string | undefined;
}

/** How long other tabs have to say that they are signed in, after a link was opened. */
const ANSWER_MS = 3_000;

const session = observable<Session>(linked(linkToken, stored()) ?? stored());
const channel = openChannel();
const began = performance.now();
/** Whether a link has just opened this tab, and no other tab has said yet that it is signed in. */
let isOpening = linkToken !== undefined && session.get().token === linkToken;

/** A browser that stores nothing may refuse it: in a frame, or where cookies are blocked. */
function openChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(CHANNEL);
  } catch {
    return undefined;
  }
}

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
    // Storage that is full retains no other token.
    sessionStorage.removeItem(KEY);
    if (token !== undefined) sessionStorage.setItem(KEY, token);
    sessionStorage.setItem(SOURCE_KEY, source);
  } catch {
    // See above.
  }
}

/** Whether a token lasts no longer than the page. */
export function isForgetful(): boolean {
  try {
    sessionStorage.setItem(SOURCE_KEY, session.get().source);
    return false;
  } catch {
    return true;
  }
}

/**
 * @param token of a sign-in link, if there is one
 * @param before what is signed in
 */
function linked(token: string | undefined, before: Session): Session | undefined {
  if (token === undefined || token === before.token) return undefined;
  if (before.token !== undefined) return { ...before, offered: token };
  const next = ofLink(token);
  keep(next);
  return next;
}

function ofLink(token: string): Session {
  return { token: isToken(token) ? token : undefined, source: 'link', why: 'link' };
}

/** Whether a header can carry it. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
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
  // This tab was opened by a link of, perhaps, another account than that of the other tabs.
  if (data.kind === 'give' && isOpening && data.token !== token && performance.now() < began + ANSWER_MS) {
    isOpening = false;
    change({ token: data.token, source: data.source, why, offered: token });
  }
  if (data.kind === 'leave' && token !== undefined) change({ token: undefined, source, why: 'left' });
});
// A link that differs from the address in its fragment alone loads no page.
window.addEventListener('hashchange', () => {
  const next = linked(takeToken(), session.get());
  if (next !== undefined) session.set(next);
});
// A page that the browser retained for the way back heard nothing meanwhile: not that its tab signed out.
window.addEventListener('pageshow', ({ persisted }) => {
  const now = stored();
  if (!persisted || isForgetful() || now.token === session.get().token) return;
  session.set({ ...now, why: now.token === undefined ? 'left' : 'new' });
});
if (session.get().token === undefined || isOpening) send({ kind: 'ask' });

export const { get: currentSession, observe: onSession } = session;

/** Whether a token is an operator's, which reads the account that the address names. */
export const isOperators = (token: string | undefined): boolean => token?.startsWith('lco_') === true;

/** Whether an account must be chosen before anything can be read. */
export const mustChoose = (): boolean => ACCOUNT === undefined && isOperators(session.get().token);

export function signIn(token: string, source: Source = 'pasted'): void {
  change({ token, source, why: 'new' });
}

/** Ends the question whose account a link is to show: that of the link, or the one that is signed in. */
export function answerLink(isOpened: boolean): void {
  const { offered, ...before } = session.get();
  if (offered === undefined) return;
  change(isOpened ? ofLink(offered) : before);
}

/** Signs out in every tab. */
export function signOut(): void {
  send({ kind: 'leave' });
  change({ token: undefined, source: session.get().source, why: 'left' });
}

/** Called when the service rejects the token. */
export function expire(token: string): void {
  const { token: current, source, offered } = session.get();
  if (current !== token) return;
  if (offered !== undefined) answerLink(true);
  else change({ token: undefined, source, why: source === 'link' ? 'link' : 'expired' });
}
