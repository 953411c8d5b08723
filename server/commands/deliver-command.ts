// The command that delivers webhooks, and what `serve --deliver` needs.

import { WrongUsage } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';
import { isPostgresUrl } from '../store/open.ts';
import { signingKeys } from '../store/webhook-secrets.ts';
import { command, DATABASE, onceReachable } from './command.ts';
import { say } from './print.ts';

/**
 * @throws {WrongUsage} if `serve` cannot deliver.
 * @throws {Failed} if there is no signing key.
 */
export function mustFitDelivery({
  deliver,
  database_url,
  signing_key,
}: Pick<Settings, 'deliver' | 'database_url' | 'signing_key'>): void {
  if (!deliver) return;
  if (isPostgresUrl(database_url))
    throw new WrongUsage(
      'serve --deliver needs SQLite: with PostgreSQL the role that serves can only read. Run linecard-server deliver, on any number of machines.',
    );
  signingKeys(signing_key);
}

export const deliverCommand = command({
  words: 'deliver',
  about: 'Deliver webhooks, after updating the schema; any number of processes share the work.',
  settings: [
    ...DATABASE,
    'wait_for_database',
    'signing_key',
    'deliver_connections',
    'deliver_allow',
    'due_at',
    'metrics_port',
    'metrics_host',
    'log_level',
    'log_format',
  ],
  examples: [
    'LINECARD_SIGNING_KEY=/etc/linecard/signing.key linecard-server deliver',
    'linecard-server deliver --signing-key /etc/linecard/signing.key --deliver-allow 10.1.0.0/16 --due-at 07:30',
  ],
  logs: true,
  async run(_args, settings) {
    // Before a database is opened for nothing.
    signingKeys(settings.signing_key);
    const { deliver } = await import('./deliver.ts');
    await onceReachable(settings, say, () => deliver(settings));
    say('Webhooks are delivered. Stop it with Ctrl-C.');
  },
});
