// A request of the intake from its headers to its summary, and what is committed with its rows.

import type { IncomingMessage } from 'node:http';
import { ImportStopped } from '../import/faults.ts';
import { type ImportBody, importBody } from '../import/import.ts';
import {
  type Importable,
  type ImportOptions,
  type ImportSummary,
  type SummaryResult,
  summaryResult,
} from '../import/job.ts';
import { intakeLimits } from '../limits/intake-limits.ts';
import { WorkQueue } from '../limits/work-queue.ts';
import type { AnyLoad } from '../store/access/accounts-load.ts';
import {
  advance,
  deliveryId,
  type Feed,
  forgetDeliveries,
  rememberDelivery,
  sequenceOf,
  summaryOfDelivery,
} from '../store/imports/feeds.ts';
import type { WithStore } from '../store/store.ts';
import { receive, unpackedBytes } from './body.ts';
import {
  type BodyType,
  bodyTypeOf,
  feedOfRequest,
  type RequestFeed,
  readOptions,
  withMapping,
} from './options.ts';
import {
  late,
  mustBeAllowed,
  notAllowed,
  outOfOrder,
  problemOf,
  rejectedTrial,
  tooSlow,
} from './refusals.ts';
import { mustStillBeBound, type Sender } from './sender.ts';
import { TOLERANCE_SECONDS } from './signature.ts';
import { MAX_UNVERIFIED_BYTES, type UnverifiedDelivery } from './unverified.ts';

const IMPORT_MILLISECONDS = 60_000 * intakeLimits.importTime.each;

export interface DeliverySettings {
  /** The store that has the lists: to look something up, and to import. */
  readonly read: WithStore;
  readonly write: WithStore;
  /** A store for a dry run alone, which waits for no import. */
  readonly trial: WithStore;
  readonly maxBytes: number;
  readonly importTimeoutMs: number;
  /** How long what an import changes is known. */
  readonly retentionMs?: number | undefined;
  /** The folder of mappings that a request may name. */
  readonly mappings?: string | undefined;
  /** How long the seconds are in which a body must come; one that is not a second is for tests. */
  readonly secondMs?: number | undefined;
}

export interface Delivered {
  readonly result: SummaryResult;
  /** Whether an earlier request did it. */
  readonly isRepeated: boolean;
}

/** The delivery was committed before. */
class Repeated extends ImportStopped {}
/** What a request is about, once its headers are read. */
interface Delivery extends RequestFeed {
  readonly table: Importable;
  readonly sender: Sender;
  readonly peer: string;
  readonly options: ImportOptions;
}

const feedOf = ({ sender, sequence }: Delivery): Feed => ({
  name: sequence?.feed ?? '',
  accounts: sender.accounts,
});

/** The connection of a delivery. */
export interface Course {
  /** Ends it, and leaves everything as it was. */
  readonly signal: AbortSignal;
  /** Called when a sender that waits for `100 Continue` is to send the body. */
  readonly onContinue: () => void;
  /** The address that it comes from. */
  readonly peer: string;
  /** Of a signed delivery: what it counts as until it is verified. */
  readonly unverified: UnverifiedDelivery | undefined;
  /** Called when a signature shows who sends. @throws {Problem} where that sender has its share. */
  readonly onVerified: (signer: string) => void;
}

/** The import of a body that has come. */
interface ImportCourse {
  readonly id: string | undefined;
  readonly signal: AbortSignal;
  /** How long it waits for other imports, of this process and of others together. */
  readonly waitsUntil: number;
}

export class Deliveries {
  readonly #settings: DeliverySettings;
  /** One import at a time; which other process writes to the database is for the store to know. */
  readonly #imports = new WorkQueue(1);
  readonly #trials = new WorkQueue(1);

  constructor(settings: DeliverySettings) {
    this.#settings = settings;
  }

