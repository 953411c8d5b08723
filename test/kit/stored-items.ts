// What a database holds: a list as the naive model of imports has it, or all that an import could change.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { ImportRefused } from '../../server/import/faults.ts';
import type { ResultRow, Store } from '../../server/store/store.ts';
import type { Table } from '../../server/store/tables.ts';
import type { Category, ModelItem } from './import-model.ts';

/** The rows of one statement. The store keeps what it sees for the rest of a turn of the event loop. */
export async function selectIn(store: Store, text: string): Promise<readonly ResultRow[]> {
  const [rows] = await store.read({ text, values: [] });
  await setImmediate();
  return rows;
}

/** All that an import could change, and more tables where they are named. */
export async function everythingIn(store: Store, ...more: string[]): Promise<(readonly ResultRow[])[]> {
  const names = ['accounts', 'virtual_numbers', 'additional_services', ...more];
  const statements = names.map((name) => ({ text: `select * from ${name} order by id`, values: [] }));
  const found = await store.read(...statements);
  await setImmediate();
  return found;
}

/** Runs an import that is refused and changes nothing; returns its faults. */
export async function faultsOfRefused(store: Store, run: () => Promise<unknown>): Promise<readonly string[]> {
  const before = await everythingIn(store);
  const error: unknown = await run().catch((caught: unknown) => caught);
  assert.ok(error instanceof ImportRefused, String(error));
  assert.deepEqual(await everythingIn(store), before);
  return error.faults;
}

/** All items of a list, by id. */
export async function itemsIn(store: Store, { name, list }: Table): Promise<ModelItem[]> {
  const category = 'category' in list.hidden ? 'category' : 'null';
  const text = `select account_id, id, item, monthly, ${category} from ${name} order by id`;
  return (await selectIn(store, text)).map(([account_id, id, item, monthly, category]) => ({
    account_id: String(account_id),
    id: Number(id),
    comment: JSON.parse(String(item)).comment,
    monthly: Number(monthly),
    ...(category === null ? {} : { category: category as Category }),
  }));
}
