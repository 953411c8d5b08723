// The hosts of a database URL that names several: which of them takes writes now. It is looked for before a
// connection is opened, so that connections follow when another server is promoted.

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { callbackify } from 'node:util';
import { Client } from 'pg';
import { driverUrl } from '../../postgres-url.ts';
import { StoreRefused, StoreUnavailable } from '../store-errors.ts';
import { storeErrorOf } from './errors.ts';

/** The scheme, who connects to which hosts, the rest: `postgres://` `user:password@one,two` `/linecard`. */
const PARTS = /^([a-z]+:\/\/)([^/?#]*)((?:[/?#].*)?)$/s;
/** What a connection is needed for, as libpq calls it (its documentation, "Connection Control Functions"). */
const TARGET = 'target_session_attrs';
const TARGETS_THAT_WRITE: readonly (string | null)[] = [null, 'read-write'];
/** How long a host may take to say whether it takes writes. */
const ANSWER_MS = 3_000;
/** The next host is tried if one does not answer within this time. */
const STAGGER_MS = 250;
/** How long the result is used. */
const FOUND_FOR_MS = 1_000;
/** How often it is looked for while there are connections, which may lead to a server that takes none now. */
const CHECK_MS = 5_000;

interface Address {
  readonly host: string;
  readonly port: number;
}

/** @throws {StoreRefused} when the URL is none, or asks for a server that takes no writes. */
function urlOfHost(start: string, host: string, rest: string): string {
  const text = start + host + rest;
  const url = URL.canParse(text) && host !== '' ? new URL(text) : undefined;
  if (url === undefined) {
    throw new StoreRefused(
      'The hosts of the database URL are not well-formed. Several look like postgres://user:password@one:5432,two:5432/database.',
    );
  }
  if (!TARGETS_THAT_WRITE.includes(url.searchParams.get(TARGET))) {
    throw new StoreRefused(
      `Of several hosts Linecard connects to the one that takes writes: leave out ${TARGET}, or make it read-write. Give each replica a --replica-url of its own.`,
    );
  }
  url.searchParams.delete(TARGET);
  return url.href;
}

/** The URL of each host that a database URL names; most name one. */
export function urlsOf(url: string): readonly string[] {
  const [, scheme = '', authority = '', rest = ''] = PARTS.exec(url) ?? [];
  const hostsAt = authority.lastIndexOf('@') + 1;
  const hosts = authority.slice(hostsAt);
  if (!hosts.includes(',')) return [url];
  const start = scheme + authority.slice(0, hostsAt);
  return hosts.split(',').map((host) => urlOfHost(start, host.trim(), rest));
}

/**
 * The address of a server that takes writes.
 * @throws {StoreRefused | StoreUnavailable} when it takes none, or cannot be reached; the message names it.
 */
async function mustWrite(client: Client): Promise<Address> {
  const { host, port } = client;
  try {
    await client.connect();
    const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
    if (rows[0]?.transaction_read_only === 'off') return { host, port };
    throw new StoreUnavailable('It takes no changes.');
  } catch (cause) {
    const known = storeErrorOf(cause);
    if (known instanceof StoreRefused) throw known;
    throw new StoreUnavailable(`${host}:${port}: ${known.message}`, { cause });
  } finally {
    void client.end().catch(() => {});
  }
}

/** Resolves when it rejects, and not otherwise. */
function failureOf(answer: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    answer.catch(() => resolve());
  });
}

/** Why none can be taken; what will not go away by waiting comes first. */
function reasonOf({ errors }: AggregateError): Error {
  const causes = errors as Error[];
  const refused = causes.find((cause) => cause instanceof StoreRefused);
  const reasons = new Set(causes.map(({ message }) => message));
  return (
    refused ?? new StoreUnavailable(`No host of the database URL takes writes. ${[...reasons].join(' ')}`)
  );
}

