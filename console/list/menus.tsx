// The menus above the list: columns, copy, export, and on narrow screens sort order and the start of a
// selection; or those of selected rows.

import { Button, Checkbox, Menu, Popover } from '@mantine/core';
import { useShown } from '../address.tsx';
import { CopyMenu } from '../export/copy-menu.tsx';
import { ExportMenu } from '../export/export-menu.tsx';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { withSort } from '../view.ts';
import { fieldLabel } from '../words.ts';
import { columnsOf, headline, withColumn } from './columns.ts';
import { startSelection, useIsSelecting, useSelected } from './selection.ts';
import { SelectionMenus } from './selection-menus.tsx';

interface MenusProps {
  readonly total: number | undefined;
  readonly isNarrow: boolean;
}

export function Menus({ total, isNarrow }: MenusProps) {
  const selected = useSelected();
  const isSelecting = useIsSelecting();
  const { view } = useShown();
  // A table has its boxes always.
  if (selected.size > 0 || (isSelecting && isNarrow)) return <SelectionMenus selected={selected} />;
  return (
    <>
      {isNarrow && <SortMenu />}
      <ColumnsMenu />
      <CopyMenu />
      {isNarrow && (
        <Button variant="default" leftSection={<Icon name="check" size={16} />} onClick={startSelection}>
          {texts.select.start}
        </Button>
      )}
      <ExportMenu view={view} total={total} />
    </>
  );
}

function ColumnsMenu() {
  const { list, view, go } = useShown();
  const shown = columnsOf(list, view);
  const first = headline(list);
  const isUsual = view.columns === undefined;
  return (
    <Popover position="bottom-end" width={260} trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<Icon name="columns" size={16} />}>
          {texts.table.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.table.columns} className="columns">
        {list.fields.map((field) => (
          <Checkbox
            key={field.name}
            label={fieldLabel(field.name)}
            checked={shown.includes(field)}
            disabled={field.name === first}
            onChange={(event) =>
              go(withColumn(list, view, field.name, event.currentTarget.checked), { replace: true })
            }
          />
        ))}
        <Button
          variant="subtle"
          size="compact-sm"
          data-disabled={isUsual}
          aria-disabled={isUsual}
          onClick={() => isUsual || go({ ...view, columns: undefined }, { replace: true })}
        >
          {texts.table.columnsUsual}
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}

function SortMenu() {
  const { list, view, go } = useShown();
  return (
    <Menu position="bottom-start" width={230}>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name={view.isDescending ? 'down' : 'up'} size={16} />}>
          {texts.table.sort}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" className="scrolling">
        {list.fields.map(({ name, sortKey }) => {
          if (sortKey === undefined) return null;
          const isOn = view.sortBy === sortKey;
          const order = view.isDescending ? texts.table.descending : texts.table.ascending;
          return (
            <Menu.Item key={name} onClick={() => go(withSort(view, sortKey))}>
              {fieldLabel(name)}
              {isOn && <span className="dim"> · {order}</span>}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
