// The account menu: colours, language, keys, reference, sign-out.

import { Menu, useMantineColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../icons.tsx';
import { BASE } from '../linecard.ts';
import { brand } from '../page.ts';
import { signOut } from '../session.ts';
import { chooseLanguage, LANGUAGES, type Language, language, texts } from '../texts.ts';
import { AccountButton } from './account-button.tsx';
import { keysHelp } from './keys.ts';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly { readonly value: Value; readonly shown: ReactNode }[];
  readonly onChoose: (value: Value) => void;
}

function Choice<Value extends string>({ label, value, choices, onChoose }: ChoiceProps<Value>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a menu has groups, not field sets
    <div role="group" aria-label={label}>
      <Menu.Label>{label}</Menu.Label>
      <Menu.RadioGroup value={value} onChange={(next) => onChoose(next as Value)}>
        {choices.map(({ value: one, shown }) => (
          <Menu.RadioItem key={one} value={one} checkIcon={<Icon name="check" size={16} />}>
            {shown}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
    </div>
  );
}

export function AccountMenu({ name }: { readonly name: string | undefined }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const schemes = (['auto', 'light', 'dark'] as const).map((one) => ({
    value: one,
    shown: texts.themes[one],
  }));
  const languages = (Object.keys(LANGUAGES) as Language[]).map((one) => ({
    value: one,
    shown: <span lang={one}>{LANGUAGES[one]}</span>,
  }));
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <AccountButton name={name} />
      </Menu.Target>
      <Menu.Dropdown>
        {name !== undefined && <Menu.Label>{name}</Menu.Label>}
        <Choice label={texts.themes.label} value={colorScheme} choices={schemes} onChoose={setColorScheme} />
        <Choice label={texts.language} value={language} choices={languages} onChoose={chooseLanguage} />
        <Menu.Item leftSection={<Icon name="keys" size={16} />} onClick={() => keysHelp.set(true)}>
          {texts.keys.title}
        </Menu.Item>
        <Menu.Item component={Link} to="/notifications" leftSection={<Icon name="bell" size={16} />}>
          {texts.notifications.title}
        </Menu.Item>
        <Menu.Item component="a" href={`${BASE}/docs`} leftSection={<Icon name="book" size={16} />}>
          {texts.reference}
        </Menu.Item>
        {brand.supportUrl !== undefined && (
          <Menu.Item component="a" href={brand.supportUrl} leftSection={<Icon name="help" size={16} />}>
            {texts.support}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Icon name="leave" size={16} />} onClick={signOut}>
          {texts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
