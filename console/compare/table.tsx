// The table of a comparison: a line for each value and one for all, sorted by its headings; and its texts, to
// be copied or saved.

import { Button, UnstyledButton } from '@mantine/core';
import type { CSSProperties } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { cellText, type FilterFacts, fileTypes, type ListFacts, type View } from '../contract.ts';
import { save } from '../export/download.ts';
import { addUp, isPriced } from '../figures.ts';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import { NO_BREAK, plural, shownCharge, shownCount, shownShare, shownSum } from '../format.ts';
import { Icon } from '../icons.tsx';
import { copyText, useBriefly } from '../shell/copy-text.tsx';
import { texts } from '../texts.ts';
import type { Figure } from './figures.ts';

const words = texts.compare;
const COPIED_MS = 2_000;
const PERCENT = 100;

export interface Line {
  readonly value: string;
  readonly figures: readonly Figure[];
}

export interface Comparison {
  readonly filter: FilterFacts;
  readonly lines: readonly Line[];
  /** Of all items of the view, also of values that are not shown. */
  readonly total: readonly Figure[];
  readonly currency: string | undefined;
}

const NAMES = new Intl.Collator(undefined, { numeric: true });

/** In the order of the address; the most frequent values first where it names none of the columns. */
export function sorted(view: View, filter: FilterFacts, lines: readonly Line[]): readonly Line[] {
  const { sortBy, isDescending } = view;
  const sign = isDescending ? -1 : 1;
  const nameOf = ({ value }: Line) => filterValueLabel(filter, value);
  const column =
    lines[0]?.figures.findIndex(({ sortKey }) => sortKey !== undefined && sortKey === sortBy) ?? -1;
  const sizeOf = ({ figures }: Line, at: number) => figures[at]?.size ?? 0;
  const byName = (one: Line, other: Line) => NAMES.compare(nameOf(one), nameOf(other));
  if (sortBy !== undefined && sortBy === filter.field.sortKey)
    return lines.toSorted((one, other) => sign * byName(one, other));
  return lines.toSorted(
    (one, other) =>
      (column < 0
        ? sizeOf(other, 0) - sizeOf(one, 0)
        : sign * (sizeOf(one, column) - sizeOf(other, column))) || byName(one, other),
  );
}

const hasAmount = ({ count = 0, unknown = 0 }: Figure) => isPriced({ count, unknown });

/** A figure as text: an amount with a decimal point, then its share of a hundred or its payments. */
function cellsOf(figure: Figure): string[] {
  const { name, size, isMoney, share, count } = figure;
  if (name === 'count') return [String(size ?? ''), share === undefined ? '' : (share * PERCENT).toFixed(1)];
  const text = hasAmount(figure) ? String(size ?? '') : '';
  return name === 'due' && isMoney ? [text, String(count ?? '')] : [text];
}

function headOf({ name, label, isMoney }: Figure): string[] {
  if (name === 'count') return [label, '%'];
  return name === 'due' && isMoney ? [label, words.payments] : [label];
}

function textOf({ filter, lines, total }: Comparison, delimiter: string): string {
  const row = (name: string, cells: readonly string[]) => [cellText(name), ...cells];
  const rows = [
    row(
      filterLabel(filter),
      total.flatMap(headOf).map((head) => cellText(head.replaceAll(NO_BREAK, ' '))),
    ),
    ...lines.map(({ value, figures }) => row(filterValueLabel(filter, value), figures.flatMap(cellsOf))),
    row(texts.overview.total, total.flatMap(cellsOf)),
  ];
  return rows.map((cells) => `${cells.join(delimiter)}\r\n`).join('');
}

interface TakeAwayProps {
  readonly comparison: Comparison | undefined;
  readonly title: string;
}

export function TakeAway({ comparison, title }: TakeAwayProps) {
  const [isCopied = false, setCopied] = useBriefly<true>(COPIED_MS);
  const isWhole = comparison?.lines.every(({ figures }) => figures.every(({ size }) => size !== undefined));
  const off = { 'data-disabled': !isWhole, 'aria-disabled': !isWhole };
  const take = (delimiter: string, act: (text: string) => void) => () => {
    if (comparison !== undefined && isWhole) act(textOf(comparison, delimiter));
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name={isCopied ? 'check' : 'copy'} size={16} />}
        onClick={take('\t', (text) => void copyText(text).then(() => setCopied(true)))}
        {...off}
      >
        {texts.select.copy}
      </Button>
      <span className="hidden" role="status">
        {isCopied ? texts.copied : ''}
      </span>
      <Button
        variant="default"
        leftSection={<Icon name="download" size={16} />}
        onClick={take(',', (text) => save(new Blob([text], { type: fileTypes.csv }), `${title}.csv`))}
        {...off}
      >
        {texts.export.csv}
      </Button>
    </>
  );
}

