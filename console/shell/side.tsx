// A panel over the page. Escape closes it, and the focus goes back to where it was.

import { CloseButton, Drawer } from '@mantine/core';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { texts } from '../texts.ts';

interface SideProps {
  readonly title: string;
  readonly position: 'left' | 'right';
  readonly size: string;
  readonly className: string;
  /** Whether the focus begins in a field of the children. */
  readonly hasField?: boolean;
  readonly onClose: () => void;
  /** Gets the focus back where the element that had it is gone. */
  readonly onGone?: () => HTMLElement | null;
  readonly children: ReactNode;
}

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

export function Side({ title, onClose, onGone, hasField = false, children, ...rest }: SideProps) {
  useFocusBack(onGone);
  useEscape(onClose);
  return (
    <Drawer.Root
      opened
      onClose={onClose}
      position={rest.position}
      size={rest.size}
      lockScroll={false}
      returnFocus={false}
      closeOnEscape={false}
    >
      <Drawer.Overlay backgroundOpacity={0.3} />
      <Drawer.Content className={rest.className}>
        <Drawer.Body>
          <div className="side-head">
            <Drawer.Title>{title}</Drawer.Title>
            <CloseButton
              size="lg"
              aria-label={texts.close}
              onClick={onClose}
              data-autofocus={!hasField || undefined}
            />
          </div>
          {children}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
