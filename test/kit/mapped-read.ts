// Reads a file with a mapping as an import does, without a store: the values of its rows, and the faults.

import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ImportRefused, lineText } from '../../server/import/faults.ts';
import { importFile, lineSourceOf } from '../../server/import/files.ts';
import type { TargetName } from '../../server/import/job.ts';
import { readMapping } from '../../server/import/mapping/mapping.ts';
import { type ReadJob, readBatches } from '../../server/import/reading.ts';
import type { RowRules } from '../../server/import/rows.ts';
import { type RowValues, type Table, tables } from '../../server/store/tables.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const FILE = 'billing';

/** How a file is read, where that differs from the usual. */
interface Circumstances extends Partial<Pick<ReadJob, 'takesOpenEnd' | 'delimiter'>> {
  readonly ending?: '.csv' | '.ndjson' | '.json' | '.xlsx';
  readonly rules?: RowRules;
  readonly table?: Table;
}

export interface MappedRead {
  readonly rows: readonly RowValues[];
  readonly faults: readonly string[];
  readonly leftOut: number;
}

/** What is wrong with a mapping; nothing where it can be used. */
export function mappingFaults(
  mapping: unknown,
  rules: RowRules = {},
  table: Table = tables.virtual_numbers,
): readonly string[] {
  const path = join(folder, `${FILE}.json`);
  const isWritten = typeof mapping === 'string' || mapping instanceof Uint8Array;
  writeFileSync(path, isWritten ? mapping : JSON.stringify(mapping));
  try {
    readMapping(path, table.name as TargetName, rules);
    return [];
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    return error.faults.map((fault) => fault.replace(`${path}: `, ''));
  }
}

/** The values of each row are those of a run that changes items: only what the file has. */
export async function readMapped(
  file: string | Uint8Array,
  mapping: object | undefined,
  { ending = '.csv', rules = {}, table = tables.virtual_numbers, ...other }: Circumstances = {},
): Promise<MappedRead> {
  const path = join(folder, `file-${FILE}${ending}`);
  writeFileSync(path, file);
  const mappingPath = join(folder, `${FILE}.json`);
  writeFileSync(mappingPath, JSON.stringify(mapping ?? null));
  const read = mapping && readMapping(mappingPath, table.name as TargetName, rules);
  const job = {
    list: table.list.name as keyof typeof tables,
    rules: { ...rules, isUpdate: true },
    files: [{ ...importFile(path, undefined), bytes: statSync(path).size }],
    mapping: read,
    delimiter: read?.delimiter,
    encoding: read?.encoding,
    ...other,
  };
  const source = lineSourceOf({ ...importFile(path, undefined), name: FILE + ending });
  const rows: RowValues[] = [];
  const faults: string[] = [];
  let leftOut = 0;
  for await (const batch of readBatches(job, process.stdin)) {
    rows.push(...batch.changes);
    leftOut = batch.leftOut;
    for (const { line, column, detail } of batch.faults)
      faults.push([lineText([source], line), ...(column ? [column] : []), detail].join(': '));
  }
  return { rows, faults, leftOut };
}
