// The command palette: leads by keyboard to any item, view, filter or order, and to what a page can do.

import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ClipboardEvent, type KeyboardEvent, useId, useMemo, useState } from 'react';
import { goToView, useList, useLists } from '../address.tsx';
import { activityList, EMPTY_VIEW, type ListFacts } from '../contract.ts';
import { numbersFilter, withPasted } from '../filters/pasted.ts';
import { usePins } from '../filters/pins.ts';
import { shownCount } from '../format.ts';
import { Icon, type IconName } from '../icons.tsx';
import { BASE, BASE_PATH } from '../linecard.ts';
import { useNumberFormats } from '../list/value.tsx';
import { addressSearch } from '../page.ts';
import { accountQuery, accountsQuery, facetsQuery, pageQuery } from '../queries.ts';
import { readView } from '../reading.ts';
import { goTo, useAddress } from '../router.tsx';
import { signOut } from '../session.ts';
import { copyText } from '../shell/copy-text.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { takeFocus } from '../shell/focus.ts';
import { keysHelp } from '../shell/keys.ts';
import { chooseLanguage, LANGUAGES, type Language, language, texts } from '../texts.ts';
import { withSearch } from '../view.ts';
import { type Around, type Entry, entriesFor, type Found } from './entries.ts';
import { recentViews } from './recent.ts';

const words = texts.palette;
/** The pause in typing after which items are searched. */
const REST_MS = 220;
const SHORTEST_SEARCH = 2;
/** Of each list. */
const MOST_FOUND = 4;

/** Each list, the one that is shown first with its view. Counted as soon as somebody types. */
function useViews(lists: readonly ListFacts[], isTyping: boolean): Around[] {
  const shown = useList();
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

/** The accounts whose name or id has what is typed, where the token reaches any. */
function useAccounts(typed: string): Entry[] {
  const [q] = useDebouncedValue(typed.trim(), REST_MS);
  const list = useList();
  const { data: account } = useQuery(accountQuery());
  const enabled = q.length >= SHORTEST_SEARCH && account?.token.reach === 'tree';
  const { data, isPlaceholderData } = useQuery({ ...accountsQuery(undefined, q), enabled });
  if (!enabled || data === undefined || isPlaceholderData) return [];
  return data.data.slice(0, MOST_FOUND).map(({ id, name }) => {
    const label = texts.labelled(texts.accounts.title, name || id);
    return action(label, 'person', () =>
      location.assign(BASE_PATH + (list?.word ?? '') + addressSearch('', id)),
    );
  });
}

/** The first items of each list that match what is typed, as soon as the typing rests. */
function useFound(typed: string, lists: readonly ListFacts[]): Found[] {
  const [q] = useDebouncedValue(typed.trim(), REST_MS);
  const enabled = q.length >= SHORTEST_SEARCH;
  const view = withSearch({ ...EMPTY_VIEW, pageSize: MOST_FOUND }, q);
  const answers = useQueries({ queries: lists.map((list) => ({ ...pageQuery(list, view), enabled })) });
  if (!enabled) return [];
  return lists.flatMap((list, i) => {
    const { data, isPlaceholderData = true } = answers[i] ?? {};
    return data === undefined || isPlaceholderData ? [] : [{ list, rows: data.data }];
  });
}

const action = (label: string, icon: IconName, run: () => void): Entry => ({ label, icon, run });

const PAGES = [
  ['', texts.overview.title],
  [activityList.word, texts.activity.title],
  ['notifications', texts.notifications.title],
] as const;

/** The other pages. */
function usePages(): Entry[] {
  const here = useAddress().path.join('/');
  const others = PAGES.filter(([path]) => path !== here);
  return others.map(([path, title]) => action(words.goTo(title), 'right', () => goTo(path)));
}

function useActions(): Entry[] {
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return [
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
    action(texts.reference, 'book', () => location.assign(`${BASE}/docs`)),
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

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const id = useId();
  useNumberFormats();
  const lists = useLists();
  const views = useViews(lists, typed.trim() !== '');
  const [found, accounts] = [useFound(typed, lists), useAccounts(typed)];
  const [pages, actions, recent] = [usePages(), useActions(), recentViews()];
  const { pins } = usePins();
  const entries = entriesFor(typed, { lists, views, recent, pins, found, accounts, pages, actions });
  const go = ({ to, run }: Entry) => {
    onClose();
    run?.();
    if (to === undefined) return;
    goToView(to.list, to.view, to.id);
  };
  const { chosen, choose, onKeyDown } = useChoice(id, entries, go);
  const onPaste = usePaste(views, onClose);
  return (
    <Dialog size="36rem" label={words.label} onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen === undefined ? undefined : `${id}-${entries.indexOf(chosen)}`}
        aria-label={words.label}
        placeholder={words.placeholder}
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
      <Entries id={id} entries={entries} chosen={chosen} onPoint={choose} onGo={go} />
      <p className="palette-hint">{words.hint}</p>
    </Dialog>
  );
}

interface EntriesProps {
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly chosen: Entry | undefined;
  readonly onPoint: (at: number) => void;
  readonly onGo: (entry: Entry) => void;
}

function Entries({ id, entries, chosen, onPoint, onGo }: EntriesProps) {
  return (
    <div id={id} role="listbox" aria-label={words.label} className="palette-list">
      {entries.map((entry, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's, which keeps the focus
        <div
          key={`${entry.icon} ${entry.label} ${entry.to?.id}`}
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
