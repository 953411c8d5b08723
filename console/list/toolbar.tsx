// Above the list: search as you type, and menus.

import { ActionIcon, Button, type ButtonProps, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { EXPORT_BUTTON } from '../export/current.ts';
import { withPasted } from '../filters/pasted.ts';
import { Icon, type IconName } from '../icons.tsx';
import { rangesLink } from '../ranges/address.ts';
import { hasModifier } from '../shell/keys.ts';
import { later } from '../shell/later.tsx';
import { texts } from '../texts.ts';
import { withSearch } from '../view.ts';
import { fieldLabel } from '../words.ts';

/** The pause in typing after which the search starts. */
const REST_MS = 220;
const MOST_CHARACTERS = 200;
/** A search field without its text, and a character of that, rather more than the mean. */
const FIELD_PX = 50;
const CHARACTER_PX = 8;

/** As wide as the menus that will be there, so that nothing moves under a finger. */
const Menus = later(
  'Menus',
  () => import('./menus.tsx'),
  ({ isNarrow, hasNumbers }) => {
    const button = (icon: IconName, label: string, how: ButtonProps = { variant: 'default' }) => (
      <Button leftSection={<Icon name={icon} size={16} />} inert {...how}>
        {label}
      </Button>
    );
    if (isNarrow) return button('more', texts.table.more);
    return (
      <>
        {button('columns', texts.table.columns)}
        {button('code', texts.copyAs.label)}
        {hasNumbers && button('compare', texts.check.label)}
        {button('download', texts.export.label, { className: EXPORT_BUTTON })}
      </>
    );
  },
  { isLikely: true },
);

interface RootProps {
  readonly className: string;
  readonly children: ReactNode;
}

interface ToolbarProps {
  readonly total: number | undefined;
  readonly isNarrow: boolean;
  /** After the search. */
  readonly children: ReactNode;
}

export function Toolbar({ total, isNarrow, children }: ToolbarProps) {
  const { list } = useShown();
  return (
    <div className="row toolbar" role="toolbar" aria-label={list.title}>
      <SearchBox isFound={total !== undefined} />
      {children}
      <div className="row toolbar-more">
        {list.splits.length > 0 && !isNarrow && <RangesLink />}
        <Menus {...{ total, isNarrow }} hasNumbers={list.fields.some(({ isNumber }) => isNumber)} />
      </div>
    </div>
  );
}

function RangesLink() {
  const { list, view } = useShown();
  return (
    <Button
      variant="default"
      leftSection={<Icon name="list" size={16} />}
      renderRoot={(root: RootProps) => <ViewLink {...root} {...rangesLink(list, view)} />}
    >
      {texts.ranges.label}
    </Button>
  );
}

function useSearchText() {
  const { list, view, go } = useShown();
  const shown = view.q ?? '';
  const [text, setText] = useState(shown);
  /** The last search from here; if the address has another, something else changed it. */
  const searched = useRef(shown);
  const search = useDebouncedCallback((value: string) => {
    const next = withSearch(view, value);
    if (next.q === view.q) return;
    searched.current = next.q ?? '';
    // One step back leads to the view before the search, however long the typing took.
    go(next, { replace: view.q !== undefined });
  }, REST_MS);
  useEffect(() => {
    if (shown === searched.current) return;
    search.cancel();
    searched.current = shown;
    setText(shown);
  }, [shown, search]);
  const onType = (value: string) => {
    setText(value);
    search(value);
  };
  const onClear = () => {
    onType('');
    search.flush();
  };
  /** Several numbers are no search: they become a filter. */
  const onPaste = (event: ClipboardEvent) => {
    const next = withPasted(list, view, event.clipboardData.getData('text'));
    if (next === undefined) return;
    event.preventDefault();
    search.cancel();
    searched.current = '';
    setText('');
    go(next);
  };
  return { text, onType, onPaste, onClear, onEnter: search.flush };
}

const focusFirstRow = () => document.querySelector<HTMLElement>('.rows :is(.row-link, .card-link)')?.focus();

/** The arrow key down leads to what is found: while that is missing, as soon as it is there. */
function useWayToRows(isFound: boolean, search: () => void) {
  const isWanted = useRef(false);
  useEffect(() => {
    if (!isFound || !isWanted.current) return;
    isWanted.current = false;
    focusFirstRow();
  });
  const onBlur = () => {
    isWanted.current = false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    onBlur();
    if (event.key !== 'ArrowDown' || hasModifier(event.nativeEvent)) return;
    event.preventDefault();
    search();
    if (isFound) focusFirstRow();
    else isWanted.current = true;
  };
  return { onKeyDown, onBlur };
}

function SearchBox({ isFound }: { readonly isFound: boolean }) {
  const { list, view } = useShown();
  const { text, onType, onPaste, onClear, onEnter } = useSearchText();
  const wayToRows = useWayToRows(isFound && withSearch(view, text).q === view.q, onEnter);
  const searched = list.search.flatMap((name) => list.fields.filter((field) => field.name === name));
  const fields = searched.map((field) => fieldLabel(field)).join(', ');
  const [width, setWidth] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const sizes = new ResizeObserver(() => setWidth(field.current?.clientWidth ?? 0));
    if (field.current !== null) sizes.observe(field.current);
    return () => sizes.disconnect();
  }, []);
  const hint = texts.search.placeholder(fields);
  const clear = (
    <ActionIcon variant="subtle" color="gray" aria-label={texts.search.clear} onClick={onClear}>
      <Icon name="close" size={15} />
    </ActionIcon>
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
          ref={field}
          placeholder={width < FIELD_PX + hint.length * CHARACTER_PX ? texts.search.short : hint}
          leftSection={<Icon name="search" size={17} />}
          rightSection={text === '' ? null : clear}
          value={text}
          maxLength={MOST_CHARACTERS}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          onChange={(event) => onType(event.currentTarget.value)}
          onPaste={onPaste}
          {...wayToRows}
        />
      </form>
    </search>
  );
}
