// How many items have each value of a filter: a bar, and a line for each of the largest values.

import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { comparedView, compareId } from '../compare/address.ts';
import type { FilterFacts, ListFacets, ListFacts, View } from '../contract.ts';
import { addUp, countOf, type FacetValue } from '../figures.ts';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import { shownCount, shownShare } from '../format.ts';
import { texts } from '../texts.ts';
import { canFilter, isLeftOut, isOn, valuesOf, withToggled } from '../view.ts';
import { valueTones } from '../words.ts';

const words = texts.glance;
/** Values of a chart that are shown one by one. */
const MOST_PARTS = 4;

type Facet = ListFacets['facets'][string];
type Place = Pick<ReturnType<typeof useShown>, 'list' | 'view'>;

interface PanelProps {
  readonly title: string;
  readonly className?: string;
  /** Next to the title. */
  readonly more?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ title, className, more, children }: PanelProps) {
  return (
    <div className={`panel ${className ?? ''}`}>
      <div className="row apart panel-head">
        <h2>{title}</h2>
        {more}
      </div>
      {children}
    </div>
  );
}

interface CompareLinkProps {
  readonly list: ListFacts;
  readonly view: View;
  readonly filter: FilterFacts;
  /** One alone cannot be compared. */
  readonly values: readonly (FacetValue['value'] | undefined)[];
}

export function CompareLink({ list, view, filter, values }: CompareLinkProps) {
  if (values.filter((value) => value !== undefined && canFilter(value)).length < 2) return null;
  const label = texts.compare.openBy(filterLabel(filter));
  return (
    <ViewLink list={list} view={comparedView(list, view, filter)} id={compareId(filter)} aria-label={label}>
      {texts.compare.open}
    </ViewLink>
  );
}

interface Share {
  readonly value: FacetValue['value'] | undefined;
  readonly label: string;
  readonly count: number;
  /** It is counted here, but not in the list. */
  readonly isOut: boolean;
}

/** The largest values, those that the view has before others, and the rest as one. */
function partsOf({ list, view }: Place, filter: FilterFacts, facet: Facet, isOpen: boolean): Share[] {
  const values = facet.values.filter(({ count }) => count > 0);
  const isAll = isOpen || (values.length <= MOST_PARTS && facet.others === 0);
  const chosenFirst = values.toSorted(
    (a, b) => Number(isOn(view, filter, b.value)) - Number(isOn(view, filter, a.value)),
  );
  const largest = new Set(chosenFirst.slice(0, MOST_PARTS - 1));
  const shown = isAll ? values : values.filter((one) => largest.has(one));
  const hidden = values.filter((one) => !shown.includes(one));
  const isOut = ({ value }: FacetValue) => isLeftOut(list, view, filter, value);
  const parts = shown.map((one) => ({
    ...one,
    label: filterValueLabel(filter, one.value),
    isOut: isOut(one),
  }));
  const count = addUp(hidden, countOf) + facet.others;
  if (count === 0) return parts;
  const areOut = hidden.every(isOut) && (facet.others === 0 || areOthersOut(view, filter, facet));
  return [...parts, { value: undefined, count, label: words.rest, isOut: areOut }];
}

/** Whether values without a count of their own are left out: the filter has values, and all are counted. */
function areOthersOut(view: View, { name }: FilterFacts, { values }: Facet): boolean {
  const chosen = valuesOf(view, name);
  return chosen.length > 0 && chosen.every((one) => values.some(({ value }) => value === one));
}

export function Shares({ filter, facets }: { filter: FilterFacts; facets: ListFacets | undefined }) {
  const facet = facets?.facets[filter.name];
  const { values = [], others = 0 } = facet ?? {};
  const more = <CompareLink {...useShown()} filter={filter} values={values.map(({ value }) => value)} />;
  return (
    <Panel title={words.by(filterLabel(filter))} more={more}>
      {facet === undefined ? (
        <>
          <span className="bone" />
          <span className="bone" data-wide />
          <span className="bone" data-wide />
        </>
      ) : values.every(({ count }) => count === 0) && others === 0 ? (
        <p className="dim">{texts.empty}</p>
      ) : (
        <Parts filter={filter} facet={facet} />
      )}
    </Panel>
  );
}

function Parts({ filter, facet }: { readonly filter: FilterFacts; readonly facet: Facet }) {
  const place = useShown();
  const [isOpen, setOpen] = useState(false);
  const bar = partsOf(place, filter, facet, false);
  const whole = bar.reduce((sum, { count }) => sum + count, 0);
  const line = (part: Share, i: number) => {
    const canOpen = part.value === undefined && !isOpen;
    const tone = toneOf(filter, part, i);
    return <PartLine {...{ filter, part, whole, tone }} onOpen={canOpen ? () => setOpen(true) : undefined} />;
  };
  return (
    <>
      <div className="bar" aria-hidden="true">
        {bar.map((part, i) => (
          <span
            key={part.label}
            className="part"
            data-tone={toneOf(filter, part, i)}
            data-excluded={part.isOut || undefined}
            style={{ flexGrow: part.count }}
          />
        ))}
      </div>
      <ul className="parts">
        {partsOf(place, filter, facet, isOpen).map((part, i) => (
          <li key={part.label}>{line(part, i)}</li>
        ))}
      </ul>
      {isOpen && (
        <UnstyledButton className="part-fewer" onClick={() => setOpen(false)}>
          {texts.filters.fewer}
        </UnstyledButton>
      )}
    </>
  );
}

/** A status has the colour of its meaning, as in the list; others have one by rank. */
function toneOf({ name }: FilterFacts, { value }: Share, rank: number): string {
  if (value === undefined) return 'rest';
  if (/statuses$/.test(name)) return valueTones.get(String(value)) ?? 'plain';
  return rank < MOST_PARTS - 1 ? `rank-${rank}` : 'rest';
}

interface PartLineProps {
  readonly filter: FilterFacts;
  readonly part: Share;
  readonly whole: number;
  readonly tone: string;
  /** Shows the values that this one stands for. */
  readonly onOpen: (() => void) | undefined;
}

function PartLine({ filter, part, whole, tone, onOpen }: PartLineProps) {
  const { list, view } = useShown();
  const { value, label, count, isOut } = part;
  const share = shownShare(count, whole);
  const inside = (
    <>
      <span className="dot" data-tone={tone} />
      <span className="part-label" dir="auto">
        {label}
      </span>
      <span className="part-count">{shownCount(count)}</span>
    </>
  );
  if (onOpen !== undefined) {
    return (
      <UnstyledButton className="part-line" title={share} data-excluded={isOut || undefined} onClick={onOpen}>
        {inside}
      </UnstyledButton>
    );
  }
  const isLink = value !== undefined && canFilter(value);
  return (
    <ViewLink
      list={list}
      view={isLink ? withToggled(list, view, filter, value) : undefined}
      className="part-line"
      title={share}
      data-on={(isLink && isOn(view, filter, value)) || undefined}
      data-excluded={isOut || undefined}
    >
      {inside}
    </ViewLink>
  );
}
