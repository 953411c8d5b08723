// Ranges as a table, and on a narrow screen as cards: each leads to its numbers in the list.

import { useQuery } from '@tanstack/react-query';
import type { CSSProperties, ReactNode } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { type FieldFacts, type ListFacts, priceField, type View } from '../contract.ts';
import { fractionDigits, plural, shownCount } from '../format.ts';
import type { NumberRange } from '../linecard.ts';
import { useIsNarrow } from '../list/cards.tsx';
import { Value } from '../list/value.tsx';
import { accountQuery } from '../queries.ts';
import { faultOf } from '../reading.ts';
import { texts } from '../texts.ts';
import { canFilter, withFilter } from '../view.ts';
import { fieldLabel } from '../words.ts';
import type { Ranges } from './address.ts';

const words = texts.ranges;

interface RangeRowsProps {
  readonly ranges: readonly NumberRange[];
  readonly shown: Ranges;
}

/** What is said of a range after its numbers. */
interface Column {
  readonly label: string;
  readonly isRight: boolean;
  readonly of: (range: NumberRange) => ReactNode;
}

function useColumns({ ranges, shown }: RangeRowsProps) {
  const { list } = useShown();
  const { data: account } = useQuery(accountQuery());
  const currency = account?.currency ?? undefined;
  const country = list.fields.find(({ isCountry }) => isCountry);
  const own = [country, shown.split === country ? undefined : shown.split].filter((one) => one !== undefined);
  // A charge of the list: absent for a token that may not see any.
  const charge = list.fields.find(({ name }) => name === priceField);
  const hasCharges = charge !== undefined && ranges.every((range) => range[priceField] !== undefined);
  const columnOf = (field: FieldFacts, label = fieldLabel(field)): Column => ({
    label,
    isRight: field === charge,
    of: (range) => <Value {...{ field, currency }} row={{ id: 0, ...range }} />,
  });
  const columns: readonly Column[] = [
    { label: texts.compare.count, isRight: true, of: ({ count }) => shownCount(count) },
    ...own.map((field) => columnOf(field)),
    ...(hasCharges ? [columnOf(charge, texts.compare.monthly)] : []),
  ];
  const digits = Math.max(0, ...ranges.map((range) => fractionDigits(range[priceField], currency)));
  return { columns, digits };
}

/** A number is there twice where it is in two ranges, so a range is known by its place. */
export function RangeRows(props: RangeRowsProps) {
  const isNarrow = useIsNarrow();
  const { columns, digits } = useColumns(props);
  return isNarrow ? (
    <RangeCards {...props} columns={columns} />
  ) : (
    <RangeTable {...{ ...props, columns, digits }} />
  );
}

interface ColumnsProps extends RangeRowsProps {
  readonly columns: readonly Column[];
}

function RangeTable({ ranges, shown, columns, digits }: ColumnsProps & { readonly digits: number }) {
  const { list } = useShown();
  const style: CSSProperties & Record<`--${string}`, number> = { '--most-digits': digits };
  const heads = [{ label: texts.filters.from }, { label: texts.filters.to }, ...columns];
  return (
    <table className="table compare" style={style}>
      <caption className="hidden">{words.title(list.title)}</caption>
      <thead>
        <tr>
          {heads.map(({ label, ...head }) => (
            <th key={label} scope="col" data-right={('isRight' in head && head.isRight) || undefined}>
              <span className="unsorted">{label}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ranges.map((range, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a number that is there twice may be two ranges
          <tr key={i}>
            <th scope="row">
              <RangeLink {...{ range, shown }} className="row-link">
                <End number={range.from} />
              </RangeLink>
            </th>
            <td>
              <End number={range.to} />
            </td>
            {columns.map(({ label, isRight, of }) => (
              <td key={label} data-right={isRight || undefined}>
                {of(range)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function RangeCards({ ranges, shown, columns }: ColumnsProps) {
  const { list } = useShown();
  return (
    <ul className="cards" aria-label={words.title(list.title)}>
      {ranges.map((range, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as in the table
        <li key={i} className="card">
          <div className="row card-top">
            <RangeLink {...{ range, shown }} className="card-link">
              <End number={range.from} />
              {range.to !== range.from && (
                <>
                  {' – '}
                  <End number={range.to} />
                </>
              )}
            </RangeLink>
          </div>
          <dl className="card-facts range-facts">
            {columns.map(({ label, of }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{of(range)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

/** The first or the last number of a range. */
function End({ number }: { readonly number: string }) {
  const { list } = useShown();
  const field = list.fields.find(({ isNumber }) => isNumber) as FieldFacts;
  return <Value field={field} row={{ id: 0, [field.name]: number }} currency={undefined} />;
}

interface LinkProps {
  readonly range: NumberRange;
  readonly shown: Ranges;
  readonly className: string;
  readonly children: ReactNode;
}

/** Leads to all numbers of a range. */
function RangeLink({ range, shown, className, children }: LinkProps) {
  const { list, view } = useShown();
  const title = plural(words.open, range.count);
  return (
    <ViewLink {...{ list, className, title }} view={viewOfRange(list, view, range, shown)}>
      {children}
    </ViewLink>
  );
}

/** The numbers of a range in the list; `undefined` for one that no filter names, such as a text. */
function viewOfRange(
  list: ListFacts,
  view: View,
  { from, to, ...members }: NumberRange,
  { split }: Ranges,
): View | undefined {
  const named = (test: string) => list.filters.find((filter) => filter.test === test)?.name ?? '';
  const ends = { [named('first')]: from, [named('last')]: to };
  if (faultOf(list, ends) !== undefined) return undefined;
  const within = Object.entries(ends).reduce((all, [name, end]) => withFilter(list, all, name, end), view);
  const value = split && members[split.name as keyof typeof members];
  const filter = list.filters.find(({ field, test }) => field.name === split?.name && test === 'any');
  if (filter === undefined || typeof value !== 'string' || !canFilter(value)) return within;
  return withFilter(list, within, filter.name, [value]);
}
