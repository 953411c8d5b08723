// The menu that saves every match.

import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { useShown } from '../address.tsx';
import { shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { EXPORT_BUTTON, FORMATS, startDownload, useDownload } from './download.ts';

const words = texts.export;

export function ExportMenu({ total }: { readonly total: number | undefined }) {
  const { list, view } = useShown();
  const { running } = useDownload();
  const [isOpen, setOpen] = useState(false);
  // The button is not disabled: it has the focus when the menu closes.
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
        {total !== undefined && <Menu.Label>{words.all(shownCount(total))}</Menu.Label>}
        {FORMATS.map((format) => (
          <Menu.Item key={format} onClick={() => void startDownload({ list, view, format }, total)}>
            {words[format]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
