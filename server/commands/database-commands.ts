// The commands for a whole database: migrate, copy, backup, restore.

import { WrongUsage } from '../errors.ts';
import { command, DATABASE, onceReachable, withWrittenStore } from './command.ts';
import { say } from './print.ts';
import { mustHaveRoles } from './store-options.ts';

const migrateCommand = command({
  words: 'migrate',
  about: 'Update the schema, set up the roles of serve, intake and deliver, and exit.',
  settings: [...DATABASE, 'wait_for_database', 'serving_role', 'row_security', 'intake_role', 'deliver_role'],
  examples: [
    'linecard-server migrate',
    'linecard-server migrate --database-url postgres://owner@db/linecard --serving-role linecard_serving --row-security',
  ],
  async run(_args, settings) {
    mustHaveRoles(settings);
    await onceReachable(settings, say, () =>
      withWrittenStore(settings, async () => say('The schema is up to date.')),
    );
    const { serving_role, intake_role, deliver_role, row_security } = settings;
    if (serving_role === undefined && row_security)
      throw new WrongUsage('Specify the role that --row-security applies to: --serving-role ROLE.');
    const roles = { serving: serving_role, intake: intake_role, deliver: deliver_role };
    const { runGrant } = await import('./grant.ts');
    for (const [kind, role] of Object.entries(roles))
      if (role !== undefined) await runGrant(settings, role, kind as keyof typeof roles);
  },
});

const copyCommand = command({
  words: 'copy',
  about: 'Copy everything into an empty database, such as from SQLite to PostgreSQL, and compare both.',
  settings: ['config', 'from', 'to', 'dry_run', 'database_pooler', 'json'],
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
  settings: ['config', 'database_url', 'yes', 'json'],
  examples: [BACKUP_EXAMPLE],
  run: async ([file = ''], settings) => (await import('./backup.ts')).runBackup(file, settings),
});

const restoreCommand = command({
  words: 'restore <file>',
  about: 'Check a backup and replace the database with it, after confirmation; nothing may use it meanwhile.',
  settings: ['config', 'database_url', 'yes', 'json'],
  examples: ['linecard-server restore backups/linecard-2026-11-22.db'],
  run: async ([file = ''], settings) => (await import('./backup.ts')).runRestore(file, settings),
});

export const databaseCommands = [migrateCommand, copyCommand, backupCommand, restoreCommand] as const;
