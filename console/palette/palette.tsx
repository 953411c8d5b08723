// The command palette: leads by keyboard to any item, view, filter or order, and to what a page can do.

import { useMantineColorScheme } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ClipboardEvent, type KeyboardEvent, useId, useMemo, useState } from 'react';
import { goToView, pathOf, useList, useLists } from '../address.tsx';
import { activityList, EMPTY_VIEW, type ListFacts, writeView } from '../contract.ts';
import { numbersFilter, withPasted } from '../filters/pasted.ts';
import { usePins } from '../filters/pins.ts';
import { shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { BASE } from '../linecard.ts';
import { useIsNarrow } from '../list/cards.tsx';
import { startSelection } from '../list/selection.ts';
import { useNumberFormats } from '../list/value.tsx';
import { brand, IS_EMBEDDED } from '../page.ts';
import { accountQuery, facetsQuery } from '../queries.ts';
import { readView } from '../reading.ts';
import { currentAddress, goTo, useAddress } from '../router.tsx';
import { mustChoose, signOut } from '../session.ts';
import { copyText } from '../shell/copy-text.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { takeFocus } from '../shell/focus.ts';
import { keysHelp } from '../shell/keys.ts';
import { accountSide, pinForm } from '../shell/opened.ts';
import { leaveTo } from '../shell/outside.tsx';
import { asksFor, type PaletteProps } from '../shell/palette-field.tsx';
import { chooseLanguage, LANGUAGES, type Language, language, texts } from '../texts.ts';
import { isFiltered } from '../view.ts';
import { type Around, action, type Entry, entriesFor } from './entries.ts';
import { useAccounts, useFound } from './found.ts';
import { recentViews } from './recent.ts';

const words = texts.palette;

/** Each list, the one that is shown first with its view. Counted as soon as somebody types. */
function useViews(lists: readonly ListFacts[], isTyping: boolean): Around[] {
  const list = useList();
  const shown = mustChoose() ? undefined : list;
  const { text } = useAddress();
  const around = useMemo(() => {
    try {
      return shown && { list: shown, view: readView(shown, text), isShown: true };
    } catch {
      return undefined; // an address that asks for what does not exist: the lists themselves are still a way
    }
  }, [shown, text]);
  const others = lists.filter((list) => list !== around?.list);
  const views = [
    ...(around === undefined ? [] : [around]),
    ...others.map((list) => ({ list, view: EMPTY_VIEW, isShown: false })),
  ];
  const facets = useQueries({
    queries: views.map(({ list, view }) => ({ ...facetsQuery(list, view), enabled: isTyping })),
  });
  return views.map((one, i) => {
    const { data, isPlaceholderData } = facets[i] ?? {};
    return { ...one, facets: isPlaceholderData === true ? undefined : data };
  });
}

const PAGES = [
  ['', texts.overview.title],
  [activityList.word, texts.activity.title],
  ['notifications', texts.notifications.title],
] as const;

/** The other pages; an operator without an account has the one that is shown. */
function usePages(): Entry[] {
  const here = useAddress().path.join('/');
  const others = mustChoose() ? [] : PAGES.filter(([path]) => path !== here);
  return others.map(([path, title]) => action(words.goTo(title), 'right', () => goTo(path)));
}

/** Of the header, which a page within another one lacks. */
function useAccountActions(): Entry[] {
  const { data: account } = useQuery(accountQuery());
  if (IS_EMBEDDED) return [];
  const { title, other } = texts.accounts;
  const choose = action(title, 'person', () => accountSide.set('chooser'));
  return [
    ...(account === undefined || account.token.reach === 'account' ? [] : [choose]),
    action(other, 'person', () => accountSide.set('other')),
  ];
}

/** Of the list that is shown, if one is. */
function useListActions(shown: Around | undefined): Entry[] {
  const { canPin, nameOf, unpin } = usePins();
  const isNarrow = useIsNarrow();
  const isList = useAddress().path.length === 1;
  if (shown === undefined || !isList) return [];
  const { list, view } = shown;
  const known = nameOf(list, view);
  const pin =
    known === undefined
      ? action(texts.pins.pin, 'pin', () => pinForm.set(true))
      : action(texts.pins.remove(known), 'pin', () => unpin(list, view));
  return [
    ...(isFiltered(view) && canPin(list) ? [pin] : []),
    ...(isNarrow ? [action(texts.select.toCopy, 'check', startSelection)] : []),
  ];
}

function useActions(shown: Around | undefined): Entry[] {
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const { supportUrl } = brand;
  return [
    ...useListActions(shown),
    ...useAccountActions(),
    action(texts.copyAs.link, 'link', () => void copyText(location.href)),
    ...(['auto', 'light', 'dark'] as const).map((scheme) =>
      action(texts.labelled(texts.themes.label, texts.themes[scheme]), 'check', () => setColorScheme(scheme)),
    ),
    ...(Object.keys(LANGUAGES) as Language[])
      .filter((one) => one !== language)
      .map((one) =>
        action(texts.labelled(texts.language, LANGUAGES[one]), 'check', () => chooseLanguage(one)),
      ),
    action(texts.keys.title, 'keys', () => keysHelp.set(true)),
    action(texts.reference, 'book', () => leaveTo(`${BASE}/docs`)),
    ...(supportUrl === undefined ? [] : [action(texts.support, 'help', () => leaveTo(supportUrl))]),
    action(texts.signOut, 'leave', signOut),
  ];
}

function useChoice(id: string, entries: readonly Entry[], go: (entry: Entry) => void) {
  const [at, choose] = useState(0);
  const chosen = entries[Math.min(at, entries.length - 1)];
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Enter' && chosen !== undefined) go(chosen);
    else if (step !== 0) {
      const next = (at + step + entries.length) % Math.max(1, entries.length);
      choose(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else return;
    event.preventDefault();
  };
  return { chosen, choose, onKeyDown };
}

/** Several numbers are no search: they become a filter. */
function usePaste(views: readonly Around[], onClose: () => void) {
  return (event: ClipboardEvent) => {
    const { list, view } = views.find((one) => numbersFilter(one.list) !== undefined) ?? {};
    const next = list && view && withPasted(list, view, event.clipboardData.getData('text'));
    if (list === undefined || next === undefined) return;
    event.preventDefault();
    onClose();
    goToView(list, next);
  };
}

export function Palette({ opening, onClose }: PaletteProps) {
  const [typed, setTyped] = useState(opening.typed);
  const id = useId();
  useNumberFormats();
  const all = useLists();
  const lists = mustChoose() ? [] : all;
  const views = useViews(lists, typed.trim() !== '');
  const [found, accounts] = [useFound(typed, lists), useAccounts(typed)];
  const [pages, recent] = [usePages(), recentViews()];
  const actions = useActions(views.find(({ isShown }) => isShown));
  const { pins } = usePins();
  const entries = entriesFor(typed, { lists, views, recent, pins, found, accounts, pages, actions });
  const go = ({ to, run }: Entry) => {
    onClose();
    run?.();
    if (to === undefined) return;
    const { path, text } = currentAddress();
    const replace = path.join('/') === pathOf(to.list, to.id) && text === writeView(to.view);
    goToView(to.list, to.view, to.id, { replace });
  };
  const { chosen, choose, onKeyDown } = useChoice(id, entries, go);
  const onPaste = usePaste(views, onClose);
  return (
    <Dialog size="36rem" label={words.label} from={opening.from} onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen === undefined ? undefined : `${id}-${entries.indexOf(chosen)}`}
        aria-label={words.label}
        placeholder={asksFor()}
        autoComplete="off"
        spellCheck={false}
        ref={takeFocus}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          choose(0);
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <Entries {...{ id, entries, chosen }} onPoint={choose} onGo={go} />
      <Nothing isFound={entries.length > 0 || accounts === undefined} />
      <p className="palette-hint">{words.hint}</p>
    </Dialog>
  );
}

const Nothing = ({ isFound }: { readonly isFound: boolean }) => (
  <p className="dim palette-none" role="status">
    {!isFound && texts.nothingFound.title}
  </p>
);

interface EntriesProps {
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly chosen: Entry | undefined;
  readonly onPoint: (at: number) => void;
  readonly onGo: (entry: Entry) => void;
}

/** The label of an item changes when the formats of numbers are loaded. */
const keyOf = ({ icon, label, to }: Entry) =>
  typeof to?.id === 'number' ? `${to.list.name} ${to.id}` : `${icon} ${label}`;

function Entries({ id, entries, chosen, onPoint, onGo }: EntriesProps) {
  return (
    <div id={id} role="listbox" aria-label={words.label} className="palette-list">
      {entries.map((entry, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's, which keeps the focus
        <div
          key={keyOf(entry)}
          id={`${id}-${i}`}
          role="option"
          tabIndex={-1}
          aria-selected={entry === chosen}
          className="row apart palette-entry"
          onClick={() => onGo(entry)}
          onPointerMove={() => onPoint(i)}
        >
          <span dir="auto">
            {entry.icon !== undefined && <Icon name={entry.icon} size={15} />} {entry.label}
          </span>
          {entry.count !== undefined && <span className="count">{shownCount(entry.count)}</span>}
        </div>
      ))}
    </div>
  );
}
