// What a database holds of a list, as the naive model of imports has it. It must not know how it came there.

import { setImmediate } from 'node:timers/promises';
import type { Store } from '../server/store/store.ts';
import type { Table } from '../server/store/tables.ts';
import type { Category, ModelItem } from './import-model.ts';

/** All items of a list, by id. */
export async function itemsIn(store: Store, { name, list }: Table): Promise<ModelItem[]> {
  const category = 'category' in list.hidden ? 'category' : 'null';
  const text = `select account_id, id, item, monthly, ${category} from ${name} order by id`;
  const [rows] = await store.read({ text, values: [] });
  // A request from outside comes with a turn of the event loop.
  await setImmediate();
  return rows.map(([account_id, id, item, monthly, category]) => ({
    account_id: String(account_id),
    id: Number(id),
    comment: JSON.parse(String(item)).comment,
    monthly: Number(monthly),
    ...(category === null ? {} : { category: category as Category }),
  }));
}
