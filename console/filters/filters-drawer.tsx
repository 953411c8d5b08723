// The filters on a screen too narrow for a sidebar.

import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { plural } from '../format.ts';
import { Side } from '../shell/side.tsx';
import { texts } from '../texts.ts';

interface FiltersDrawerProps {
  readonly total: number | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function FiltersDrawer({ total, onClose, children }: FiltersDrawerProps) {
  return (
    <Side
      title={texts.filters.title}
      position="left"
      size="22rem"
      className="filters-drawer"
      onClose={onClose}
    >
      {children}
      {total !== undefined && (
        <UnstyledButton className="show-results" onClick={onClose}>
          {plural(texts.filters.results, total)}
        </UnstyledButton>
      )}
    </Side>
  );
}
