// How long requests took, as a histogram under OpenTelemetry's names. It is counted here rather than by the
// library, which makes a text of the labels for every request: twenty times as much work.

import type { Answered } from '../log.ts';

export const DURATIONS = 'http_server_request_duration_seconds';
export const DURATION_LABELS = ['http_request_method', 'http_response_status_code', 'http_route'] as const;
export const DURATIONS_HELP =
  'Duration of HTTP requests, from their headers to the end of the answer, by method, route and status.';
/** In seconds: those of OpenTelemetry's semantic conventions. */
export const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;
const BUCKETS_MS = BUCKETS.map((seconds) => seconds * 1_000);
/** Any other method, as OpenTelemetry names it. */
const OTHER_METHOD = '_OTHER';
const METHODS = new Set(['GET', 'HEAD', 'QUERY', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** The requests of one method, route and status. */
class Series {
  readonly labels: Readonly<Record<string, string>>;
  /** The count of each bucket; the last one has no upper bound. */
  readonly counts = new Float64Array(BUCKETS.length + 1);
  sumMs = 0;

  constructor(method: string, status: number, route = '') {
    this.labels = {
      http_request_method: method,
      http_response_status_code: String(status),
      http_route: route,
    };
  }

  add(milliseconds: number): void {
    let bucket = 0;
    while (bucket < BUCKETS_MS.length && milliseconds > (BUCKETS_MS[bucket] as number)) bucket += 1;
    (this.counts[bucket] as number) += 1;
    this.sumMs += milliseconds;
  }
}

export interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export class Durations {
  /** By route, then by status and method. */
  readonly #byRoute = new Map<string | undefined, Map<string, Series>>();

  readonly add = (answered: Answered): void => {
    this.#seriesOf(answered).add(answered.milliseconds);
  };

  #seriesOf({ route, status, method }: Answered): Series {
    const ofRoute = this.#byRoute.getOrInsertComputed(route, () => new Map());
    const known = METHODS.has(method) ? method : OTHER_METHOD;
    const key = method === 'GET' && status === 200 ? '' : `${status} ${known}`;
    return ofRoute.getOrInsertComputed(key, () => new Series(known, status, route));
  }

  /** Cumulative buckets, sum and count of each series. */
  samples(): Sample[] {
    return [...this.#byRoute.values()].flatMap((series) => [...series.values()].flatMap(samplesOf));
  }
}

function samplesOf({ labels, counts, sumMs }: Series): Sample[] {
  let count = 0;
  const buckets = Array.from(counts, (more, i) => {
    count += more;
    const le = String(BUCKETS[i] ?? '+Inf');
    return { metricName: `${DURATIONS}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${DURATIONS}_sum`, labels, value: sumMs / 1_000 },
    { metricName: `${DURATIONS}_count`, labels, value: count },
  ];
}
