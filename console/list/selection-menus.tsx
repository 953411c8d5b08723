// What can be done with the rows that are selected: copy them, export them, or select none.

import { ActionIcon, Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { useShown } from '../address.tsx';
import { type FieldFacts, type ListFacts, type Row, safeCell } from '../contract.ts';
import { ExportMenu } from '../export/export-menu.tsx';
import { plural } from '../format.ts';
import { Icon } from '../icons.tsx';
import { copyText } from '../shell/copy-text.tsx';
import { useKeys } from '../shell/keys.ts';
import { texts } from '../texts.ts';
import { withFilter, withoutFilters } from '../view.ts';
import { fieldLabel } from '../words.ts';
import { columnsOf, headline } from './columns.ts';
import { clearSelection } from './selection.ts';

const words = texts.select;
/** Stays as it is, as in a CSV file. */
const PHONE_NUMBER = /^\+?\d+$/;

function cellOf({ name, kind, isNumber }: FieldFacts, row: Row): string {
  const text = String(row[name] ?? '').replaceAll(/[\t\r\n]+/g, ' ');
  if (kind === 'timestamp') return text.slice(0, 'YYYY-MM-DDThh:mm:ss'.length).replace('T', ' ');
  return kind === 'text' && !(isNumber && PHONE_NUMBER.test(text)) ? safeCell(text) : text;
}

/** As spreadsheets paste it: cells between tabs. */
function tableOf(fields: readonly FieldFacts[], rows: readonly Row[]): string {
  const lines = [
    fields.map(({ name }) => fieldLabel(name)),
    ...rows.map((row) => fields.map((field) => cellOf(field, row))),
  ];
  return lines.map((cells) => cells.join('\t')).join('\n');
}

const namesOf = (list: ListFacts, rows: readonly Row[]) =>
  rows.map((row) => String(row[headline(list)])).join('\n');

export function SelectionMenus({ selected }: { readonly selected: ReadonlyMap<number, Row> }) {
  const { list, view } = useShown();
  const [copied, setCopied] = useState<typeof selected>();
  const rows = [...selected.values()];
  const ids = [...selected.keys()];
  const isOff = rows.length === 0;
  const copy = (text: string) => void copyText(text).then(() => setCopied(selected));
  useKeys({ Escape: clearSelection });
  return (
    <>
      <span className="selected-count" role="status">
        {copied === selected ? texts.copied : plural(words.count, rows.length)}
      </span>
      <Menu position="bottom-end" width={260} disabled={isOff}>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<Icon name="copy" size={16} />}
            data-disabled={isOff}
            aria-disabled={isOff}
          >
            {words.copy}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => copy(namesOf(list, rows))}>{words.names(list.title)}</Menu.Item>
          <Menu.Item onClick={() => copy(tableOf(columnsOf(list, view), rows))}>{words.rows}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ExportMenu view={withFilter(list, withoutFilters(view), 'ids', ids)} total={rows.length} />
      <ActionIcon variant="default" size={36} aria-label={words.clear} onClick={clearSelection}>
        <Icon name="close" size={16} />
      </ActionIcon>
    </>
  );
}
