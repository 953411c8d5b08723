// `linecard virtual-numbers ranges`: numbers that follow each other, as forms of porting and telephone
// systems take them.

import type { NumberRange, RangeSplit } from '@linecard/client';
import type { ListParams } from '@linecard/client/client/any-list';
import { PRICE_FIELD } from '@linecard/client/contract/facets';
import { visible } from '@linecard/client/contract/printable';
import { rangeMembers, rangesCsv } from '@linecard/client/contract/ranges';
import { count } from '@linecard/client/contract/wording';
import { connect, type ListCall } from './connect.ts';
import { valuesOf } from './options.ts';
import { plainTable } from './plain-table.ts';
import { type Paint, paintFor, print, printJson, say } from './print.ts';

/** Ranges that are read at once. */
const PAGE_SIZE = 1_000;

type Name = keyof NumberRange;

/** In columns; what is counted or added up on the right. */
function table(ranges: readonly NumberRange[], names: readonly Name[], paint: Paint): Generator<string> {
  const rows = ranges.map((range) =>
    names.map((name) => (name === 'count' ? count(range.count) : visible(String(range[name] ?? '')))),
  );
  return plainTable(names, rows, paint, ['count', PRICE_FIELD]);
}

/** @throws {Problem} */
export async function showRanges(
  { given, signal }: ListCall,
  params: ListParams,
  output: 'table' | 'json' | 'csv',
): Promise<void> {
  const { client } = await connect(given);
  const splits = valuesOf(given.get('split-by') ?? []) as RangeSplit[];
  const found = client.virtualNumbers.ranges({ ...params, page_size: PAGE_SIZE }, { signal });
  const ranges: NumberRange[] = [];
  for await (const range of found) ranges.push(range);
  if (output === 'json') return printJson(ranges);
  if (output === 'csv') return print(rangesCsv(ranges, splits));
  if (ranges.length === 0) {
    say('No virtual numbers match.');
    return;
  }
  const hasCharges = ranges.every((range) => PRICE_FIELD in range);
  const names = rangeMembers(splits, hasCharges) as Name[];
  await print(table(ranges, names, paintFor(process.stdout)));
  const numbers = ranges.reduce((sum, range) => sum + range.count, 0);
  say(
    `${count(ranges.length)} ${ranges.length === 1 ? 'range' : 'ranges'}, ${count(numbers)} ${numbers === 1 ? 'number' : 'numbers'}.`,
  );
}
