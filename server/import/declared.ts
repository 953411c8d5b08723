// What an operator has declared of the list of a run: read when it begins, and the same when it writes.

import { declarationsStatement, declaredOf, declaredTable } from '../store/lists/own-fields.ts';
import type { Load } from '../store/store.ts';
import type { ListName, Table } from '../store/tables.ts';
import { ImportRejected } from './faults.ts';
import { type Importable, type ImportJob, isTable } from './job.ts';

/** The table of a job with what is declared of it now, which all of the run goes by. */
export const tableOf = async ({ table, store }: ImportJob): Promise<Importable> =>
  isTable(table) ? declaredTable(store, table.name as ListName) : table;

/**
 * Nobody declares anything while it holds the lock.
 * @throws {ImportRejected} when a field was added or removed after it began to read.
 */
export async function mustBeDeclared(load: Load, { own, name, list }: Table): Promise<void> {
  if (own === undefined) return;
  const now = declaredOf(await load.read(declarationsStatement))[name as ListName];
  if (now?.shape === own.shape) return;
  throw new ImportRejected(
    `The operator's own fields of ${list.title.toLowerCase()} were changed while this import began: run it again.`,
  );
}
