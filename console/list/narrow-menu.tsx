// On a narrow screen: one menu, in words, of all that is done with the list. The order and the columns are
// chosen on pages of the menu.

import { Button, Menu } from '@mantine/core';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { goToView, useShown } from '../address.tsx';
import { CopyItems } from '../export/copy-menu.tsx';
import { ExportItems, useCanExport } from '../export/export-menu.tsx';
import { Icon, type IconName } from '../icons.tsx';
import { rangesLink } from '../ranges/address.ts';
import { MenuGroup } from '../shell/choice.tsx';
import { useBriefly } from '../shell/copy-text.tsx';
import { texts } from '../texts.ts';
import { sortOf, withSort } from '../view.ts';
import { fieldLabel } from '../words.ts';
import { columnsOf, headline, withColumn } from './columns.ts';
import { startSelection } from './selection.ts';

const words = texts.table;
const SHOWN_MS = 2_000;

const iconOf = (name: IconName) => <Icon name={name} size={16} />;

interface NarrowMenuProps {
  readonly total: number | undefined;
  /** Opens what compares a file with the numbers; absent for a list without them. */
  readonly onCheck: (() => void) | undefined;
}

export function NarrowMenu({ total, onCheck }: NarrowMenuProps) {
  const [page, setPage] = useState<'sort' | 'columns'>();
  const [done, setDone] = useBriefly<string>(SHOWN_MS);
  const inside = useRef<HTMLDivElement>(null);
  const goTo = (next: typeof page) => {
    flushSync(() => setPage(next));
    // The item that was chosen is no longer there.
    inside.current?.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
  };
  return (
    <>
      <Menu position="bottom-end" width={280} onOpen={() => setPage(undefined)}>
        <Menu.Target>
          <Button variant="default" leftSection={iconOf(done === undefined ? 'more' : 'check')}>
            {words.more}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <div ref={inside}>
            {page !== undefined && (
              <Menu.Item
                closeMenuOnClick={false}
                leftSection={iconOf('left')}
                onClick={() => goTo(undefined)}
              >
                {words.more}
              </Menu.Item>
            )}
            {page === undefined && <AllItems {...{ total, onCheck }} onPage={goTo} onCopied={setDone} />}
            {page === 'sort' && <SortItems />}
            {page === 'columns' && <ColumnItems />}
          </div>
        </Menu.Dropdown>
      </Menu>
      <span className="hidden" role="status">
        {done}
      </span>
    </>
  );
}

interface AllItemsProps extends NarrowMenuProps {
  readonly onPage: (page: 'sort' | 'columns') => void;
  readonly onCopied: (said: string) => void;
}

function AllItems({ total, onCheck, onPage, onCopied }: AllItemsProps) {
  const { list, view } = useShown();
  const canExport = useCanExport(total);
  const ranges = rangesLink(list, view);
  const sorted = list.fields.find(({ sortKey }) => sortKey !== undefined && sortKey === sortOf(list, view));
  return (
    <>
      <Menu.Item leftSection={iconOf('check')} onClick={startSelection}>
        {texts.select.start}
      </Menu.Item>
      <PageItem icon={view.isDescending ? 'down' : 'up'} onOpen={() => onPage('sort')}>
        {sorted === undefined ? words.sort : texts.labelled(words.sort, fieldLabel(sorted))}
      </PageItem>
      <PageItem icon="columns" onOpen={() => onPage('columns')}>
        {words.columns}
      </PageItem>
      {list.splits.length > 0 && (
        <Menu.Item leftSection={iconOf('list')} onClick={() => goToView(ranges.list, ranges.view, ranges.id)}>
          {texts.ranges.label}
        </Menu.Item>
      )}
      {onCheck !== undefined && (
        <Menu.Item leftSection={iconOf('compare')} onClick={onCheck}>
          {texts.check.label}
        </Menu.Item>
      )}
      <Menu.Divider />
      {canExport && (
        <>
          <ExportItems {...{ view, total }} label={texts.labelled(texts.export.label, words.columns)} />
          <Menu.Divider />
        </>
      )}
      <MenuGroup label={texts.copyAs.label}>
        <CopyItems onCopied={onCopied} />
      </MenuGroup>
    </>
  );
}

interface PageItemProps {
  readonly icon: IconName;
  readonly onOpen: () => void;
  readonly children: string;
}

/** Leads to a page of the menu. */
function PageItem({ icon, onOpen, children }: PageItemProps) {
  const sides = { leftSection: iconOf(icon), rightSection: iconOf('right') };
  return (
    <Menu.Item {...sides} closeMenuOnClick={false} onClick={onOpen}>
      {children}
    </Menu.Item>
  );
}

function SortItems() {
  const { list, view, go } = useShown();
  return list.fields.map((field) => {
    const { name, sortKey } = field;
    if (sortKey === undefined) return null;
    const isOn = sortOf(list, view) === sortKey;
    const order = view.isDescending ? words.descending : words.ascending;
    return (
      <Menu.Item key={name} onClick={() => go(withSort(list, view, sortKey))}>
        {fieldLabel(field)}
        {isOn && <span className="dim"> · {order}</span>}
      </Menu.Item>
    );
  });
}

function ColumnItems() {
  const { list, view, go } = useShown();
  const shown = columnsOf(list, view);
  const first = headline(list);
  const choose = (next: typeof view) => go(next, { replace: true });
  return (
    <>
      {list.fields.map(
        (field) =>
          field.name !== first && (
            <Menu.CheckboxItem
              key={field.name}
              closeMenuOnClick={false}
              checkIcon={iconOf('check')}
              checked={shown.includes(field)}
              onChange={(isOn) => choose(withColumn(list, view, field.name, isOn))}
            >
              {fieldLabel(field)}
            </Menu.CheckboxItem>
          ),
      )}
      <Menu.Divider />
      <Menu.Item closeMenuOnClick={false} onClick={() => choose({ ...view, columns: undefined })}>
        {words.columnsUsual}
      </Menu.Item>
    </>
  );
}
