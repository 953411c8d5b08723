// Sends webhooks: looks once a second for endpoints that have something to be sent, claims them, and serves
// several at once (docs/decisions/033-webhooks-without-a-queue.md).

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { Logger } from 'pino';
import { deliverLimits } from '../limits/deliver-limits.ts';
import { processActor } from '../store/log/audit.ts';
import type { WithStore } from '../store/store.ts';
import { DatabaseClock } from '../store/stored-times.ts';
import { forgetDeliverer, recordDeliverer } from '../store/webhooks/webhooks.ts';
import { claimStatement, heldStatement, isFailing, type Ready, readReady } from './claims.ts';
import { Connections } from './connections.ts';
import { ClaimedEndpoint, type EndpointOptions } from './endpoint.ts';
import { isSuccess } from './outcome.ts';
import type { Outcome } from './sending.ts';
import { WriteBatch } from './write-batch.ts';

const LOOK_MILLISECONDS = 1_000;
/** While more is ready than can be served. */
const BUSY_LOOK_MILLISECONDS = 100;
const SEEN_MILLISECONDS = 10_000;
/** How many are claimed ahead, for each that is served. */
const CLAIMED_AHEAD = 2;
/** One that waits for longer is left to others. */
const WAIT_MILLISECONDS = 10_000;
/** How long one is served while others wait. */
const TURN_MILLISECONDS = 2_000;

export interface DelivererOptions
  extends Pick<EndpointOptions, 'read' | 'send' | 'keys' | 'dueAtMs' | 'itemsAPage'> {
  readonly write: WithStore;
  /** Endpoints that are sent to at the same time; the limit by default. */
  readonly connections?: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** In milliseconds since 1970; the time of the database by default. */
  readonly now?: (() => number) | undefined;
}

interface Claimed extends Ready {
  readonly claimedAt: number;
}

