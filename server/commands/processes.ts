// `serve --workers N`: several processes that share a port. The primary process answers no requests: it
// starts the others, distributes their counts, restarts those that exit, and stops with them.

import cluster, { type Worker as ClusterProcess } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Counts, type Peers, WindowCounts } from '../limits/window.ts';
import { type LogSettings, makeLog } from '../log.ts';
import type { MetricData } from '../metrics/metrics.ts';
import type { Settings } from '../settings/settings.ts';
import type { RunningDeliverer } from './deliver.ts';
import { type MetricsSettings, startMetrics } from './metrics.ts';
import type { ScrapeAnswer, ScrapeRequest, Scrapes } from './scrapes.ts';
import { onStopSignals, stopOnSignals } from './signals.ts';

const SHUTDOWN_MILLISECONDS = 10_500;
/** A process that exits within this time counts as failing to start. */
const STARTUP_MILLISECONDS = 10_000;
const FIRST_PAUSE_MILLISECONDS = 100;
const MAX_PAUSE_MILLISECONDS = 5_000;
const MAX_FAILURES = 5;

type FromProcess = { readonly url: string } | { readonly counts: Counts } | ScrapeAnswer;
type ToProcess = 'stop' | { readonly counts: Counts } | ScrapeRequest;

export interface Membership extends Peers {
  begin(start: () => Promise<string>): Promise<void>;
  /** Collects and reports metrics whenever the primary asks for them. */
  onScrape(collect: () => Promise<readonly MetricData[]>): void;
  onStop(stop: () => void): void;
}

export function membership(processes: number): Membership | undefined {
  const { worker: self } = cluster;
  if (self === undefined) return undefined;
  const report = (message: FromProcess) => void (self.isConnected() && self.send(message));
  const stopping = Promise.withResolvers<void>();
  self.on('message', (message: ToProcess) => {
    if (message === 'stop') stopping.resolve();
  });
  return {
    processes,
    async begin(start) {
      try {
        report({ url: await start() });
      } catch (error) {
        // The connection to the primary would keep this process alive.
        self.disconnect();
        throw error;
      }
    },
    publish: (counts) => report({ counts }),
    subscribe(onCounts) {
      self.on('message', (message: ToProcess) => {
        if (typeof message === 'object' && 'counts' in message) onCounts(message.counts);
      });
    },
    onScrape(collect) {
      self.on('message', (message: ToProcess) => {
        if (typeof message !== 'object' || !('scrape' in message)) return;
        const { scrape } = message;
        void collect().then(
          (metrics) => report({ scrape, metrics }),
          () => {},
        );
      });
    },
    onStop(stop) {
      // A terminal or a supervisor may send signals to the whole process group.
      onStopSignals(() => stopping.resolve());
      void stopping.promise.then(stop);
    },
  };
}

interface ProcessEnd {
  readonly status: number | null;
  readonly signal: string | null;
  readonly error?: Error;
}

function fork(onForked: (forked: ClusterProcess) => void): Promise<ProcessEnd> {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  try {
    const forked = cluster.fork();
    onForked(forked);
    forked.once('exit', (status: number | null, signal: string | null) => resolve({ status, signal }));
    forked.on('error', (error) => {
      // Other errors of a running process, such as a failed message, are followed by its exit.
      if (forked.process.pid === undefined) resolve({ status: null, signal: null, error });
    });
  } catch (error) {
    resolve({ status: null, signal: null, error: error as Error });
  }
  return promise;
}

function send(to: ClusterProcess, message: ToProcess): void {
  if (to.isConnected()) to.send(message, () => {});
}

class Processes {
  readonly #target: number;
  readonly #logger: Logger;
  readonly #counts: WindowCounts;
  readonly #ready = new Set<ClusterProcess>();
  readonly #allReady = Promise.withResolvers<string>();
  readonly #supervised: Promise<void>[] = [];
  readonly #stopping = new AbortController();
  readonly #scrapes: Scrapes | undefined;
  #allExitedCleanly = true;

  constructor(target: number, rateLimit: number, logger: Logger, scrapes: Scrapes | undefined) {
    this.#target = target;
    this.#scrapes = scrapes;
    this.#logger = logger;
    this.#counts = new WindowCounts(rateLimit);
  }

