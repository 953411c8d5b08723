// Above the list: search as you type, filters and menus.

import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useShown } from '../address.tsx';
import { shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { Later, later } from '../shell/later.tsx';
import { texts } from '../texts.ts';
import { activeFilters, withSearch } from '../view.ts';
import { fieldLabel } from '../words.ts';

const menus = later('Menus', () => import('./menus.tsx'));

/** The pause in typing after which the search starts. */
const REST_MS = 220;
const MOST_CHARACTERS = 200;

interface ToolbarProps {
  readonly total: number | undefined;
  readonly isNarrow: boolean;
  readonly onFilters: () => void;
}

export function Toolbar({ total, isNarrow, onFilters }: ToolbarProps) {
  const { list, view } = useShown();
  const on = activeFilters(list, view).length;
  return (
    <div className="toolbar" role="toolbar" aria-label={list.title}>
      <SearchBox />
      <Button
        className="filters-button"
        variant="default"
        leftSection={<Icon name="filter" size={16} />}
        onClick={onFilters}
      >
        {texts.filters.open}
        {on > 0 && <span className="count">{shownCount(on)}</span>}
      </Button>
      <div className="toolbar-more">
        <Later part={menus} waiting={<Promised />}>
          {(Menus) => <Menus total={total} isNarrow={isNarrow} />}
        </Later>
      </div>
    </div>
  );
}

/** Placeholders of the menus until they are loaded. */
function Promised() {
  return (
    <div className="toolbar-more" inert>
      <Button variant="default" leftSection={<Icon name="columns" size={16} />}>
        {texts.table.columns}
      </Button>
      <Button variant="default" leftSection={<Icon name="code" size={16} />}>
        {texts.copyAs.label}
      </Button>
      <Button leftSection={<Icon name="download" size={16} />}>{texts.export.label}</Button>
    </div>
  );
}

function useSearchText() {
  const { view, go } = useShown();
  const shown = view.q ?? '';
  const [text, setText] = useState(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The last search from here; if the address has another, something else changed it. */
  const searched = useRef(shown);
  /** The view may change before the search starts. */
  const latest = useRef(view);
  useEffect(() => {
    latest.current = view;
    if (shown === searched.current) return;
    clearTimeout(timer.current);
    searched.current = shown;
    setText(shown);
  }, [view, shown]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const search = (value: string) => {
    clearTimeout(timer.current);
    const before = latest.current;
    const next = withSearch(before, value);
    if (next.q === before.q) return;
    searched.current = next.q ?? '';
    // One step back leads to the view before the search, however long the typing took.
    go(next, { replace: before.q !== undefined });
  };
  const onType = (value: string) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(value), REST_MS);
  };
  const onClear = () => {
    setText('');
    search('');
  };
  return { text, onType, onClear, onEnter: () => search(text) };
}

function SearchBox() {
  const { list } = useShown();
  const { text, onType, onClear, onEnter } = useSearchText();
  const fields = list.search.map(fieldLabel).join(', ');
  const clear = (
    <UnstyledButton className="clear-search" aria-label={texts.search.clear} onClick={onClear}>
      <Icon name="close" size={15} />
    </UnstyledButton>
  );
  return (
    <search className="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onEnter();
        }}
      >
        <TextInput
          type="search"
          aria-label={texts.search.label(list.title)}
          placeholder={texts.search.placeholder(fields)}
          leftSection={<Icon name="search" size={17} />}
          rightSection={text === '' ? null : clear}
          value={text}
          maxLength={MOST_CHARACTERS}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          onChange={(event) => onType(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
