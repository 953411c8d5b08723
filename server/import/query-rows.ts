// The rows of a query, as the readers of files give theirs: the names of its columns say which value is
// which.

import { headerPositions, type ImportColumn, plainName, type Titled } from './columns.ts';
import type { MappedColumns } from './mapping/mapped.ts';
import type { FileRow } from './rows.ts';
import { type SourceColumn, SourceFault, type SourceResult, type SourceValue } from './sources/source.ts';
import type { RawValue } from './values.ts';

/** What the line references of a run are of: rows by their numbers, and lines of the query's text. */
export const QUERY_ROWS = 0;
export const QUERY_TEXT = 1;

/** After this silence a database counts as disconnected: an import must not wait for ever. */
const SILENCE_MILLISECONDS = 600_000;
const WORDS = { header: 'the query', cell: 'column' };

/** For each column the position of its value in a row; `undefined` when a fault was reported. */
export function queryPositions(
  list: Titled,
  columns: readonly ImportColumn[],
  found: readonly SourceColumn[],
  report: (column: string | undefined, fault: string) => void,
  mapped?: MappedColumns,
): readonly number[] | undefined {
  const names = found.map(({ name }) => plainName(name));
  const positions =
    mapped === undefined
      ? headerPositions(list, columns, names, WORDS, report)
      : mapped.positions(names, WORDS, report);
  if (positions === undefined) return undefined;
  let faults = 0;
  for (const [i, { name, kind }] of columns.entries()) {
    const { fault, zoneFault } = found[positions[i] as number] ?? {};
    const isZoneNeeded = kind === 'timestamp' && mapped?.hasDates !== true;
    const text = fault ?? (isZoneNeeded ? zoneFault : undefined);
    if (text === undefined) continue;
    faults += 1;
    report(name, text);
  }
  return faults === 0 ? positions : undefined;
}

/** @throws {SourceFault} when it takes too long; what it waits for goes on, and is to be closed. */
export async function unlessSilent<T>(work: Promise<T>, limitMs = SILENCE_MILLISECONDS): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const seconds = Math.round(limitMs / 1_000);
  const timer = setTimeout(
    () => reject(new SourceFault(`The database has sent nothing for ${seconds} seconds; it was given up.`)),
    limitMs,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What gives the values of a row by the order of the columns: numbers as a mapping spells them. */
function valuesOf(
  columns: readonly ImportColumn[],
  found: readonly SourceColumn[],
  positions: readonly number[],
  mapped: MappedColumns | undefined,
): (row: readonly SourceValue[]) => RawValue[] {
  const isNumber = positions.map(
    (position, i) => columns[i]?.kind === 'charge' && found[position]?.isNumber === true,
  );
  return (row) =>
    positions.map((position, i) => {
      const value = row[position] ?? (position < 0 ? undefined : '');
      return typeof value === 'string' && isNumber[i] === true && mapped !== undefined
        ? mapped.spelled(value)
        : value;
    });
}

/** What says whether a row counts; a value that cannot be read says it where it is mapped. */
const choiceText = (value: SourceValue | undefined) => (typeof value === 'string' ? value : '');

/** The rows of a result, numbered from 1. */
export async function* queryRows(
  source: SourceResult,
  columns: readonly ImportColumn[],
  positions: readonly number[],
  {
    mapped,
    silenceMs,
  }: { readonly mapped?: MappedColumns | undefined; readonly silenceMs?: number | undefined },
): AsyncGenerator<readonly FileRow[]> {
  const iterator = source.batches()[Symbol.asyncIterator]();
  const values = valuesOf(columns, source.columns, positions, mapped);
  const names = source.columns.map(({ name }) => plainName(name));
  const textOf = (row: readonly SourceValue[]) => (name: string) => choiceText(row[names.indexOf(name)]);
  let line = 0;
  for (;;) {
    const next = await unlessSilent(iterator.next(), silenceMs);
    if (next.done === true) return;
    yield next.value.flatMap((row) => {
      line += 1;
      return mapped?.hasChoice === true && !mapped.counts(textOf(row)) ? [] : [{ line, values: values(row) }];
    });
  }
}
