// `linecard-server migrate --serving-role`: sets up the role that serves, and prints the statements that are
// left for an administrator.

import { Failed, WrongUsage } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { isPostgresUrl } from '../store/open.ts';
import { grantServing } from '../store/postgres/rights.ts';
import { say } from './print.ts';

/**
 * Prints the statements that an administrator must run on standard output.
 * @throws {Failed} when there are any without which the role cannot serve.
 */
export async function runGrant({
  database_url,
  database_pooler,
  serving_role,
  row_security,
}: Pick<Settings, 'database_url' | 'database_pooler' | 'row_security'> & {
  readonly serving_role: string;
}): Promise<void> {
  if (!isPostgresUrl(database_url)) {
    throw new WrongUsage('--serving-role is for PostgreSQL: who may read a SQLite file is set on the file.');
  }
  const options = { pooler: database_pooler, rowSecurity: row_security };
  const { missing, advised } = await grantServing(database_url, options, serving_role);
  for (const statement of [...missing, ...advised]) process.stdout.write(`${statement}\n`);
  if (missing.length > 0) {
    throw new Failed(
      'The role of the URL may not do all of it. Have an administrator run the statements above, as a superuser or as the owner of what they name.',
    );
  }
  if (advised.length > 0) say('An administrator should run the statements above as well.');
  const limited = row_security ? ', and sees one account at a time' : '';
  say(`The role ${serving_role} may serve${limited}: give linecard-server serve a --database-url with it.`);
}
