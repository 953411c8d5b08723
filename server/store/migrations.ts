// The numbered steps of the schema, read from schema/. A step that has been released is never edited: change comes as
// the next step.

import { readdirSync, readFileSync } from 'node:fs';
import type { Dialect } from './sql.ts';

const FOLDER = new URL('./schema/', import.meta.url);

/** The steps of a dialect in order, as SQL text; step 1 is the first element. */
export function schemaSteps(dialect: Dialect['name']): string[] {
  const folder = new URL(`${dialect}/`, FOLDER);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
}