interface HeadingProps {
  readonly label: string;
  /** Absent for the heading by which the table is sorted where the address names no other. */
  readonly sortKey: string | undefined;
  readonly isRight: boolean;
  readonly keys: readonly (string | undefined)[];
}

/** Figures are sorted from the largest, names from A to Z; then the other way round, then as usual. */
function Heading({ label, sortKey, isRight, keys }: HeadingProps) {
  const { view, go } = useShown();
  const isUsual = view.sortBy === undefined || !keys.includes(view.sortBy);
  const isOn = sortKey === undefined ? isUsual : view.sortBy === sortKey;
  const isDown = sortKey === undefined || view.isDescending;
  const next = (): View => {
    if (sortKey === undefined) return { ...view, sortBy: undefined, isDescending: false };
    if (!isOn) return { ...view, sortBy: sortKey, isDescending: isRight };
    if (view.isDescending === isRight) return { ...view, isDescending: !isRight };
    return { ...view, sortBy: undefined, isDescending: false };
  };
  return (
    <th
      scope="col"
      data-right={isRight || undefined}
      aria-sort={isOn ? (isDown ? 'descending' : 'ascending') : undefined}
    >
      <UnstyledButton className="sort" onClick={() => go(next())}>
        {label}
        <span className="sort-mark" data-on={isOn || undefined}>
          <Icon name={isDown ? 'down' : 'up'} size={14} />
        </span>
      </UnstyledButton>
    </th>
  );
}

export function CompareTable({ filter, lines, total, currency }: Comparison) {
  const { list } = useShown();
  const keys = [filter.field.sortKey, ...total.map(({ sortKey }) => sortKey)];
  return (
    <table className="table compare">
      <caption className="hidden">{words.title(list.title, filterLabel(filter))}</caption>
      <thead>
        <tr>
          <Heading label={filterLabel(filter)} sortKey={filter.field.sortKey} isRight={false} keys={keys} />
          {total.map(({ label, sortKey }) => (
            <Heading key={label} label={label} sortKey={sortKey} isRight keys={keys} />
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map(({ value, figures }) => (
          <tr key={value}>
            <th scope="row" dir="auto">
              {filterValueLabel(filter, value)}
            </th>
            {figures.map((figure, column) => (
              <td key={figure.label} data-right>
                <Cell
                  {...{ list, figure, currency }}
                  most={Math.max(...lines.map((line) => line.figures[column]?.size ?? 0))}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      <tbody className="compare-total">
        <tr>
          <th scope="row">{texts.overview.total}</th>
          {total.map((figure) => (
            <td key={figure.label} data-right>
              <Cell {...{ list, figure, currency }} most={undefined} />
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

/** How many payments are in no amount of the table, if any. */
export function NotIncluded({ total }: Pick<Comparison, 'total'>) {
  const unknown = addUp(total, (figure) => figure.unknown ?? 0);
  if (unknown === 0) return null;
  return <p className="dim">{texts.overview.unknown(plural(texts.overview.payments, unknown))}</p>;
}

interface CellProps {
  readonly list: ListFacts;
  readonly figure: Figure;
  readonly currency: string | undefined;
  /** The largest of the column; absent for a sum, which has no bar. */
  readonly most: number | undefined;
}

function Cell({ list, figure, currency, most }: CellProps) {
  const { size, isMoney, share, count, view } = figure;
  if (size === undefined) return <span className="bone" />;
  const style: CSSProperties & Record<`--${string}`, number> = { '--share': most ? size / most : 0 };
  const isAmount = isMoney && hasAmount(figure);
  return (
    <ViewLink
      list={list}
      view={view}
      className="flow compare-figure"
      title={isAmount ? shownCharge(size, currency) : undefined}
    >
      <span>{isAmount ? shownSum(size, currency) : isMoney ? texts.empty : shownCount(size)}</span>
      {share !== undefined && <small className="dim">{shownShare(share)}</small>}
      {count !== undefined && <small className="dim">{plural(texts.overview.payments, count)}</small>}
      {size > 0 && most !== undefined && (
        <span className="rank-bar" data-tone="rank-0" style={style} aria-hidden="true" />
      )}
    </ViewLink>
  );
}
