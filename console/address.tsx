// The address is the state: which list, which view of it, which item. Pages read everything from here.

import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router';
import {
  createContext,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
} from 'react';
import { comparedBy, compareId } from './compare/figures.ts';
import {
  type FilterFacts,
  type ListFacts,
  lists,
  listsSeen,
  readView,
  type View,
  writeView,
} from './contract.ts';
import { BASE_PATH, noSuchItem } from './linecard.ts';
import { addressSearch, withoutAccount } from './page.ts';
import { accountQuery } from './queries.ts';

export const LIST_ROUTE = '/$list/{-$id}';
/** Valid ids; no list has an item with any other. */
const isId = (text: string) => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The item was opened from a list, so one step back leads to that list. */
    readonly isOverList?: boolean;
  }
}

/** The query string without the account, as the router stores it. */
export interface Search {
  readonly text: string;
}

export const searchCodec = {
  parseSearch: (text: string): Search => ({ text: withoutAccount(text.replace(/^\?/, '')) }),
  stringifySearch: ({ text }: Record<string, unknown>): string =>
    addressSearch(typeof text === 'string' ? text : ''),
};

function placeOf(list: ListFacts, view: View, id: number | string | undefined) {
  const params = { list: list.word, id: id === undefined ? undefined : String(id) };
  return { to: LIST_ROUTE, params, search: { text: writeView(view) } } as const;
}

export interface Shown {
  readonly list: ListFacts;
  readonly view: View;
  /** The item whose details are open. */
  readonly id: number | undefined;
  /** The filter whose values are compared, instead of the list. */
  readonly compared: FilterFacts | undefined;
  /** Details that are open stay open, unless another `id` is given, or none. */
  readonly go: (view: View, how?: { readonly replace?: boolean; readonly id?: number | undefined }) => void;
  /** Closes the details without a step in the history that would open them again. */
  readonly close: () => void;
}

const ShownContext = createContext<Shown | undefined>(undefined);

export function useShown(): Shown {
  const shown = useContext(ShownContext);
  if (shown === undefined) throw new Error('No list is shown here.');
  return shown;
}

/** The lists that the token sees; all until that is known. */
export function useLists(): readonly ListFacts[] {
  const { data: account } = useQuery(accountQuery());
  return useMemo(() => {
    // A service of an older version does not say.
    const { lists: names = lists.map(({ name }) => name), charges = true } = account?.token ?? {};
    return listsSeen(names, charges);
  }, [account]);
}

export function useList(): ListFacts | undefined {
  const { list }: { list?: string } = useParams({ strict: false });
  return useLists().find(({ word }) => word === list);
}

export function useAddressText(): string {
  const { text }: Partial<Search> = useSearch({ strict: false });
  return text ?? '';
}

/** @throws {Problem} where the address names something that does not exist */
export function Addressed({ list, children }: { readonly list: ListFacts; readonly children: ReactNode }) {
  const { id }: { id?: string } = useParams({ strict: false });
  const text = useAddressText();
  const navigate = useNavigate();
  const view = useMemo(() => readView(list, text), [list, text]);
  const compared = comparedBy(list, id);
  if (id !== undefined && compared === undefined && !isId(id)) throw noSuchItem(list, id);
  const open = id === undefined || compared !== undefined ? undefined : Number(id);
  const go = useCallback<Shown['go']>(
    (next, how = {}) => {
      const { replace = false } = how;
      const item = 'id' in how ? how.id : open;
      const isOverList = item !== undefined && open === undefined;
      const state = replace ? true : { isOverList };
      const place = placeOf(list, next, item ?? (compared && compareId(compared)));
      void navigate({ ...place, replace, resetScroll: false, state });
    },
    [list, open, compared, navigate],
  );
  const isOverList = useLocation({ select: ({ state }) => state.isOverList === true });
  const isClosing = useRef(false);
  useEffect(() => {
    if (open === undefined) isClosing.current = false;
  }, [open]);
  const close = useCallback(() => {
    if (!isOverList) return go(view, { replace: true, id: undefined });
    // The step takes a moment: a second one, such as that of a double click, would leave the list.
    if (!isClosing.current) window.history.back();
    isClosing.current = true;
  }, [isOverList, go, view]);
  const shown = useMemo(
    () => ({ list, view, id: open, compared, go, close }),
    [list, view, open, compared, go, close],
  );
  return <ShownContext value={shown}>{children}</ShownContext>;
}

/** Goes to a view from a page that shows none. */
export function useGo(): (list: ListFacts, view: View) => void {
  const navigate = useNavigate();
  return (list, view) => void navigate(placeOf(list, view, undefined));
}

interface ViewLinkProps {
  readonly list: ListFacts;
  /** Absent for what leads nowhere, which is no link. */
  readonly view: View | undefined;
  /** An item, or a comparison. */
  readonly id?: number | string;
  readonly className?: string;
  readonly title?: string | undefined;
  /** A disabled link. It stays in place and keeps the focus. */
  readonly isOff?: boolean;
  readonly children: ReactNode;
  readonly [name: `aria-${string}` | `data-${string}`]: string | boolean | undefined;
}

/**
 * A link to a view. Details next to the list stay open, or show another item instead of this one. It does not
 * subscribe to the router, because a page has hundreds of them.
 */
export function ViewLink({ list, view, id, isOff = false, children, ...rest }: ViewLinkProps) {
  const router = useRouter();
  if (view === undefined) return <span {...rest}>{children}</span>;
  const path = [list.word, ...(id === undefined ? [] : [id])].join('/');
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event;
    if (isOff || defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
    event.preventDefault();
    const [, word = '', shown = ''] = router.state.location.pathname.split('/');
    const open = word === list.word && isId(shown) ? Number(shown) : undefined;
    const isItem = typeof id === 'number';
    const replace = open !== undefined && isItem;
    const state = replace ? true : { isOverList: isItem };
    void router.navigate({ ...placeOf(list, view, id ?? open), replace, resetScroll: false, state });
  };
  const href = `${BASE_PATH}${path}${addressSearch(writeView(view))}`;
  const off = isOff && ({ role: 'link', tabIndex: -1, 'aria-disabled': true } as const);
  return (
    <a href={isOff ? undefined : href} onClick={follow} {...off} {...rest}>
      {children}
    </a>
  );
}
