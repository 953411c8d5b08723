// Metrics of several processes: the primary requests and combines those of the others.

import type { Worker as ClusterProcess } from 'node:cluster';
import { countsOf, type MetricData } from '../metrics/metrics.ts';

/** A process that takes longer is too busy, and is left out. */
const ANSWER_MILLISECONDS = 2_000;

export interface ScrapeRequest {
  readonly scrape: number;
}
export interface ScrapeAnswer extends ScrapeRequest {
  readonly metrics: readonly MetricData[];
}

export class Scrapes {
  /** What ended processes had counted, so that no counter of the service ever decreases. */
  #ended: readonly MetricData[] = [];
  readonly #seen = new Map<ClusterProcess, readonly MetricData[]>();
  readonly #pending = new Map<number, (metrics: readonly MetricData[]) => void>();
  #last = 0;

  /** The current metrics. For a process that does not answer in time, its last counts are used. */
  async collect(processes: Iterable<ClusterProcess>): Promise<(readonly MetricData[])[]> {
    const answers = Array.from(processes, async (one) => {
      const metrics = await this.#request(one);
      if (metrics === undefined) return countsOf([this.#seen.get(one) ?? []]);
      if (!one.isDead()) this.#seen.set(one, metrics);
      return metrics;
    });
    const current = await Promise.all(answers);
    return [...current, this.#ended];
  }

  receive({ scrape, metrics }: ScrapeAnswer): void {
    this.#pending.get(scrape)?.(metrics);
  }

  end(one: ClusterProcess): void {
    this.#ended = countsOf([this.#ended, this.#seen.get(one) ?? []]);
    this.#seen.delete(one);
  }

  async #request(one: ClusterProcess): Promise<readonly MetricData[] | undefined> {
    this.#last += 1;
    const scrape = this.#last;
    const { promise, resolve } = Promise.withResolvers<readonly MetricData[] | undefined>();
    const timer = setTimeout(resolve, ANSWER_MILLISECONDS, undefined);
    this.#pending.set(scrape, resolve);
    if (one.isConnected()) one.send({ scrape } satisfies ScrapeRequest, () => {});
    else resolve(undefined);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(scrape);
    }
  }
}
