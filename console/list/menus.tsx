// The menus above the list: columns, copy, check, export, on narrow screens in one. Or those of the rows that
// are selected.

import { ActionIcon, Button, Checkbox, Menu, Popover } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useShown } from '../address.tsx';
import { copiedValue, type FieldFacts, type ListFacts, type Row } from '../contract.ts';
import { CopyMenu } from '../export/copy-menu.tsx';
import { ExportMenu } from '../export/export-menu.tsx';
import { plural } from '../format.ts';
import { Icon } from '../icons.tsx';
import { copyText } from '../shell/copy-text.tsx';
import { useKeys } from '../shell/keys.ts';
import { later } from '../shell/later.tsx';
import { fileCheck } from '../shell/opened.ts';
import { texts } from '../texts.ts';
import { withFilter, withoutFilters } from '../view.ts';
import { fieldLabel } from '../words.ts';
import { columnsOf, headline, withColumn } from './columns.ts';
import { NarrowMenu } from './narrow-menu.tsx';
import { clearSelection, useIsSelecting, useSelected } from './selection.ts';

const CheckFile = later('CheckFile', () => import('../check/check-file.tsx'), undefined, { isLikely: true });

interface MenusProps {
  readonly total: number | undefined;
  readonly isNarrow: boolean;
  /** Which a file can be checked against. */
  readonly hasNumbers: boolean;
}

export function Menus(props: MenusProps) {
  const isChecking = useSyncExternalStore(fileCheck.observe, fileCheck.get);
  return (
    <>
      <ListMenus {...props} />
      {props.hasNumbers && isChecking && <FileCheck />}
    </>
  );
}

const closeCheck = () => fileCheck.set(false);

/** It does not open again with another list. */
function FileCheck() {
  useEffect(() => closeCheck, []);
  return <CheckFile onClose={closeCheck} />;
}

function ListMenus({ total, isNarrow, hasNumbers }: MenusProps) {
  const selected = useSelected();
  const isSelecting = useIsSelecting();
  const { view } = useShown();
  const onCheck = hasNumbers ? () => fileCheck.set(true) : undefined;
  // A table has its boxes always.
  if (selected.size > 0 || (isSelecting && isNarrow)) return <SelectionMenus selected={selected} />;
  if (isNarrow) return <NarrowMenu total={total} onCheck={onCheck} />;
  return (
    <>
      <ColumnsMenu />
      <CopyMenu />
      {onCheck !== undefined && (
        <Button
          variant="default"
          leftSection={<Icon name="compare" size={16} />}
          aria-haspopup="dialog"
          onClick={onCheck}
        >
          {texts.check.label}
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
      <Popover.Dropdown aria-label={texts.table.columns} className="columns scrolling">
        {list.fields.map((field) => (
          <Checkbox
            key={field.name}
            label={fieldLabel(field)}
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

/** One line. Spreadsheets take a quote at its beginning for one around the cell. */
function cellOf(field: FieldFacts, row: Row): string {
  const text = copiedValue(field, String(row[field.name] ?? '')).replaceAll(/[\t\r\n]+/g, ' ');
  if (field.kind === 'timestamp') return text.slice(0, 'YYYY-MM-DDThh:mm:ss'.length).replace('T', ' ');
  return text.startsWith('"') ? `"${text.replaceAll('"', '""')}"` : text;
}

/** As spreadsheets paste it: cells between tabs. */
function tableOf(fields: readonly FieldFacts[], rows: readonly Row[]): string {
  const lines = [
    fields.map((field) => fieldLabel(field)),
    ...rows.map((row) => fields.map((field) => cellOf(field, row))),
  ];
  return lines.map((cells) => cells.join('\t')).join('\n');
}

function namesOf(list: ListFacts, rows: readonly Row[]): string {
  const named = list.fields.filter(({ name }) => name === headline(list));
  return rows.flatMap((row) => named.map((field) => cellOf(field, row))).join('\n');
}

function SelectionMenus({ selected }: { readonly selected: ReadonlyMap<number, Row> }) {
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
        {copied === selected ? texts.copied : plural(texts.select.count, rows.length)}
      </span>
      <Menu position="bottom-end" width={260} disabled={isOff}>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<Icon name="copy" size={16} />}
            data-disabled={isOff}
            aria-disabled={isOff}
          >
            {texts.select.copy}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => copy(namesOf(list, rows))}>{texts.select.names(list.title)}</Menu.Item>
          <Menu.Item onClick={() => copy(tableOf(columnsOf(list, view), rows))}>
            {texts.select.rows}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ExportMenu view={withFilter(list, withoutFilters(view), 'ids', ids)} total={rows.length} />
      <ActionIcon variant="default" size={36} aria-label={texts.select.clear} onClick={clearSelection}>
        <Icon name="close" size={16} />
      </ActionIcon>
    </>
  );
}
