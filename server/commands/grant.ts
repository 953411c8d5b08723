// `linecard-server migrate --serving-role` and `--intake-role`: sets up a role with the rights that it needs,
// and prints the statements that are left for an administrator.

import { Failed, WrongUsage } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';
import { isPostgresUrl } from '../store/open.ts';
import { grantRights, type RoleKind } from '../store/postgres/rights.ts';
import { say } from './print.ts';

/**
 * Prints the statements that an administrator must run on standard output.
 * @throws {Failed} when there are any without which the role cannot do its work.
 */
export async function runGrant(
  {
    database_url,
    database_pooler,
    row_security,
  }: Pick<Settings, 'database_url' | 'database_pooler' | 'row_security'>,
  role: string,
  kind: RoleKind,
): Promise<void> {
  if (!isPostgresUrl(database_url)) {
    throw new WrongUsage(
      `--${kind}-role is for PostgreSQL: who may do what to a SQLite file is set on the file.`,
    );
  }
  const options = { pooler: database_pooler, rowSecurity: row_security };
  const { missing, advised } = await grantRights(database_url, options, role, kind);
  for (const statement of [...missing, ...advised]) process.stdout.write(`${statement}\n`);
  if (missing.length > 0) {
    throw new Failed(
      'The role of the URL may not do all of it. Have an administrator run the statements above, as a superuser or as the owner of what they name.',
    );
  }
  if (advised.length > 0) say('An administrator should run the statements above as well.');
  const limited = row_security ? ', and sees one account at a time' : '';
  say(
    kind === 'serving'
      ? `The role ${role} may serve${limited}: give linecard-server serve a --database-url with it.`
      : `The role ${role} may write the lists: give linecard-server intake a --database-url with it.`,
  );
}
