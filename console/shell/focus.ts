// Where the focus goes when what has it goes away: to what is next to it. The browser would drop it to the
// page, where a keyboard and a screen reader begin anew from the top.

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, [tabindex="0"]';
/** Parts of the page to go on in. What lies over it returns the focus by itself when it closes. */
const PARTS = '#console, [role=dialog]';

const isSeen = (element: Element) =>
  element.checkVisibility({ visibilityProperty: true }) && element.closest('[inert]') === null;

function focusableIn(sibling: Node): HTMLElement | undefined {
  if (!(sibling instanceof HTMLElement)) return undefined;
  const within = [...sibling.querySelectorAll<HTMLElement>(FOCUSABLE)];
  const found = (sibling.matches(FOCUSABLE) ? [sibling, ...within] : within).find(isSeen);
  // Rows that are still to come have nothing in them yet.
  return found ?? (sibling.matches('.rows') ? sibling : undefined);
}

/** What can take the focus: of the siblings that follow a node the first that does, else one before it. */
function nextTo(parent: Node, previous: Node | null): HTMLElement | undefined {
  const siblings: readonly Node[] = [...parent.childNodes];
  const at = previous === null ? 0 : siblings.indexOf(previous) + 1;
  for (const sibling of [...siblings.slice(at), ...siblings.slice(0, at).reverse()]) {
    const found = focusableIn(sibling);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The nearest to a node that was removed; `undefined` where that was no part of the page. */
function nearest({ target, previousSibling }: MutationRecord): HTMLElement | null | undefined {
  const part = target instanceof Element ? target.closest<HTMLElement>(PARTS) : null;
  if (part === null) return undefined;
  let parent: Node = target;
  let previous = previousSibling;
  // Of a view that goes as a whole, such as the sign-in, nothing is near: its list is where to go on.
  while (parent !== part && parent.parentNode !== null) {
    const found = nextTo(parent, previous);
    if (found !== undefined) return found;
    [parent, previous] = [parent.parentNode, parent];
  }
  return part.matches('[role=dialog]') ? part : document.querySelector<HTMLElement>('#list');
}

/** Follows the focus; gives what ends it. */
export function followFocus(): () => void {
  let last: HTMLElement | undefined;
  const onFocus = ({ target }: { readonly target: EventTarget | null }) => {
    last = target instanceof HTMLElement ? target : undefined;
  };
  onFocus({ target: document.activeElement });
  // Taken away by the reader, and not by its element going: nothing is to be given back.
  const onBlur = () =>
    queueMicrotask(() => {
      if (last?.isConnected === true && !last.matches(':disabled') && last !== document.activeElement) {
        last = undefined;
      }
    });
  const observer = new MutationObserver((records) => {
    if (last === undefined || document.activeElement !== document.body) return;
    // A button that is busy is disabled meanwhile.
    if (last.isConnected) return last.focus();
    const lost = last;
    last = undefined;
    const removed = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(lost)));
    if (removed !== undefined) nearest(removed)?.focus({ preventScroll: true });
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
