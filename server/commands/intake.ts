// `linecard-server intake`: receives imports and creates sign-ins over HTTP, on its own port.

import { accessSync, constants, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { announce } from '../announce.ts';
import { Failed } from '../errors.ts';
import { Deliveries } from '../intake/delivery.ts';
import { intakeServer } from '../intake/http.ts';
import { operationRoutes } from '../intake/operation-routes.ts';
import { Senders } from '../intake/sender.ts';
import { intakeLimits } from '../limits/intake-limits.ts';
import { type Answered, type Log, makeLog } from '../log.ts';
import { allOperations } from '../operations/all.ts';
import type { Settings } from '../settings/settings.ts';
import { signingKeys } from '../store/webhooks/webhook-secrets.ts';
import { type INTAKE, onceReachable } from './command.ts';
import { type IntakeStores, openIntakeStores } from './intake-stores.ts';
import { urlOf } from './listening.ts';
import { startMetrics } from './metrics.ts';
import { stopOnSignals } from './signals.ts';
import { writeUsesRegularly } from './token-uses.ts';
import { webhookSettings } from './webhooks.ts';

/** The time that running imports have to end after a signal, and the limit for stopping altogether. */
const GRACE_MILLISECONDS = 25_000;
const SHUTDOWN_MILLISECONDS = 30_000;

type IntakeSettings = Pick<Settings, (typeof INTAKE)[number]>;

/** @throws {Failed} if large bodies could not be stored. */
function mustHaveTemporaryFolder(): void {
  try {
    accessSync(`${tmpdir()}/`, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Failed(
      `The folder for temporary files (TMPDIR) cannot be used: ${(error as Error).message}. Create it, or set TMPDIR to a folder that this user may write to.`,
      { cause: error },
    );
  }
}

/** @throws {Failed} if there is no such folder. */
function mustBeFolder(mappings: string | undefined): void {
  if (mappings === undefined || statSync(mappings, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new Failed(`There is no folder ${mappings}. Create it, or name another with --mappings.`);
}

/** Answers with the metrics of the intake, if there is a port for them. */
async function metricsOf(
  settings: IntakeSettings,
  stores: IntakeStores,
  logger: Log['logger'],
  onAnswered: (call: (answered: Answered) => void) => void,
) {
  if (settings.metrics_port === undefined) return undefined;
  const { intakeCollector } = await import('../metrics/metrics.ts');
  const { dialect } = await stores.read(async (store) => store);
  const collect = intakeCollector({ dialect }, onAnswered);
  return startMetrics(settings, logger, async () => [await collect()]);
}

/**
 * Starts the intake. On SIGTERM and SIGINT it rejects new requests, waits for running imports, and exits
 * within 30 seconds.
 * @returns its URL.
 */
export async function intake(settings: IntakeSettings): Promise<string> {
  mustHaveTemporaryFolder();
  mustBeFolder(settings.mappings);
  if (settings.signing_key.length > 0) signingKeys(settings.signing_key);
  const { logger, answered } = await makeLog({ ...settings, workers: 1 });
  let onAnswered = answered;
  const waits = (sentence: string) => announce(settings, 'info', sentence);
  const stores = await onceReachable(settings, waits, () => openIntakeStores(settings));
  const operations = allOperations({ publicUrl: settings.public_url, logger }, webhookSettings(settings));
  const importTimeoutMs = settings.import_timeout * 1_000;
  const senders = new Senders(stores.read, settings.webhook_secret);
  const server = intakeServer({
    senders,
    deliveries: new Deliveries({
      read: stores.read,
      write: stores.write,
      trial: stores.own,
      maxBytes: intakeLimits.deliveryBody.each,
      importTimeoutMs,
      retentionMs: settings.changes_kept,
      mappings: settings.mappings,
    }),
    jsonRoutes: operationRoutes({ stores, importTimeoutMs, operations }),
    operations,
    logger,
    onAnswered: (one) => onAnswered(one),
    rateLimit: settings.rate_limit,
    trustProxy: settings.trust_proxy,
    ready: () =>
      stores.read(async (store) => {
        await store.read({ text: 'select 1', values: [] });
      }),
  });
  await server.app.listen({ host: settings.intake_host, port: settings.intake_port });
  const metrics = await metricsOf(settings, stores, logger, (count) => {
    onAnswered = (one) => {
      answered(one);
      count(one);
    };
  });
  const writeUses = writeUsesRegularly(senders.uses, () => stores.openForTokenUses(), logger);
  stopOnSignals({ logger, delay: SHUTDOWN_MILLISECONDS }, async () => {
    await server.close(GRACE_MILLISECONDS);
    await writeUses();
    await stores.close();
    await metrics?.close();
  });
  return `${urlOf(server.app.server.address(), false)}/intake`;
}
