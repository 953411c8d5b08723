// The filters of a list, made from the contract: counted values, flags, ranges of time, typed values.

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useShown } from '../address.tsx';
import type { FieldFacts } from '../contract.ts';
import type { ListFacets } from '../linecard.ts';
import { Later, later } from '../shell/later.tsx';
import { texts } from '../texts.ts';
import { isFiltered, withoutFilters } from '../view.ts';
import { pictured } from '../words.ts';
import { FacetFilter } from './facet.tsx';
import { SpanFilter } from './span.tsx';
import { ValuesFilter } from './values.tsx';

const filtersDrawer = later('FiltersDrawer', () => import('./filters-drawer.tsx'));

/** Filters with a chart come first, the others in contract order. */
function rankOf(name: string): number {
  const rank = pictured.indexOf(name);
  return rank < 0 ? pictured.length : rank;
}

interface FiltersOverProps {
  readonly total: number | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Filters over the page, on a screen too narrow for a sidebar. */
export function FiltersOver({ children, ...rest }: FiltersOverProps) {
  return (
    <Later part={filtersDrawer} onMissing={rest.onClose}>
      {(FiltersDrawer) => <FiltersDrawer {...rest}>{children}</FiltersDrawer>}
    </Later>
  );
}

export function FiltersHead() {
  const { view, go } = useShown();
  const isOff = !isFiltered(view);
  return (
    <div className="filters-head">
      <h2>{texts.filters.title}</h2>
      <Button
        variant="subtle"
        size="compact-sm"
        data-disabled={isOff}
        aria-disabled={isOff}
        onClick={() => isOff || go(withoutFilters(view))}
      >
        {texts.filters.clear}
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
  const typed = list.filters.filter(({ isFacet, field }) => !isFacet && field.kind !== 'timestamp');
  return (
    <div className="filters">
      <FiltersHead />
      {isFailed && <p className="dim facet">{texts.filters.failed}</p>}
      {(isFailed ? [] : counted).map((filter) => (
        <FacetFilter key={filter.name} filter={filter} facet={facets?.facets[filter.name]} />
      ))}
      {[...new Set<FieldFacts>(spans)].map((field) => (
        <SpanFilter key={field.name} field={field} />
      ))}
      {typed.map((filter) => (
        <ValuesFilter key={filter.name} filter={filter} />
      ))}
    </div>
  );
}
