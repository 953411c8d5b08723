// `serve --workers N`: several processes that answer on one port. The first answers nothing: it starts the
// others, passes on what they report to each other, starts another where one ends, and ends with them.

import cluster, { type Worker as ClusterProcess } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Counts, type Peers, WindowCounts } from '../limits/window.ts';
import { type LogSettings, makeLog } from '../log.ts';
import type { MetricData } from '../metrics/metrics.ts';
import type { Settings } from '../settings/settings.ts';
import { type MetricsSettings, startMetrics } from './metrics.ts';
import { type ScrapeAnswer, type ScrapeRequest, Scrapes } from './scrapes.ts';
import { onStopSignals, stopOnSignals } from './signals.ts';

/** A little more than a process may take to end. */
const SHUTDOWN_MILLISECONDS = 10_500;
/** A process that ends sooner than this after its start counts as one that cannot start. */
const SETTLED_MILLISECONDS = 10_000;
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 5_000;
const MAX_FAILURES = 5;

type FromProcess = { readonly url: string } | { readonly counts: Counts } | ScrapeAnswer;
type ToProcess = 'stop' | { readonly counts: Counts } | ScrapeRequest;

/** The membership of a process that is one of several: what it reports to the first, and hears from it. */
export interface Membership extends Peers {
  /** Starts what is to answer, and reports where it does. */
  begin(start: () => Promise<string>): Promise<void>;
  /** Reports what is collected whenever the first process asks for it. */
  onScrape(collect: () => Promise<readonly MetricData[]>): void;
  /** Calls once, when it is time to stop. */
  onStop(stop: () => void): void;
}

/** The membership of this process; `undefined` for one that is alone or the first. */
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
        // The connection to the first would keep this process alive.
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
      // A terminal or a supervisor may send them to every process of a group.
      onStopSignals(() => stopping.resolve());
      void stopping.promise.then(stop);
    },
  };
}

/** How a process has ended. */
interface ProcessEnd {
  readonly status: number | null;
  readonly signal: string | null;
  /** Why it could not be started. */
  readonly error?: Error;
}

/** Starts a process; resolves when it has ended, or could not be started. */
function fork(onForked: (forked: ClusterProcess) => void): Promise<ProcessEnd> {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  try {
    const forked = cluster.fork();
    onForked(forked);
    forked.once('exit', (status: number | null, signal: string | null) => resolve({ status, signal }));
    forked.on('error', (error) => {
      // What is wrong with one that runs, such as a message that it did not receive, its exit tells.
      if (forked.process.pid === undefined) resolve({ status: null, signal: null, error });
    });
  } catch (error) {
    resolve({ status: null, signal: null, error: error as Error });
  }
  return promise;
}

/** Sends a message to another process; one that is just ending need not receive it. */
function send(to: ClusterProcess, message: ToProcess): void {
  if (to.isConnected()) to.send(message, () => {});
}

/** The processes that answer. */
class Processes {
  readonly #wanted: number;
  readonly #logger: Logger;
  readonly #counts: WindowCounts;
  readonly #answering = new Set<ClusterProcess>();
  readonly #allAnswer = Promise.withResolvers<string>();
  readonly #supervised: Promise<void>[] = [];
  readonly #stopping = new AbortController();
  readonly #scrapes: Scrapes | undefined;
  #allEndedWell = true;

  constructor(wanted: number, rateLimit: number, logger: Logger, scrapes: Scrapes | undefined) {
    this.#wanted = wanted;
    this.#scrapes = scrapes;
    this.#logger = logger;
    this.#counts = new WindowCounts(rateLimit);
  }

  /**
   * Starts one, which says what is wrong where something is, and then the others; returns where all answer.
   */
  start(): Promise<string> {
    cluster.on('message', (from, message: FromProcess) => this.#receive(from, message));
    this.#supervised.push(this.#supervise());
    return this.#allAnswer.promise;
  }

  /** The metrics of all that answer. */
  async metrics(): Promise<readonly (readonly MetricData[])[]> {
    return this.#scrapes?.collect(this.#answering) ?? [];
  }

  /** Lets all come to their end; returns whether they did so by themselves. */
  async stop(): Promise<boolean> {
    this.#stopping.abort();
    for (const one of Object.values(cluster.workers ?? {})) if (one) send(one, 'stop');
    await Promise.all(this.#supervised);
    return this.#allEndedWell;
  }

  #receive(from: ClusterProcess, message: FromProcess): void {
    if ('url' in message) return this.#welcome(from, message.url);
    if ('metrics' in message) return this.#scrapes?.receive(message);
    this.#counts.add(message.counts);
    for (const other of this.#answering) if (other !== from) send(other, message);
  }

  #welcome(from: ClusterProcess, url: string): void {
    this.#answering.add(from);
    send(from, { counts: this.#counts.all() });
    while (this.#supervised.length < this.#wanted) this.#supervised.push(this.#supervise());
    if (this.#answering.size === this.#wanted) this.#allAnswer.resolve(url);
  }

  /**
   * Keeps one process running: where it ends, another is started, after a pause that grows while that does
   * not help.
   */
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
        this.#allEndedWell &&= status === 0;
        return;
      }
      failures = performance.now() - began < SETTLED_MILLISECONDS ? failures + 1 : 0;
      // The very first has said itself what is wrong, and so would all others.
      if (this.#supervised.length === 1 && status !== null) process.exit(status);
      this.#logger.warn(
        { process: forked?.process.pid, status, signal, err: error },
        error === undefined
          ? 'a process ended; another is started'
          : 'a process could not be started; another is tried',
      );
      if (failures >= MAX_FAILURES && this.#answering.size === 0) this.#giveUp();
      const pause = Math.min(LONGEST_PAUSE_MILLISECONDS, FIRST_PAUSE_MILLISECONDS * 2 ** failures);
      await sleep(pause, undefined, { signal: stopping }).catch(() => {});
    }
  }

  #end(process: ClusterProcess | undefined): void {
    if (process === undefined) return;
    this.#answering.delete(process);
    this.#scrapes?.end(process);
  }

  #giveUp(): never {
    this.#logger.fatal(
      `No process stays alive, although ${MAX_FAILURES} were started one after the other. Their own messages say why.`,
    );
    process.exit(1);
  }
}

async function scrapesOf({ metrics_port }: MetricsSettings): Promise<Scrapes | undefined> {
  if (metrics_port === undefined) return undefined;
  const { EndedProcesses } = await import('../metrics/metrics.ts');
  return new Scrapes(new EndedProcesses());
}

/**
 * Starts so many processes that answer on one port; returns where, once all of them do. Where the first
 * cannot start, this one ends as that one did. On SIGTERM and SIGINT all answer what is in flight and end,
 * and then this one.
 */
export async function runWorkers(
  settings: LogSettings & MetricsSettings & Pick<Settings, 'rate_limit' | 'drain'>,
): Promise<string> {
  const { logger } = await makeLog(settings);
  const scrapes = await scrapesOf(settings);
  const processes = new Processes(settings.workers, settings.rate_limit, logger, scrapes);
  const metrics = await startMetrics(settings, logger, () => processes.metrics());
  stopOnSignals({ logger, delay: settings.drain + SHUTDOWN_MILLISECONDS }, async (err) => {
    if (err !== undefined) logger.fatal({ err }, 'stopping because of an error that nobody caught');
    const endedWell = await processes.stop();
    await metrics?.close();
    logger.info('stopped');
    logger.flush();
    if (!endedWell) process.exit(1);
  });
  return processes.start();
}
