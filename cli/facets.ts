// `linecard … facets`: counts, costs, what falls due, and the values to filter by.

import type { AnyFacets, ListParams } from '@linecard/client/client/any-list';
import { facetFilters } from '@linecard/client/contract/facets';
import type { List } from '@linecard/client/contract/list';
import { count } from '@linecard/client/contract/wording';
import measured from 'fast-string-truncated-width';
import { lineWidth } from './config.ts';
import type { Connection } from './connect.ts';
import { optionName } from './options.ts';
import { counted, type Paint, paintFor, print } from './print.ts';
import { visible, visibleJson } from './printable.ts';
import { wrapped } from './wrap.ts';

const GAP = '  ';
const OTHERS = '(others)';
/** A filter on one of these decides which items the sums include. */
const STATUS = /(?:^|_)statuses$/;

type Row = readonly [option: string, value: string, count: string];

const widthOf = (text: string) => measured(text).width;

/** Cells in columns; the last is a number and aligned right. */
function aligned(rows: readonly Row[]): string[] {
  const width = (column: 0 | 1 | 2) => Math.max(0, ...rows.map((row) => widthOf(row[column])));
  const [first, second, third] = [width(0), width(1), width(2)];
  const filled = (text: string, to: number) => text + ' '.repeat(to - widthOf(text));
  return rows.map(([a, b, c]) => [filled(a, first), filled(b, second), c.padStart(third)].join(GAP));
}

/** For a narrow line: each option above its values, wrapped at words. */
function stacked(rows: readonly Row[], width: number): string[] {
  return rows.flatMap(([option, value, n]) => [
    ...(option === '' ? [] : [option]),
    ...wrapped(`${GAP}${value}${GAP}${n}`, width).split('\n'),
  ]);
}

/** One row for each value; the first has the name of the option. */
function facetRows(list: List, facets: AnyFacets['facets']): Row[] {
  return facetFilters(list).flatMap((name) => {
    const { values = [], others = 0 } = facets[name] ?? {};
    const rows = values.map(({ value, count: n }) => [visible(String(value)), count(n)] as const);
    if (others > 0) rows.push([OTHERS, count(others)]);
    return rows.map(([value, n], i): Row => [i === 0 ? `--${optionName(name)}` : '', value, n]);
  });
}

/** What the sums include: cancelled items too, unless a filter excludes them. */
function summedOver(total: number, params: ListParams): string {
  const which = Object.keys(params).some((name) => STATUS.test(name)) ? '' : ', whatever their status';
  return `all ${count(total)}${which}`;
}

function sentences({ total, currency, sums, due }: AnyFacets, params: ListParams): string[] {
  const unit = currency === null || currency === undefined ? '' : ` ${visible(currency)}`;
  const charges = Object.entries(sums).map(([name, sum]) => `${visible(name)} ${sum}${unit}`);
  return [
    ...(charges.length === 0 ? [] : [`Charges of ${summedOver(total, params)}: ${charges.join(', ')}`]),
    ...Object.entries(due).map(([days, { count: n, monthly }]) => {
      const charge = monthly === undefined ? '' : ` for ${monthly}${unit} a month`;
      return `Due within ${visible(days)} days, overdue included: ${count(n)}${charge}`;
    }),
  ];
}

function* text(list: List, answer: AnyFacets, params: ListParams, paint: Paint) {
  const width = lineWidth(process.stdout);
  yield `${paint('heading', counted(answer.total, list))}\n`;
  for (const sentence of sentences(answer, params)) yield `${wrapped(sentence, width)}\n`;
  const rows = facetRows(list, answer.facets);
  if (rows.length === 0) return;
  yield '\n';
  const table = aligned([['OPTION', 'VALUE', 'COUNT'], ...rows]);
  const fits = width === undefined || table.every((line) => widthOf(line) <= width);
  const [head = '', ...lines] = fits ? table : ['OPTION, VALUE, COUNT', ...stacked(rows, width)];
  yield `${paint('heading', head)}\n`;
  for (const line of lines) yield `${line}\n`;
}

/** @throws {Problem} */
export async function showFacets(
  list: List,
  connection: () => Promise<Connection>,
  { params, output, signal }: { params: ListParams; output: 'table' | 'json'; signal: AbortSignal },
): Promise<void> {
  const facets = await (await connection()).items.facets(params, { signal });
  const json = `${JSON.stringify(facets, null, 2)}\n`;
  const { stdout } = process;
  await print(
    output === 'table'
      ? text(list, facets, params, paintFor(stdout))
      : [stdout.isTTY ? visibleJson(json) : json],
  );
}
