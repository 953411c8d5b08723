// The sample accounts of `serve --demo`: made anew for a given day, always the same, and written into an empty database
// only. The way in is that of an import.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { insertAccount, listAccounts } from '../store/accounts.ts';
import { deploymentValue, setDeploymentValue } from '../store/deployment.ts';
import type { Store } from '../store/store.ts';
import { type RowValues, storedRow, tables } from '../store/tables.ts';
import { SAMPLES } from './accounts.ts';
import { Dice } from './dice.ts';
import { newPool, virtualNumbers } from './numbers.ts';
import { additionalServices } from './services.ts';

/** The row of `deployment` that says that a database is a demo: since when, or that it is still being filled. */
const MARK = 'demo';
const UNFINISHED = 'unfinished';

export interface DemoAccount {
  readonly id: string;
  readonly name: string;
  /** One line: what kind of customer it is. */
  readonly about: string;
}

function described({ id, name, about }: DemoAccount): DemoAccount {
  return { id, name, about };
}

/** A sample account with its rows, by the name of the list. */
export interface DemoRows extends DemoAccount {
  readonly rows: { readonly [N in keyof typeof tables]: readonly RowValues[] };
}

/** The sample accounts, as they look on the UTC day of `today` (milliseconds since 1970): another day moves the dates only. */
export function* demoAccounts(today: number): Generator<DemoRows> {
  const pool = newPool();
  for (const sample of SAMPLES) {
    const { terms, first_number_id, first_service_id } = sample;
    const making = { today, dice: new Dice(sample.seed) };
    const orders = sample.orders(making.dice);
    const virtual_numbers = [...virtualNumbers(orders, terms, first_number_id, pool, making)];
    const choices = sample.choices(making.dice);
    const additional_services = [...additionalServices(choices, first_service_id, making)];
    yield { ...described(sample), rows: { virtual_numbers, additional_services } };
  }
}

/** The sample accounts of a database that `fillDemo` has filled; `undefined` when it is not a demo. */
export async function findDemo(store: Store): Promise<DemoAccount[] | undefined> {
  const mark = await deploymentValue(store, MARK);
  if (mark === undefined || mark === UNFINISHED) return undefined;
  const there = new Set((await listAccounts(store)).map(({ id }) => id));
  return SAMPLES.filter(({ id }) => there.has(id)).map(described);
}

/** Imports the rows of all accounts into one list. */
async function loadList(
  store: Store,
  list: keyof typeof tables,
  accounts: readonly DemoRows[],
): Promise<void> {
  const table = tables[list];
  const load = await store.load(table);
  try {
    for (const { id, rows } of accounts) {
      const stored = rows[list].map((row) => storedRow(table, id, row));
      const places = rows[list].map(({ id }) => Number(id));
      await load.add(stored, places);
    }
    await load.commit();
  } catch (error) {
    await load.rollback();
    throw error;
  }
}

/**
 * Fills an empty database with the sample accounts, as they look on the UTC day of `today`, and marks it as a demo;
 * `undefined` when it has any account, which leaves it as it was. What was broken off half-way is done anew.
 */
export async function fillDemo(store: Store, today: number = Date.now()): Promise<DemoAccount[] | undefined> {
  if ((await listAccounts(store)).length > 0 && (await deploymentValue(store, MARK)) !== UNFINISHED)
    return undefined;
  const accounts = [...demoAccounts(today)];
  await store.write(
    setDeploymentValue(store, MARK, UNFINISHED),
    ...accounts.map(({ id, name }) => insertAccount(store, id, name)),
  );
  await loadList(store, 'virtual_numbers', accounts);
  await loadList(store, 'additional_services', accounts);
  await store.write(setDeploymentValue(store, MARK, timestampOf(today)));
  return accounts.map(described);
}
