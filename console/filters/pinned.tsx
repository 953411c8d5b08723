// The views with a name: a list of them above the filters.

import { ActionIcon } from '@mantine/core';
import { ViewLink } from '../address.tsx';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { usePins } from './pins.ts';
import { PinnedSoon } from './stored-pins.tsx';

const words = texts.pins;

export function Pinned() {
  const { pins, isKnown, unpin } = usePins();
  if (!isKnown) return <PinnedSoon />;
  if (pins.length === 0) return null;
  return (
    <nav className="pinned" aria-label={words.title}>
      <h2>{words.title}</h2>
      <ul>
        {pins.map(({ name, list, view }) => (
          <li key={name} className="row">
            <ViewLink list={list} view={view} className="row pinned-link" title={list.title}>
              <Icon name="pin" size={15} />
              <span dir="auto">{name}</span>
            </ViewLink>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words.remove(name)}
              onClick={() => unpin(list, view)}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </nav>
  );
}
