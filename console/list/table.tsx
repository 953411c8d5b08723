// The list as a table: sorted by its headings; the first cell of a row links to its details.

import { type CSSProperties, type KeyboardEvent, type MouseEvent, memo, useMemo, useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import type { FieldFacts, ListFacts, Row, View } from '../contract.ts';
import { fractionDigits, shownText } from '../format.ts';
import { useKeys } from '../shell/keys.ts';
import { later } from '../shell/later.tsx';
import { texts } from '../texts.ts';
import type { CellValue } from './cell-menu.tsx';
import { columnsOf, headline } from './columns.ts';
import { useGrowing } from './growing.ts';
import { toggle, useIsSelected } from './selection.ts';
import type { WholeRows } from './shown-rows.ts';
import { Head, isRight } from './table-head.tsx';
import { Cell, Marks, Value } from './value.tsx';

const CellMenu = later('CellMenu', () => import('./cell-menu.tsx'), undefined, { isLikely: true });
const ROW_HEIGHT_REM = 2.25;

type Variables = CSSProperties & Record<`--${string}`, number | string>;

/** The most fractional digits of each column of charges: the decimal points of a column are aligned. */
function digitsOf(
  fields: readonly FieldFacts[],
  rows: readonly Row[],
  currency: string | undefined,
): Variables {
  const charges = fields.filter(({ kind }) => kind === 'charge');
  return Object.fromEntries(
    charges.map(({ name }) => [
      `--${name}`,
      rows.reduce((most, row) => Math.max(most, fractionDigits(row[name], currency)), 0),
    ]),
  );
}

const mostDigits = ({ kind, name }: FieldFacts): Variables | undefined =>
  kind === 'charge' ? { '--most-digits': `var(--${name})` } : undefined;

export interface RowsProps {
  readonly shown: WholeRows;
  readonly currency: string | undefined;
  readonly isLoading: boolean;
}

export function Table({ shown, currency, isLoading }: RowsProps) {
  const { list, view, id, go } = useShown();
  const { rows } = shown;
  const fields = useMemo(() => columnsOf(list, view), [list, view]);
  const { first, rest, isWhole } = useGrowing(shown);
  const digits = useMemo(() => digitsOf(fields, rows, currency), [fields, rows, currency]);
  // For the pointer; the link in the first cell is there for everybody.
  const openRow = (event: MouseEvent<HTMLElement>) => {
    const target = event.target as Element;
    const button = target.closest<HTMLElement>('.cell-value');
    const { filter: name = '', value = '' } = button?.dataset ?? {};
    if (button !== null) return setCell({ button, name, value });
    const row = target.closest('tr')?.dataset['id'];
    if (row === undefined || target.closest('a, button, input') !== null) return;
    if (document.getSelection()?.isCollapsed !== false) go(view, { id: Number(row) });
  };
  const [cell, setCell] = useState<CellValue>();
  useRowKeys(rows, id !== undefined);
  const draw = (row: Row, ownView: View) => (
    <TableRow
      key={row.id}
      {...{ list, fields, row, currency }}
      view={ownView}
      hasChanged={shown.changed.has(row.id)}
      isOpen={row.id === id}
    />
  );
  return (
    <>
      <table className="table" style={digits} aria-busy={isLoading} onKeyDown={moveInTable} onClick={openRow}>
        <caption className="hidden">{list.title}</caption>
        <Head fields={fields} rows={rows} />
        <tbody>{first.map((row) => draw(row, shown.view))}</tbody>
        {!isWhole && <Room rows={rows.length - first.length} columns={fields.length} />}
        {rest.rows.length > 0 && (
          <tbody hidden={!isWhole}>{rest.rows.map((row) => draw(row, rest.view))}</tbody>
        )}
      </table>
      {cell !== undefined && <CellMenu cell={cell} onClose={() => setCell(undefined)} />}
    </>
  );
}

/** Reserves the height of rows that are not rendered yet. */
function Room({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  return (
    <tbody>
      <tr>
        <td aria-hidden="true" colSpan={columns} style={{ height: `${rows * ROW_HEIGHT_REM}rem` }} />
      </tr>
    </tbody>
  );
}

interface RowProps {
  readonly list: ListFacts;
  readonly view: View;
  readonly fields: readonly FieldFacts[];
  readonly row: Row;
  readonly currency: string | undefined;
  readonly hasChanged: boolean;
  readonly isOpen: boolean;
}

/** Whether a row looks the same; each answer brings the same item as another object. */
function isSameRow(before: RowProps, now: RowProps): boolean {
  const names = Object.keys(now) as (keyof RowProps)[];
  return names.every(
    (name) =>
      before[name] === now[name] ||
      (name === 'row' && hasSameValues(before.row, now.row)) ||
      (name === 'fields' && hasSameValues(before.fields, now.fields)),
  );
}

function hasSameValues(one: object, other: object): boolean {
  const [these, those] = [Object.values(one), Object.values(other)];
  return these.length === those.length && these.every((value, i) => value === those[i]);
}

/** Rendered again only where it differs: a page has hundreds of rows. */
const TableRow = memo(function TableRow({ list, view, fields, row, hasChanged, isOpen, ...rest }: RowProps) {
  const first = headline(list);
  return (
    <tr data-id={row.id} data-changed={hasChanged || undefined} data-open={isOpen || undefined}>
      {fields.map((field) => {
        if (field.name !== first)
          return (
            <td key={field.name} data-right={isRight(field) || undefined} style={mostDigits(field)}>
              <Cell {...{ list, fields, field, row }} {...rest} />
            </td>
          );
        return (
          <th key={field.name} scope="row">
            <span className="row-head">
              <ViewLink list={list} view={view} id={row.id} className="row-link">
                <Value field={field} row={row} {...rest} />
              </ViewLink>
              <Marks list={list} row={row} />
              {hasChanged && <span className="hidden"> ({texts.table.changed})</span>}
              <RowCheck row={row} name={shownText(row[first])} />
            </span>
          </th>
        );
      })}
    </tr>
  );
}, isSameRow);

export function RowCheck({ row, name }: { readonly row: Row; readonly name: string }) {
  const isOn = useIsSelected(row.id);
  return (
    <input
      type="checkbox"
      className="row-check"
      dir="auto"
      aria-label={texts.select.row(name)}
      checked={isOn}
      onChange={() => toggle(row)}
    />
  );
}

/** The link of the row `step` after the one that has the focus; the first row where none has it. */
function moveFocus(step: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('#list .row-link')];
  const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement) === true);
  (at < 0 ? links[0] : links[at + step])?.focus();
}

/** @param isOpen details are open: moving on is theirs. */
function useRowKeys(rows: readonly Row[], isOpen: boolean): void {
  const move = (step: number) => !isOpen && moveFocus(step);
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x() {
      const { id } = document.activeElement?.closest('tr')?.dataset ?? {};
      const row = rows.find((one) => String(one.id) === id);
      if (row !== undefined) toggle(row);
    },
  });
}

const CELLS = '.row-link, .cell-value';

/** Arrow keys move from row to row, and in a row to the values that filter. */
function moveInTable(event: KeyboardEvent<HTMLElement>): void {
  const { activeElement } = document;
  const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const row = activeElement?.matches(CELLS) ? activeElement.closest('tr') : null;
  if (step === undefined || row === null) return;
  event.preventDefault();
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') return moveFocus(step);
  const cells = [...row.querySelectorAll<HTMLElement>(CELLS)];
  cells[cells.indexOf(activeElement as HTMLElement) + step]?.focus();
}
