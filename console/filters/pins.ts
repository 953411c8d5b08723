// Views that the reader has given a name, of each account, in the storage of this browser.

import { useQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { useLists } from '../address.tsx';
import type { ListFacts, View } from '../contract.ts';
import { observable } from '../observable.ts';
import { accountQuery } from '../queries.ts';
import { readView } from '../reading.ts';
import { store, stored } from '../storage.ts';
import { isPinOf, PINS_KEY, pinnedText, type StoredPin, storedPins } from './stored-pins.tsx';

const MOST_PINS = 20;

export interface Pin {
  readonly name: string;
  readonly list: ListFacts;
  readonly view: View;
}

const all = observable(stored(PINS_KEY));
// Another tab has changed them.
window.addEventListener('storage', ({ key }) => key === PINS_KEY && all.set(stored(PINS_KEY)));

const pinsOf = (account: string) => storedPins(all.get()[account]);

/** A view that the list has no more is left out. */
function pinOf({ name, word, text }: StoredPin, lists: readonly ListFacts[]): Pin[] {
  const list = lists.find((one) => one.word === word);
  try {
    return list === undefined ? [] : [{ name, list, view: readView(list, text) }];
  } catch {
    return [];
  }
}

export function usePins() {
  const { data: account } = useQuery(accountQuery());
  const lists = useLists();
  const id = account?.id ?? '';
  const now = useSyncExternalStore(all.observe, all.get);
  const pins = useMemo(() => (now ? pinsOf(id).flatMap((one) => pinOf(one, lists)) : []), [now, id, lists]);
  const change = (next: readonly StoredPin[]) => {
    all.set({ ...all.get(), [id]: next });
    store(PINS_KEY, all.get());
  };
  return {
    pins,
    isKnown: account !== undefined,
    /** Whether a view of a list can have a name. */
    canPin: (list: ListFacts) => lists.includes(list),
    nameOf: (list: ListFacts, view: View) => pinsOf(id).find(isPinOf(list, view))?.name,
    pin: (name: string, list: ListFacts, view: View) => {
      const others = pinsOf(id).filter((one) => !isPinOf(list, view)(one) && one.name !== name);
      change([...others, { name, word: list.word, text: pinnedText(view) }].slice(-MOST_PINS));
    },
    unpin: (list: ListFacts, view: View) => {
      const isOther = isPinOf(list, view);
      change(pinsOf(id).filter((one) => !isOther(one)));
    },
  };
}
