// A panel over the page. Escape closes it, and the focus goes back to where it was.

import { CloseButton, Drawer } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { texts } from '../texts.ts';
import { useEscape } from './keys.ts';

interface SideProps {
  readonly title: string;
  readonly position: 'left' | 'right';
  readonly size: string;
  readonly className: string;
  readonly onClose: () => void;
  /** Gets the focus back where the element that had it is gone. */
  readonly onGone?: () => HTMLElement | null;
  readonly children: ReactNode;
}

/** Returns the focus on unmount: to where it was, or to what `onGone` returns. */
export function useFocusBack(onGone?: () => HTMLElement | null): void {
  const before = useRef(document.activeElement);
  const gone = useRef(onGone);
  useLayoutEffect(() => {
    gone.current = onGone;
  });
  // While the element is still in the page: afterwards the browser has dropped the focus.
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