export class Deliverer {
  readonly id: string = randomUUID();
  /** Attempts since the start. */
  readonly attempts = { delivered: 0, refused: 0, failed: 0 };
  readonly #options: DelivererOptions;
  readonly #endpoints: EndpointOptions;
  readonly #clock = new DatabaseClock();
  readonly #now: () => number;
  readonly #waiting: Claimed[] = [];
  /** What ends when an endpoint is not sent to any more. */
  readonly #served = new Map<string, Promise<void>>();
  readonly #connections: Connections;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(options: DelivererOptions) {
    const { now = this.#clock.now, connections = deliverLimits.connections.total } = options;
    this.#options = options;
    this.#now = now;
    this.#connections = new Connections(connections);
    const batch = new WriteBatch(options.write);
    this.#endpoints = {
      ...options,
      write: (statements) => batch.write(statements),
      now,
      holder: this.id,
      by: { origin: 'command', actor: processActor() },
      isToEnd: (since) => this.#isStopping || (this.#waiting.length > 0 && now() - since > TURN_MILLISECONDS),
      onAttempt: (_, outcome) => this.#count(outcome),
    };
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #count(outcome: Outcome): void {
    const what = isSuccess(outcome) ? 'delivered' : outcome.status === undefined ? 'failed' : 'refused';
    this.attempts[what] += 1;
  }

  /** Looks until it is stopped. */
  start(): void {
    this.#loop ??= this.#run();
  }

  async #run(): Promise<void> {
    const { logger, read, write } = this.#options;
    let started_at: string | undefined;
    let seen = Number.NEGATIVE_INFINITY;
    let isReachable = true;
    while (!this.#isStopping) {
      let isFull = false;
      try {
        if (performance.now() - seen > SEEN_MILLISECONDS) {
          await read((store) => this.#clock.look(store));
          started_at ??= timestampOf(this.#now());
          const record = { id: this.id, actor: processActor(), started_at };
          await write((store) => store.write(...recordDeliverer(record, this.#now())));
          seen = performance.now();
        }
        isFull = await this.look();
        isReachable = true;
      } catch (err) {
        if (isReachable) logger.warn({ err }, 'cannot look for what to deliver; trying again each second');
        isReachable = false;
      }
      await this.#pause(isFull);
    }
  }

  /** Until the next look: sooner if more is ready, and there is room for it. */
  async #pause(isFull: boolean): Promise<void> {
    const { signal } = this.#stopping;
    const nap = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
    if (!isFull) return nap(LOOK_MILLISECONDS);
    const end = performance.now() + LOOK_MILLISECONDS;
    do await nap(BUSY_LOOK_MILLISECONDS);
    while (!this.#isStopping && this.#room() <= 0 && performance.now() < end);
  }

  #room(): number {
    return this.#connections.maximum * CLAIMED_AHEAD - this.#waiting.length;
  }

  /** Endpoints of each account that are sent to, or wait for it. */
  #ofAccounts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { webhook } of this.#waiting)
      counts.set(webhook.account_id, (counts.get(webhook.account_id) ?? 0) + 1);
    for (const [account_id, count] of this.#connections.byAccount())
      counts.set(account_id, (counts.get(account_id) ?? 0) + count);
    return counts;
  }

  /** What is ready and not of an account that has its maximum; and whether more may be. */
  async #ready(limit: number): Promise<{ free: Ready[]; isFull: boolean }> {
    const { read, dueAtMs } = this.#options;
    const failing = this.#waiting.filter(({ webhook }) => isFailing(webhook)).length;
    const failingLimit = Math.max(0, this.#connections.maxFailing * CLAIMED_AHEAD - failing);
    const { each } = deliverLimits.connections;
    const counts = this.#ofAccounts();
    const except = [...counts].flatMap(([account_id, count]) => (count < each ? [] : [account_id]));
    const look = { now: this.#now(), dueAtMs, limit, failingLimit, limitOfAccount: each, except };
    const ready = await read((store) => readReady(store, look));
    const free = ready.filter(({ webhook: { id, account_id } }) => {
      const count = counts.get(account_id) ?? 0;
      if (count >= each || this.#served.has(id)) return false;
      counts.set(account_id, count + 1);
      return true;
    });
    const healthy = ready.filter(({ webhook }) => !isFailing(webhook));
    return { free, isFull: healthy.length >= limit };
  }

  /** Claims what is ready, and begins to serve it; returns whether more may be ready. */
  async look(): Promise<boolean> {
    const { read, write } = this.#options;
    await read((store) => this.#clock.look(store));
    const now = this.#now();
    await this.#release(now - WAIT_MILLISECONDS);
    this.#serve();
    const limit = this.#room();
    if (limit <= 0) return true;
    const { free, isFull } = await this.#ready(limit);
    if (free.length === 0) return false;
    // Deliverers that claim the same rows lock them in one order, so that none is in a deadlock.
    const byId = free.toSorted((a, b) => (a.webhook.id < b.webhook.id ? -1 : 1));
    const counts = await write((store) =>
      store.write(...byId.map((one) => claimStatement(one, this.id, now))),
    );
    const claimed = new Set(byId.filter((_, i) => counts[i] === 1));
    this.#waiting.push(...free.filter((one) => claimed.has(one)).map((one) => ({ ...one, claimedAt: now })));
    this.#serve();
    return isFull;
  }

  /** Ends the claims of those that wait since then or longer. */
  async #release(since: number): Promise<void> {
    const { write } = this.#options;
    const now = this.#now();
    const { old = [], fresh = [] } = Object.groupBy(this.#waiting, ({ claimedAt }) =>
      claimedAt <= since ? 'old' : 'fresh',
    );
    this.#waiting.splice(0, this.#waiting.length, ...fresh);
    if (old.length === 0) return;
    const ends = old.map(({ webhook: { id } }) => heldStatement({ id, holder: this.id, now }, {}, true));
    await write((store) => store.write(...ends));
  }

  #serve(): void {
    while (!this.#isStopping) {
      const next = this.#connections.nextOf(this.#waiting, ({ webhook }) => ({
        account_id: webhook.account_id,
        isFailing: isFailing(webhook),
      }));
      if (next === undefined) return;
      const [claimed] = this.#waiting.splice(next, 1) as [Claimed];
      const { id } = claimed.webhook;
      const end = this.#serveOne(claimed).finally(() => {
        this.#served.delete(id);
        this.#serve();
      });
      this.#served.set(id, end);
    }
  }

  async #serveOne(claimed: Claimed): Promise<void> {
    const { logger, send } = this.#options;
    const { webhook, claimedAt } = claimed;
    const connection = this.#connections.open({ ...webhook, isFailing: isFailing(webhook) }, () =>
      this.#serve(),
    );
    const endpoints: EndpointOptions = {
      ...this.#endpoints,
      send: (message) => connection.during(() => send(message), isSuccess),
    };
    try {
      await new ClaimedEndpoint(endpoints, claimed, claimedAt).serve();
    } catch (err) {
      // The claim ends by itself, and the delivery is repeated with the same id.
      logger.warn({ err, webhook: webhook.id }, 'a delivery is interrupted');
    } finally {
      this.#connections.close(connection);
    }
  }

  /** Waits until nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#served.size > 0) await Promise.all(this.#served.values());
  }

  /** Ends what is being sent, and begins nothing more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await this.idle();
    try {
      await this.#release(this.#now());
      await this.#options.write((store) => store.write(forgetDeliverer(this.id)));
    } catch (err) {
      this.#options.logger.warn({ err }, 'could not end the claims; they end by themselves');
    }
  }
}