  /**
   * Receives the body of a request and imports it.
   * @throws {Problem}
   * @throws {StoreUnavailable} when the database cannot be reached, or is being written to for too long.
   */
  async deliver(
    request: IncomingMessage,
    sender: Sender,
    table: Importable,
    { signal, onContinue, onVerified, peer, unverified }: Course,
  ): Promise<Delivered> {
    const { method = '', url = '', headers } = request;
    const options = readOptions(url, method, table);
    const delivery = { table, sender, peer, options, ...feedOfRequest(headers) };
    mustBeAllowed(sender, options);
    const { format, isCompressed, encoding } = bodyTypeOf(headers, options);
    // Who is not known yet learns nothing of any feed, nor of any mapping.
    if (unverified === undefined) await this.#mustBeGood(delivery);
    const { maxBytes, secondMs, importTimeoutMs: timeoutMs } = this.#settings;
    if (headers.expect !== undefined) onContinue();
    const onBytes = (chunk: Buffer) => {
      unverified?.count(chunk.length);
      sender.delivery?.update(chunk);
    };
    const received = await receive(request, {
      maxBytes: unverified ? Math.min(maxBytes, MAX_UNVERIFIED_BYTES) : maxBytes,
      secondMs,
      // No signature is valid for longer, and until it is verified its sender may be anybody.
      maxSeconds: unverified && TOLERANCE_SECONDS,
      isCompressed,
      onBytes,
      signal: unverified ? AbortSignal.any([signal, unverified.signal]) : signal,
    });
    try {
      const secret = sender.delivery?.verified();
      unverified?.end();
      const signer = sender.delivery?.signer;
      if (signer !== undefined) onVerified(signer);
      if (unverified) await this.#mustBeGood(delivery);
      const id = secret && deliveryId(secret, table.name, sender.delivery?.id ?? '');
      const waitsUntil = performance.now() + timeoutMs;
      const course = { id, signal, waitsUntil };
      const work = () => this.#import(delivery, { format, encoding }, received.body, course);
      const queue = options.dry_run === true ? this.#trials : this.#imports;
      return await queue.run(work, {
        key: signer ?? sender.name,
        timeoutMs,
        timeoutError: () => late(timeoutMs),
        signal,
      });
    } finally {
      await received.close();
    }
  }

  /** Refuses early what would be refused in the end. */
  async #mustBeGood(delivery: Delivery): Promise<void> {
    const { sequence, options } = delivery;
    withMapping(options, this.#settings.mappings);
    if (sequence === undefined) return;
    const last = await this.#settings.read((store) => sequenceOf(store, feedOf(delivery)));
    if (last !== undefined && sequence.sequence <= last) throw outOfOrder(sequence, last);
  }

  async #import(
    delivery: Delivery,
    { format, encoding }: Pick<BodyType, 'format' | 'encoding'>,
    body: ImportBody,
    { id, signal, waitsUntil }: ImportCourse,
  ): Promise<Delivered> {
    const { table, sender, peer, options } = delivery;
    const maxBytes = Math.min(this.#settings.maxBytes, unpackedBytes(body));
    const slow = AbortSignal.timeout(IMPORT_MILLISECONDS);
    const begin = performance.now();
    const resultOf = (done: ImportSummary) => summaryResult(table.list, done, performance.now() - begin);
    const accounts = sender.accounts && new Set(sender.accounts);
    try {
      const { write, trial } = this.#settings;
      const summary = await (options.dry_run === true ? trial : write)(async (store) => {
        if (id !== undefined && (await summaryOfDelivery(store, id)) !== undefined) throw new Repeated();
        return importBody(
          {
            encoding,
            ...withMapping(options, this.#settings.mappings),
            format,
            feed: delivery.feed,
            store,
            table,
            signal: AbortSignal.any([signal, slow]),
            lockTimeoutMs: waitsUntil - performance.now(),
            changes_kept: this.#settings.retentionMs,
            provenance: { origin: 'intake', actor: sender.name, source: peer },
            maxBytes,
            ...(accounts && { mayWrite: (account_id: string) => accounts.has(account_id) }),
            beforeCommit: (load, done) =>
              this.#beforeCommit(load, delivery, id, JSON.stringify(resultOf(done))),
          },
          body,
        );
      });
      const result = resultOf(summary);
      if (result.withheld !== undefined) throw rejectedTrial(result, result.withheld);
      return { result, isRepeated: false };
    } catch (error) {
      if (slow.aborted && !signal.aborted) throw tooSlow();
      if (!(error instanceof Repeated) || id === undefined) throw problemOf(error, maxBytes);
      const before = (await this.#settings.read((store) => summaryOfDelivery(store, id))) ?? '{}';
      return { result: JSON.parse(before) as SummaryResult, isRepeated: true };
    }
  }

  /** What is committed with the rows, or keeps them from being committed. */
  async #beforeCommit(
    load: AnyLoad,
    delivery: Delivery,
    id: string | undefined,
    summary: string,
  ): Promise<void> {
    const { sender, sequence } = delivery;
    const outside = sender.accounts && (await load.outside(sender.accounts));
    if (outside !== undefined) throw notAllowed(delivery.table, outside);
    if (delivery.options.dry_run === true) return;
    await mustStillBeBound(this.#settings.read, sender);
    if (sequence !== undefined) {
      const [moved] = await load.write(advance(feedOf(delivery), sequence.sequence));
      if (moved !== 1) throw outOfOrder(sequence);
    }
    if (id === undefined) return;
    const [remembered] = await load.write(rememberDelivery(id, summary), forgetDeliveries());
    if (remembered !== 1) throw new Repeated();
  }
}
