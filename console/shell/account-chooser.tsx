// The accounts below that of the token, or all those of an operator's, to choose one from, level by level.
// Each is a link to the same list of that account, on a page of its own. A page of them says what each needs.

import { TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useList } from '../address.tsx';
import { type ListFacts, lists } from '../contract.ts';
import { plural, shownCount, shownItems } from '../format.ts';
import { Icon } from '../icons.tsx';
import { BASE_PATH } from '../linecard.ts';
import { ACCOUNT, addressSearch, HOME_SEARCH } from '../page.ts';
import { currentSession, isOperators } from '../session.ts';
import { texts } from '../texts.ts';
import { useFailure } from '../waiting.ts';
import {
  type AccountBelow,
  largestQuery,
  Needs,
  namedQuery,
  type Progress,
  useNeeds,
} from './account-needs.tsx';
import { Side } from './side.tsx';
import { useTitle } from './title.ts';
import { Trouble } from './trouble.tsx';

const words = texts.accounts;
/** A pause of this length while typing is enough to search. */
const TYPING_MS = 200;
const SKELETON_ROWS = [1, 2, 3, 4];

type Level = Pick<AccountBelow, 'id' | 'name'>;
type AccountRow = AccountBelow & Readonly<Record<string, unknown>>;

/** The address of the list that is shown, of an account; of that of the token without one. */
function addressOf(list: ListFacts | undefined, account?: string): string {
  return BASE_PATH + (list?.word ?? '') + (account === undefined ? HOME_SEARCH : addressSearch('', account));
}

export function AccountChooser({ onClose }: { readonly onClose: () => void }) {
  return (
    <Side title={words.title} position="right" size="26rem" className="chooser" hasField onClose={onClose}>
      <Chooser />
    </Side>
  );
}

interface AccountsPageProps {
  /** In place of no accounts at all. */
  readonly none?: ReactNode;
}

/** In place of every page while the token of an operator has no account, and of an overview without items. */
export function AccountsPage({ none }: AccountsPageProps) {
  useTitle(words.title);
  const found = useQuery(largestQuery(ACCOUNT));
  if (none !== undefined && found.data?.total === 0) return none;
  return (
    <main id="list" className="plain-page accounts-page" tabIndex={-1}>
      <h1>{words.title}</h1>
      <Chooser isPage />
    </main>
  );
}

function Chooser({ isPage = false }: { readonly isPage?: boolean }) {
  const list = useList();
  const hasOwn = !isPage && !isOperators(currentSession().token);
  const [levels, setLevels] = useState<readonly Level[]>([]);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS);
  const above = levels.at(-1);
  const id = above?.id ?? (isPage ? ACCOUNT : undefined);
  const go = (next: readonly Level[]) => {
    setLevels(next);
    setTyped('');
  };
  return (
    <div className="chooser-body">
      <TextInput
        type="search"
        data-autofocus
        aria-label={words.search}
        placeholder={words.search}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {above === undefined && hasOwn && (
        <a
          className="chooser-account"
          href={addressOf(list)}
          aria-current={ACCOUNT === undefined ? 'page' : undefined}
        >
          {words.own}
        </a>
      )}
      {above !== undefined && (
        <UnstyledButton className="row chooser-back" onClick={() => go(levels.slice(0, -1))}>
          <Icon name="left" size={16} />
          {words.below(above.name || above.id)}
        </UnstyledButton>
      )}
      <Accounts key={id} {...{ above: id, q, list, isPage }} onBelow={(level) => go([...levels, level])} />
    </div>
  );
}

interface AccountsProps {
  readonly above: string | undefined;
  readonly q: string;
  readonly list: ListFacts | undefined;
  readonly isPage: boolean;
  readonly onBelow: (level: Level) => void;
}

const NONE: readonly AccountRow[] = [];

function Accounts({ above, q, list, isPage, onBelow }: AccountsProps) {
  const byName = useQuery({ ...namedQuery(above, q), enabled: !isPage || q !== '' });
  const largest = useQuery({ ...largestQuery(above), enabled: isPage && q === '' });
  const found = isPage && q === '' ? largest : byName;
  const failure = useFailure(found, `${above} ${q}`);
  const needing = useNeeds(isPage ? (found.data?.data ?? NONE) : NONE, q === '');
  if (failure !== undefined) return <Trouble error={failure.error} query={found} />;
  if (found.data === undefined || (isPage && found.data.total > 0 && 'done' in needing))
    return <Waiting progress={'done' in needing ? needing : undefined} />;
  const { data, total } = found.data;
  const shown = isPage && !('done' in needing) ? needing : data.map((account) => ({ account }));
  const isByNeed = isPage && q === '' && data.length > 1;
  return (
    <>
      <p className="chooser-total" role="status">
        {data.length < total
          ? (isByNeed ? words.largest : words.first)(shownCount(data.length), shownCount(total))
          : total === 0 && q !== ''
            ? texts.nothingFound.title
            : plural(words.total, total)}
        {isByNeed && <span className="chooser-order">{words.byNeed}</span>}
      </p>
      <ul className="chooser-list">
        {shown.map(({ account, ...needing }) => (
          <li key={account.id}>
            <a
              className="chooser-account"
              href={addressOf(list, account.id)}
              aria-current={account.id === ACCOUNT ? 'page' : undefined}
            >
              <span dir="auto">{account.name || account.id}</span>
              <span className="chooser-facts">{factsOf(account)}</span>
            </a>
            {account.accounts > 0 && (
              <UnstyledButton
                className="row chooser-below"
                aria-label={words.openBelow(account.name || account.id, shownCount(account.accounts))}
                onClick={() => onBelow(account)}
              >
                {shownCount(account.accounts)}
                <Icon name="right" size={14} />
              </UnstyledButton>
            )}
            {'needs' in needing && <Needs {...needing} />}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Until the order of the accounts is known, so that none moves under the pointer. */
function Waiting({ progress }: { readonly progress: Progress | undefined }) {
  return (
    <div role="status" aria-label={texts.loading} aria-busy="true">
      <p className="chooser-total">
        {progress === undefined || progress.of === 0
          ? texts.loading
          : words.reading(shownCount(progress.done), shownCount(progress.of))}
      </p>
      {SKELETON_ROWS.map((n) => (
        <span key={n} className="bone" data-tall />
      ))}
    </div>
  );
}

/** `C1001 · 46 virtual numbers · 7 additional services`, of the lists that the token sees. */
function factsOf(account: AccountRow): string {
  const counts = lists.flatMap((list) => {
    const count = account[list.name];
    return typeof count === 'number' ? [shownItems(list, count)] : [];
  });
  return [...(account.name === '' ? [] : [account.id]), ...counts].join(' · ');
}
