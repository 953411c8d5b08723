// One of several choices in a menu, which stays open.

import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../icons.tsx';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly { readonly value: Value; readonly shown: ReactNode }[];
  readonly onChoose: (value: Value) => void;
}

export function Choice<Value extends string>({ label, value, choices, onChoose }: ChoiceProps<Value>) {
  return (
    <>
      <MenuGroup label={label}>
        <Menu.RadioGroup value={value} onChange={(next) => onChoose(next as Value)}>
          {choices.map(({ value: one, shown }) => (
            <Menu.RadioItem key={one} value={one} checkIcon={<Icon name="check" size={16} />}>
              {shown}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </MenuGroup>
      <Menu.Divider />
    </>
  );
}

/** Items of a menu with a name. */
export function MenuGroup({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a menu has groups, not field sets
    <div role="group" aria-label={label}>
      <Menu.Label>{label}</Menu.Label>
      {children}
    </div>
  );
}
