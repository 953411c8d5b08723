// Authorization header -> caller (contract, section 3), and the record of when each token was last used. The account
// comes from the token and from nowhere else.

import { Problem } from '@linecard/client';
import type { Store } from './store.ts';
import { type Caller, findCaller, isWellFormedToken, recordUse } from './tokens.ts';

const SCHEME = /^bearer(?: +|$)/i;

function unauthenticated(detail: string): Problem {
  return new Problem('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer' } });
}

/** Tells whose a request is and remembers that the token was used. */
export class Authenticator {
  readonly #store: Store;
  /** Token id to milliseconds since 1970. */
  #used = new Map<string, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * The caller of a request.
   * @throws {Problem} `unauthenticated`, saying whether the token is missing, malformed or not valid.
   */
  async caller(authorization: string | undefined): Promise<Caller> {
    const token = authorization?.replace(SCHEME, '').trim() ?? '';
    if (token === '')
      throw unauthenticated('The API token is missing: send it as `Authorization: Bearer lc_…`.');
    if (!isWellFormedToken(token)) {
      throw unauthenticated(
        'The API token is malformed: it is `lc_` and 42 letters and digits, and one of them is wrong or missing.',
      );
    }
    const caller = await findCaller(this.#store, token);
    if (caller === undefined) {
      throw unauthenticated('The API token is not valid: it is unknown, has expired or was revoked.');
    }
    this.#used.set(caller.token_id, Date.now());
    return caller;
  }

  /**
   * Writes down when tokens were last used, in one transaction beside the requests.
   * @throws {StoreUnavailable} when the store is being written to; nothing is lost, the next call tries again.
   */
  async noteUse(store: Store): Promise<void> {
    if (this.#used.size === 0) return;
    const used = this.#used;
    this.#used = new Map();
    try {
      await recordUse(store, used);
    } catch (error) {
      this.#used = new Map([...used, ...this.#used]);
      throw error;
    }
  }

  get hasUse(): boolean {
    return this.#used.size > 0;
  }
}
