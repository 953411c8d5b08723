// Signatures of Standard Webhooks, version 1: who sent a body, and that it is complete.
// https://github.com/standard-webhooks/standard-webhooks, "Signature scheme"

import { createHash, createHmac, type Hmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '@linecard/client/contract/problems';

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
const SECRET_PREFIX = 'whsec_';
const VERSION = 'v1,';
const SECONDS = /^\d{1,12}$/;
/** A delivery that is older, or of a later time, may be one that somebody has recorded. */
export const TOLERANCE_SECONDS = 300;
const MAX_ID_CHARACTERS = 200;
/** A sender signs with the old secret and the new one while it changes them; more would be guessing. */
const MAX_SIGNATURES = 10;

const unauthenticated = (detail: string) => new Problem('unauthenticated', detail);

/** Whether a request says that it is a signed delivery. */
export function isSigned(headers: IncomingHttpHeaders): boolean {
  return HEADERS.some((name) => headers[name] !== undefined);
}

/** A delivery whose body is on its way: it is signed by what comes before the body, and all of the body. */
export class SignedDelivery {
  /** The sender's id of it, which is the same when it is sent again. */
  readonly id: string;
  readonly #signatures: readonly Buffer[];
  readonly #digests: readonly { readonly secret: string; readonly hmac: Hmac }[];
  #signer: string | undefined;

  /** @throws {Problem} `unauthenticated` when a header is missing or no signature could be right. */
  constructor(headers: IncomingHttpHeaders, secrets: readonly string[], now = Date.now()) {
    const [id, timestamp, signatures] = HEADERS.map((name) => headers[name]) as (string | undefined)[];
    if (!id || !timestamp || !signatures)
      throw unauthenticated(`A signed delivery has three headers: ${HEADERS.join(', ')}.`);
    if (secrets.length === 0)
      throw unauthenticated('Signed deliveries are not taken here: no --webhook-secret is set.');
    if (id.length > MAX_ID_CHARACTERS)
      throw unauthenticated(`webhook-id must not have more than ${MAX_ID_CHARACTERS} characters.`);
    const off = SECONDS.test(timestamp) ? Math.abs(Math.floor(now / 1_000) - Number(timestamp)) : Number.NaN;
    if (!(off <= TOLERANCE_SECONDS))
      throw unauthenticated(
        'webhook-timestamp must be the seconds since 1970 at which it is sent, not more than 5 minutes from now.',
      );
    this.id = id;
    this.#signatures = signatures
      .split(' ', MAX_SIGNATURES)
      .filter((one) => one.startsWith(VERSION))
      .map((one) => Buffer.from(one.slice(VERSION.length), 'base64'));
    this.#digests = secrets.map((secret) => {
      const hmac = createHmac('sha256', Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'));
      return { secret, hmac: hmac.update(`${id}.${timestamp}.`) };
    });
  }

  /** What the sender is known by, once its signature is verified: a digest of its secret. */
  get signer(): string | undefined {
    return this.#signer;
  }

  /** Takes in the next bytes of the body. */
  update(chunk: Buffer): void {
    for (const { hmac } of this.#digests) hmac.update(chunk);
  }

  /**
   * The secret that the body is signed with; to be called once.
   * @throws {Problem} `unauthenticated` when it is none that is known.
   */
  verified(): string {
    // Every pair is compared, so that the time says nothing of which one was right.
    const matching = this.#digests.filter(({ hmac }) => {
      const digest = hmac.digest();
      const equal = this.#signatures.map(
        (one) => one.length === digest.length && timingSafeEqual(one, digest),
      );
      return equal.includes(true);
    });
    if (matching[0] !== undefined) {
      const { secret } = matching[0];
      this.#signer = createHash('sha256').update(secret).digest('base64url');
      return secret;
    }
    throw unauthenticated('The signature is not valid: it is of another secret, or of another body.');
  }
}
