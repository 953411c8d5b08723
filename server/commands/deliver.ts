// `linecard-server deliver`, and the thread of `serve --deliver`: the deliverer with its stores, metrics and
// signals.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Deliverer } from '../deliver/deliverer.ts';
import { sender } from '../deliver/sending.ts';
import { type Log, type LogSettings, makeLog } from '../log.ts';
import type { MetricData } from '../metrics/metrics.ts';
import type { Settings } from '../settings/settings.ts';
import { signingKeys } from '../store/webhooks/webhook-secrets.ts';
import { readWebhookState } from '../store/webhooks/webhook-state.ts';
import { workerUrl } from '../worker-url.ts';
import { openIntakeStores } from './intake-stores.ts';
import { type MetricsSettings, startMetrics } from './metrics.ts';
import { stopOnSignals } from './signals.ts';

/** Longer than an attempt takes. */
const SHUTDOWN_MILLISECONDS = 20_000;
/** Less than `serve` has: what is being sent then is sent again. */
const THREAD_STOP_MILLISECONDS = 5_000;
const DUE_AT_MILLISECONDS = 6 * 3_600_000;
/** To PostgreSQL, of each kind: reads for several endpoints share a round trip, and so do their writes. */
const DATABASE_CONNECTIONS = 4;
const BATCHED_READS = 8;

export type DeliverSettings = Omit<LogSettings, 'workers'> &
  Pick<Settings, 'database_url' | 'database_pooler' | 'signing_key' | 'deliver_allow' | 'due_at'>;

export interface RunningDeliverer {
  readonly metrics: () => Promise<MetricData[]>;
  stop(): Promise<void>;
}

export async function startDeliverer(
  settings: DeliverSettings,
  { logger }: Pick<Log, 'logger'>,
): Promise<RunningDeliverer> {
  const { due_at: dueAtMs = DUE_AT_MILLISECONDS } = settings;
  // What is read after a claim shows the claim.
  const stores = await openIntakeStores(settings, {
    connections: DATABASE_CONNECTIONS,
    batchReads: BATCHED_READS,
    sharesSnapshots: false,
  });
  const deliverer = new Deliverer({
    read: stores.read,
    write: stores.write,
    send: sender({ allow: settings.deliver_allow }),
    keys: signingKeys(settings.signing_key),
    dueAtMs,
    logger,
  });
  deliverer.start();
  return {
    async metrics() {
      const { webhookMetrics } = await import('../metrics/metrics.ts');
      const state = await stores.read((store) => readWebhookState(store)).catch(() => undefined);
      return webhookMetrics({ attempts: deliverer.attempts, state });
    },
    async stop() {
      await deliverer.stop();
      await stores.close();
    },
  };
}

/** What is scraped: the metrics of deliveries, and those of every process. */
async function withDefaults({ metrics_port }: MetricsSettings, running: RunningDeliverer) {
  if (metrics_port === undefined) return async () => [];
  const { defaultMetrics } = await import('../metrics/metrics.ts');
  const ofProcess = defaultMetrics();
  return async () => [[...(await running.metrics()), ...(await ofProcess())]];
}

/**
 * Delivers until SIGTERM or SIGINT: what is being sent is completed, and the process exits within 20 seconds.
 */
export async function deliver(settings: DeliverSettings & MetricsSettings): Promise<void> {
  const log = await makeLog({ ...settings, workers: 1 });
  const { logger } = log;
  const running = await startDeliverer(settings, log);
  const metrics = await startMetrics(settings, logger, await withDefaults(settings, running));
  stopOnSignals({ logger, delay: SHUTDOWN_MILLISECONDS }, async () => {
    await running.stop();
    await metrics?.close();
  });
}

/** Delivers on a thread of its own, so that its reads delay no request. */
export function deliverOnThread(settings: DeliverSettings): RunningDeliverer {
  // An error that ends the thread ends the process, too: as one of its own would.
  const worker = new Worker(workerUrl(import.meta.url), { workerData: settings });
  worker.unref();
  return {
    async metrics() {
      worker.postMessage('metrics');
      const [metrics] = (await once(worker, 'message')) as [MetricData[]];
      return metrics;
    },
    async stop() {
      worker.ref();
      worker.postMessage('stop');
      const timer = setTimeout(() => void worker.terminate(), THREAD_STOP_MILLISECONDS);
      await once(worker, 'exit');
      clearTimeout(timer);
    },
  };
}
