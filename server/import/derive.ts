// A field that is derived, filled again: a run that changes items, as an import with --update does. Its rows
// are read in its own transaction, so no other import comes between.

import type { List } from '@linecard/client/contract/list';
import { memberText } from '../store/item-text.ts';
import { declaredTable } from '../store/lists/own-fields.ts';
import { statement } from '../store/sql.ts';
import type { ListName, RowValues, Table } from '../store/tables.ts';
import { type Finder, findersOf } from './columns.ts';
import type { ImportSummary } from './job.ts';
import type { RowBatch } from './reading.ts';
import { ImportRun, type RunJob } from './run.ts';
import { recorded } from './run-record.ts';

const READ_ROWS = 5_000;
/** Ids are greater. */
const BEFORE_FIRST = 0;

/** Some rows of the field, with what is derived of their numbers. */
function batchOf({ base }: Table, finder: Finder, rows: readonly (readonly unknown[])[]): RowBatch {
  const { searchDigits = '' }: List = base;
  const changes = rows.map(([id, account_id, item]): RowValues => {
    const values = { [searchDigits]: JSON.parse(memberText(base, String(item), searchDigits)) as string };
    return { id: Number(id), account_id: String(account_id), [finder.name]: finder.find(values) };
  });
  const ids = changes.map(({ id }) => Number(id));
  const nothing = { rows: [], absent: [], faults: [], totalFaults: 0, leftOut: 0, bytes: 0 };
  return {
    ...nothing,
    changes,
    ids,
    lines: ids,
    seen: { columns: [finder.name], negative: 0, warnings: [] },
  };
}

/** The items after an id, all or those whose field is empty, in their order. */
function itemsAfter(id: number, table: Table, field: string, isAll: boolean) {
  const which = isAll ? 'id > $1' : `id > $1 and ${table.filtered(field).name} = ''`;
  return statement(
    `select id, account_id, item from ${table.name} where ${which} order by id limit ${READ_ROWS}`,
    id,
  );
}

/**
 * Derives the values of a field again: of items where it is empty, or of all.
 * @throws {ImportRejected} when a field is added or removed while it begins; and as an import.
 */
export function deriveField(
  job: RunJob & { readonly table: Table },
  field: string,
  isAll: boolean,
): Promise<ImportSummary> {
  return recorded({ ...job, update: true }, async (given) => {
    const table = await declaredTable(job.store, job.table.name as ListName);
    const finder = findersOf(table.list).find(({ name }) => name === field);
    const run = new ImportRun({ ...given, table }, { sources: [] });
    try {
      for (let id = BEFORE_FIRST; finder !== undefined; ) {
        const rows = await run.read(itemsAfter(id, table, field, isAll));
        if (rows.length === 0) break;
        await run.add(batchOf(table, finder, rows));
        id = Number(rows.at(-1)?.[0]);
      }
      return await run.finish();
    } catch (error) {
      await run.rollback();
      throw error;
    }
  });
}
