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
import { EXPORT_BUTTON, useDownload } from './current.ts';
import { FORMATS, startDownload } from './download.ts';

const words = texts.export;
const COLUMNS = (['shown', 'all'] as const).map((value) => ({ value, shown: words.columns[value] }));

interface ExportMenuProps {
  /** What is exported. */
  readonly view: View;
  readonly total: number | undefined;
}

interface ExportItemsProps extends ExportMenuProps {
  /** Of the choice of columns. */
  readonly label?: string;
}

export function ExportItems({ view, total, label = texts.table.columns }: ExportItemsProps) {
  const { list } = useShown();
  const [which, setWhich] = useState<(typeof COLUMNS)[number]['value']>('shown');
  const columns = which === 'all' ? undefined : columnsOf(list, view).map(({ name }) => name);
  return (
    <>
      <Choice label={label} value={which} choices={COLUMNS} onChoose={setWhich} />
      <MenuGroup label={total === undefined ? words.title : plural(words.all, total)}>
        {FORMATS.map((format) => (
          <Menu.Item key={format} onClick={() => void startDownload({ list, view, format, columns }, total)}>
            {words[format]}
          </Menu.Item>
        ))}
      </MenuGroup>
    </>
  );
}

/** Not while a download is running, nor of nothing. */
export function useCanExport(total: number | undefined): boolean {
  const { running } = useDownload();
  return running === undefined && total !== 0;
}

export function ExportMenu({ view, total }: ExportMenuProps) {
  const [isOpen, setOpen] = useState(false);
  // Not `disabled`: the button has the focus when the menu closes.
  const isOff = !useCanExport(total);
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
        <ExportItems view={view} total={total} />
      </Menu.Dropdown>
    </Menu>
  );
}
