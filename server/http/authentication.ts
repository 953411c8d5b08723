// Authorization header -> caller (contract, section 3), and the record of when each token was last used. The account
// comes from the token and from nowhere else.

import { Problem } from '@linecard/client/contract/problems';
import { revisionStatement } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { type Caller, findCaller, hasExpired, isWellFormedToken, recordUse } from '../store/tokens.ts';

const SCHEME = /^bearer(?: +|$)/i;
/** How long callers are remembered whose look-up is a trip to another process: a revoked token is refused soon enough. */
const REMEMBERED_MILLISECONDS = 2_000;
const MAX_REMEMBERED = 100_000;
/** Callers that are known of the database as it stands. */
const MAX_KNOWN = 20_000;
/** A header that is longer is a token behind odd white space, and not worth its place. */
const MAX_KNOWN_CHARACTERS = 64;

function unauthenticated(detail: string): Problem {
  return new Problem('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer' } });
}

/** Callers for a short while, and look-ups that are under way: many requests of one token make one. */
class RememberedCallers {
  readonly #found = new Map<
    string,
    { readonly caller: Promise<Caller | undefined>; readonly until: number }
  >();

  find(token: string): Promise<Caller | undefined> | undefined {
    const found = this.#found.get(token);
    return found !== undefined && found.until > performance.now() ? found.caller : undefined;
  }

  remember(token: string, caller: Promise<Caller | undefined>): void {
    const now = performance.now();
    this.#found.delete(token);
    for (const [oldest, { until }] of this.#found) {
      if (until > now && this.#found.size < MAX_REMEMBERED) break;
      this.#found.delete(oldest);
    }
    // What it says of the account may have changed since, but not whose the token is.
    const later = caller.then((found) => found && { ...found, revision: undefined });
    const entry = { caller: later, until: now + REMEMBERED_MILLISECONDS };
    this.#found.set(token, entry);
    const forget = () => {
      if (this.#found.get(token) === entry) this.#found.delete(token);
    };
    later.then((found) => found ?? forget(), forget);
  }
}

/** Callers by their header, true of one state of the database: when that moves on they are all forgotten. */
class KnownCallers {
  #state: number | undefined;
  #callers = new Map<string, Caller>();

  /** Those of a state. What comes too late is put where nobody looks any more. */
  at(state: number): Map<string, Caller> {
    if (state !== this.#state) {
      this.#state = state;
      this.#callers = new Map();
    }
    return this.#callers;
  }
}

/** Tells whose a request is and remembers that the token was used. */
export class Authenticator {
  readonly #store: Store;
  readonly #remembered = new RememberedCallers();
  readonly #known: KnownCallers | undefined;
  /** Token id to milliseconds since 1970. */
  #used = new Map<string, number>();

  /** `keeps`: whether callers are kept from request to request where the store can tell that nothing has changed. */
  constructor(store: Store, keeps: boolean) {
    this.#store = store;
    this.#known = keeps ? new KnownCallers() : undefined;
  }

  /**
   * The caller of a request, at once where nothing must be read.
   * @throws {Problem} `unauthenticated`, saying whether the token is missing, malformed or not valid.
   */
  caller(authorization: string | undefined): Caller | Promise<Caller> {
    const state = this.#known && this.#store.state?.();
    if (state === undefined || authorization === undefined) return this.#lookUp(authorization);
    const known = this.#known?.at(state);
    const caller = known?.get(authorization);
    return caller === undefined ? this.#lookUp(authorization, known) : this.#admit(caller);
  }

  async #lookUp(authorization: string | undefined, known?: Map<string, Caller>): Promise<Caller> {
    const token = authorization?.replace(SCHEME, '').trim() ?? '';
    if (token === '')
      throw unauthenticated('The API token is missing: send it as `Authorization: Bearer lc_…`.');
    if (!isWellFormedToken(token)) {
      throw unauthenticated(
        'The API token is malformed: it is `lc_` and 42 letters and digits, and one of them is wrong or missing.',
      );
    }
    const caller = await this.#find(token);
    if (caller !== undefined && known !== undefined && (authorization?.length ?? 0) <= MAX_KNOWN_CHARACTERS) {
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(authorization as string, caller);
    }
    return this.#admit(caller);
  }

  #admit(caller: Caller | undefined): Caller {
    if (caller === undefined || hasExpired(caller)) {
      throw unauthenticated('The API token is not valid: it is unknown, has expired or was revoked.');
    }
    this.#used.set(caller.token_id, Date.now());
    return caller;
  }

  /**
   * The revision of the caller's account, no older than the request.
   * @throws {StoreUnavailable}
   */
  async revision({ account_id, revision }: Caller): Promise<string> {
    if (revision !== undefined) return revision;
    const [[row]] = await this.#store.read(revisionStatement(this.#store.dialect, account_id));
    if (row === undefined) throw new Error(`The account ${account_id} is gone.`);
    return row[0] as string;
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

  #find(token: string): Promise<Caller | undefined> {
    if (!this.#store.dialect.remote) return findCaller(this.#store, token);
    const remembered = this.#remembered.find(token);
    if (remembered !== undefined) return remembered;
    const caller = findCaller(this.#store, token);
    this.#remembered.remember(token, caller);
    return caller;
  }
}
