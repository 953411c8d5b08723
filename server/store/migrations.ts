// The migrations of the schema: numbered steps, read from schema/. A step that has been released is never
// edited: change comes as the next step. It must not know how a step is run.

import { readdirSync, readFileSync } from 'node:fs';
import type { Dialect } from './sql.ts';
import { StoreRefused } from './store.ts';

const FOLDER = new URL('./schema/', import.meta.url);

/** The steps of a dialect in order, as SQL text; step 1 is the first element. */
export function schemaSteps(dialect: Dialect['name']): string[] {
  const folder = new URL(`${dialect}/`, FOLDER);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
}

/**
 * @throws {StoreRefused} when a database, which is named as a sentence begins, has a step that is not known
 * here.
 */
export function refuseNewerSchema(database: string, step: number, dialect: Dialect['name']): void {
  const newest = schemaSteps(dialect).length;
  if (step <= newest) return;
  throw new StoreRefused(
    `${database} has schema step ${step}, but this program knows only ${newest} steps: it was written by a newer Linecard. Start that version, or restore a backup made before the upgrade.`,
  );
}

/** @returns what refuses a database whose schema an older Linecard made, where it may not be changed. */
export function olderSchema(database: string): StoreRefused {
  return new StoreRefused(`The schema of ${database} is not up to date: run linecard-server migrate.`);
}
