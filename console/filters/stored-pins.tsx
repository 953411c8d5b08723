// Pinned views as this browser stores them, by account, and the room that they and their button take until it
// is known whose they are.

import { useShown } from '../address.tsx';
import { type ListFacts, type View, writeView } from '../contract.ts';
import { stored } from '../storage.ts';
import { texts } from '../texts.ts';

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

/** Those of each account. */
const everyPins = () => Object.values(stored(PINS_KEY)).map(storedPins);

/** As high as the views with a name will be. */
export function PinnedSoon() {
  const most = Math.max(0, ...everyPins().map(({ length }) => length));
  return most > 0 && <div style={{ height: 37 + 30 * most }} />;
}

/** As wide as the button that gives a view a name, or takes it. */
export function PinButtonSoon() {
  const { list, view } = useShown();
  const known = everyPins().flat().find(isPinOf(list, view));
  return (
    <span className="chip-clear" style={{ visibility: 'hidden' }}>
      {known === undefined ? texts.pins.pin : texts.pins.remove(known.name)}
    </span>
  );
}
