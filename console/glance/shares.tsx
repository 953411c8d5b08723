// What the items of each value of a filter cost, or how many there are: a bar, and a line for each of the
// largest values.

import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { comparedView, compareId } from '../compare/address.ts';
import { type FilterFacts, type ListFacets, type ListFacts, priceField, type View } from '../contract.ts';
import { addUp, type FacetValue } from '../figures.ts';
import { filterLabel } from '../filters/words.ts';
import { shownCharge, shownCount, shownItems, shownShare, shownSum } from '../format.ts';
import { texts } from '../texts.ts';
import { canFilter, isOn, withToggled } from '../view.ts';
import { valueTones } from '../words.ts';
import { MOST_PARTS, type Part, partsOf, sizeOf } from './parts.ts';

const words = texts.glance;
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

interface SharesProps {
  readonly filter: FilterFacts;
  readonly facets: ListFacets | undefined;
  readonly currency: string | undefined;
}

export function Shares({ filter, facets, currency }: SharesProps) {
  const place = useShown();
  const { values = [], others = 0 } = facets?.facets[filter.name] ?? {};
  const more = <CompareLink {...place} filter={filter} values={values.map(({ value }) => value)} />;
  const label = filterLabel(filter);
  const isMoney = place.list.sums.includes(priceField);
  const title = isMoney ? texts.compare.title(texts.compare.monthly, label) : words.by(label);
  return (
    <Panel {...{ title, more }} className="panel-shares">
      {facets === undefined ? (
        <>
          <span className="bone" />
          <span className="bone" data-wide />
          <span className="bone" data-wide />
        </>
      ) : values.every(({ count }) => count === 0) && others === 0 ? (
        <p className="dim">{texts.empty}</p>
      ) : (
        <Parts {...{ filter, facets, currency }} />
      )}
    </Panel>
  );
}

function Parts({ filter, facets, currency }: SharesProps & { readonly facets: ListFacets }) {
  const { list, view } = useShown();
  const [isOpen, setOpen] = useState(false);
  const bar = partsOf(list, view, filter, facets, false);
  const whole = addUp(bar, sizeOf);
  const line = (part: Part, i: number) => {
    const canOpen = part.value === undefined && !isOpen;
    const tone = toneOf(filter, part, i);
    const onOpen = canOpen ? () => setOpen(true) : undefined;
    return <PartLine {...{ filter, part, whole, tone, currency, onOpen }} />;
  };
  return (
    <>
      <div className="bar" aria-hidden="true">
        {bar.map((part, i) => {
          const size = sizeOf(part);
          return (
            size > 0 && (
              <span
                key={keyOf(part)}
                className="part"
                data-tone={toneOf(filter, part, i)}
                data-excluded={part.isOut || undefined}
                style={{ flexGrow: size }}
              />
            )
          );
        })}
      </div>
      <ul className="parts">
        {partsOf(list, view, filter, facets, isOpen).map((part, i) => (
          <li key={keyOf(part)}>{line(part, i)}</li>
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

/** What a filter leaves out of the rest is another part. */
const keyOf = ({ label, isOut }: Part) => `${label} ${isOut}`;

/** A status has the colour of its meaning, as in the list; others have one by rank. */
function toneOf({ name }: FilterFacts, { value }: Part, rank: number): string {
  if (value === undefined) return 'rest';
  if (/statuses$/.test(name)) return valueTones.get(String(value)) ?? 'plain';
  return rank < MOST_PARTS - 1 ? `rank-${rank}` : 'rest';
}

interface PartLineProps {
  readonly filter: FilterFacts;
  readonly part: Part;
  /** The length of the bar. */
  readonly whole: number;
  readonly tone: string;
  readonly currency: string | undefined;
  /** Shows the values that this one stands for. */
  readonly onOpen: (() => void) | undefined;
}

function PartLine({ filter, part, whole, tone, currency, onOpen }: PartLineProps) {
  const { list, view } = useShown();
  const { value, label, count, price, isOut } = part;
  const size = sizeOf(part);
  const isKnown = typeof price === 'number';
  const title = [
    shownItems(list, count),
    ...(isKnown ? [shownCharge(price, currency)] : []),
    ...(size > 0 ? [shownShare(size, whole)] : []),
  ].join(' · ');
  const inside = (
    <>
      <span className="dot" data-tone={tone} />
      <span className="part-label" dir="auto">
        {label}
      </span>
      {price !== undefined && <span className="part-items dim">{shownCount(count)}</span>}
      <span className="part-count">
        {isKnown ? shownSum(price, currency) : price === null ? texts.empty : shownCount(count)}
      </span>
    </>
  );
  if (onOpen !== undefined) {
    return (
      <UnstyledButton
        className="part-line"
        data-excluded={isOut || undefined}
        {...{ title, onClick: onOpen }}
      >
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
      title={title}
      data-on={(isLink && isOn(view, filter, value)) || undefined}
      data-excluded={isOut || undefined}
    >
      {inside}
    </ViewLink>
  );
}
