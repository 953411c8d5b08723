// The operator's own fields in a database: declared, removed and given values, for tests of what they are in.

import { importBody } from '../../server/import/import.ts';
import { addFieldOperation, removeFieldOperation } from '../../server/operations/fields.ts';
import { readShape } from '../../server/operations/shape.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { ndjson } from './rows.ts';

const BY = { origin: 'command', actor: 'test' } as const;

/** Declares a field of virtual numbers, unless another list is given. */
export const declareField = (store: Store, given: Readonly<Record<string, unknown>>) =>
  addFieldOperation.run(
    { store, by: BY },
    readShape(addFieldOperation.takes, { list: 'virtual_numbers', ...given }, 'a field'),
    '',
  );

export const removeField = (store: Store, name: string) =>
  removeFieldOperation.run({ store, by: BY }, {}, `virtual_numbers/${name}`);

/** Updates virtual numbers with the values of rows. */
export const updateNumbers = (store: Store, rows: readonly object[]) =>
  importBody(
    { store, table: tables.virtual_numbers, format: 'ndjson', update: true },
    { bytes: Buffer.from(ndjson(rows)), isCompressed: false },
  );
