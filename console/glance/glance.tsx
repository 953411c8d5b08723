// The overview above the list: costs, what falls due, countries and statuses. Each number links to the items
// that it counts.

import { UnstyledButton } from '@mantine/core';
import { type CSSProperties, type ReactNode, useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { dueDays, dueField, type FilterFacts } from '../contract.ts';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import { shownCharge, shownCount, shownShare } from '../format.ts';
import { Icon } from '../icons.tsx';
import type { FacetValue, ListFacets } from '../linecard.ts';
import { texts } from '../texts.ts';
import { timestampAfter } from '../times.ts';
import { canFilter, isOn, withToggled } from '../view.ts';
import { flagTones, pictured, valueTones } from '../words.ts';
import { boundBefore } from './due.ts';
import { DueChart } from './due-chart.tsx';

const words = texts.glance;
/** Values of a chart that are shown one by one. */
const MOST_PARTS = 4;
const MOST_PICTURES = 2;

interface GlanceProps {
  readonly facets: ListFacets | undefined;
  readonly currency: string | undefined;
  /** In milliseconds. */
  readonly at: number;
}

export function Glance({ facets, isFailed, currency, at }: GlanceProps & { readonly isFailed: boolean }) {
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
      <Cost facets={facets} currency={currency} at={at} />
      <Due facets={facets} currency={currency} at={at} />
      {filters.slice(0, MOST_PICTURES).map((filter) => (
        <Shares key={filter.name} filter={filter} facets={facets} />
      ))}
    </section>
  );
}

function Panel({ title, className, children }: { title: string; className?: string; children: ReactNode }) {
  return (
    <div className={`panel ${className ?? ''}`}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A sum, as large as fits. */
function Figure({ text }: { readonly text: string }) {
  const style: CSSProperties & Record<`--${string}`, number> = { '--characters': text.length };
  return (
    <p className="figure" style={style}>
      {text}
    </p>
  );
}

function Cost({ facets, currency }: GlanceProps) {
  const { list, view } = useShown();
  const flags = list.filters.filter(({ field, test }) => test === 'is' && flagTones[field.name] === 'bad');
  if (facets === undefined) {
    return (
      <Panel title={words.monthly}>
        <span className="bone" data-tall />
        <span className="bone" />
      </Panel>
    );
  }
  const { monthly = 0, activation = 0 } = facets.sums;
  return (
    <Panel title={words.monthly}>
      <Figure text={shownCharge(monthly, currency)} />
      <p className="dim">
        {shownCount(facets.total)} {facets.total === 1 ? list.one : list.title.toLowerCase()}
      </p>
      {activation > 0 && <p className="dim">{words.oneTime(shownCharge(activation, currency))}</p>}
      {flags.map((filter) => {
        const count = facets.facets[filter.name]?.values.find(({ value }) => value === true)?.count ?? 0;
        if (count === 0) {
          return (
            <p key={filter.name} className="all-well">
              <Icon name="check" size={15} /> {words.noneFlagged}
            </p>
          );
        }
        return (
          <ViewLink
            key={filter.name}
            list={list}
            view={withToggled(list, view, filter, true)}
            className="flagged"
            data-on={isOn(view, filter, true) || undefined}
          >
            <Icon name="flag" size={15} />
            {words.flagged(shownCount(count))}
          </ViewLink>
        );
      })}
    </Panel>
  );
}

function Due({ facets, currency, at }: GlanceProps) {
  const { list, view } = useShown();
  return (
    <Panel title={words.due} className="panel-due">
      <ul className="due-sums">
        {dueDays.map((days) => {
          const due = facets?.due[String(days)];
          const filters = { ...view.filters, ...boundBefore(list, dueField, timestampAfter(days, at)) };
          return (
            <li key={days}>
              <ViewLink list={list} view={{ ...view, page: 1, filters }} className="due-sum">
                <strong>{due === undefined ? texts.empty : shownCount(due.count)}</strong>
                <span>
                  {words.within(String(days))}
                  {due !== undefined && (
                    <small className="dim">{words.dueSummary(shownCharge(due.monthly, currency))}</small>
                  )}
                </span>
              </ViewLink>
            </li>
          );
        })}
      </ul>
      <DueChart />
    </Panel>
  );
}

interface Share {
  readonly value: FacetValue['value'] | undefined;
  readonly label: string;
  readonly count: number;
}

/** The largest values, and the rest as one. */
function partsOf(filter: FilterFacts, facet: ListFacets['facets'][string], isOpen: boolean): Share[] {
  const values = facet.values.filter(({ count }) => count > 0);
  const isAll = isOpen || (values.length <= MOST_PARTS && facet.others === 0);
  const shown = isAll ? values : values.slice(0, MOST_PARTS - 1);
  const rest = values.slice(shown.length).reduce((sum, { count }) => sum + count, facet.others);
  const parts = shown.map(({ value, count }) => ({ value, count, label: filterValueLabel(filter, value) }));
  return rest === 0 ? parts : [...parts, { value: undefined, count: rest, label: words.rest }];
}

function Shares({
  filter,
  facets,
}: {
  readonly filter: FilterFacts;
  readonly facets: ListFacets | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  const title = words.by(filterLabel(filter));
  const facet = facets?.facets[filter.name];
  if (facet === undefined) {
    return (
      <Panel title={title}>
        <span className="bone" />
        <span className="bone" data-wide />
        <span className="bone" data-wide />
      </Panel>
    );
  }
  const bar = partsOf(filter, facet, false);
  const parts = partsOf(filter, facet, isOpen);
  const whole = bar.reduce((sum, { count }) => sum + count, 0);
  if (whole === 0) {
    return (
      <Panel title={title}>
        <p className="dim">{texts.empty}</p>
      </Panel>
    );
  }
  return (
    <Panel title={title}>
      <div className="bar" aria-hidden="true">
        {bar.map((part, i) => (
          <span
            key={part.label}
            className="part"
            data-tone={toneOf(filter, part, i)}
            style={{ flexGrow: part.count }}
          />
        ))}
      </div>
      <ul className="parts">
        {parts.map((part, i) => (
          <li key={part.label}>
            <PartLine
              {...{ filter, part, whole }}
              tone={toneOf(filter, part, i)}
              onOpen={part.value === undefined && !isOpen ? () => setOpen(true) : undefined}
            />
          </li>
        ))}
      </ul>
      {isOpen && (
        <UnstyledButton className="part-fewer" onClick={() => setOpen(false)}>
          {words.fewer}
        </UnstyledButton>
      )}
    </Panel>
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

function PartLine({ filter, part: { value, label, count }, whole, tone, onOpen }: PartLineProps) {
  const { list, view } = useShown();
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
      <UnstyledButton className="part-line" title={share} onClick={onOpen}>
        {inside}
      </UnstyledButton>
    );
  }
  if (value === undefined || !canFilter(value)) {
    return (
      <span className="part-line" title={share}>
        {inside}
      </span>
    );
  }
  return (
    <ViewLink
      list={list}
      view={withToggled(list, view, filter, value)}
      className="part-line"
      title={share}
      data-on={isOn(view, filter, value) || undefined}
    >
      {inside}
    </ViewLink>
  );
}
