// What comes over the page from its side: named by its title, closed by Escape; the focus goes back to
// where it was.

import { CloseButton, Drawer } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
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
  return (
    <Drawer.Root
      opened
      onClose={onClose}
      position={position}
      size={size}
      lockScroll={false}
      returnFocus={false}
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
