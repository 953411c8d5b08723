// The views with a name: a list of them above the filters.

import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { ViewLink } from '../address.tsx';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { usePins } from './pins.ts';

const words = texts.pins;

interface PinnedProps {
  /** In their place until it is known whose they are. */
  readonly soon: ReactNode;
}

export function Pinned({ soon }: PinnedProps) {
  const { pins, isKnown, unpin } = usePins();
  if (!isKnown) return soon;
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
