// A filter with counted values, the most frequent first.

import { Checkbox, TextInput, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, memo, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { compareId } from '../compare/address.ts';
import type { FilterFacts, ListFacets, View } from '../contract.ts';
import type { FacetValue } from '../figures.ts';
import { plural, shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { canFilter, isFiltered, isOn, oppositeOf, valuesOf, withToggled } from '../view.ts';
import { isValueFound } from './found.ts';
import { FilterGroup } from './group.tsx';
import { filterLabel, shortValueLabel } from './words.ts';

/** `FEW` values are shown at first; from `MANY` on they can be searched. */
const FEW = 5;
const MANY = 12;
const SOON = Array.from({ length: FEW }, (_, i) => i);

type Facet = ListFacets['facets'][string];

/** A stable function that calls the latest one. */
function useLatest<Value>(now: (value: Value) => void): (value: Value) => void {
  const latest = useRef(now);
  useLayoutEffect(() => {
    latest.current = now;
  });
  return useCallback((value: Value) => latest.current(value), []);
}

/** What chooses a value and what excludes it, where a filter does. */
function useValues(filter: FilterFacts) {
  const { list, view, go } = useShown();
  const exclusion = oppositeOf(list, filter);
  const onToggle = useLatest((value: FacetValue['value']) => go(withToggled(list, view, filter, value)));
  const onExclude = useLatest((value: FacetValue['value']) =>
    go(exclusion === undefined ? view : withToggled(list, view, exclusion, value)),
  );
  const isExcluded = (value: FacetValue['value']) => exclusion !== undefined && isOn(view, exclusion, value);
  return {
    onToggle,
    onExclude: exclusion && onExclude,
    isExcluded,
    isOnAny: (value: FacetValue['value']) => isOn(view, filter, value) || isExcluded(value),
    excluded: exclusion === undefined ? [] : chosenOf(view, exclusion),
  };
}

interface FacetProps {
  readonly filter: FilterFacts;
  readonly facet: Facet | undefined;
  /** The counts could not be loaded. */
  readonly isFailed: boolean;
}

/**
 * The same values in the same order while others are filtered, so that none moves under the pointer: new ones
 * come last, and those that no item has any more stay, with 0.
 */
function useInPlace(facet: Facet | undefined): Facet | undefined {
  const { view } = useShown();
  const [seen, setSeen] = useState<readonly FacetValue['value'][]>([]);
  if (facet === undefined) return undefined;
  const now = new Map(facet.values.map((one) => [one.value, one]));
  // Of more values than are listed, nobody knows the count of one that is not.
  const before = isFiltered(view) && facet.others === 0 ? seen : [];
  const order = [...new Set([...before, ...now.keys()])];
  if (order.join('\n') !== seen.join('\n')) setSeen(order);
  return { ...facet, values: order.map((value) => now.get(value) ?? { value, count: 0 }) };
}

interface FacetFilterProps extends Omit<FacetProps, 'facet'> {
  readonly facets: ListFacets | undefined;
  readonly isOpenFirst: boolean;
}

export function FacetFilter({ filter, facets, isFailed, isOpenFirst }: FacetFilterProps) {
  const { list, view } = useShown();
  const facet = useInPlace(facets?.facets[filter.name]);
  const filters = [filter, oppositeOf(list, filter)].flatMap((one) => one?.name ?? []);
  const isOn = filters.some((name) => view.filters[name] !== undefined);
  const isNone = facet?.values.length === 0 && !isOn;
  // Where nothing at all is counted each group stays, and says so.
  if (isNone && facets?.total !== 0) return null;
  return (
    <FilterGroup name={filter.name} title={filterLabel(filter)} {...{ filters, isOpenFirst }}>
      {isNone ? texts.empty : <Values {...{ filter, facet, isFailed }} />}
    </FilterGroup>
  );
}

function Values({ filter, facet, isFailed }: FacetProps) {
  const { list, view } = useShown();
  const { onToggle, onExclude, isExcluded, isOnAny, excluded } = useValues(filter);
  const [isOpen, setOpen] = useState(false);
  const [search, setSearch] = useState('');
  const label = filterLabel(filter);
  const all = withChosen(facet, [...chosenOf(view, filter), ...excluded]);
  const found = all.filter(({ value }) => isValueFound(filter, value, search));
  const shown = isOpen || search !== '' ? found : found.filter(({ value }, i) => i < FEW || isOnAny(value));
  return (
    <>
      {all.length > MANY && (
        <ValueSearch label={label} search={search} onSearch={setSearch} isVain={found.length === 0} />
      )}
      {facet === undefined && isFailed && <p className="dim facet-unknown">{texts.filters.failed}</p>}
      {facet === undefined
        ? SOON.map((n) => !isFailed && <span key={n} className="bone facet-soon" />)
        : shown.map((one) => (
            <Value
              key={String(one.value)}
              {...one}
              {...{ filter, onToggle }}
              onExclude={onExclude}
              isChosen={isOn(view, filter, one.value)}
              isExcluded={isExcluded(one.value)}
            />
          ))}
      {(isOpen ? search === '' && found.length > FEW : found.length > shown.length) && (
        <UnstyledButton className="facet-more" onClick={() => setOpen(!isOpen)}>
          {isOpen ? texts.filters.fewer : plural(texts.filters.more, found.length - shown.length)}
        </UnstyledButton>
      )}
      {filter.test === 'any' && chosenOf(view, filter).length > 1 && (
        <ViewLink list={list} view={view} id={compareId(filter)} className="facet-more">
          {texts.compare.open}
        </ViewLink>
      )}
      {facet !== undefined && facet.others > 0 && (isOpen || found.length <= FEW) && (
        <p className="dim facet-others">{plural(texts.filters.others, facet.others)}</p>
      )}
    </>
  );
}

interface ValueSearchProps {
  readonly label: string;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly isVain: boolean;
}

function ValueSearch({ label, search, onSearch, isVain }: ValueSearchProps) {
  return (
    <>
      <TextInput
        size="xs"
        type="search"
        aria-label={texts.filters.search(label)}
        placeholder={texts.filters.search(label)}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
      />
      <div role="status">{isVain && <p className="dim facet-others">{texts.filters.noValue}</p>}</div>
    </>
  );
}

function chosenOf(view: View, { name }: FilterFacts): FacetValue['value'][] {
  const value = view.filters[name];
  return typeof value === 'boolean' ? [value] : valuesOf(view, name).map(String);
}

/** The counted values, then those selected ones that no item has. A value stays in its place when it is. */
function withChosen(facet: Facet | undefined, chosen: readonly FacetValue['value'][]): readonly FacetValue[] {
  const values = facet?.values ?? [];
  const missing = chosen.filter((one) => !values.some(({ value }) => value === one));
  return [...values, ...missing.map((value) => ({ value, count: 0 }))];
}

/** One Tab stop a value: the arrow keys go to what excludes it, and back. */
function moveInRow({ key, currentTarget }: KeyboardEvent<HTMLElement>): void {
  const target = key === 'ArrowRight' ? 'button' : key === 'ArrowLeft' ? 'input' : undefined;
  if (target !== undefined) currentTarget.closest('.facet-row')?.querySelector<HTMLElement>(target)?.focus();
}

interface ValueProps extends FacetValue {
  readonly filter: FilterFacts;
  readonly isChosen: boolean;
  readonly isExcluded: boolean;
  readonly onToggle: (value: FacetValue['value']) => void;
  /** Absent where no filter excludes. */
  readonly onExclude: ((value: FacetValue['value']) => void) | undefined;
}

/** Rendered again only where it differs: there are dozens of them. */
const Value = memo(function Value(props: ValueProps) {
  const { filter, value, count, isChosen, isExcluded, onToggle, onExclude } = props;
  const label = shortValueLabel(filter, value);
  if (!canFilter(value)) {
    return (
      <p className="dim row apart facet-value facet-fixed">
        <span className="facet-words">{label}</span>
        <span className="count">{shownCount(count)}</span>
      </p>
    );
  }
  return (
    <div className="row facet-row" data-excluded={isExcluded || undefined}>
      <Checkbox
        className="facet-value"
        size="sm"
        checked={isChosen}
        onChange={() => onToggle(value)}
        onKeyDown={moveInRow}
        label={
          <>
            <span className="facet-words" dir="auto">
              {label}
            </span>
            <span className="count">{shownCount(count)}</span>
          </>
        }
      />
      {onExclude !== undefined && (
        <UnstyledButton
          className="facet-not"
          tabIndex={-1}
          title={texts.filters.exclude(label)}
          aria-label={texts.filters.exclude(label)}
          aria-pressed={isExcluded}
          onClick={() => onExclude(value)}
          onKeyDown={moveInRow}
        >
          <Icon name="not" size={15} />
        </UnstyledButton>
      )}
    </div>
  );
});
