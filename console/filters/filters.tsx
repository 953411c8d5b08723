// The filters of a list, made from the contract: counted values, flags, ranges of time, typed values.

import { Button } from '@mantine/core';
import { useShown } from '../address.tsx';
import type { FieldFacts } from '../contract.ts';
import type { ListFacets } from '../linecard.ts';
import { texts } from '../texts.ts';
import { isFiltered, withoutFilters } from '../view.ts';
import { pictured } from '../words.ts';
import { FacetFilter } from './facet.tsx';
import { SpanFilter } from './span.tsx';
import { ValuesFilter } from './values.tsx';

/** Filters with a chart come first, the others in contract order. */
function rankOf(name: string): number {
  const rank = pictured.indexOf(name);
  return rank < 0 ? pictured.length : rank;
}

interface FiltersProps {
  readonly facets: ListFacets | undefined;
  /** The counts could not be loaded. */
  readonly isFailed: boolean;
}

export function Filters({ facets, isFailed }: FiltersProps) {
  const { list, view, go } = useShown();
  const counted = list.filters
    .filter(({ isFacet }) => isFacet)
    .sort((a, b) => rankOf(a.name) - rankOf(b.name));
  const spans = list.filters.flatMap(({ field }) => (field.kind === 'timestamp' ? [field] : []));
  const typed = list.filters.filter(({ isFacet, field }) => !isFacet && field.kind !== 'timestamp');
  return (
    <div className="filters">
      <div className="filters-head">
        <h2>{texts.filters.title}</h2>
        <Button
          variant="subtle"
          size="compact-sm"
          data-disabled={!isFiltered(view)}
          aria-disabled={!isFiltered(view)}
          onClick={() => isFiltered(view) && go(withoutFilters(view))}
        >
          {texts.filters.clear}
        </Button>
      </div>
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
