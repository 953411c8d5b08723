// What comes over the page from its side: named by its title, closed by Escape; the focus goes back to
// where it was.

import { CloseButton, Drawer } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { texts } from '../texts.ts';

interface SideProps {
  readonly title: string;
  readonly position: 'left' | 'right';
  readonly size: string;
  readonly className: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Gives the focus back when what took it goes. */
export function useFocusBack(): void {
  const before = useRef(document.activeElement);
  useEffect(() => {
    const element = before.current;
    return () => {
      if (element instanceof HTMLElement && element.isConnected) element.focus({ preventScroll: true });
    };
  }, []);
}

export function Side({ title, position, size, className, onClose, children }: SideProps) {
  useFocusBack();
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
