// Moves the focus to the nearest element when the focused one goes away. The browser would drop it, and
// keyboards and screen readers would start again at the top.

import { PLACE } from '../page.ts';

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, [tabindex="0"]';
/** Where the focus may move. What is open over the page returns the focus itself when it closes. */
const PARTS = '#console, [role=dialog]';
/** After what closes over the page has returned the focus itself, where it can. */
const RETURN_MS = 50;

const hasPage = (node: Node) =>
  node instanceof Element && (node.matches(PLACE) || node.querySelector(PLACE) !== null);
/** What the page is about: there the keyboard begins on another one. */
export const mainPlace = (): HTMLElement | null => document.querySelector<HTMLElement>(PLACE);

/** A `ref` of what has the focus as soon as it is there: what is typed meanwhile is its own. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus();

/** A `ref` of a menu: keys that are pressed as soon as it is there are for its first item. */
export const takeFocusWithin = (menu: HTMLElement | null): void =>
  menu?.querySelector<HTMLElement>('[role^=menuitem]:not(:disabled)')?.focus({ preventScroll: true });

const TRAP = '[role=menu], [role=dialog]';
const MARK = 'data-autofocus';

/**
 * Mantine gives the focus to what has the mark, or to the first element, and again once the page is painted:
 * by then the reader may be further.
 */
function markFocus(target: HTMLElement): void {
  const trap = target.closest(TRAP);
  if (trap === null || trap === target) return;
  for (const other of trap.querySelectorAll(`[${MARK}]`)) other.removeAttribute(MARK);
  target.setAttribute(MARK, '');
}

const isSeen = (element: Element) =>
  element.checkVisibility({ visibilityProperty: true }) && element.closest('[inert]') === null;

function focusableIn(sibling: Node): HTMLElement | undefined {
  if (!(sibling instanceof HTMLElement)) return undefined;
  const within = [...sibling.querySelectorAll<HTMLElement>(FOCUSABLE)];
  const found = (sibling.matches(FOCUSABLE) ? [sibling, ...within] : within).find(isSeen);
  // Rows that are not loaded yet are empty.
  return found ?? (sibling.matches('.rows') ? sibling : undefined);
}

/** The first focusable sibling after a node, else one before it. */
function nextTo(parent: Node, previous: Node | null): HTMLElement | undefined {
  const siblings: readonly Node[] = [...parent.childNodes];
  const at = previous === null ? 0 : siblings.indexOf(previous) + 1;
  for (const sibling of [...siblings.slice(at), ...siblings.slice(0, at).reverse()]) {
    const found = focusableIn(sibling);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The element nearest to a removed node; `undefined` where that was not part of the page. */
function nearest({ target, previousSibling, removedNodes }: MutationRecord): HTMLElement | null | undefined {
  const part = target instanceof Element ? target.closest<HTMLElement>(PARTS) : null;
  if (part === null) return undefined;
  if ([...removedNodes].some(hasPage)) return mainPlace();
  let parent: Node = target;
  let previous = previousSibling;
  // Nothing is near a removed view such as the sign-in: continue at the list.
  while (parent !== part && parent.parentNode !== null) {
    const found = nextTo(parent, previous);
    if (found !== undefined) return found;
    [parent, previous] = [parent.parentNode, parent];
  }
  return part.matches('[role=dialog]') ? part : mainPlace();
}

/** Where the focus was before a menu or a dialog opened, which closes with that or leads to another page. */
function returnTo(before: HTMLElement | undefined): void {
  if (document.activeElement !== document.body || document.querySelector('[aria-modal=true]') !== null)
    return;
  const next = before?.isConnected === true && isSeen(before) ? before : mainPlace();
  next?.focus({ preventScroll: true });
}

/** @returns a function that ends it */
export function followFocus(): () => void {
  let last: HTMLElement | undefined;
  let inPage: HTMLElement | undefined;
  const onFocus = ({ target }: { readonly target: EventTarget | null }) => {
    last = target instanceof HTMLElement ? target : undefined;
    if (last === undefined) return;
    markFocus(last);
    if (last.matches('#console *')) inPage = last;
  };
  onFocus({ target: document.activeElement });
  // Taken away by the reader, not by a removed element.
  const onBlur = () =>
    queueMicrotask(() => {
      if (last?.isConnected === true && !last.matches(':disabled') && last !== document.activeElement) {
        last = undefined;
      }
    });
  const observer = new MutationObserver((records) => {
    if (last === undefined || document.activeElement !== document.body) return;
    // A busy button is disabled for a while.
    if (last.isConnected) return last.focus();
    const lost = last;
    last = undefined;
    const removed = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(lost)));
    if (removed === undefined) return;
    const next = nearest(removed);
    if (next === undefined) setTimeout(returnTo, RETURN_MS, inPage);
    else next?.focus({ preventScroll: true });
  });
  document.addEventListener('focusin', onFocus);
  document.addEventListener('focusout', onBlur);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('focusout', onBlur);
    observer.disconnect();
  };
}
