// What is on: a chip for each value, which takes it away again, and how many are left of what there is.

import { useShown, ViewLink } from '../address.tsx';
import { shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { activeFilters, isFiltered, withoutFilters, withToggled } from '../view.ts';
import { filterLabel, filterValueLabel } from './words.ts';

export function Chips({ total }: { readonly total: number | undefined }) {
  const { list, view } = useShown();
  if (!isFiltered(view)) return null;
  return (
    <div className="chips">
      <ul aria-label={texts.filters.active}>
        {view.q !== undefined && (
          <li>
            <ViewLink
              list={list}
              view={{ ...view, page: 1, q: undefined }}
              className="chip"
              aria-label={texts.filters.remove(`“${view.q}”`)}
            >
              <span dir="auto">“{view.q}”</span>
              <Icon name="close" size={13} />
            </ViewLink>
          </li>
        )}
        {activeFilters(list, view).map(({ filter, value }) => {
          const words = filterValueLabel(filter, value);
          const isFlag = typeof value === 'boolean';
          return (
            <li key={`${filter.name} ${String(value)}`}>
              <ViewLink
                list={list}
                view={withToggled(list, view, filter, value)}
                className="chip"
                aria-label={texts.filters.remove(`${filterLabel(filter)}: ${words}`)}
              >
                {!isFlag && <span className="dim">{filterLabel(filter)}:</span>}
                <span dir="auto">{words}</span>
                <Icon name="close" size={13} />
              </ViewLink>
            </li>
          );
        })}
        <li>
          <ViewLink list={list} view={withoutFilters(view)} className="chip-clear">
            {texts.filters.clear}
          </ViewLink>
        </li>
      </ul>
      {total !== undefined && (
        <span className="dim chips-total">{texts.filters.count(shownCount(total))}</span>
      )}
    </div>
  );
}
