// The filters of a list, made from the contract: counted values, flags, ranges of time, of charges and of
// numbers, typed values. And the page that they are next to.

import { Button, UnstyledButton } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { useShown } from '../address.tsx';
import { dueField, type FieldFacts, type FilterFacts, type ListFacets } from '../contract.ts';
import { plural, shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { LaterSide, later } from '../shell/later.tsx';
import { texts } from '../texts.ts';
import { isFiltered, oppositeOf, withoutFilters } from '../view.ts';
import { fieldLabel, pictured } from '../words.ts';
import { filterChips } from './chips.tsx';
import { FacetFilter } from './facet.tsx';
import { FilterGroup } from './group.tsx';
import { numbersFilter } from './pasted.ts';
import { boundedFields } from './presets.ts';
import { SpanFilter } from './span.tsx';
import { PinnedSoon } from './stored-pins.tsx';
import { ValuesFilter } from './values.tsx';

const Pinned = later(
  'Pinned',
  () => import('./pinned.tsx'),
  () => <PinnedSoon />,
  { isQuiet: true },
);
const BoundsFilter = later('BoundsFilter', () => import('./bounds.tsx'));

const words = texts.filters;

/** Filters with a chart come first, the others in contract order. */
function rankOf(name: string): number {
  const rank = pictured.indexOf(name);
  return rank < 0 ? pictured.length : rank;
}

interface FilteredPageProps {
  readonly filters: ReactNode;
  /** Of the matches, as far as it is known; null where they are not counted. */
  readonly total: number | undefined | null;
  /** The counts are those of the view before. */
  readonly isOld?: boolean;
  /** @param open the button that opens the filters, on a screen too narrow for a sidebar */
  readonly children: (open: ReactNode) => ReactNode;
  /** Next to all of it. */
  readonly details?: ReactNode;
}

/** A page with its filters: next to it, or on a narrow screen over it. */
export function FilteredPage({ filters, total, isOld = false, children, details }: FilteredPageProps) {
  const { list, view } = useShown();
  const [isOpen, setOpen] = useState(false);
  const onClose = () => setOpen(false);
  const on = filterChips(list, view).length;
  const icon = <Icon name="filter" size={16} />;
  return (
    <div className="layout" data-old={isOld || undefined}>
      <aside className="sidebar" aria-label={words.title}>
        {filters}
      </aside>
      <main id="list" className="content" tabIndex={-1}>
        {children(
          <Button
            className="filters-button"
            variant="default"
            leftSection={icon}
            onClick={() => setOpen(true)}
          >
            {words.title}
            {on > 0 && <span className="count">{shownCount(on)}</span>}
          </Button>,
        )}
      </main>
      {isOpen && (
        <LaterSide
          {...{ title: words.title, onClose }}
          position="left"
          size="22rem"
          className="filters-drawer"
          actions={<ClearFilters />}
          foot={
            total === null
              ? undefined
              : total !== undefined && (
                  <UnstyledButton className="show-results" onClick={onClose}>
                    {plural(words.results, total)}
                  </UnstyledButton>
                )
          }
        >
          {filters}
        </LaterSide>
      )}
      {details}
    </div>
  );
}

export function FiltersHead() {
  return (
    <div className="row apart filters-head">
      <h2>{words.title}</h2>
      <ClearFilters />
    </div>
  );
}

function ClearFilters() {
  const { view, go } = useShown();
  const isOff = !isFiltered(view);
  return (
    <Button
      className="filters-clear"
      variant="subtle"
      size="compact-sm"
      data-disabled={isOff}
      aria-disabled={isOff}
      onClick={() => isOff || go(withoutFilters(view))}
    >
      {words.clear}
    </Button>
  );
}

interface FiltersProps {
  readonly facets: ListFacets | undefined;
  /** The counts could not be loaded: the values stay, without them. */
  readonly isFailed: boolean;
}

/** Open at first: the number, what is counted with a chart of its own, and when a payment is due. */
const OPEN_COUNTED = 2;

export function Filters({ facets: now, isFailed }: FiltersProps) {
  const { list } = useShown();
  // The last ones known, so that filters stay in place while new ones are missing.
  const last = useRef(now);
  last.current = now ?? last.current;
  const facets = last.current;
  const counted = list.filters
    .filter(({ isFacet }) => isFacet)
    .sort((a, b) => rankOf(a.name) - rankOf(b.name));
  const numbers = numbersFilter(list);
  return (
    <div className="filters" data-failed={isFailed || undefined}>
      <Pinned />
      <FiltersHead />
      {numbers !== undefined && (
        <fieldset className="facet">
          <legend>{fieldLabel(numbers.field)}</legend>
          <ValuesFilter filter={numbers} />
        </fieldset>
      )}
      {counted.map((filter, i) => (
        <FacetFilter key={filter.name} {...{ filter, facets, isFailed }} isOpenFirst={i < OPEN_COUNTED} />
      ))}
      <Uncounted numbers={numbers} />
    </div>
  );
}

/** What is not counted, a group for each field: times first. */
function Uncounted({ numbers }: { readonly numbers: FilterFacts | undefined }) {
  const { list } = useShown();
  const isCounted = (filter: FilterFacts) => filter.isFacet || oppositeOf(list, filter)?.isFacet === true;
  const typed = list.filters.filter(
    (one) => ['any', 'none'].includes(one.test) && !isCounted(one) && one !== numbers,
  );
  const spans = list.filters.flatMap(({ field }) => (field.kind === 'timestamp' ? [field] : []));
  const bounded = boundedFields(list);
  const fields = new Set<FieldFacts>([...spans, ...bounded, ...typed.map(({ field }) => field)]);
  return [...fields].map((field) => {
    const own = list.filters.filter((one) => one.field === field && !isCounted(one) && one !== numbers);
    return (
      <FilterGroup
        key={field.name}
        name={field.name}
        title={
          field === numbers?.field ? texts.labelled(fieldLabel(field), words.further) : fieldLabel(field)
        }
        filters={own.map(({ name }) => name)}
        isOpenFirst={field.name === dueField}
      >
        {field.kind === 'timestamp' && <SpanFilter field={field} />}
        {bounded.includes(field) && <BoundsFilter field={field} />}
        {own.map((filter) => typed.includes(filter) && <ValuesFilter key={filter.name} filter={filter} />)}
      </FilterGroup>
    );
  });
}
