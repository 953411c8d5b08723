// The commands for a whole database: migrate, copy, backup, restore.

import { Failed, WrongUsage } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';
import type { RoleKind } from '../store/postgres/rights.ts';
import { command, DATABASE, onceReachable, withWrittenStore } from './command.ts';
import { say } from './print.ts';
import { mustHaveRoles } from './store-options.ts';

const MAY: Readonly<Record<RoleKind, string>> = {
  serving: 'serve',
  intake: 'write the lists',
  deliver: 'deliver webhooks',
};

/**
 * Grants each role its rights, and prints the statements that only an administrator can run, of all roles at
 * once.
 * @throws {Failed} if a role needs statements that this user may not run; they are on standard output.
 */
async function grantAll(
  {
    database_url,
    database_pooler,
    row_security,
  }: Pick<Settings, 'database_url' | 'database_pooler' | 'row_security'>,
  roles: readonly (readonly [RoleKind, string])[],
): Promise<void> {
  const { grantRights } = await import('../store/postgres/rights.ts');
  const options = { pooler: database_pooler, rowSecurity: row_security };
  const missing = new Set<string>();
  const advised = new Set<string>();
  for (const [kind, role] of roles) {
    const rights = await grantRights(database_url, options, role, kind);
    for (const statement of rights.missing) missing.add(statement);
    for (const statement of rights.advised) advised.add(statement);
    if (rights.missing.length > 0) continue;
    const limited = row_security && kind === 'serving' ? ', and sees one account at a time' : '';
    const command = kind === 'serving' ? 'serve' : kind;
    say(
      `The role ${role} may ${MAY[kind]}${limited}. Use it in the --database-url of linecard-server ${command}.`,
    );
  }
  for (const statement of [...missing, ...advised]) process.stdout.write(`${statement}\n`);
  if (missing.size > 0) {
    throw new Failed(
      'The role of the URL lacks the rights for this. Have an administrator run the statements above, as a superuser or as the owner of the objects; then run this command again.',
    );
  }
  if (advised.size > 0) say('An administrator should run the statements above as well.');
}

const migrateCommand = command({
  words: 'migrate',
  about: 'Update the schema, set up the roles of serve, intake and deliver, and exit.',
  takes: [...DATABASE, 'wait_for_database', 'serving_role', 'row_security', 'intake_role', 'deliver_role'],
  examples: [
    'linecard-server migrate',
    'linecard-server migrate --database-url postgres://owner@db/linecard --serving-role linecard_serving --row-security',
  ],
  async run(_args, settings) {
    mustHaveRoles(settings);
    await onceReachable(settings, say, () => withWrittenStore(settings, async () => undefined));
    say('The schema is up to date.');
    const { serving_role, intake_role, deliver_role, row_security } = settings;
    if (serving_role === undefined && row_security)
      throw new WrongUsage('Specify the role that --row-security applies to: --serving-role ROLE.');
    const roles = { serving: serving_role, intake: intake_role, deliver: deliver_role };
    const given = Object.entries(roles).filter(
      (entry): entry is [RoleKind, string] => entry[1] !== undefined,
    );
    if (given.length > 0) await grantAll(settings, given);
  },
});

const copyCommand = command({
  words: 'copy',
  about: 'Copy everything into an empty database, such as from SQLite to PostgreSQL, and compare both.',
  takes: ['config', 'from', 'to', 'dry_run', 'database_pooler', 'json'],
  examples: [
    'linecard-server copy --from sqlite:data/linecard.db --to postgres://owner@db/linecard --dry-run',
    'linecard-server copy --from sqlite:data/linecard.db --to postgres://owner@db/linecard',
  ],
  run: async (_args, settings) => (await import('./copy.ts')).runCopy(settings),
});

const BACKUP_EXAMPLE = 'linecard-server backup "backups/linecard-$(date +%F).db"';

const backupCommand = command({
  words: 'backup <file>',
  about: 'Write everything, including tokens, into one file while the database is in use.',
  takes: ['config', 'database_url', 'yes', 'json'],
  examples: [BACKUP_EXAMPLE],
  run: async ([file = ''], settings) => (await import('./backup.ts')).runBackup(file, settings),
});

const restoreCommand = command({
  words: 'restore <file>',
  about: 'Check a backup and replace the database with it, after confirmation; nothing may use it meanwhile.',
  takes: ['config', 'database_url', 'yes', 'json'],
  examples: ['linecard-server restore backups/linecard-2026-11-22.db'],
  run: async ([file = ''], settings) => (await import('./backup.ts')).runRestore(file, settings),
});

export const databaseCommands = [migrateCommand, copyCommand, backupCommand, restoreCommand] as const;
