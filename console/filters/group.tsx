// A group of filters under its heading. It folds, and this browser remembers which ones the reader opened and
// closed.

import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useShown } from '../address.tsx';
import { shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { store, stored } from '../storage.ts';
import { activeFilters } from '../view.ts';

const KEY = 'linecard-filters';

interface GroupProps {
  /** Of this list, and the same as long as the contract is. */
  readonly name: string;
  readonly title: string;
  /** The filters in it: a group with an active one is open unless the reader closed it. */
  readonly filters: readonly string[];
  readonly isOpenFirst: boolean;
  readonly children: ReactNode;
}

export function FilterGroup({ name, title, filters, isOpenFirst, children }: GroupProps) {
  const { list, view } = useShown();
  const key = `${list.name} ${name}`;
  const on = activeFilters(list, view).filter(({ filter }) => filters.includes(filter.name)).length;
  const [isOpen, setOpen] = useState(() => {
    const chosen = stored(KEY)[key];
    return typeof chosen === 'boolean' ? chosen : isOpenFirst || on > 0;
  });
  const toggle = () => {
    store(KEY, { ...stored(KEY), [key]: !isOpen });
    setOpen(!isOpen);
  };
  return (
    <fieldset className="facet">
      <legend>
        <UnstyledButton className="row facet-fold" aria-expanded={isOpen} onClick={toggle}>
          <span className="facet-title">{title}</span>
          {!isOpen && on > 0 && <span className="count">{shownCount(on)}</span>}
          <Icon name="chevron" size={15} />
        </UnstyledButton>
      </legend>
      {isOpen && children}
    </fieldset>
  );
}
