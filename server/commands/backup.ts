// `linecard-server backup` and `restore`: SQLite databases as one file. For PostgreSQL, they print the
// commands that do the same.

import { existsSync } from 'node:fs';
import { listed } from '@linecard/client/contract/wording';
import { WrongUsage } from '../errors.ts';
import type { Values } from '../settings/config.ts';
import { filePath, isPostgresUrl } from '../store/open.ts';
import { type BackupContents, backUp, backupFault } from '../store/sqlite/backup.ts';
import { isTaken, restore } from '../store/sqlite/restore.ts';
import { count, mustConfirm, ProgressLine, printJson, say, typed } from './print.ts';

const UNCHANGED = 'Nothing was changed.';

type BackupSettings = Pick<Values, 'database_url' | 'yes' | 'json'>;

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'URL';
  const shown = new URL(url);
  shown.password = '';
  shown.searchParams.delete('password');
  return shown.href;
}

/** @throws {WrongUsage} unless it is a SQLite database; for PostgreSQL, with the command to use. */
function pathOf(database_url: string, command: (url: string) => string): string {
  const path = filePath(database_url);
  if (path !== undefined) return path;
  if (!isPostgresUrl(database_url)) throw new WrongUsage('Specify the database: --database-url sqlite:PATH.');
  throw new WrongUsage(
    `This command is for SQLite. For PostgreSQL use: ${command(withoutPassword(database_url))}`,
  );
}

/** `1 account, 14 tokens, 46 virtual numbers and 12 additional services` */
function rowsText({ rows }: BackupContents): string {
  const texts = Object.entries(rows).map(([name, n]) => {
    const words = name.replaceAll('_', ' ');
    return `${count(n)} ${n === 1 ? words.replace(/s$/, '') : words}`;
  });
  return listed(texts);
}

function report(file: string, path: string, contents: BackupContents, json: boolean, sentence: string): void {
  const { bytes, rows } = contents;
  if (json) printJson({ file, database: path, bytes, ...rows });
  say(`${sentence}: ${rowsText(contents)}.`);
}

/** @throws {Failed | WrongUsage} if the file exists and is not to be replaced. */
export async function runBackup(file: string, { database_url, yes, json }: BackupSettings): Promise<void> {
  const path = pathOf(database_url, (url) => `pg_dump --format=custom --file=${typed(file)} ${typed(url)}`);
  const fault = backupFault(path, file);
  if (fault !== undefined) throw new WrongUsage(fault);
  if (existsSync(file)) await mustConfirm(`Replace ${file}?`, yes, UNCHANGED);
  const line = new ProgressLine();
  try {
    const contents = await backUp(path, file, (share) => line.show(`${Math.floor(100 * share)} % copied`));
    line.clear();
    report(file, path, contents, json, `Backed up ${path} to ${file}`);
  } finally {
    line.clear();
  }
}

/** @throws {Failed | WrongUsage} if a database exists and is not to be replaced. */
export async function runRestore(file: string, { database_url, yes, json }: BackupSettings): Promise<void> {
  const path = pathOf(
    database_url,
    (url) =>
      `pg_restore --clean --if-exists --no-owner --single-transaction --dbname=${typed(url)} ${typed(file)}`,
  );
  if (existsSync(file) && isTaken(path))
    await mustConfirm(`Replace the database at ${path} with the backup ${file}?`, yes, UNCHANGED);
  report(file, path, restore(file, path), json, `Restored ${path} from ${file}`);
}
