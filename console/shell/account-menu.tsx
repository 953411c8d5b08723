// The account menu: colours, keys, reference, sign-out.

import { Menu, useMantineColorScheme } from '@mantine/core';
import { Icon } from '../icons.tsx';
import { BASE } from '../linecard.ts';
import { signOut } from '../session.ts';
import { texts } from '../texts.ts';
import { AccountButton } from './account-button.tsx';
import { keysHelp } from './keys.ts';

export function AccountMenu({ name }: { readonly name: string | undefined }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const schemes = ['auto', 'light', 'dark'] as const;
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <AccountButton name={name} />
      </Menu.Target>
      <Menu.Dropdown>
        {name !== undefined && <Menu.Label>{name}</Menu.Label>}
        <Menu.Label>{texts.themes.label}</Menu.Label>
        {schemes.map((scheme) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={colorScheme === scheme}
            rightSection={colorScheme === scheme ? <Icon name="check" size={16} /> : null}
            onClick={() => setColorScheme(scheme)}
          >
            {texts.themes[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="keys" size={16} />} onClick={() => keysHelp.set(true)}>
          {texts.keys.title}
        </Menu.Item>
        <Menu.Item component="a" href={`${BASE}/docs`} leftSection={<Icon name="book" size={16} />}>
          {texts.reference}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="leave" size={16} />} onClick={signOut}>
          {texts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
