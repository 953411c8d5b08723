// The metrics of `serve`, and where they are scraped. Nothing of them is loaded where no port is set.

import type { Log } from '../log.ts';
import type { MetricsListener } from '../metrics/listener.ts';
import type { MetricData } from '../metrics/metrics.ts';
import type { Settings } from '../settings/settings.ts';

export type MetricsSettings = Pick<Settings, 'metrics_host' | 'metrics_port'>;

/**
 * Answers with what `collect` gives for each process; `undefined` where nobody wants it.
 * @throws the error of listening.
 */
export async function startMetrics(
  { metrics_host: host, metrics_port: port }: MetricsSettings,
  logger: Log['logger'],
  collect: () => Promise<readonly (readonly MetricData[])[]>,
): Promise<MetricsListener | undefined> {
  if (port === undefined) return undefined;
  const { metricsText } = await import('../metrics/metrics.ts');
  const { listenForMetrics } = await import('../metrics/listener.ts');
  const listener = await listenForMetrics(
    { host, port },
    async () => metricsText(await collect()),
    (err) => logger.error({ err }, 'the metrics could not be collected'),
  );
  logger.info({ url: listener.url }, 'metrics are answered');
  return listener;
}
