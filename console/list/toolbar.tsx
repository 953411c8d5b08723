// Above the list: search as one types, and what can be done with what is shown.

import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useShown } from '../address.tsx';
import { shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { later } from '../shell/later.tsx';
import { fieldLabel, texts } from '../texts.ts';
import { activeFilters, withSearch } from '../view.ts';

const Menus = later('Menus', () => import('./menus.tsx'));

/** How long typing rests before it is asked for. */
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
        <Suspense fallback={<Promised />}>
          <Menus total={total} isNarrow={isNarrow} />
        </Suspense>
      </div>
    </div>
  );
}

/** The buttons of the menus, until these are there. */
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

function SearchBox() {
  const { list, view, go } = useShown();
  const shown = view.q ?? '';
  const [text, setText] = useState(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** What was asked for last from here: an address that says otherwise was changed elsewhere. */
  const asked = useRef(shown);
  useEffect(() => {
    if (shown === asked.current) return;
    clearTimeout(timer.current);
    asked.current = shown;
    setText(shown);
  }, [shown]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const search = (value: string) => {
    clearTimeout(timer.current);
    const next = withSearch(view, value);
    if ((next.q ?? '') === shown) return;
    asked.current = next.q ?? '';
    // One step back leads to the view before the search, however long it was typed.
    go(next, { replace: view.q !== undefined });
  };
  const onType = (value: string) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(value), REST_MS);
  };
  return (
    <search className="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          search(text);
        }}
      >
        <TextInput
          type="search"
          aria-label={texts.search.label(list.title)}
          placeholder={texts.search.placeholder(
            list.search.map((name) => fieldLabel(name).toLowerCase()).join(', '),
          )}
          leftSection={<Icon name="search" size={17} />}
          rightSection={
            text === '' ? null : (
              <UnstyledButton
                className="clear-search"
                aria-label={texts.search.clear}
                onClick={() => {
                  setText('');
                  search('');
                }}
              >
                <Icon name="close" size={15} />
              </UnstyledButton>
            )
          }
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
