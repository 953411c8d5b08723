// Other rows begin with the first of them: what has been scrolled through belongs to the rows before.

import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Between the first card and the edge of a narrow screen, in pixels. */
const AIR = 10;

/**
 * For the element around the rows. `key` distinguishes the rows of one query from those of another. What
 * stands above the rows comes into sight with them only where it was in sight already.
 */
export function useFirstRow(key: string): RefObject<HTMLDivElement | null> {
  const rows = useRef<HTMLDivElement>(null);
  const shown = useRef(key);
  useLayoutEffect(() => {
    if (shown.current === key) return;
    shown.current = key;
    if (rows.current !== null) scrollBack(rows.current);
  }, [key]);
  return rows;
}

/** Scrolls to the top of an element, where that is above what is seen. */
function scrollBack(element: HTMLElement): void {
  const list = element.closest('.content');
  if (list === null) return;
  // A list that does not scroll by itself, on a narrow screen, does so with the page.
  const isOwn = getComputedStyle(list).overflowY !== 'visible';
  const toolbar = list.querySelector('.toolbar')?.getBoundingClientRect();
  const edge = Math.max(isOwn ? list.getBoundingClientRect().top : AIR, toolbar?.bottom ?? 0);
  const hidden = edge - element.getBoundingClientRect().top;
  if (hidden > 0) (isOwn ? list : window).scrollBy(0, -hidden);
}
