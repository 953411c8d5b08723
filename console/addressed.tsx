// Reads what an address names of a list, for all that is shown of it.

import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { isId, pathOf, type Shown, ShownContext } from './address.tsx';
import { comparedBy, compareId } from './compare/address.ts';
import { type ListFacts, writeView } from './contract.ts';
import { noSuchItem } from './linecard.ts';
import { rangesBy, rangesId } from './ranges/address.ts';
import { readView } from './reading.ts';
import { goTo, useAddress } from './router.tsx';

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
