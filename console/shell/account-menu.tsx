// The account menu: which account, who signed in, colours, language, keys, reference, sign-out. With a token
// that reaches the accounts below, the name of the account opens the list of them.

import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { Icon } from '../icons.tsx';
import { type AccountFacts, BASE, BASE_PATH } from '../linecard.ts';
import { brand } from '../page.ts';
import { PageLink } from '../router.tsx';
import { currentSession, signOut } from '../session.ts';
import { chooseLanguage, LANGUAGES, type Language, language, texts } from '../texts.ts';
import { shownUntil } from '../times.ts';
import { AccountButton } from './account-button.tsx';
import { Choice } from './choice.tsx';
import { keysHelp } from './keys.ts';
import { LaterSide, later } from './later.tsx';
import { accountSide } from './opened.ts';
import { OutsideLink } from './outside.tsx';
import { TokenForm } from './sign-in.tsx';

const AccountChooser = later('AccountChooser', () => import('./account-chooser.tsx'));
const words = texts.accounts;

/** Who has signed in by a link, and until when. */
function signedInBy({ token }: AccountFacts): string | undefined {
  if (currentSession().source !== 'link' || token.expires_at === null) return undefined;
  const until = shownUntil(token.expires_at);
  return token.name === '' ? words.signedInUntil(until) : words.signedIn(token.name, until);
}

export function AccountMenu({ account }: { readonly account: AccountFacts | undefined }) {
  const open = useSyncExternalStore(accountSide.observe, accountSide.get);
  const onClose = () => accountSide.set(undefined);
  const isTree = account !== undefined && account.token.reach !== 'account';
  const name = account?.name || account?.id;
  return (
    <>
      {isTree && (
        <UnstyledButton
          className="row account-button account-chooser"
          aria-haspopup="dialog"
          aria-label={words.choose(name ?? '')}
          onClick={() => accountSide.set('chooser')}
        >
          <span className="account-name" data-always>
            {name}
          </span>
          <Icon name="chevron" size={14} />
        </UnstyledButton>
      )}
      <AccountDropdown
        account={account}
        name={name}
        isNamed={!isTree}
        onOther={() => accountSide.set('other')}
      />
      {open === 'chooser' && <AccountChooser onClose={onClose} />}
      {open === 'other' && (
        <LaterSide
          {...{ title: words.other, onClose }}
          position="right"
          size="26rem"
          className="chooser"
          hasField
        >
          {/* The address may name an account or an item that is not the other one's. */}
          <TokenForm about={words.otherAbout} source="tab" onDone={() => location.assign(BASE_PATH)} />
        </LaterSide>
      )}
    </>
  );
}

interface AccountDropdownProps {
  readonly account: AccountFacts | undefined;
  readonly name: string | undefined;
  /** Whether its button has the name of the account. */
  readonly isNamed: boolean;
  readonly onOther: () => void;
}

function AccountDropdown({ account, name, isNamed, onOther }: AccountDropdownProps) {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const schemes = (['auto', 'light', 'dark'] as const).map((one) => ({
    value: one,
    shown: texts.themes[one],
  }));
  const languages = (Object.keys(LANGUAGES) as Language[]).map((one) => ({
    value: one,
    shown: <span lang={one}>{LANGUAGES[one]}</span>,
  }));
  const signedIn = account && signedInBy(account);
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <AccountButton name={isNamed ? name : undefined} />
      </Menu.Target>
      <Menu.Dropdown>
        {name !== undefined && <Menu.Label>{name}</Menu.Label>}
        {signedIn !== undefined && <Menu.Label>{signedIn}</Menu.Label>}
        <Choice label={texts.themes.label} value={colorScheme} choices={schemes} onChoose={setColorScheme} />
        <Choice label={texts.language} value={language} choices={languages} onChoose={chooseLanguage} />
        <Menu.Item leftSection={<Icon name="keys" size={16} />} onClick={() => keysHelp.set(true)}>
          {texts.keys.title}
        </Menu.Item>
        <Menu.Item component={PageLink} path="notifications" leftSection={<Icon name="bell" size={16} />}>
          {texts.notifications.title}
        </Menu.Item>
        <Menu.Item component={OutsideLink} href={`${BASE}/docs`} leftSection={<Icon name="book" size={16} />}>
          {texts.reference}
        </Menu.Item>
        {brand.supportUrl !== undefined && (
          <Menu.Item
            component={OutsideLink}
            href={brand.supportUrl}
            leftSection={<Icon name="help" size={16} />}
          >
            {texts.support}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Icon name="person" size={16} />} onClick={onOther}>
          {words.other}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="leave" size={16} />} onClick={signOut}>
          {texts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
