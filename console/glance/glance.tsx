// The overview above the list: costs, what falls due, countries and statuses. Each number links to the items
// that it counts.

import { UnstyledButton } from '@mantine/core';
import { type CSSProperties, Fragment, type ReactNode, useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { type ListFacets, type ListFacts, priceField, type View } from '../contract.ts';
import { flaggedIn } from '../figures.ts';
import { plural, shownCharge, shownCount, shownItems, shownSum } from '../format.ts';
import { Icon } from '../icons.tsx';
import { store, stored } from '../storage.ts';
import { texts } from '../texts.ts';
import { isOn, withToggled } from '../view.ts';
import { pictured } from '../words.ts';
import { DuePanel } from './due-panel.tsx';
import { Panel, Shares } from './shares.tsx';

const words = texts.glance;
const MOST_PICTURES = 2;
const FOLD_KEY = 'linecard-figures';
const HAS_ROOM = '(min-width: 68rem)';

interface GlanceProps {
  readonly facets: ListFacets | undefined;
  readonly currency: string | undefined;
}

function Glance({ facets, isFailed, currency }: GlanceProps & { readonly isFailed: boolean }) {
  const { list } = useShown();
  if (isFailed && facets === undefined) {
    return (
      <section className="glance" aria-label={words.title}>
        <p className="panel panel-failed" role="status">
          {words.failed}
        </p>
      </section>
    );
  }
  const filters = pictured.flatMap((name) => list.filters.filter((filter) => filter.name === name));
  return (
    <section className="glance" aria-label={words.title}>
      <Cost facets={facets} currency={currency} />
      <DuePanel facets={facets} currency={currency} />
      {filters.slice(0, MOST_PICTURES).map((filter) => (
        <Shares key={filter.name} {...{ filter, facets, currency }} />
      ))}
    </section>
  );
}

/** What the reader did last; else, where its panels take more than one line, the list comes first. */
function isOpenFirst(): boolean {
  const { isOpen } = stored(FOLD_KEY);
  return typeof isOpen === 'boolean' ? isOpen : window.matchMedia(HAS_ROOM).matches;
}

/** Its most important figure in a line, which folds and unfolds it. */
export function FoldedGlance(props: GlanceProps & { readonly isFailed: boolean }) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const toggle = () => {
    store(FOLD_KEY, { isOpen: !isOpen });
    setOpen(!isOpen);
  };
  const { facets, currency } = props;
  const monthly = facets?.sums[priceField];
  return (
    <>
      <UnstyledButton className="row glance-fold" aria-expanded={isOpen} onClick={toggle}>
        <span>{words.title}</span>
        <Icon name="chevron" size={15} />
        {!isOpen && monthly !== undefined && <strong>{words.dueSummary(shownSum(monthly, currency))}</strong>}
      </UnstyledButton>
      {isOpen && <Glance {...props} />}
    </>
  );
}

/** A sum, as large as fits. */
function Figure({ text, exact }: { readonly text: string; readonly exact?: string }) {
  const style: CSSProperties & Record<`--${string}`, number> = { '--characters': text.length };
  return (
    <p className="figure" style={style} title={exact}>
      {text}
    </p>
  );
}

/** What all of it costs, or for a token without charges how much there is; and the flags that stand out. */
function Cost({ facets, currency }: GlanceProps) {
  const { list, view } = useShown();
  const title = list.sums.length === 0 ? list.title : texts.compare.monthly;
  if (facets === undefined) {
    return (
      <Panel title={title}>
        <span className="bone" data-tall />
        <span className="bone" />
      </Panel>
    );
  }
  const { [priceField]: monthly, activation = 0 } = facets.sums;
  const none = facets.total > 0 && (
    <p className="row all-well">
      <Icon name="check" size={15} /> {words.noneFlagged}
    </p>
  );
  const figure =
    monthly === undefined
      ? { text: shownCount(facets.total) }
      : { text: shownSum(monthly, currency), exact: shownCharge(monthly, currency) };
  return (
    <Panel title={title}>
      <Figure {...figure} />
      {monthly !== undefined && <p className="dim">{shownItems(list, facets.total)}</p>}
      {activation > 0 && <p className="dim">{words.oneTime(shownSum(activation, currency))}</p>}
      <Flags {...{ list, view, facets, none }} />
    </Panel>
  );
}

interface FlagsProps {
  readonly list: ListFacts;
  readonly view: View;
  readonly facets: ListFacets;
  /** In place of a flag that no item has. */
  readonly none?: ReactNode;
}

/** The flags that stand out, as links to the items that have them. */
export function Flags({ list, view, facets, none = null }: FlagsProps) {
  return flaggedIn(list, facets).map(({ filter, count = 0 }) => {
    if (count === 0) return <Fragment key={filter.name}>{none}</Fragment>;
    return (
      <ViewLink
        key={filter.name}
        list={list}
        view={withToggled(list, view, filter, true)}
        className="row flagged"
        data-on={isOn(view, filter, true) || undefined}
      >
        <Icon name="flag" size={15} />
        {plural(words.flagged, count)}
      </ViewLink>
    );
  });
}
