// The keys of the page: single ones, wherever nobody types and nothing is open over the page, and Escape,
// which closes what is open.

import { useEffect, useLayoutEffect, useRef } from 'react';
import { observable } from '../observable.ts';

const TYPED_INTO = 'input:not([type=checkbox], [type=radio]), textarea, select, [role=slider], [role=menu]';

/** What is open over the page, the topmost last. */
const open: (() => void)[] = [];

/** Escape closes only the topmost. */
export function useEscape(onClose: () => void): void {
  const close = useRef(onClose);
  useLayoutEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    const own = () => close.current();
    const onKey = ({ key, isComposing }: KeyboardEvent) => {
      if (key === 'Escape' && !isComposing && open.at(-1) === own) own();
    };
    open.push(own);
    window.addEventListener('keydown', onKey, { capture: true });
    return () => {
      window.removeEventListener('keydown', onKey, { capture: true });
      open.splice(open.indexOf(own), 1);
    };
  }, []);
}

export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  useLayoutEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, isComposing, target, defaultPrevented } = event;
      const press = Object.hasOwn(latest.current, key) ? latest.current[key] : undefined;
      if (press === undefined || ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return;
      if (target instanceof Element && target.closest(TYPED_INTO) !== null) return;
      if (open.length > 0) return;
      event.preventDefault();
      press();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Whether the list of keys is shown. */
export const keysHelp = observable(false);
