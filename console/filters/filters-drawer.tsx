// The filters where there is no room beside the list: over it, until it is seen what they leave.

import { Drawer, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { shownCount } from '../format.ts';
import { texts } from '../texts.ts';

interface FiltersDrawerProps {
  readonly total: number | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function FiltersDrawer({ total, onClose, children }: FiltersDrawerProps) {
  return (
    <Drawer
      opened
      onClose={onClose}
      title={texts.filters.title}
      size="22rem"
      overlayProps={{ backgroundOpacity: 0.3 }}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': texts.close }}
      classNames={{ content: 'filters-drawer' }}
    >
      {children}
      {total !== undefined && (
        <UnstyledButton className="show-results" onClick={onClose}>
          {texts.filters.results(shownCount(total))}
        </UnstyledButton>
      )}
    </Drawer>
  );
}
