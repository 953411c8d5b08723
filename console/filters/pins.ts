// Views that the reader has given a name, of each account, in the storage of this browser.

import { useQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { useLists } from '../address.tsx';
import { type ListFacts, type View, writeView } from '../contract.ts';
import { observable } from '../observable.ts';
import { accountQuery } from '../queries.ts';
import { readView } from '../reading.ts';
import { store, stored } from '../storage.ts';

const KEY = 'linecard-pins';
const MOST_PINS = 20;

interface Stored {
  readonly name: string;
  /** Of the list, as in an address. */
  readonly word: string;
  /** The query string of the view. */
  readonly text: string;
}

export interface Pin {
  readonly name: string;
  readonly list: ListFacts;
  readonly view: View;
}

const all = observable(stored(KEY));
// Another tab has changed them.
window.addEventListener('storage', ({ key }) => key === KEY && all.set(stored(KEY)));

const isStored = (one: unknown): one is Stored =>
  ['name', 'word', 'text'].every((key) => typeof Reflect.get(Object(one) as object, key) === 'string');

function pinsOf(account: string): readonly Stored[] {
  const own = all.get()[account];
  return Array.isArray(own) ? own.filter(isStored) : [];
}

/** A view that the list has no more is left out. */
function pinOf({ name, word, text }: Stored, lists: readonly ListFacts[]): Pin[] {
  const list = lists.find((one) => one.word === word);
  try {
    return list === undefined ? [] : [{ name, list, view: readView(list, text) }];
  } catch {
    return [];
  }
}

/** Without the page, which is no part of what a view is about. */
const textOf = (view: View) => writeView({ ...view, page: 1 });

const isOf = (list: ListFacts, view: View) => (one: Stored) =>
  one.word === list.word && one.text === textOf(view);

export function usePins() {
  const { data: account } = useQuery(accountQuery());
  const lists = useLists();
  const id = account?.id ?? '';
  const now = useSyncExternalStore(all.observe, all.get);
  const pins = useMemo(() => (now ? pinsOf(id).flatMap((one) => pinOf(one, lists)) : []), [now, id, lists]);
  const change = (next: readonly Stored[]) => {
    all.set({ ...all.get(), [id]: next });
    store(KEY, all.get());
  };
  return {
    pins,
    /** Whether a view of a list can have a name. */
    canPin: (list: ListFacts) => id !== '' && lists.includes(list),
    nameOf: (list: ListFacts, view: View) => pinsOf(id).find(isOf(list, view))?.name,
    pin: (name: string, list: ListFacts, view: View) => {
      const others = pinsOf(id).filter((one) => !isOf(list, view)(one) && one.name !== name);
      change([...others, { name, word: list.word, text: textOf(view) }].slice(-MOST_PINS));
    },
    unpin: (list: ListFacts, view: View) => {
      const isOther = isOf(list, view);
      change(pinsOf(id).filter((one) => !isOther(one)));
    },
  };
}
