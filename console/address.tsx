// The address is the state: which list, which view of it, which item (addressed.tsx reads it). Pages read
// everything from here.

import { useQuery } from '@tanstack/react-query';
import { createContext, type MouseEvent, type ReactNode, useContext, useMemo } from 'react';
import { type FilterFacts, type ListFacts, lists, listsSeen, type View, writeView } from './contract.ts';
import { accountQuery } from './queries.ts';
import type { Ranges } from './ranges/address.ts';
import { currentAddress, goTo, hrefOf, isPlainClick, type Step, useAddress } from './router.tsx';

/** Valid ids; no list has an item with any other. */
export const isId = (text: string) => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));

/** The path of a list, an item, or a comparison. */
export const pathOf = (list: ListFacts, id?: number | string) =>
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

export const ShownContext = createContext<Shown | undefined>(undefined);

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

/** Of the account; nothing where it has none, and until it is known. */
export const useCurrency = (): string | undefined => useQuery(accountQuery()).data?.currency ?? undefined;

export function useList(): ListFacts | undefined {
  const [word] = useAddress().path;
  return useLists().find((list) => list.word === word);
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
  readonly tabIndex?: number;
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
