// The command palette: leads by keyboard to any list, filter, search or order.

import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { LIST_ROUTE, useAddressText, useList, useLists } from '../address.tsx';
import { readView, writeView } from '../contract.ts';
import { shownCount } from '../format.ts';
import { facetsQuery } from '../queries.ts';
import { useFocusBack, useKeys } from '../shell/side.tsx';
import { texts } from '../texts.ts';
import { type Around, type Entry, entriesFor } from './entries.ts';

const words = texts.palette;

function useAround(): Around | undefined {
  const list = useList();
  const text = useAddressText();
  const queries = useQueryClient();
  return useMemo(() => {
    if (list === undefined) return undefined;
    try {
      const view = readView(list, text);
      return { list, view, facets: queries.getQueryData(facetsQuery(list, view).queryKey) };
    } catch {
      return undefined; // an address that asks for what does not exist: the lists themselves are still a way
    }
  }, [list, text, queries]);
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

export function Palette({ onClose }: { readonly onClose: () => void }) {
  useFocusBack();
  useKeys({ Escape: onClose });
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const id = useId();
  const entries = entriesFor(typed, useLists(), useAround());
  const go = (entry: Entry) => {
    onClose();
    const params = { list: entry.list.word, id: undefined };
    void navigate({ to: LIST_ROUTE, params, search: { text: writeView(entry.view) } });
  };
  const { chosen, choose, onKeyDown } = useChoice(id, entries, go);
  return (
    <Modal.Root
      opened
      onClose={onClose}
      lockScroll={false}
      returnFocus={false}
      closeOnEscape={false}
      size="36rem"
      yOffset="12vh"
    >
      <Modal.Overlay backgroundOpacity={0.3} />
      <Modal.Content className="palette" aria-label={words.label}>
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
          // biome-ignore lint/a11y/noAutofocus: letters typed at once are for a dialog that was opened
          autoFocus
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            choose(0);
          }}
          onKeyDown={onKeyDown}
        />
        <Entries id={id} entries={entries} chosen={chosen} onPoint={choose} onGo={go} />
        <p className="palette-hint">{words.hint}</p>
      </Modal.Content>
    </Modal.Root>
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
          key={entry.label}
          id={`${id}-${i}`}
          role="option"
          tabIndex={-1}
          aria-selected={entry === chosen}
          className="palette-entry"
          onClick={() => onGo(entry)}
          onPointerMove={() => onPoint(i)}
        >
          <span dir="auto">{entry.label}</span>
          {entry.count !== undefined && <span className="count">{shownCount(entry.count)}</span>}
        </div>
      ))}
    </div>
  );
}
