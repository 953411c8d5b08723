// `linecard … facets`: counts, costs, what falls due, and the values to filter by.

import { type AnyFacets, type Counted, type ListParams, listOf } from '@linecard/client/client/any-list';
import { facetFilters, type Payments } from '@linecard/client/contract/facets';
import type { List } from '@linecard/client/contract/list';
import { visible } from '@linecard/client/contract/printable';
import { count } from '@linecard/client/contract/wording';
import { lineWidth } from './config.ts';
import { connect, type ListCall } from './connect.ts';
import { optionName } from './options.ts';
import { counted, type Paint, paintFor, print, printJson } from './print.ts';
import { widthOf, wrapped } from './wrap.ts';

const GAP = '  ';
const OTHERS = '(others)';
const UNKNOWN = 'not in the amount';
/** A filter on one of these decides which items the sums include. */
const STATUS = /(?:^|_)statuses$/;

/** An option or a day, a value, and numbers, which are aligned right. */
type Row = readonly [first: string, second: string, ...numbers: string[]];

/** Cells in columns. */
function aligned(rows: readonly Row[]): string[] {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, i) => Math.max(known[i] ?? 0, widthOf(cell))),
    [],
  );
  const cellOf = (cell: string, i: number) => {
    const gap = ' '.repeat((widths[i] ?? 0) - widthOf(cell));
    return i < 2 ? cell + gap : gap + cell;
  };
  return rows.map((row) => row.map(cellOf).join(GAP).trimEnd());
}

/** For a narrow line: each option above its values, wrapped at words. */
function stacked(rows: readonly Row[], width: number): string[] {
  return rows.flatMap(([first, ...rest]) => [
    ...(first === '' ? [] : [first]),
    ...wrapped(GAP + rest.filter((cell) => cell !== '').join(GAP), width).split('\n'),
  ]);
}

/** One row for each value; the first has the name of the option. */
function facetRows(list: List, facets: AnyFacets['facets']): Row[] {
  return facetFilters(list).flatMap((name) => {
    const { values = [], others = 0 } = facets[name] ?? {};
    const hasCharges = values.some(({ monthly }) => monthly !== undefined);
    const rows = values.map(({ value, count: n, monthly }): string[] => [
      visible(String(value)),
      count(n),
      ...(hasCharges ? [String(monthly)] : []),
    ]);
    if (others > 0) rows.push([OTHERS, count(others), ...(hasCharges ? [''] : [])]);
    return rows.map(
      ([value = '', ...rest], i): Row => [i === 0 ? `--${optionName(name)}` : '', value, ...rest],
    );
  });
}

/** One row for each day on which something falls due. */
function dayRows(days: AnyFacets['due_by_day'] = []): Row[] {
  return days.map(({ day, count: n, amount, unknown = 0 }) => [
    visible(day),
    unknown === 0 ? '' : `${count(unknown)} ${UNKNOWN}`,
    count(n),
    ...(amount === undefined ? [] : [String(amount)]),
  ]);
}

/** What the sums include: cancelled items too, unless a filter excludes them. */
function summedOver(total: number, params: ListParams): string {
  const which = Object.keys(params).some((name) => STATUS.test(name)) ? '' : ', whatever their status';
  return `all ${count(total)}${which}`;
}

function paymentsText({ count: n, amount, unknown = 0 }: Counted<Payments>, unit: string): string {
  const charge = amount === undefined ? '' : ` for ${amount}${unit}`;
  return `${count(n)}${charge}${unknown === 0 ? '' : `, ${count(unknown)} ${UNKNOWN}`}`;
}

function sentences({ total, currency, sums, due, overdue }: AnyFacets, params: ListParams): string[] {
  const unit = currency === null || currency === undefined ? '' : ` ${visible(currency)}`;
  const charges = Object.entries(sums).map(([name, sum]) => `${visible(name)} ${sum}${unit}`);
  return [
    ...(charges.length === 0 ? [] : [`Charges of ${summedOver(total, params)}: ${charges.join(', ')}`]),
    ...Object.entries(due).map(([days, { count: n, monthly }]) => {
      const charge = monthly === undefined ? '' : ` for ${monthly}${unit} a month`;
      return `Due within ${visible(days)} days, overdue included: ${count(n)}${charge}`;
    }),
    ...(overdue === undefined ? [] : [`Overdue before today: ${paymentsText(overdue, unit)}`]),
  ];
}

function* text(list: List, answer: AnyFacets, params: ListParams, paint: Paint) {
  const width = lineWidth(process.stdout);
  yield `${paint('heading', counted(answer.total, list))}\n`;
  for (const sentence of sentences(answer, params)) yield `${wrapped(sentence, width)}\n`;
  const days = dayRows(answer.due_by_day);
  yield* section(['DUE', '', 'COUNT', ...(days[0]?.[3] === undefined ? [] : ['AMOUNT'])], days, width, paint);
  const rows = facetRows(list, answer.facets);
  const heads: Row = ['OPTION', 'VALUE', 'COUNT', ...(rows[0]?.[3] === undefined ? [] : ['MONTHLY'])];
  yield* section(heads, rows, width, paint);
}

function* section(heads: Row, rows: readonly Row[], width: number | undefined, paint: Paint) {
  if (rows.length === 0) return;
  yield '\n';
  const table = aligned([heads, ...rows]);
  const fits = width === undefined || table.every((line) => widthOf(line) <= width);
  const narrow = () => [heads.filter((head) => head !== '').join(', '), ...stacked(rows, Number(width))];
  const [head = '', ...lines] = fits ? table : narrow();
  yield `${paint('heading', head)}\n`;
  for (const line of lines) yield `${line}\n`;
}

/** @throws {Problem} */
export async function showFacets(
  { list, given, signal }: ListCall,
  params: ListParams,
  output: 'table' | 'json',
): Promise<void> {
  const { client } = await connect(given);
  const facets = await listOf(client, list).facets(params, { signal });
  if (output === 'json') return printJson(facets);
  await print(text(list, facets, params, paintFor(process.stdout)));
}
