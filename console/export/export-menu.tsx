// Exports a view: which columns, and as what kind of file.

import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { useShown } from '../address.tsx';
import type { View } from '../contract.ts';
import { plural } from '../format.ts';
import { Icon } from '../icons.tsx';
import { columnsOf } from '../list/columns.ts';
import { Choice, MenuGroup } from '../shell/choice.tsx';
import { texts } from '../texts.ts';
import { EXPORT_BUTTON, FORMATS, startDownload, useDownload } from './download.ts';

const words = texts.export;
const COLUMNS = (['shown', 'all'] as const).map((value) => ({ value, shown: words.columns[value] }));

interface ExportMenuProps {
  /** What is exported. */
  readonly view: View;
  readonly total: number | undefined;
}

export function ExportMenu({ view, total }: ExportMenuProps) {
  const { list } = useShown();
  const { running } = useDownload();
  const [isOpen, setOpen] = useState(false);
  const [which, setWhich] = useState<(typeof COLUMNS)[number]['value']>('shown');
  const columns = which === 'all' ? undefined : columnsOf(list, view).map(({ name }) => name);
  // Not `disabled`: the button has the focus when the menu closes.
  const isOff = running !== undefined || total === 0;
  return (
    <Menu
      position="bottom-end"
      width={240}
      opened={isOpen && !isOff}
      onChange={(next) => setOpen(next && !isOff)}
    >
      <Menu.Target>
        <Button
          className={EXPORT_BUTTON}
          leftSection={<Icon name="download" size={16} />}
          data-disabled={isOff}
          aria-disabled={isOff}
        >
          {words.label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Choice label={texts.table.columns} value={which} choices={COLUMNS} onChoose={setWhich} />
        <MenuGroup label={total === undefined ? words.title : plural(words.all, total)}>
          {FORMATS.map((format) => (
            <Menu.Item
              key={format}
              onClick={() => void startDownload({ list, view, format, columns }, total)}
            >
              {words[format]}
            </Menu.Item>
          ))}
        </MenuGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