  /** Starts one process, which reports if the service cannot start, and then the others. Returns the URL. */
  start(): Promise<string> {
    cluster.on('message', (from, message: FromProcess) => this.#receive(from, message));
    this.#supervised.push(this.#supervise());
    return this.#allReady.promise;
  }

  async metrics(): Promise<readonly (readonly MetricData[])[]> {
    return this.#scrapes?.collect(this.#ready) ?? [];
  }

  async stop(): Promise<boolean> {
    this.#stopping.abort();
    for (const one of Object.values(cluster.workers ?? {})) if (one) send(one, 'stop');
    await Promise.all(this.#supervised);
    return this.#allExitedCleanly;
  }

  #receive(from: ClusterProcess, message: FromProcess): void {
    if ('url' in message) return this.#markReady(from, message.url);
    if ('metrics' in message) return this.#scrapes?.receive(message);
    this.#counts.add(message.counts);
    for (const other of this.#ready) if (other !== from) send(other, message);
  }

  #markReady(from: ClusterProcess, url: string): void {
    this.#ready.add(from);
    send(from, { counts: this.#counts.all() });
    while (this.#supervised.length < this.#target) this.#supervised.push(this.#supervise());
    if (this.#ready.size === this.#target) this.#allReady.resolve(url);
  }

  /** Keeps one process running: restarts it when it exits, with exponential backoff. */
  async #supervise(): Promise<void> {
    const { signal: stopping } = this.#stopping;
    let failures = 0;
    while (!stopping.aborted) {
      const began = performance.now();
      let forked: ClusterProcess | undefined;
      const { status, signal, error } = await fork((one) => {
        forked = one;
      });
      this.#end(forked);
      if (stopping.aborted) {
        this.#allExitedCleanly &&= status === 0;
        return;
      }
      failures = performance.now() - began < STARTUP_MILLISECONDS ? failures + 1 : 0;
      // The first process has reported the error, and the others would fail in the same way.
      if (this.#supervised.length === 1 && status !== null) process.exit(status);
      this.#logger.warn(
        { process: forked?.process.pid, status, signal, err: error },
        error === undefined
          ? 'a process exited and is restarted'
          : 'a process could not be started; retrying',
      );
      if (failures >= MAX_FAILURES && this.#ready.size === 0) this.#giveUp();
      const pause = Math.min(MAX_PAUSE_MILLISECONDS, FIRST_PAUSE_MILLISECONDS * 2 ** failures);
      await sleep(pause, undefined, { signal: stopping }).catch(() => {});
    }
  }

  #end(process: ClusterProcess | undefined): void {
    if (process === undefined) return;
    this.#ready.delete(process);
    this.#scrapes?.end(process);
  }

  #giveUp(): never {
    this.#logger.fatal(
      `Giving up: ${MAX_FAILURES} processes were started one after the other, and all have exited. See their messages above.`,
    );
    process.exit(1);
  }
}

/**
 * Starts the processes of `--workers`. Returns the URL once all of them are ready. If the first cannot start,
 * this process exits with the same status. On SIGTERM and SIGINT all complete their requests and exit, and
 * then this process does.
 */
export async function runWorkers(
  settings: LogSettings & MetricsSettings & Pick<Settings, 'rate_limit' | 'drain'>,
  deliverer?: RunningDeliverer,
): Promise<string> {
  const { logger } = await makeLog(settings);
  const scrapes = settings.metrics_port === undefined ? undefined : await import('./scrapes.ts');
  const processes = new Processes(
    settings.workers,
    settings.rate_limit,
    logger,
    scrapes && new scrapes.Scrapes(),
  );
  const metrics = await startMetrics(settings, logger, async () => [
    ...(await processes.metrics()),
    ...(deliverer === undefined ? [] : [await deliverer.metrics()]),
  ]);
  stopOnSignals({ logger, delay: settings.drain + SHUTDOWN_MILLISECONDS }, async () => {
    const [exitedCleanly] = await Promise.all([processes.stop(), deliverer?.stop()]);
    await metrics?.close();
    return exitedCleanly;
  });
  return processes.start();
}
