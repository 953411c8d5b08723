// Which events are shown: of what kind, of which list, and when.

import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLists, useShown } from '../address.tsx';
import { FiltersHead } from '../filters/filters.tsx';
import { SpanFilter } from '../filters/span.tsx';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import { accountQuery } from '../queries.ts';
import { isOn, withToggled } from '../view.ts';

/** What the token may see: another list, or charges, are no choice. */
export function ActivityFilters() {
  const { list, view, go } = useShown();
  const { isPending } = useQuery(accountQuery());
  const lists = useLists();
  const choices: Readonly<Record<string, readonly string[]>> = {
    events: list.events.filter((event) => lists.some(({ events }) => events.includes(event))),
    lists: lists.length > 1 ? lists.map(({ name }) => name) : [],
  };
  return (
    <div className="filters">
      <FiltersHead />
      {list.filters.map((filter) => {
        const values = isPending ? [] : (choices[filter.name] ?? []);
        if (values.length === 0) return null;
        return (
          <fieldset key={filter.name} className="facet">
            <legend>{filterLabel(filter)}</legend>
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
          </fieldset>
        );
      })}
      {list.fields
        .filter(({ kind }) => kind === 'timestamp')
        .map((field) => (
          <SpanFilter key={field.name} field={field} />
        ))}
    </div>
  );
}
