// `linecard-server migrate --serving-role`, `--intake-role` and `--deliver-role`: grants a role its rights,
// and prints the statements that only an administrator can run.

import { Failed, WrongUsage } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';
import { isPostgresUrl } from '../store/open.ts';
import { grantRights, type RoleKind } from '../store/postgres/rights.ts';
import { say } from './print.ts';

const MAY: Readonly<Record<RoleKind, string>> = {
  serving: 'serve',
  intake: 'write the lists',
  deliver: 'deliver webhooks',
};

/** @throws {Failed} if the role needs statements that this user may not run; they are on standard output. */
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
      `--${kind}-role is for PostgreSQL. Access to a SQLite file is controlled by its file permissions.`,
    );
  }
  const options = { pooler: database_pooler, rowSecurity: row_security };
  const { missing, advised } = await grantRights(database_url, options, role, kind);
  for (const statement of [...missing, ...advised]) process.stdout.write(`${statement}\n`);
  if (missing.length > 0) {
    throw new Failed(
      'The role of the URL lacks the rights for this. Have an administrator run the statements above, as a superuser or as the owner of the objects.',
    );
  }
  if (advised.length > 0) say('An administrator should run the statements above as well.');
  const limited = row_security && kind === 'serving' ? ', and sees one account at a time' : '';
  const command = kind === 'serving' ? 'serve' : kind;
  say(
    `The role ${role} may ${MAY[kind]}${limited}. Use it in the --database-url of linecard-server ${command}.`,
  );
}
