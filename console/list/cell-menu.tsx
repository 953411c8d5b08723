// The menu of a value in the table: the list is filtered by it, or by what it is not.

import { Menu } from '@mantine/core';
import { useEffect } from 'react';
import { useShown } from '../address.tsx';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { isOn, oppositeOf, valuesOf, withFilter, withToggled } from '../view.ts';

const words = texts.filters;

/** A value of a row, as its button says. */
export interface CellValue {
  readonly button: HTMLElement;
  readonly name: string;
  readonly value: string;
}

interface CellMenuProps {
  readonly cell: CellValue;
  readonly onClose: () => void;
}

export function CellMenu({ cell: { button, name, value }, onClose }: CellMenuProps) {
  const { list, view, go } = useShown();
  // The button may be gone: other rows match.
  useEffect(() => () => button.focus({ preventScroll: true }), [button]);
  const filter = list.filters.find((one) => one.name === name);
  if (filter === undefined) return null;
  const opposite = oppositeOf(list, filter);
  const shown = filterValueLabel(filter, value);
  const only = () => {
    const others = opposite === undefined ? [] : valuesOf(view, opposite.name).filter((one) => one !== value);
    const free = opposite === undefined ? view : withFilter(list, view, opposite.name, others);
    go(withFilter(list, free, name, [value]));
  };
  const { left, top, width, height } = button.getBoundingClientRect();
  return (
    <Menu opened onClose={onClose} position="bottom-start">
      <Menu.Target>
        <button
          type="button"
          className="cell-anchor"
          tabIndex={-1}
          aria-hidden="true"
          style={{ left, top, width, height }}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={texts.labelled(filterLabel(filter), shown)}>
        <Menu.Label>{texts.labelled(filterLabel(filter), shown)}</Menu.Label>
        <Menu.Item leftSection={<Icon name="filter" size={16} />} onClick={only}>
          {words.only(shown)}
        </Menu.Item>
        {opposite !== undefined && (
          <Menu.Item
            leftSection={<Icon name="not" size={16} />}
            onClick={() => go(withToggled(list, view, opposite, value))}
          >
            {words.exclude(shown)}
          </Menu.Item>
        )}
        {isOn(view, filter, value) && (
          <Menu.Item
            leftSection={<Icon name="close" size={16} />}
            onClick={() => go(withToggled(list, view, filter, value))}
          >
            {words.remove(shown)}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
