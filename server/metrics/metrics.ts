// The metrics of a process, and those of several processes as one service.

import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import { JWT_REASONS } from '../http/jwt/claims.ts';
import type { Answered } from '../log.ts';
import { REASONS } from '../store/access/refusals.ts';
import type { Store } from '../store/store.ts';
import { definitions } from './definitions.ts';
import { DURATIONS, DURATIONS_HELP, Durations } from './durations.ts';
import { type CountingParts, type Scraped, scraperOf, type WebhookFigures } from './scrape.ts';

/** The metrics of a process as plain data, which can be sent to another. */
export type MetricData = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

/** How often the delay of the event loop is measured: every 10 ms would keep an idle machine awake. */
const EVENT_LOOP_MILLISECONDS = 20;
const WEBHOOK_METRICS = 'linecard_webhook';
/** What the intake has in common with `serve`. */
const REQUEST_METRICS = ['linecard_build_info', 'linecard_tokens_refused_total'];
/** The library's metrics that are not added up over processes: the slowest process counts, and the oldest. */
const TOGETHER: readonly (readonly [RegExp, MetricData['aggregator']])[] = [
  [/^nodejs_eventloop_/, 'max'],
  [/^process_start_time_/, 'min'],
  [/^process_max_fds$/, 'min'],
];

type OnAnswered = (call: (answered: Answered) => void) => void;

/** Counts the requests of this process, and those whose caller was refused by reason. */
function requestCounts(onAnswered: OnAnswered) {
  const durations = new Durations();
  const refused: Record<string, number> = Object.fromEntries(
    [...REASONS, ...JWT_REASONS].map((reason) => [reason, 0]),
  );
  onAnswered((answered) => {
    durations.add(answered);
    // Limits have metrics of their own, and the status 429.
    if (answered.reason?.startsWith('limit_') === false)
      refused[answered.reason] = (refused[answered.reason] ?? 0) + 1;
  });
  const histogram = () => ({
    name: DURATIONS,
    type: 'histogram',
    help: DURATIONS_HELP,
    aggregator: 'sum',
    values: durations.samples(),
  });
  return { refused, histogram };
}

/**
 * Collects the metrics of a process of `serve`.
 * @param onAnswered is given what is to be called with every request that is over.
 */
export function collectorOf(parts: CountingParts, onAnswered: OnAnswered): () => Promise<MetricData[]> {
  const defaults = defaultMetrics();
  const scrape = scraperOf(parts);
  const { refused, histogram } = requestCounts(onAnswered);
  return async () =>
    [histogram(), ...ownMetrics({ ...(await scrape()), refused }), ...(await defaults())] as MetricData[];
}

/** Collects the metrics of an intake. */
export function intakeCollector(
  store: Pick<Store, 'dialect'>,
  onAnswered: OnAnswered,
): () => Promise<MetricData[]> {
  const defaults = defaultMetrics();
  const { refused, histogram } = requestCounts(onAnswered);
  const own = definitions.filter(({ name }) => REQUEST_METRICS.includes(name));
  return async () =>
    [histogram(), ...ownMetrics({ store, refused } as Scraped, own), ...(await defaults())] as MetricData[];
}

function ownMetrics(scraped: Scraped, some = definitions): MetricData[] {
  return some.map(({ name, type, help, together, read }) => ({
    name,
    type,
    help,
    aggregator: together,
    values: read(scraped).map(([labels, value]) => ({ labels, value })),
  })) as MetricData[];
}

export function webhookMetrics(webhooks: WebhookFigures): MetricData[] {
  const own = definitions.filter(({ name }) => name.startsWith(WEBHOOK_METRICS));
  return ownMetrics({ webhooks } as Scraped, own);
}

/** Those that the library has of every process. */
export function defaultMetrics(): () => Promise<MetricData[]> {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: EVENT_LOOP_MILLISECONDS });
  return () => register.getMetricsAsJSON();
}

/** The metrics of all processes as text, combined as each metric says. */
export function metricsText(processes: readonly (readonly MetricData[])[]): Promise<string> {
  return combined(processes).metrics();
}

/** Only what processes have counted, added up. */
export function countsOf(processes: readonly (readonly MetricData[])[]): readonly MetricData[] {
  const counts = processes.map((metrics) =>
    metrics.filter(({ type }) => type === 'counter' || type === 'histogram'),
  );
  return combined(counts).getMetricsAsArray() as MetricData[];
}

function combined(processes: readonly (readonly MetricData[])[]): Registry {
  return Registry.aggregate(processes.map((metrics) => metrics.map(combinable)));
}

function combinable(metric: MetricData): MetricData {
  const [, aggregator = metric.aggregator] = TOGETHER.find(([names]) => names.test(metric.name)) ?? [];
  return { ...metric, aggregator };
}
