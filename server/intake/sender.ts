// The headers of a request -> its sender: an operator's token, or a signature that is verified once the body
// is there.

import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '@linecard/client/contract/problems';
import { credentialsOf } from '../http/authentication.ts';
import { mustBeFrom } from '../http/peer.ts';
import { operatorOf } from '../store/access/callers.ts';
import { type Reason, Refusal } from '../store/access/refusals.ts';
import type { Operation, ReadLimits } from '../store/access/token-scopes.ts';
import { TokenUses } from '../store/access/token-uses.ts';
import { isTokenOf, TOKEN_KINDS } from '../store/access/tokens.ts';
import { separate, statement } from '../store/sql.ts';
import type { WithStore } from '../store/store.ts';
import { tokenFault } from '../store/token-text.ts';
import { isSigned, SignedDelivery } from './signature.ts';

/** The sender of a request, and what it may write. */
export interface Sender {
  /** What the log and the rate limit know it by. */
  readonly name: string;
  /** The accounts that may be written; `undefined` for all. */
  readonly accounts: readonly string[] | undefined;
  readonly may: readonly Operation[];
  /** What it sees of what it reads; all if absent. */
  readonly limits?: ReadLimits;
  /** What must be verified once the body is there. */
  readonly delivery?: SignedDelivery;
}

/** All signed requests count as one sender's: whose they are is known only when the body has come. */
const SIGNED = 'webhook';

const unauthenticated = (detail: string, reason: Reason) => new Refusal('unauthenticated', detail, reason);

function tokenOf(authorization: string | undefined): string {
  const token = credentialsOf(authorization);
  if (token === '')
    throw unauthenticated(
      'The operator’s token is missing: send it as `Authorization: Bearer lco_…`, or sign the body.',
      'token_missing',
    );
  if (isTokenOf('operator', token)) return token;
  const fault = tokenFault(token, TOKEN_KINDS.operator.prefix);
  throw unauthenticated(
    `The operator’s token is malformed: ${fault} Make one with \`token create --operator\`.`,
    'token_malformed',
  );
}

/**
 * An account may be renamed, and another get its id, while a request waits: who holds the lock of the lists
 * checks again what its token is bound to.
 * @throws {Problem} `conflict`; `unauthenticated` if the token is gone.
 */
export async function mustStillBeBound(read: WithStore, { name, accounts }: Sender): Promise<void> {
  if (accounts === undefined) return;
  const text = 'select accounts from operator_tokens where id = $1 and revoked_at is null';
  const [[row]] = await read(async (store) => store.read(separate(statement(text, name))));
  if (row === undefined) throw unauthenticated('The token was revoked.', 'token_revoked');
  const now = new Set(JSON.parse(String(row[0])) as string[]);
  if (now.size === new Set(accounts).size && accounts.every((one) => now.has(one))) return;
  throw new Problem(
    'conflict',
    'An account of this token got another id while the request waited. Nothing was imported; send it again.',
  );
}

/** Finds the sender of a request, and records that its token was used. */
export class Senders {
  readonly #read: WithStore;
  readonly #secrets: readonly string[];
  readonly uses = new TokenUses('operator');

  /** @param read runs work on the store that has the tokens. */
  constructor(read: WithStore, secrets: readonly string[]) {
    this.#read = read;
    this.#secrets = secrets;
  }

  /**
   * @param peer the address of the client
   * @throws {Problem} `unauthenticated`; `forbidden` from another network than the token may be used from
   */
  async find(headers: IncomingHttpHeaders, peer: string): Promise<Sender> {
    const { authorization } = headers;
    if (authorization === undefined && isSigned(headers)) {
      const delivery = new SignedDelivery(headers, this.#secrets);
      return { name: SIGNED, accounts: undefined, may: ['import'], delivery };
    }
    const token = tokenOf(authorization);
    const operator = await this.#read((store) => operatorOf(store, token));
    const { token_id: name, accounts, may, ...limits } = operator;
    mustBeFrom(limits.addresses, peer);
    this.uses.record(name);
    return { name, accounts: accounts ?? undefined, may, limits };
  }
}
