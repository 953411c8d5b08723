// Gives a view a name, by which it is found above the filters and in the palette.

import { Button, Popover, TextInput, UnstyledButton } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useCurrency, useShown } from '../address.tsx';
import type { ListFacts, View } from '../contract.ts';
import { shownText } from '../format.ts';
import { pinForm } from '../shell/opened.ts';
import { texts } from '../texts.ts';
import { activeFilters } from '../view.ts';
import { usePins } from './pins.ts';
import { PinButtonSoon } from './stored-pins.tsx';
import { filterText } from './words.ts';

const words = texts.pins;
const MOST_CHARACTERS = 60;
const MOST_FILTERS = 3;

/** `Germany, Active`: what the view is about. It lasts, so times are days: tomorrow others are overdue. */
function proposedName(list: ListFacts, view: View, currency: string | undefined): string {
  const filters = activeFilters(list, view).slice(0, MOST_FILTERS);
  const parts = filters.map(({ filter, value }) => filterText(filter, value, currency));
  const all = [...(view.q === undefined ? [] : [shownText(view.q)]), ...parts];
  return all.join(', ').slice(0, MOST_CHARACTERS);
}

const setOpen = pinForm.set;
const close = () => setOpen(false);

export function PinButton() {
  const { list, view } = useShown();
  const { isKnown, canPin, nameOf, pin, unpin } = usePins();
  const currency = useCurrency();
  const isOpen = useSyncExternalStore(pinForm.observe, pinForm.get);
  // It does not open again with another view.
  useEffect(() => close, []);
  const known = nameOf(list, view);
  if (!isKnown) return <PinButtonSoon />;
  if (!canPin(list)) return null;
  if (known !== undefined && !isOpen) {
    return (
      <UnstyledButton className="chip-clear" onClick={() => unpin(list, view)}>
        <span dir="auto">{words.remove(known)}</span>
      </UnstyledButton>
    );
  }
  const onName = (name: string) => {
    pin(name, list, view);
    close();
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" width={280} trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton className="chip-clear" onClick={() => setOpen(!isOpen)}>
          {words.pin}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={words.pin}>
        <NameForm proposed={proposedName(list, view, currency)} onName={onName} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface NameFormProps {
  readonly proposed: string;
  readonly onName: (name: string) => void;
}

function NameForm({ proposed, onName }: NameFormProps) {
  const [typed, setTyped] = useState(proposed);
  return (
    <form
      className="pin-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() !== '') onName(typed.trim());
      }}
    >
      <TextInput
        label={words.name}
        value={typed}
        maxLength={MOST_CHARACTERS}
        autoComplete="off"
        data-autofocus
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button type="submit" size="xs">
        {words.save}
      </Button>
    </form>
  );
}
