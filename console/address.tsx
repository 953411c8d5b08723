// The address is the state: which list, which view of it, which item. Pages read everything from here.

import { useQuery } from '@tanstack/react-query';
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
import { noSuchItem } from './linecard.ts';
import { accountQuery } from './queries.ts';
import { type Ranges, rangesBy, rangesId } from './ranges/address.ts';
import { currentAddress, goTo, hrefOf, isPlainClick, type Step, useAddress } from './router.tsx';

/** Valid ids; no list has an item with any other. */
const isId = (text: string) => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));

/** The path of a list, an item, or a comparison. */
const pathOf = (list: ListFacts, id?: number | string) =>
  id === undefined ? list.word : `${list.word}/${id}`;

export interface Shown {
  readonly list: ListFacts;
  readonly view: View;
  /** The item whose details are open. */
  readonly id: number | undefined;
  /** The filter whose values are compared, instead of the list. */
  readonly compared: FilterFacts | undefined;
  /** Its numbers as ranges, instead of the list. */
  readonly ranges: Ranges | undefined;
  /** What is shown instead of the list, in the place of the id of an item. */
  readonly instead: string | undefined;
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
  const [word] = useAddress().path;
  return useLists().find((list) => list.word === word);
}

/** @throws {Problem} where the address names something that does not exist */
export function Addressed({ list, children }: { readonly list: ListFacts; readonly children: ReactNode }) {
  const { path, text, isOverList } = useAddress();
  const [, id] = path;
  const view = useMemo(() => readView(list, text), [list, text]);
  const compared = comparedBy(list, id);
  const ranges = useMemo(() => rangesBy(list, id), [list, id]);
  const instead = (compared && compareId(compared)) ?? (ranges && rangesId(ranges));
  if (id !== undefined && instead === undefined && !isId(id)) throw noSuchItem(list, id);
  const open = id === undefined || instead !== undefined ? undefined : Number(id);
  const go = useCallback<Shown['go']>(
    (next, how = {}) => {
      const { replace = false } = how;
      const item = 'id' in how ? how.id : open;
      const to = pathOf(list, item ?? instead);
      goTo(to, writeView(next), { replace, isOverList: item !== undefined && open === undefined });
    },
    [list, open, instead],
  );
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
    () => ({ list, view, id: open, compared, ranges, instead, go, close }),
    [list, view, open, compared, ranges, instead, go, close],
  );
  return <ShownContext value={shown}>{children}</ShownContext>;
}

/** Goes to a view from elsewhere. */
export function goToView(list: ListFacts, view: View, id?: number | string, step?: Step): void {
  goTo(pathOf(list, id), writeView(view), step);
}

interface ViewLinkProps {
  readonly list: ListFacts;
  /** Absent for what leads nowhere, which is no link. */
  readonly view: View | undefined;
  /** An item, or a comparison. */
  readonly id?: number | string | undefined;
  readonly className?: string;
  readonly title?: string | undefined;
  /** A disabled link. It stays in place and keeps the focus. */
  readonly isOff?: boolean;
  readonly children: ReactNode;
  readonly [name: `aria-${string}` | `data-${string}`]: string | boolean | undefined;
}

/**
 * A link to a view. Details next to the list stay open, or show another item instead of this one. It does not
 * follow the address, because a page has hundreds of them.
 */
export function ViewLink({ list, view, id, isOff = false, children, ...rest }: ViewLinkProps) {
  if (view === undefined) return <span {...rest}>{children}</span>;
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    if (isOff || !isPlainClick(event)) return;
    event.preventDefault();
    const [word, shown = ''] = currentAddress().path;
    const open = word === list.word && isId(shown) ? Number(shown) : undefined;
    const isItem = typeof id === 'number';
    goToView(list, view, id ?? open, { replace: open !== undefined && isItem, isOverList: isItem });
  };
  const href = hrefOf(pathOf(list, id), writeView(view));
  const off = isOff && ({ role: 'link', tabIndex: -1, 'aria-disabled': true } as const);
  return (
    <a href={isOff ? undefined : href} onClick={follow} {...off} {...rest}>
      {children}
    </a>
  );
}
