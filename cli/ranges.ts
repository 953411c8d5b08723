// `linecard virtual-numbers ranges`: numbers that follow each other, as forms of porting and telephone
// systems take them.

import type { NumberRange, RangeSplit } from '@linecard/client';
import type { ListParams } from '@linecard/client/client/any-list';
import { cellText } from '@linecard/client/contract/csv';
import { visible } from '@linecard/client/contract/printable';
import { RANGE_CHARGE, rangeMembers } from '@linecard/client/contract/ranges';
import { count } from '@linecard/client/contract/wording';
import { connect, type ListCall } from './connect.ts';
import { valuesOf } from './options.ts';
import { type Paint, paintFor, print, printJson, say } from './print.ts';
import { widthOf } from './wrap.ts';

const GAP = '  ';
/** Ranges that are read at once. */
const PAGE_SIZE = 1_000;

type Name = keyof NumberRange;

const isRight = (name: Name) => name === 'count' || name === RANGE_CHARGE;

function* table(ranges: readonly NumberRange[], names: readonly Name[], paint: Paint): Generator<string> {
  const cellOf = (range: NumberRange, name: Name) =>
    name === 'count' ? count(range.count) : visible(String(range[name] ?? ''));
  const rows = [
    names.map((name) => name.toUpperCase()),
    ...ranges.map((one) => names.map((name) => cellOf(one, name))),
  ];
  const widths = names.map((_, i) => rows.reduce((most, row) => Math.max(most, widthOf(row[i] ?? '')), 0));
  const [head = '', ...lines] = rows.map((row) =>
    row
      .map((text, i) => {
        const fill = ' '.repeat((widths[i] ?? 0) - widthOf(text));
        return isRight(names[i] as Name) ? fill + text : text + fill;
      })
      .join(GAP)
      .trimEnd(),
  );
  yield `${paint('heading', head)}\n`;
  for (const line of lines) yield `${line}\n`;
}

function* csv(ranges: readonly NumberRange[], names: readonly Name[]): Generator<string> {
  yield `${names.join(',')}\r\n`;
  for (const range of ranges) {
    const cells = names.map((name) => {
      const text = String(range[name] ?? '');
      return isRight(name) ? text : cellText(text, name === 'from' || name === 'to');
    });
    yield `${cells.join(',')}\r\n`;
  }
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
  const hasCharges = ranges.every((range) => RANGE_CHARGE in range);
  const names = rangeMembers(splits, hasCharges) as Name[];
  if (output === 'csv') return print(csv(ranges, names));
  if (ranges.length === 0) {
    say('No virtual numbers match.');
    return;
  }
  await print(table(ranges, names, paintFor(process.stdout)));
  const numbers = ranges.reduce((sum, range) => sum + range.count, 0);
  say(
    `${count(ranges.length)} ${ranges.length === 1 ? 'range' : 'ranges'}, ${count(numbers)} ${numbers === 1 ? 'number' : 'numbers'}.`,
  );
}
