// One attempt over the network: signed, to public addresses alone, over verified TLS, without redirects, and
// for at most 15 seconds.
//
// Addresses are checked where a connection is made, because a name may resolve to another address each time
// and an address in a URL is not looked up at all.

import { createHmac } from 'node:crypto';
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions, request } from 'node:https';
import { type BlockList, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { deliverLimits } from '../limits/deliver-limits.ts';
import { isPublicAddress, networksOf } from '../public-addresses.ts';
import { VERSION } from '../version.ts';

/** A receiver closes an idle connection after 5 seconds or later, as most servers do. */
const IDLE_MILLISECONDS = 4_000;
const MILLISECONDS_PER_SECOND = 1_000;
const ATTEMPT_MILLISECONDS = deliverLimits.attempt.each * MILLISECONDS_PER_SECOND;
const KIB = 1_024;
const FAULT_CHARACTERS = 200;

/** An address that nothing is sent to. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

type FoundAddresses = (error: Error | null, found: string | LookupAddress[], family?: number) => void;

/** Connects to public addresses, and to those that are allowed. */
class PublicAgent extends Agent {
  readonly #allowed: BlockList;

  constructor(options: AgentOptions, allow: readonly string[]) {
    super(options);
    this.#allowed = networksOf(allow);
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const { host } = options;
    // An address is connected to without a lookup.
    if (typeof host === 'string' && isIP(host) > 0) this.#mustBeAllowed(host);
    const checked = (name: string, how: LookupOptions, found: FoundAddresses) =>
      lookup(name, { ...how, all: true }, (error, addresses) => {
        if (error !== null) return found(error, []);
        try {
          for (const { address } of addresses) this.#mustBeAllowed(address);
        } catch (refused) {
          return found(refused as Error, []);
        }
        const [first] = addresses;
        if (how.all === true) return found(null, addresses);
        return found(null, first?.address ?? '', first?.family);
      });
    return super.createConnection({ ...options, lookup: checked }, callback);
  }

  /** @throws {AddressRefused} */
  #mustBeAllowed(address: string): void {
    if (isPublicAddress(address, this.#allowed)) return;
    throw new AddressRefused(`${address} is not a public address`);
  }
}

/** What is sent. */
export interface Message {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  /** When it is sent, in milliseconds since 1970. */
  readonly at: number;
  /** The current one first. */
  readonly secrets: readonly string[];
}

/** What became of an attempt. */
export interface Outcome {
  /** Undefined where no answer came. */
  readonly status: number | undefined;
  /** Why no answer came. */
  readonly fault: string | undefined;
  /** As the answer has it. */
  readonly retryAfter: string | undefined;
}

export type Send = (message: Message) => Promise<Outcome>;

const SECRET_PREFIX = 'whsec_';

/** The headers of Standard Webhooks 1.0: one signature for each secret. */
export function signedHeaders(
  { id, body, secrets }: Omit<Message, 'at'>,
  seconds: number,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}

const headersOf = (message: Message) => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(message.body),
  'user-agent': `Linecard/${VERSION}`,
  ...signedHeaders(message, Math.floor(message.at / MILLISECONDS_PER_SECOND)),
});

type RequestFault = Error & { readonly code?: string };

/** Why an attempt failed, in words that a customer can act on. */
function faultOf(error: unknown): string {
  const { name, message, code } = error as RequestFault;
  if (name === 'TimeoutError') return `no answer within ${deliverLimits.attempt.each} seconds`;
  if (error instanceof AddressRefused) return message;
  // After a semicolon Node says what to do about its own settings; names of a certificate may be many.
  const [what = ''] = message.split(/[;\n]/, 1);
  const short = what.slice(0, FAULT_CHARACTERS);
  return code === undefined ? short : `${short} (${code})`;
}

/**
 * Ends an attempt whose receiver sends too much: before its answer, and the attempt has failed, or in it.
 * Bytes are counted as they come: interim responses and the framing of chunks may have no end, too.
 */
function limitAnswer(sent: ClientRequest): void {
  const { interimAnswers, answerHead, answer } = deliverLimits;
  let [interim, bytes, isAnswered] = [0, 0, false];
  sent.on('information', () => {
    interim += 1;
    if (interim > interimAnswers.each)
      sent.destroy(new Error(`more than ${interimAnswers.each} interim responses`));
  });
  sent.on('response', () => {
    [bytes, isAnswered] = [0, true];
  });
  sent.on('socket', (socket) => {
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= (isAnswered ? answer : answerHead).each) return;
      const fault = `more than ${answerHead.each / KIB} KiB before the answer`;
      sent.destroy(isAnswered ? undefined : new Error(fault));
    };
    socket.on('data', count);
    sent.on('close', () => socket.off('data', count));
  });
}

const outcomeOf = ({ statusCode: status, headers }: IncomingMessage): Outcome => ({
  status,
  fault: undefined,
  retryAfter: headers['retry-after'],
});

export interface SendingOptions {
  /** Networks that are sent to although they are not public. */
  readonly allow: readonly string[];
  /** Certificates of authorities that are trusted instead of the usual ones. */
  readonly ca?: string | undefined;
  readonly attemptMs?: number;
}

/** Sends over connections that are reused while messages to their receivers follow each other. */
export function sender({ allow, ca, attemptMs = ATTEMPT_MILLISECONDS }: SendingOptions): Send {
  const agent = new PublicAgent(
    { keepAlive: true, timeout: IDLE_MILLISECONDS, minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
    allow,
  );
  const attempt = (message: Message, signal: AbortSignal, isAgain: boolean): Promise<Outcome> => {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const sent = request(message.url, { method: 'POST', agent, headers: headersOf(message), signal });
    let outcome: Outcome | undefined;
    // The status is what counts, however the answer ends.
    const end = (error: Error) => (outcome === undefined ? reject(error) : resolve(outcome));
    limitAnswer(sent);
    sent.on('response', (answer) => {
      const answered = outcomeOf(answer);
      outcome = answered;
      // It is dropped.
      answer.on('error', () => {}).on('close', () => resolve(answered));
      answer.resume();
    });
    // Node closes a connection that nobody takes over, without a response or an error.
    sent.on('upgrade', (answer, socket) => {
      resolve(outcomeOf(answer));
      socket.destroy();
    });
    sent.on('error', (error: RequestFault) => {
      // The receiver closed an idle connection just as it was used again.
      const isLate = sent.reusedSocket && error.code === 'ECONNRESET' && !isAgain && outcome === undefined;
      if (isLate) resolve(attempt(message, signal, true));
      else end(error);
    });
    // Whatever else happens to it, an attempt ends.
    sent.on('close', () => end(new Error('the connection was closed without an answer')));
    sent.end(message.body);
    return promise;
  };
  return async (message) => {
    const timeout = AbortSignal.timeout(attemptMs);
    try {
      return await attempt(message, timeout, false);
    } catch (error) {
      const reason: unknown = timeout.aborted ? timeout.reason : error;
      return { status: undefined, fault: faultOf(reason), retryAfter: undefined };
    }
  };
}
