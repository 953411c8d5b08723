// The keys of the page, and those of what is open over it or next to it.

import { useWindowEvent } from '@mantine/hooks';
import { useEffectEvent, useLayoutEffect } from 'react';
import { observable } from '../observable.ts';
import { texts } from '../texts.ts';

export const IS_APPLE = /mac|iphone|ipad/i.test(navigator.userAgent);

/** As the key of the palette is called on the keyboard. */
export const PALETTE_KEY = IS_APPLE ? '⌘K' : texts.palette.key;

const TYPED_INTO = 'input:not([type=checkbox], [type=radio]), textarea, select, [role=slider], [role=menu]';

/** What each key does. */
export type Keys = Readonly<Record<string, () => void>>;

/** What is open, the topmost last, and whether it covers the page. */
const open: { readonly isCover: boolean }[] = [];

export const hasModifier = ({ ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent) =>
  ctrlKey || metaKey || altKey || isComposing;

/**
 * The keys of what is open over the page or, with `isFree`, next to it. Only the topmost gets keys. They go
 * no further, unless `isFree` says that they are for what has the focus.
 */
export function useKeysOf(keys: Keys, isFree?: (target: Element) => boolean): void {
  const onOwnKey = useEffectEvent((event: KeyboardEvent) => {
    const { [event.key]: act } = keys;
    if (act === undefined || hasModifier(event) || isFree?.(event.target as Element) === false) return;
    // So the page knows that the key is used, even where what used it is gone by then.
    event.preventDefault();
    if (event.key !== 'Escape') event.stopPropagation();
    act();
  });
  const isCover = isFree === undefined;
  // Not after the paint: what is closed would still take the next key.
  useLayoutEffect(() => {
    const own = { isCover };
    const onKey = (event: KeyboardEvent) => open.at(-1) === own && onOwnKey(event);
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
  useWindowEvent('keydown', (event) => {
    const { key, target, defaultPrevented } = event;
    const press = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (press === undefined || defaultPrevented || hasModifier(event)) return;
    if (target instanceof Element && target.closest(TYPED_INTO) !== null) return;
    // What is open next to the page leaves it all keys but the one that closes it.
    if (open.some(({ isCover }) => isCover || key === 'Escape')) return;
    event.preventDefault();
    press();
  });
}

/** Whether the list of keys is shown. */
export const keysHelp = observable(false);
