// What is known of a deployment as a whole, by name: the key of its cursors, and marks that a command leaves.

import { type Statement, template } from './sql.ts';
import type { Store } from './store.ts';
import { StoreRefused } from './store-errors.ts';

const CURSOR_KEY = 'cursor_key';
/** Set from the beginning of a copy into the database to its end. */
export const COPYING = 'copying';
/** By what the database is distributed; absent where it is not. */
export const DISTRIBUTED_BY = 'distributed_by';

/** The value of a name. */
export async function deploymentValue(store: Store, name: string): Promise<string | undefined> {
  const [[row]] = await store.read(
    template(store.dialect)`select value from deployment where name = ${name}`,
  );
  return row?.[0] as string | undefined;
}

export function setDeploymentValue(store: Store, name: string, value: string): Statement {
  return template(store.dialect)`insert into deployment (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`;
}

/** Forgets a name unless it has been given another value. */
export function forgetDeploymentValue(store: Store, name: string, value: string): Statement {
  return template(store.dialect)`delete from deployment where name = ${name} and value = ${value}`;
}

/**
 * A target holds only a part of what it is to hold until its copy has ended, and what is written to it
 * meanwhile is deleted by the next copy into it.
 * @throws {StoreRefused} when a copy into the database has been begun and has not ended.
 */
export async function refuseUnfinishedCopy(store: Store): Promise<void> {
  if ((await deploymentValue(store, COPYING)) !== undefined) throw unfinishedCopy('this database');
}

/** @returns what refuses a database that a copy into it has not come to its end. */
export function unfinishedCopy(database: string): StoreRefused {
  return new StoreRefused(
    `A copy into ${database} was begun and has not come to its end. Wait for it, or run linecard-server copy again.`,
  );
}

/** What cursors are signed with. */
export async function cursorKey(store: Store): Promise<string> {
  return (await deploymentValue(store, CURSOR_KEY)) ?? '';
}
