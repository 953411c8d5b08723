// `intake`: takes imports over HTTP on a port of its own, and stops tidily.

import { accessSync, constants } from 'node:fs';
import { Failed } from '../errors.ts';
import { Deliveries } from '../intake/delivery.ts';
import { intakeServer } from '../intake/http.ts';
import { Senders } from '../intake/sender.ts';
import { type LogSettings, makeLog } from '../log.ts';
import type { Settings } from '../settings/settings.ts';
import { openIntakeStores } from './intake-stores.ts';
import { urlOf } from './listening.ts';
import { noteUseRegularly } from './note-use.ts';
import { stopOnSignals } from './signals.ts';

/** How long imports that are under way may go on when it is to stop, and the whole of stopping. */
const GRACE_MILLISECONDS = 25_000;
const SHUTDOWN_MILLISECONDS = 30_000;
const BYTES_A_MEBIBYTE = 1_048_576;

export type IntakeSettings = Omit<LogSettings, 'workers'> &
  Pick<
    Settings,
    | 'database_url'
    | 'database_pooler'
    | 'intake_host'
    | 'intake_port'
    | 'import_timeout'
    | 'max_body'
    | 'changes_kept'
    | 'spool'
    | 'webhook_secret'
    | 'rate_limit'
    | 'failure_limit'
    | 'trust_proxy'
    | 'max_connections'
    | 'max_connections_per_address'
  >;

/** @throws {Failed} when large bodies could not be put there. */
function mustSpool(folder: string | undefined): void {
  if (folder === undefined) return;
  try {
    accessSync(`${folder}/`, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Failed(
      `The folder of --spool cannot be used: ${(error as Error).message}. Make it, or name one that this user may write to.`,
      { cause: error },
    );
  }
}

/**
 * Starts the intake on a schema that is up to date. On SIGTERM and SIGINT it refuses what is new, lets the
 * imports that are under way come to their end, and ends within half a minute.
 * @returns its URL.
 */
export async function intake(settings: IntakeSettings): Promise<string> {
  mustSpool(settings.spool);
  const { logger, answered } = await makeLog({ ...settings, workers: 1 });
  const stores = await openIntakeStores(settings);
  const senders = new Senders(stores.read, settings.webhook_secret);
  const server = intakeServer({
    senders,
    deliveries: new Deliveries({
      read: stores.read,
      write: stores.write,
      maxBytes: settings.max_body * BYTES_A_MEBIBYTE,
      spool: settings.spool,
      importTimeoutMs: settings.import_timeout * 1_000,
      retentionMs: settings.changes_kept,
    }),
    logger,
    onAnswered: answered,
    rateLimit: settings.rate_limit,
    failureLimit: settings.failure_limit,
    trustProxy: settings.trust_proxy,
    maxConnections: settings.max_connections,
    maxConnectionsPerAddress: settings.max_connections_per_address,
    ready: () =>
      stores.read(async (store) => {
        await store.read({ text: 'select 1', values: [] });
      }),
  });
  await server.app.listen({ host: settings.intake_host, port: settings.intake_port });
  const noteUse = noteUseRegularly(senders, () => stores.openForNotes(), logger);
  stopOnSignals({ logger, delay: SHUTDOWN_MILLISECONDS }, async (err) => {
    if (err !== undefined) logger.fatal({ err }, 'stopping because of an error that nobody caught');
    await server.close(GRACE_MILLISECONDS);
    await noteUse();
    await stores.close();
    logger.info('stopped');
    logger.flush();
  });
  return `${urlOf(server.app.server.address(), false)}/intake`;
}
