// A dialog in the middle of the page. Escape closes it; the focus goes back to where it was, or to the page.

import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { mainPlace } from './focus.ts';
import { useKeysOf } from './keys.ts';
import { useFocusBack } from './side.tsx';

interface DialogProps {
  readonly size: string;
  /** What it is called; absent where it has a `Modal.Title`. */
  readonly label?: string;
  /** What had the focus, where it opened earlier. */
  readonly from?: Element | null;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog({ size, label, from, onClose, children }: DialogProps) {
  useFocusBack(mainPlace, undefined, from);
  useKeysOf({ Escape: onClose });
  return (
    <Modal.Root
      opened
      onClose={onClose}
      lockScroll={false}
      returnFocus={false}
      closeOnEscape={false}
      size={size}
      yOffset="12vh"
    >
      <Modal.Overlay backgroundOpacity={0.3} />
      <Modal.Content className="palette" aria-label={label}>
        {children}
      </Modal.Content>
    </Modal.Root>
  );
}
