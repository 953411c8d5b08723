// `serve --workers N`: several processes that answer on one port. This one answers nothing: it starts them, passes on what
// they tell each other, starts another where one ends, and ends with them.

import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { type Counted, type Others, RequestCounts } from '../http/rate.ts';
import { type LogSettings, makeLogger } from '../log.ts';

/** A little more than a worker may take to end. */
const SHUTDOWN_MILLISECONDS = 10_500;
/** Whoever ends sooner than this after its start counts as one that cannot start. */
const SETTLED_MILLISECONDS = 10_000;
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 5_000;
const MAX_FAILURES = 5;
/** A terminal or a supervisor may send these to every process of a group, and each again. */
export const STOP_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;

type FromWorker = { readonly url: string } | { readonly counted: Counted };
type ToWorker = 'stop' | { readonly counted: Counted };

/** How a process stands that is one of several: what it tells the first, and hears from it. */
export interface Membership extends Others {
  /** Starts what is to answer, and tells where it does. */
  begin(start: () => Promise<string>): Promise<void>;
  /** Calls once, when it is time to stop. */
  onStop(stop: () => void): void;
}

/** The membership of this process; `undefined` for one that is alone or the first. */
export function membership(processes: number): Membership | undefined {
  const { worker } = cluster;
  if (worker === undefined) return undefined;
  const tell = (message: FromWorker) => void (worker.isConnected() && worker.send(message));
  const stopping = Promise.withResolvers<void>();
  worker.on('message', (message: ToWorker) => {
    if (message === 'stop') stopping.resolve();
  });
  return {
    processes,
    async begin(start) {
      try {
        tell({ url: await start() });
      } catch (error) {
        // The connection to the first would keep this process alive.
        worker.disconnect();
        throw error;
      }
    },
    tell: (counted) => tell({ counted }),
    listen(take) {
      worker.on('message', (message: ToWorker) => {
        if (typeof message === 'object') take(message.counted);
      });
    },
    onStop(stop) {
      for (const signal of STOP_SIGNALS) process.on(signal, () => stopping.resolve());
      void stopping.promise.then(stop);
    },
  };
}

/** Tells another process something; one that is just ending need not hear it. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

class Workers {
  readonly #wanted: number;
  readonly #logger: Logger;
  readonly #counts: RequestCounts;
  readonly #answering = new Set<Worker>();
  readonly #all_answer = Promise.withResolvers<string>();
  readonly #kept: Promise<void>[] = [];
  readonly #stopping = new AbortController();
  #all_ended_well = true;

  constructor(wanted: number, rate_limit: number, logger: Logger) {
    this.#wanted = wanted;
    this.#logger = logger;
    this.#counts = new RequestCounts(rate_limit);
  }

  /** Starts one, which says what is wrong where something is, and then the others; gives where all answer. */
  start(): Promise<string> {
    cluster.on('message', (from, message: FromWorker) => this.#hear(from, message));
    this.#kept.push(this.#keepOne());
    return this.#all_answer.promise;
  }

  /** Lets all come to their end; gives whether they did so by themselves. */
  async stop(): Promise<boolean> {
    this.#stopping.abort();
    for (const worker of Object.values(cluster.workers ?? {})) if (worker) send(worker, 'stop');
    await Promise.all(this.#kept);
    return this.#all_ended_well;
  }

  #hear(from: Worker, message: FromWorker): void {
    if ('url' in message) return this.#welcome(from, message.url);
    this.#counts.add(message.counted);
    for (const worker of this.#answering) if (worker !== from) send(worker, message);
  }

  #welcome(worker: Worker, url: string): void {
    this.#answering.add(worker);
    send(worker, { counted: this.#counts.all() });
    while (this.#kept.length < this.#wanted) this.#kept.push(this.#keepOne());
    if (this.#answering.size === this.#wanted) this.#all_answer.resolve(url);
  }

  /** Keeps one running: where it ends, another is started, after a pause that grows while that does not help. */
  async #keepOne(): Promise<void> {
    const { signal: stopping } = this.#stopping;
    let failures = 0;
    while (!stopping.aborted) {
      const began = performance.now();
      const worker = cluster.fork();
      const [status, signal] = (await once(worker, 'exit')) as [number | null, string | null];
      this.#answering.delete(worker);
      if (stopping.aborted) {
        this.#all_ended_well &&= status === 0;
        return;
      }
      failures = performance.now() - began < SETTLED_MILLISECONDS ? failures + 1 : 0;
      // The very first has said itself what is wrong, and so would all others.
      if (this.#kept.length === 1 && status !== null) process.exit(status);
      this.#logger.warn({ worker: worker.process.pid, status, signal }, 'a worker ended; another is started');
      if (failures >= MAX_FAILURES && this.#answering.size === 0) this.#giveUp();
      const pause = Math.min(LONGEST_PAUSE_MILLISECONDS, FIRST_PAUSE_MILLISECONDS * 2 ** failures);
      await sleep(pause, undefined, { signal: stopping }).catch(() => {});
    }
  }

  #giveUp(): never {
    process.stderr.write(
      `linecard-server: No worker stays alive, although ${MAX_FAILURES} were started one after the other. Their own messages say why.\n`,
    );
    process.exit(1);
  }
}

/**
 * Starts so many processes that answer on one port; gives where, once all of them do. Where the first cannot start, this
 * one ends as that one did. On SIGTERM and SIGINT all answer what is in flight and end, and then this one.
 */
export async function runWorkers(settings: LogSettings & { readonly rate_limit: number }): Promise<string> {
  const logger = await makeLogger(settings);
  const workers = new Workers(settings.workers, settings.rate_limit, logger);
  closeWithGrace({ delay: SHUTDOWN_MILLISECONDS, logger }, async ({ err }) => {
    if (err !== undefined) logger.fatal({ err }, 'stopping because of an error that nobody caught');
    const ended_well = await workers.stop();
    logger.info('stopped');
    logger.flush();
    if (!ended_well) process.exit(1);
  });
  return workers.start();
}
