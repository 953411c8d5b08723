// Pinned views as this browser stores them, by account.

import { type ListFacts, type View, writeView } from '../contract.ts';
import { stored } from '../storage.ts';

export const PINS_KEY = 'linecard-pins';

export interface StoredPin {
  readonly name: string;
  /** Of the list, as in an address. */
  readonly word: string;
  /** The query string of the view. */
  readonly text: string;
}

const isStored = (one: unknown): one is StoredPin =>
  ['name', 'word', 'text'].every((key) => typeof Reflect.get(Object(one) as object, key) === 'string');

export const storedPins = (own: unknown): readonly StoredPin[] =>
  Array.isArray(own) ? own.filter(isStored) : [];

/** Without the page, which is no part of what a view is about. */
export const pinnedText = (view: View) => writeView({ ...view, page: 1 });

export const isPinOf = (list: ListFacts, view: View) => (one: StoredPin) =>
  one.word === list.word && one.text === pinnedText(view);

/** Those of each account, for the room that they take until it is known which one it is. */
export const everyPins = () => Object.values(stored(PINS_KEY)).map(storedPins);
