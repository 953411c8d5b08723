// The filters of a list, made from the contract: counted values, flags, ranges of time, of charges and of
// numbers, typed values. And the page that they are next to.

import { Button, UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useShown } from '../address.tsx';
import type { FieldFacts, FilterFacts, ListFacets } from '../contract.ts';
import { plural, shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { LaterSide } from '../shell/later.tsx';
import { texts } from '../texts.ts';
import { activeFilters, isFiltered, oppositeOf, withoutFilters } from '../view.ts';
import { pictured } from '../words.ts';
import { BoundsFilter, boundedFields } from './bounds.tsx';
import { FacetFilter } from './facet.tsx';
import { numbersFilter } from './pasted.ts';
import { SpanFilter } from './span.tsx';
import { ValuesFilter } from './values.tsx';

const words = texts.filters;

/** Filters with a chart come first, the others in contract order. */
function rankOf(name: string): number {
  const rank = pictured.indexOf(name);
  return rank < 0 ? pictured.length : rank;
}

interface FilteredPageProps {
  readonly filters: ReactNode;
  /** Of the matches, as far as it is known. */
  readonly total: number | undefined;
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
  const on = activeFilters(list, view).length;
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
        >
          {filters}
          {total !== undefined && (
            <UnstyledButton className="show-results" onClick={onClose}>
              {plural(words.results, total)}
            </UnstyledButton>
          )}
        </LaterSide>
      )}
      {details}
    </div>
  );
}

export function FiltersHead() {
  const { view, go } = useShown();
  const isOff = !isFiltered(view);
  return (
    <div className="row apart filters-head">
      <h2>{words.title}</h2>
      <Button
        variant="subtle"
        size="compact-sm"
        data-disabled={isOff}
        aria-disabled={isOff}
        onClick={() => isOff || go(withoutFilters(view))}
      >
        {words.clear}
      </Button>
    </div>
  );
}

interface FiltersProps {
  readonly facets: ListFacets | undefined;
  /** The counts could not be loaded. */
  readonly isFailed: boolean;
}

export function Filters({ facets, isFailed }: FiltersProps) {
  const { list } = useShown();
  const counted = list.filters
    .filter(({ isFacet }) => isFacet)
    .sort((a, b) => rankOf(a.name) - rankOf(b.name));
  const spans = list.filters.flatMap(({ field }) => (field.kind === 'timestamp' ? [field] : []));
  const isCounted = (filter: FilterFacts) => filter.isFacet || oppositeOf(list, filter)?.isFacet === true;
  const typed = list.filters.filter((one) => ['any', 'none'].includes(one.test) && !isCounted(one));
  const numbers = numbersFilter(list);
  return (
    <div className="filters">
      <FiltersHead />
      {numbers !== undefined && <ValuesFilter filter={numbers} />}
      {isFailed && <p className="dim facet">{words.failed}</p>}
      {(isFailed ? [] : counted).map((filter) => (
        <FacetFilter key={filter.name} filter={filter} facet={facets?.facets[filter.name]} />
      ))}
      {[...new Set<FieldFacts>(spans)].map((field) => (
        <SpanFilter key={field.name} field={field} />
      ))}
      {boundedFields(list).map((field) => (
        <BoundsFilter key={field.name} field={field} />
      ))}
      {typed.map((filter) => filter !== numbers && <ValuesFilter key={filter.name} filter={filter} />)}
    </div>
  );
}
