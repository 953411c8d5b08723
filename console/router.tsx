// Which page the address names, and how another is gone to. The browser's history is its only state, and what
// somebody does takes effect in the same task.

import { type ComponentProps, type MouseEvent, useSyncExternalStore } from 'react';
import { BASE_PATH } from './linecard.ts';
import { addressSearch, withoutAccount } from './page.ts';

export interface Address {
  /** Its parts, below the console's own path: none on the overview. */
  readonly path: readonly string[];
  /** The query string without the account. */
  readonly text: string;
  /** An item was opened from its list, so one step back leads to that list. */
  readonly isOverList: boolean;
}

interface HistoryState {
  readonly isOverList?: boolean;
}

export interface Step {
  /** Takes the place of this address in the history, and its state. */
  readonly replace?: boolean;
  readonly isOverList?: boolean;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function readAddress(): Address {
  const { pathname, search } = window.location;
  const parts = pathname.slice(BASE_PATH.length).split('/');
  const { isOverList = false } = (window.history.state ?? {}) as HistoryState;
  return {
    path: parts.filter((part) => part !== '').map(decoded),
    text: withoutAccount(search.slice(1)),
    isOverList,
  };
}

const isSame = (one: Address, other: Address) =>
  one.text === other.text &&
  one.isOverList === other.isOverList &&
  one.path.join('/') === other.path.join('/');

let address = readAddress();
const observers = new Set<() => void>();

/** A step to a place on the same page, such as the list, changes nothing. */
function follow(): void {
  const next = readAddress();
  if (isSame(next, address)) return;
  address = next;
  for (const observer of [...observers]) observer();
}
window.addEventListener('popstate', follow);

function observe(observer: () => void): () => void {
  observers.add(observer);
  return () => void observers.delete(observer);
}

/** For what is done, without following the address. */
export const currentAddress = (): Address => address;

export const useAddress = (): Address => useSyncExternalStore(observe, currentAddress);

export const hrefOf = (path: string, text = ''): string => `${BASE_PATH}${path}${addressSearch(text)}`;

/** @param path below the console's own, without a slash at its beginning */
export function goTo(path: string, text = '', { replace = false, isOverList = false }: Step = {}): void {
  const { history } = window;
  const href = hrefOf(path, text);
  const [page] = address.path;
  if (replace) history.replaceState(history.state, '', href);
  else history.pushState({ isOverList } satisfies HistoryState, '', href);
  follow();
  if (address.path[0] !== page) window.scrollTo(0, 0);
}

/** Whether a click is to be followed here, rather than by the browser in a new tab or window. */
export function isPlainClick(event: MouseEvent): boolean {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event;
  return !defaultPrevented && button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
}

interface PageLinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** Of a page that has no view, below the console's own path. */
  readonly path: string;
}

/** A link to a page that has no view. */
export function PageLink({ path, onClick, ...rest }: PageLinkProps) {
  const isHere = useAddress().path.join('/') === path;
  const followed = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (!isPlainClick(event)) return;
    event.preventDefault();
    goTo(path);
  };
  return (
    <a
      {...rest}
      href={hrefOf(path)}
      aria-current={isHere ? 'page' : rest['aria-current']}
      onClick={followed}
    />
  );
}
