// The frame of every page: header with both lists, palette and menu; or the sign-in.

import { UnstyledButton } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { useList, useLists, ViewLink } from '../address.tsx';
import { activityList, EMPTY_VIEW } from '../contract.ts';
import { useDownload } from '../export/current.ts';
import { shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { isOutOfReach } from '../linecard.ts';
import { brand, IS_EMBEDDED, PLACE } from '../page.ts';
import { accountQuery } from '../queries.ts';
import { PageLink, useAddress } from '../router.tsx';
import { currentSession, mustChoose, onSession } from '../session.ts';
import { texts } from '../texts.ts';
import { AccountButton } from './account-button.tsx';
import { AccountsPage } from './accounts.tsx';
import { copyExactly } from './copy-text.tsx';
import { followFocus } from './focus.ts';
import { IS_APPLE, keysHelp, PALETTE_KEY, useKeys } from './keys.ts';
import { later, MissingParts, PagePlace } from './later.tsx';
import { Logo } from './logo.tsx';
import { Pages } from './pages.tsx';
import { type Opening, PaletteField } from './palette-field.tsx';
import { OutOfReach } from './trouble.tsx';

const Palette = later('Palette', () => import('../palette/palette.tsx'), PaletteField, { isLikely: true });
const AccountMenu = later(
  'AccountMenu',
  () => import('./account-menu.tsx'),
  ({ account }) => <AccountButton name={account?.name || account?.id} inert />,
);
const FlaggedCount = later('FlaggedCount', async () => ({
  FlaggedCount: (await import('../activity/flagged.tsx')).FlaggedCount,
}));
const LinkQuestion = later('LinkQuestion', () => import('./link-question.tsx'), PagePlace);
const SignIn = later('SignIn', async () => ({ SignIn: (await import('./sign-in.tsx')).SignIn }));
const KeysHelp = later('KeysHelp', () => import('./keys-help.tsx'));
const DownloadNotice = later('DownloadNotice', () => import('../export/download-notice.tsx'));
export function Shell() {
  const { token, why, offered } = useSyncExternalStore(onSession, currentSession);
  useEffect(() => {
    document.addEventListener('copy', copyExactly);
    document.addEventListener('pointerover', showWhole);
    return () => {
      document.removeEventListener('copy', copyExactly);
      document.removeEventListener('pointerover', showWhole);
    };
  }, []);
  useEffect(followFocus, []);
  if (token === undefined) return <SignIn why={why} />;
  // A view of one account does not become one of another.
  return (
    <Fragment key={token}>
      <a className="skip" href={PLACE}>
        {texts.skip}
      </a>
      {IS_EMBEDDED ? <Palettes /> : <Header />}
      {offered === undefined ? <View /> : <LinkQuestion {...{ token, offered }} />}
      <KeysPlace />
      <div className="toasts">
        <MissingParts />
        <DownloadPlace />
      </div>
    </Fragment>
  );
}

function View() {
  const { data: account, error } = useQuery(accountQuery());
  if (mustChoose()) return <AccountsPage />;
  if (isOutOfReach(error)) return <OutOfReach />;
  const { token } = account ?? {};
  return (
    <>
      {token?.reach === 'operator' && (
        <aside className="notice as-operator">{texts.accounts.asOperator(token.name || token.id)}</aside>
      )}
      <Pages />
    </>
  );
}

function Tabs() {
  const current = useList();
  const { data: account, errorUpdateCount } = useQuery(accountQuery());
  const notCounted = errorUpdateCount > 0 && texts.empty;
  // Its page leads there.
  const isWithin = useAddress().path[0] === 'notifications';
  return (
    <nav aria-label={texts.views} className="tabs">
      <PageLink path="" className="row tab">
        {texts.overview.title}
      </PageLink>
      {useLists().map((list) => {
        const total = account?.[list.name as keyof typeof account];
        return (
          <ViewLink
            key={list.name}
            list={list}
            view={EMPTY_VIEW}
            className="row tab"
            aria-current={list === current ? 'page' : undefined}
          >
            {list.title}
            <span className="tab-count">{typeof total === 'number' ? shownCount(total) : notCounted}</span>
          </ViewLink>
        );
      })}
      <PageLink path={activityList.word} className="row tab" aria-current={isWithin ? 'true' : undefined}>
        {texts.activity.title}
        <FlaggedCount account={account} />
      </PageLink>
    </nav>
  );
}

function Header() {
  const { data: account } = useQuery(accountQuery());
  return (
    <header className="row header">
      <PageLink path="" className="row brand" aria-label={texts.product}>
        <Logo size={26} />
        {!brand.isLogoName && <span className="brand-name">{texts.product}</span>}
      </PageLink>
      {!mustChoose() && <Tabs />}
      <Palettes button={paletteButton} />
      <AccountMenu account={account} />
    </header>
  );
}

/** In the frame, because a download continues while another list is shown. */
function DownloadPlace() {
  const { running, said } = useDownload();
  return running === undefined && said === undefined ? null : <DownloadNotice />;
}

function KeysPlace() {
  const isOpen = useSyncExternalStore(keysHelp.observe, keysHelp.get);
  useKeys({ '?': () => keysHelp.set(true) });
  return isOpen && <KeysHelp onClose={() => keysHelp.set(false)} />;
}

/** The palette, which keys open on every page. */
function Palettes({ button }: { readonly button?: (open: () => void) => ReactNode }) {
  const [opening, setOpening] = useState<Opening>();
  const open = () => setOpening((now) => now ?? { typed: '', from: document.activeElement });
  useKeys({
    '/'() {
      const search = document.querySelector<HTMLInputElement>('.search input');
      if (search === null) open();
      else search.select();
    },
  });
  useWindowEvent('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    open();
  });
  return (
    <>
      {button?.(open)}
      {opening && <Palette opening={opening} onClose={() => setOpening(undefined)} />}
    </>
  );
}

const paletteButton = (open: () => void) => (
  <UnstyledButton
    className="row palette-button"
    aria-keyshortcuts={IS_APPLE ? 'Meta+K' : 'Control+K'}
    onClick={open}
  >
    <Icon name="search" size={16} />
    <span className="palette-words">{texts.palette.open}</span>
    <span className="key" aria-hidden="true">
      {PALETTE_KEY}
    </span>
  </UnstyledButton>
);

/** Elements whose title was set here: their text and size may change. */
const titled = new WeakSet<HTMLElement>();

/** Gives truncated text a title when the pointer is over it. */
function showWhole({ target }: Event): void {
  if (!(target instanceof HTMLElement) || (target.title !== '' && !titled.has(target))) return;
  const isLarger = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
  const isCut = isLarger && getComputedStyle(target).textOverflow === 'ellipsis';
  if (!isCut && !titled.has(target)) return;
  titled.add(target);
  target.title = isCut ? target.textContent : '';
}
