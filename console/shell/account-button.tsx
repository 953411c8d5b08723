// The button of the account menu, shown before the menu is loaded.

import { UnstyledButton } from '@mantine/core';
import type { ComponentProps } from 'react';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';

export function AccountButton({ name, ...rest }: ComponentProps<'button'> & { name: string | undefined }) {
  // The accessible name contains the visible text.
  const label = name === undefined ? texts.menu : texts.labelled(name, texts.menu);
  return (
    <UnstyledButton {...rest} className="row account-button" aria-label={label}>
      <Icon name="person" />
      {name !== undefined && <span className="account-name">{name}</span>}
    </UnstyledButton>
  );
}
