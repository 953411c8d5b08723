// The overview above the list: costs, what falls due, countries and statuses. Each number links to the items
// that it counts.

import type { CSSProperties, ReactNode } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { dueDays, dueField, type FilterFacts } from '../contract.ts';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import { shownCharge, shownCount, shownShare } from '../format.ts';
import { Icon } from '../icons.tsx';
import type { FacetValue, ListFacets } from '../linecard.ts';
import { texts } from '../texts.ts';
import { timestampAfter } from '../times.ts';
import { canFilter, isOn, withToggled } from '../view.ts';
import { flagTones, pictured } from '../words.ts';
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
function partsOf(filter: FilterFacts, facet: ListFacets['facets'][string]): Share[] {
  const values = facet.values.filter(({ count }) => count > 0);
  const isAll = values.length <= MOST_PARTS && facet.others === 0;
  const shown = values.slice(0, isAll ? MOST_PARTS : MOST_PARTS - 1);
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
  const parts = partsOf(filter, facet);
  const whole = parts.reduce((sum, { count }) => sum + count, 0);
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
        {parts.map(({ label, count }, i) => (
          <span key={label} className={`part part-${i}`} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul className="parts">
        {parts.map((part, i) => (
          <li key={part.label}>
            <PartLine filter={filter} part={part} whole={whole} dot={`dot part-${i}`} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface PartLineProps {
  readonly filter: FilterFacts;
  readonly part: Share;
  readonly whole: number;
  readonly dot: string;
}

function PartLine({ filter, part: { value, label, count }, whole, dot }: PartLineProps) {
  const { list, view } = useShown();
  const share = shownShare(count, whole);
  const inside = (
    <>
      <span className={dot} />
      <span className="part-label" dir="auto">
        {label}
      </span>
      <span className="part-count">{shownCount(count)}</span>
    </>
  );
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
