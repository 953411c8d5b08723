// Removes a database that a command has created and then had no use for, such as an import that was refused:
// it would stay at a path that may be mistyped, and serve would answer from it.

import { existsSync, lstatSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { removeFile } from './files.ts';
import { reservePath } from './reserve.ts';
import { tokensPath } from './tokens-file.ts';

/**
 * What is in the files of a database that somebody else has used meanwhile, or that has the record of a feed:
 * a command without the name of one leaves none that is missed.
 */
const USED: readonly (readonly [end: string, ...rows: string[]])[] = [
  ['', 'accounts'],
  [tokensPath(''), 'operator_tokens', `import_runs where origin <> 'command' or feed <> origin`],
];

/** Opens a file so that no other connection can; throws if one has it open. */
function openAlone(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('pragma locking_mode = exclusive; begin exclusive');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function isThere(database: DatabaseSync, rows: string): boolean {
  return database.prepare(`select 1 from ${rows} limit 1`).get() !== undefined;
}

/**
 * Removes a database, and its folder if that is new and empty. One that is in use, or that others have used,
 * stays: what opens it to write while it is removed opens it again (`openFile`).
 */
export function removeUnused(path: string, hasNewFolder: boolean): void {
  if (!existsSync(path) || lstatSync(path).isSymbolicLink()) return;
  const opened: DatabaseSync[] = [];
  try {
    for (const [end, ...used] of USED) {
      const database = openAlone(path + end);
      opened.push(database);
      if (used.some((rows) => isThere(database, rows))) return;
    }
    for (const file of [path, tokensPath(path), reservePath(path)]) removeFile(file);
    if (hasNewFolder) rmdirSync(dirname(path));
  } catch {
    // In use by another process, or not as it was created: it stays.
  } finally {
    for (const database of opened) database.close();
  }
}
