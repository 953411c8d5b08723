// `linecard … facets`: how many there are, what they cost, what falls due, and what there is to filter by.

import { facetFilters } from '@linecard/client/contract/facets';
import type { List } from '@linecard/client/contract/list';
import { count } from '@linecard/client/contract/wording';
import measured from 'fast-string-truncated-width';
import type { AccountList, AnyFacets } from './connect.ts';
import { type ListParams, optionName } from './options.ts';
import { counted, paintFor, print } from './print.ts';
import { visible, visibleJson } from './printable.ts';
import type { Paint } from './table.ts';

const GAP = '  ';
const OTHERS = '(others)';

/** Cells side by side; the last is a number and stands at the right. */
function aligned(rows: readonly (readonly [string, string, string])[]): [string, string, string][] {
  const width = (column: 0 | 1 | 2) => Math.max(0, ...rows.map((row) => measured(row[column]).width));
  const [first, second, third] = [width(0), width(1), width(2)];
  const filled = (text: string, to: number) => text + ' '.repeat(to - measured(text).width);
  return rows.map(([a, b, c]) => [filled(a, first), filled(b, second), c.padStart(third)]);
}

/** One row for each value; the option that takes it stands in front of the first. */
function facetRows(list: List, facets: AnyFacets['facets']): [string, string, string][] {
  return facetFilters(list).flatMap((name) => {
    const { values = [], others = 0 } = facets[name] ?? {};
    const rows = values.map(({ value, count: n }) => [visible(String(value)), count(n)] as const);
    if (others > 0) rows.push([OTHERS, count(others)]);
    return rows.map(([value, n], i): [string, string, string] => [
      i === 0 ? `--${optionName(name)}` : '',
      value,
      n,
    ]);
  });
}

function* text(list: List, { total, sums, due, facets }: AnyFacets, paint: Paint) {
  yield `${paint('heading', counted(total, list))}\n`;
  const charges = Object.entries(sums).map(([name, sum]) => `${name} ${sum}`);
  yield `Charges: ${charges.join(', ')}\n`;
  for (const [days, { count: n, monthly }] of Object.entries(due)) {
    yield `Due within ${days} days, overdue included: ${count(n)} for ${monthly} a month\n`;
  }
  const rows = facetRows(list, facets);
  if (rows.length === 0) return;
  yield '\n';
  const [head = [], ...lines] = aligned([['OPTION', 'VALUE', 'COUNT'], ...rows]);
  yield `${paint('heading', head.join(GAP))}\n`;
  for (const line of lines) yield `${line.join(GAP)}\n`;
}

/**
 * Prints facets.
 * @throws {Problem}
 */
export async function showFacets(
  list: List,
  client: () => Promise<AccountList>,
  { params, output, signal }: { params: ListParams; output: 'table' | 'json'; signal: AbortSignal },
): Promise<void> {
  const facets = await (await client()).facets(params, { signal });
  const json = `${JSON.stringify(facets, null, 2)}\n`;
  const { stdout } = process;
  const texts =
    output === 'table' ? text(list, facets, paintFor(stdout)) : [stdout.isTTY ? visibleJson(json) : json];
  async function* all() {
    yield* texts;
  }
  await print(all());
}
