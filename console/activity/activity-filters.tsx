// The filters of what happened: kinds of events, lists, and when.

import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLists, useShown } from '../address.tsx';
import { FiltersHead } from '../filters/filters.tsx';
import { FilterGroup } from '../filters/group.tsx';
import { SpanFilter } from '../filters/span.tsx';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import { accountQuery } from '../queries.ts';
import { isOn, withToggled } from '../view.ts';
import { fieldLabel } from '../words.ts';

/** What the token may see: another list, or charges, are no choice. */
export function ActivityFilters() {
  const { list, view, go } = useShown();
  const { isPending } = useQuery(accountQuery());
  const lists = useLists();
  const choices: Readonly<Record<string, readonly string[]>> = {
    events: list.events.filter((event) => lists.some(({ events }) => events.includes(event))),
    lists: lists.length > 1 ? lists.map(({ name }) => name) : [],
  };
  // All at the same time: none moves another.
  if (isPending)
    return (
      <div className="filters">
        <FiltersHead />
      </div>
    );
  return (
    <div className="filters">
      <FiltersHead />
      {list.filters.map((filter) => {
        const values = choices[filter.name] ?? [];
        if (values.length === 0) return null;
        return (
          <FilterGroup
            key={filter.name}
            name={filter.name}
            title={filterLabel(filter)}
            filters={[filter.name]}
            isOpenFirst
          >
            {values.map((value) => (
              <Checkbox
                key={value}
                className="facet-value"
                size="sm"
                checked={isOn(view, filter, value)}
                onChange={() => go(withToggled(list, view, filter, value))}
                label={<span className="facet-words">{filterValueLabel(filter, value)}</span>}
              />
            ))}
          </FilterGroup>
        );
      })}
      <Times />
    </div>
  );
}

function Times() {
  const { list } = useShown();
  return list.fields
    .filter(({ kind }) => kind === 'timestamp')
    .map((field) => (
      <FilterGroup
        key={field.name}
        name={field.name}
        title={fieldLabel(field)}
        filters={list.filters.flatMap((one) => (one.field === field ? one.name : []))}
        isOpenFirst
      >
        <SpanFilter field={field} />
      </FilterGroup>
    ));
}
