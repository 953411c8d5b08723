// What comes over the page from its side: named by its title, closed by Escape; the focus goes back to
// where it was.

import { CloseButton, Drawer } from '@mantine/core';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { texts } from '../texts.ts';

interface SideProps {
  readonly title: string;
  readonly position: 'left' | 'right';
  readonly size: string;
  readonly className: string;
  readonly onClose: () => void;
  /** What gets the focus back where nothing had it before, or that is gone. */
  readonly onGone?: () => HTMLElement | null;
  readonly children: ReactNode;
}

/** What is open over the page, the topmost last. */
const open: (() => void)[] = [];

/** Closes what lies over the page with Escape, when nothing else lies over it. */
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

/** Gives the focus back when what took it goes: to where it was, or to what `onGone` gives. */
export function useFocusBack(onGone?: () => HTMLElement | null): void {
  const before = useRef(document.activeElement);
  const gone = useRef(onGone);
  useLayoutEffect(() => {
    gone.current = onGone;
  });
  // While what goes is still there: afterwards the browser has dropped the focus.
  useLayoutEffect(() => {
    const { current: element } = before;
    return () => {
      const isThere = element instanceof HTMLElement && element.isConnected && element !== document.body;
      const back = isThere ? element : gone.current?.();
      back?.focus({ preventScroll: true });
    };
  }, []);
}

export function Side({ title, position, size, className, onClose, onGone, children }: SideProps) {
  useFocusBack(onGone);
  useEscape(onClose);
  return (
    <Drawer.Root
      opened
      onClose={onClose}
      position={position}
      size={size}
      lockScroll={false}
      returnFocus={false}
      closeOnEscape={false}
    >
      <Drawer.Overlay backgroundOpacity={0.3} />
      <Drawer.Content className={className}>
        <Drawer.Body>
          <div className="side-head">
            <Drawer.Title>{title}</Drawer.Title>
            <CloseButton size="lg" aria-label={texts.close} onClick={onClose} data-autofocus />
          </div>
          {children}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
