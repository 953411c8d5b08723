// How many connections there may be, in all and from one address, and what one too many is answered.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '@linecard/client/contract/problems';
import { partyOf } from './failures.ts';

/** How long one too many has for its request, and to take its answer. */
const REFUSED_MILLISECONDS = 2_000;
/** So many at a time are answered why they are refused; any more are closed without a word. */
const MAX_ANSWERED = 100;
const RETRY_SECONDS = '5';

export interface ConnectionSettings {
  /** Connections at once; 0 for no limit. */
  readonly maxConnections: number;
  /** Connections at once from one address; 0 for no limit. */
  readonly maxConnectionsPerAddress: number;
}

/** Why a connection was refused: there are too many in all, or from its address. */
type Refusal = 'all' | 'address';

const DETAILS: Readonly<Record<Refusal, string>> = {
  all: 'There are as many connections as the service takes.',
  address: 'There are as many connections from this address as the service takes.',
};

/**
 * The connections of a server. One too many is answered 503 rather than reset, where it soon has a request:
 * what is not answered looks like a fault of the network, and is tried again at once.
 */
export class Connections {
  /** How many were refused, by reason. */
  readonly refused: Record<Refusal, number> = { all: 0, address: 0 };
  readonly #settings: ConnectionSettings;
  readonly #isProxy: (address: string | undefined) => boolean;
  readonly #ofAddress = new Map<string, number>();
  /** Of those that are answered so. An encrypted connection is another object than what it is made of. */
  readonly #refusals = new WeakMap<object, Refusal>();
  readonly #refusedPeers = new Map<string, Refusal>();
  #open = 0;
  #refusedOpen = 0;

  /** `isProxy`: whether the connections from an address are those of many clients. */
  constructor(settings: ConnectionSettings, isProxy: (address: string | undefined) => boolean) {
    this.#settings = settings;
    this.#isProxy = isProxy;
  }

  /** How many there are; those that are refused are not counted. */
  get open(): number {
    return this.#open;
  }

  /** Counts the connections of a server, and refuses what is too many. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#take(socket));
    server.on('secureConnection', (socket: Socket) => {
      const refusal = this.#refusedPeers.get(peerOf(socket));
      if (refusal !== undefined) this.#refusals.set(socket, refusal);
    });
  }

  /** Why a request on a connection is not answered; `undefined` where it is. */
  refusalOf(socket: object): Problem | undefined {
    const refusal = this.#refusals.get(socket);
    if (refusal === undefined) return undefined;
    const detail = `${DETAILS[refusal]} Use those that are open again, or try again in ${RETRY_SECONDS} seconds.`;
    return new Problem('unavailable', detail, { headers: { 'retry-after': RETRY_SECONDS } });
  }

  #take(socket: Socket): void {
    const { remoteAddress: address } = socket;
    // On a Unix socket there is none.
    const party = address === undefined || this.#isProxy(address) ? undefined : partyOf(address);
    const refusal = this.#refusalFor(party);
    if (refusal !== undefined) return this.#refuse(socket, refusal);
    this.#open += 1;
    if (party !== undefined) this.#count(party, 1);
    socket.once('close', () => {
      this.#open -= 1;
      if (party !== undefined) this.#count(party, -1);
    });
  }

  #refusalFor(party: string | undefined): Refusal | undefined {
    const { maxConnections, maxConnectionsPerAddress } = this.#settings;
    if (maxConnections > 0 && this.#open >= maxConnections) return 'all';
    const isMany = party !== undefined && (this.#ofAddress.get(party) ?? 0) >= maxConnectionsPerAddress;
    return isMany && maxConnectionsPerAddress > 0 ? 'address' : undefined;
  }

  #count(party: string, more: number): void {
    const count = (this.#ofAddress.get(party) ?? 0) + more;
    if (count === 0) this.#ofAddress.delete(party);
    else this.#ofAddress.set(party, count);
  }

  #refuse(socket: Socket, refusal: Refusal): void {
    this.refused[refusal] += 1;
    if (this.#refusedOpen >= MAX_ANSWERED) return void socket.destroy();
    this.#refusedOpen += 1;
    const peer = peerOf(socket);
    this.#refusals.set(socket, refusal);
    this.#refusedPeers.set(peer, refusal);
    const timer = setTimeout(() => socket.destroy(), REFUSED_MILLISECONDS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      this.#refusedOpen -= 1;
      this.#refusedPeers.delete(peer);
    });
  }
}

/** What is different of any two connections of a server. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
