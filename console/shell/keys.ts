// The keys of the page, and those of what is open over it or next to it.

import { useEffect, useLayoutEffect, useRef } from 'react';
import { observable } from '../observable.ts';

const TYPED_INTO = 'input:not([type=checkbox], [type=radio]), textarea, select, [role=slider], [role=menu]';

/** What each key does. */
export type Keys = Readonly<Record<string, () => void>>;

/** What is open, the topmost last, and whether it covers the page. */
const open: { readonly isCover: boolean }[] = [];

const hasModifier = ({ ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent) =>
  ctrlKey || metaKey || altKey || isComposing;

/**
 * The keys of what is open over the page or, with `isFree`, next to it. Only the topmost gets keys. They go
 * no further, unless `isFree` says that they are for what has the focus.
 */
export function useKeysOf(keys: Keys, isFree?: (target: Element) => boolean): void {
  const now = useRef({ keys, isFree });
  useLayoutEffect(() => {
    now.current = { keys, isFree };
  });
  const isCover = isFree === undefined;
  useEffect(() => {
    const own = { isCover };
    const onKey = (event: KeyboardEvent) => {
      const { [event.key]: act } = now.current.keys;
      if (act === undefined || open.at(-1) !== own || hasModifier(event)) return;
      if (now.current.isFree?.(event.target as Element) === false) return;
      if (event.key !== 'Escape') {
        event.preventDefault();
        event.stopPropagation();
      }
      act();
    };
    open.push(own);
    window.addEventListener('keydown', onKey, { capture: true });
    return () => {
      window.removeEventListener('keydown', onKey, { capture: true });
      open.splice(open.indexOf(own), 1);
    };
  }, [isCover]);
}

/** The keys of the page, wherever nobody types and nothing covers it. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  useLayoutEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target, defaultPrevented } = event;
      const press = Object.hasOwn(latest.current, key) ? latest.current[key] : undefined;
      if (press === undefined || defaultPrevented || hasModifier(event)) return;
      if (target instanceof Element && target.closest(TYPED_INTO) !== null) return;
      if (open.some(({ isCover }) => isCover)) return;
      event.preventDefault();
      press();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Whether the list of keys is shown. */
export const keysHelp = observable(false);