/** The hosts of one URL, for every connection of this thread. */
class Hosts {
  /** The one that was found last comes first. */
  #urls: readonly string[];
  #found: Address | undefined;
  #foundAt = Number.NEGATIVE_INFINITY;
  #finding: Promise<Address> | undefined;
  readonly #connected = new Map<Client, Address>();
  #checking: NodeJS.Timeout | undefined;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /**
   * The address of the host that takes writes.
   * @throws {StoreUnavailable | StoreRefused} when there is none.
   */
  async find(): Promise<Address> {
    if (this.#found !== undefined && performance.now() - this.#foundAt < FOUND_FOR_MS) return this.#found;
    this.#finding ??= this.#askAll().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  /** What was found is not there: the next connection looks for it again. */
  forget(): void {
    this.#found = undefined;
  }

  add(client: Client, address: Address): void {
    this.#connected.set(client, address);
    client.once('end', () => this.#connected.delete(client));
    this.#checking ??= setInterval(() => this.#check(), CHECK_MS).unref();
  }

  #check(): void {
    if (this.#connected.size > 0) return void this.find().catch(() => {});
    clearInterval(this.#checking);
    this.#checking = undefined;
  }

  /** Asks one after the other, none of which keeps the next one waiting for long. */
  async #askAll(): Promise<Address> {
    const ending = new AbortController();
    const probes = new Map<Client, Promise<Address>>();
    let before: Promise<unknown> | undefined;
    const answers = this.#urls.map((url, i) => {
      const start = sleep(i * STAGGER_MS, undefined, { signal: ending.signal });
      const begun = before === undefined ? start : Promise.race([start, failureOf(before)]);
      const answer = begun.then(() => this.#ask(url, probes)).then((address) => ({ url, address }));
      before = answer;
      return answer;
    });
    try {
      const { url, address } = await Promise.any(answers);
      this.#urls = [url, ...this.#urls.filter((other) => other !== url)];
      this.#found = address;
      this.#foundAt = performance.now();
      for (const [client, answer] of probes) this.#leave(client, answer);
      return address;
    } catch (error) {
      throw reasonOf(error as AggregateError);
    } finally {
      ending.abort();
    }
  }

  #ask(url: string, probes: Map<Client, Promise<Address>>): Promise<Address> {
    const times = { connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS };
    const client = new Client({ connectionString: driverUrl(url), ...times });
    client.on('error', () => {});
    const answer = mustWrite(client);
    probes.set(client, answer);
    return answer;
  }

  /** Another was found: connections to one that takes no writes are given up as soon as that is known. */
  #leave(probe: Client, answer: Promise<Address>): void {
    (probe.connection.stream as Socket).unref();
    const { host, port } = probe;
    answer.catch(() => {
      for (const [client, address] of this.#connected) {
        if (address.host === host && address.port === port) client.connection.stream.destroy();
      }
    });
  }
}

const known = new Map<string, Hosts>();

/** What connects to a URL; where it names several hosts, to the one that takes writes. */
export function clientOf(url: string): typeof Client {
  const urls = urlsOf(url);
  if (urls.length === 1) return Client;
  const hosts = known.getOrInsertComputed(url, () => new Hosts(urls));

  return class extends Client {
    override connect(): Promise<Client>;
    override connect(done: (error: Error) => void): void;
    override connect(done?: (error: Error) => void): Promise<Client> | undefined {
      if (done === undefined) return this.#open();
      callbackify(() => this.#open())(done);
      return undefined;
    }

    async #open(): Promise<Client> {
      // The pool listens for errors only when this has ended.
      this.on('error', () => {});
      const address = await hosts.find();
      // The caller has given up meanwhile.
      if (this.connection.stream.destroyed) throw StoreUnavailable.late();
      const { connectionParameters } = this as unknown as { connectionParameters: object };
      Object.assign(this, address);
      Object.assign(connectionParameters, address);
      hosts.add(this, address);
      try {
        await super.connect();
        return this;
      } catch (error) {
        hosts.forget();
        throw error;
      }
    }
  };
}
