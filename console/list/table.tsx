// The list as a table: sorted by its headings, read by rows; the first cell of a row leads to its details.

import { UnstyledButton } from '@mantine/core';
import { columnVisibilityFeature, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { type KeyboardEvent, type MouseEvent, useMemo } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import type { FieldFacts, Row } from '../contract.ts';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { withSort } from '../view.ts';
import { fieldLabel } from '../words.ts';
import { columnsOf, headline } from './columns.ts';
import { Value } from './value.tsx';

const features = tableFeatures({ columnVisibilityFeature });
const helper = createColumnHelper<typeof features, Row>();
const SKELETON_ROWS = 12;
const isRight = ({ kind }: FieldFacts) => kind === 'charge' || kind === 'integer';

export interface RowsProps {
  readonly rows: readonly Row[];
  readonly changed: ReadonlySet<number>;
  readonly currency: string | undefined;
  readonly isLoading: boolean;
}

/** The rows with the columns that are shown, as the table knows them. */
function useRows(rows: readonly Row[]) {
  const { list, view } = useShown();
  const columns = useMemo(
    () =>
      helper.columns(
        list.fields.map(({ name }) => helper.accessor((row): unknown => row[name], { id: name })),
      ),
    [list],
  );
  const shown = useMemo(() => columnsOf(list, view), [list, view]);
  const table = useTable({
    features,
    columns,
    data: rows,
    getRowId: (row) => String(row.id),
    state: {
      columnVisibility: Object.fromEntries(list.fields.map((field) => [field.name, shown.includes(field)])),
    },
  });
  return { fields: shown, rows: table.getRowModel().rows.map(({ original }) => original) };
}

export function Table({ rows: all, changed, currency, isLoading }: RowsProps) {
  const { list, view, id, go } = useShown();
  const { fields, rows } = useRows(all);
  const openRow = (event: MouseEvent<HTMLTableRowElement>, row: Row) => {
    const target = event.target as Element;
    if (target.closest('a, button') !== null || document.getSelection()?.isCollapsed === false) return;
    go(view, { id: row.id });
  };
  return (
    <table className="table" aria-busy={isLoading}>
      <caption className="hidden">{texts.table.caption(list.title)}</caption>
      <Head fields={fields} />
      <tbody onKeyDown={moveBetweenRows}>
        {rows.map((row) => (
          // A convenience for the pointer; the link in the first cell is the way for everybody.
          <tr
            key={row.id}
            data-changed={changed.has(row.id) || undefined}
            data-open={row.id === id || undefined}
            onClick={(event) => openRow(event, row)}
          >
            {fields.map((field) => (
              <Cell
                key={field.name}
                field={field}
                row={row}
                currency={currency}
                hasChanged={changed.has(row.id)}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface CellProps {
  readonly field: FieldFacts;
  readonly row: Row;
  readonly currency: string | undefined;
  readonly hasChanged: boolean;
}

function Cell({ field, row, currency, hasChanged }: CellProps) {
  const { list, view } = useShown();
  const value = <Value field={field} row={row} currency={currency} />;
  if (field.name !== headline(list)) return <td data-right={isRight(field) || undefined}>{value}</td>;
  return (
    <th scope="row">
      <ViewLink list={list} view={view} id={row.id} className="row-link">
        {value}
      </ViewLink>
      {hasChanged && <span className="hidden"> ({texts.table.changed})</span>}
    </th>
  );
}

/** Up and down from row to row, once one of them has the focus. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.row-link')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  if (step === 0 || at < 0) return;
  event.preventDefault();
  links[at + step]?.focus();
}

function Head({ fields }: { readonly fields: readonly FieldFacts[] }) {
  const { view, go } = useShown();
  return (
    <thead>
      <tr>
        {fields.map((field) => {
          const { name, sortKey, about } = field;
          const isSorted = sortKey !== undefined && view.sortBy === sortKey;
          const order = view.isDescending ? 'descending' : 'ascending';
          return (
            <th
              key={name}
              scope="col"
              data-right={isRight(field) || undefined}
              aria-sort={isSorted ? order : undefined}
            >
              {sortKey === undefined ? (
                <span className="unsorted" title={about}>
                  {fieldLabel(name)}
                </span>
              ) : (
                <UnstyledButton className="sort" title={about} onClick={() => go(withSort(view, sortKey))}>
                  {fieldLabel(name)}
                  <span className="sort-mark" data-on={isSorted || undefined}>
                    <Icon name={isSorted && view.isDescending ? 'down' : 'up'} size={14} />
                  </span>
                </UnstyledButton>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** The table before anything is known, as tall as it will be. */
export function TableSkeleton() {
  const { list, view } = useShown();
  const fields = columnsOf(list, view);
  const rows = Array.from({ length: Math.min(view.pageSize, SKELETON_ROWS) }, (_, i) => i);
  return (
    <table className="table" aria-busy="true" aria-label={texts.loading}>
      <Head fields={fields} />
      <tbody>
        {rows.map((row) => (
          <tr key={row}>
            {fields.map(({ name }, i) => (
              <td key={name}>
                <span className="bone" data-wide={i === 0 || undefined} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
