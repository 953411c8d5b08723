// Values of a deployment, by name: the key of its cursors, and marks that a command leaves.

import { type Statement, sql } from './sql.ts';
import type { Store } from './store.ts';
import { StoreRefused } from './store-errors.ts';

const CURSOR_KEY = 'cursor_key';
/** Set while a copy into the database is incomplete. */
export const COPYING = 'copying';
/** The schema step that a PostgreSQL database is at. */
export const SCHEMA_STEP = 'schema_step';
/** What distributes the database; absent if it is not distributed. */
export const DISTRIBUTED_BY = 'distributed_by';

export async function deploymentValue(store: Store, name: string): Promise<string | undefined> {
  const [[row]] = await store.read(sql`select value from deployment where name = ${name}`);
  return row?.[0] as string | undefined;
}

export function setDeploymentValue(name: string, value: string): Statement {
  return sql`insert into deployment (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`;
}

/** Forgets a name unless it has been given another value. */
export function forgetDeploymentValue(name: string, value: string): Statement {
  return sql`delete from deployment where name = ${name} and value = ${value}`;
}

/**
 * Until a copy has ended its target is incomplete, and the next copy deletes what is written to it meanwhile.
 * @throws {StoreRefused} when a copy into the database was begun and has not ended.
 */
export async function refuseUnfinishedCopy(store: Store): Promise<void> {
  if ((await deploymentValue(store, COPYING)) !== undefined) throw unfinishedCopy('this database');
}

export function unfinishedCopy(database: string): StoreRefused {
  return new StoreRefused(
    `A copy into ${database} was begun and has not come to its end. Wait for it, or run linecard-server copy again.`,
  );
}

/** What cursors are signed with. */
export async function cursorKey(store: Store): Promise<string> {
  return (await deploymentValue(store, CURSOR_KEY)) ?? '';
}
