// What a database holds: a list as the naive model of imports has it, or all that an import could change.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { ImportRefused } from '../../server/import/faults.ts';
import { LOG_TABLES } from '../../server/store/log/change-log.ts';
import type { ResultRow, Store } from '../../server/store/store.ts';
import { type Table, tables } from '../../server/store/tables.ts';
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

/** Deletes all accounts with what is theirs: to make a database of PostgreSQL takes 60 times as long. */
export async function deleteEverything(store: Store): Promise<void> {
  await setImmediate();
  const names = [
    ...Object.keys(tables),
    ...LOG_TABLES,
    'imports',
    'feeds',
    'deliveries',
    'accounts',
    'deleted_accounts',
  ];
  await store.write({ separate: true, text: 'delete from tokens', values: [] });
  await store.write(...names.map((name) => ({ text: `delete from ${name}`, values: [] })));
}

/** What there is of an account that is gone, by table. */
export async function leftOf(store: Store, account_id: string): Promise<Record<string, number>> {
  const names = ['tokens', 'webhooks', 'webhook_attempts', ...Object.keys(tables), ...LOG_TABLES];
  await setImmediate();
  const counts = await store.read(
    ...names.map((name) => ({
      text: `select count(*) from ${name} where account_id = $1`,
      values: [account_id],
    })),
  );
  await setImmediate();
  return Object.fromEntries(names.map((name, i) => [name, Number(counts[i]?.[0]?.[0])]).filter(([, n]) => n));
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
