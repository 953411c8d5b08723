// The header `Linecard-Account` (docs/generated/api.md, "Accounts below accounts"): the caller's own account,
// or one below it.

import { ACCOUNT_HEADER } from '@linecard/client/contract/addresses';
import { invalidParameter, Problem } from '@linecard/client/contract/problems';
import { findLine, type Line } from '../store/account-tree.ts';
import { accountIdFault } from '../store/accounts.ts';
import { type Caller, scopeHeaders } from '../store/callers.ts';
import type { Store } from '../store/store.ts';
import { LookupCache } from './lookup-cache.ts';

/** Visible ASCII. Node joins a header that is there twice with a comma. */
const ENCODED = /^[!-+\--~]+$/;
const EXAMPLE = 'Percent-encode the id of the account as UTF-8, such as K%C3%B6ln for Köln.';

/** The headers of a request that decide whose its answer is. */
export interface AccountHeaders {
  readonly authorization?: string | undefined;
  readonly [ACCOUNT_HEADER]?: string | readonly string[] | undefined;
}

function invalid(detail: string): Problem {
  return invalidParameter([{ parameter: 'Linecard-Account', detail: `Linecard-Account ${detail}` }]);
}

/** `undefined` for broken percent-encoding or UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * The id of the account that the header names.
 * @throws {Problem} `invalid-parameter`
 */
function accountOf(text: string): string {
  if (text === '') throw invalid('must not be empty: leave it out to read your own account.');
  if (text.includes(',')) throw invalid('must be given once. A comma of an id is written %2C.');
  if (!ENCODED.test(text)) throw invalid(`has characters that must be encoded. ${EXAMPLE}`);
  const id = decoded(text);
  if (id === undefined) throw invalid(`is not valid percent-encoded UTF-8. ${EXAMPLE}`);
  const fault = accountIdFault(id);
  if (fault !== undefined) throw invalid(`is no id of an account: it ${fault}.`);
  return id;
}

export class ReachedAccounts {
  readonly #store: Store;
  readonly #cache: LookupCache<Line> | undefined;

  constructor(store: Store, isCached: boolean) {
    this.#store = store;
    this.#cache = isCached ? new LookupCache() : undefined;
  }

  /**
   * The caller as the reader of the account that the header names. Synchronous if that is cached.
   * @throws {Problem} `invalid-parameter`; `forbidden` if there is no such account, it is disabled, or it is
   *   not below the caller's
   */
  reader(caller: Caller, header: string | readonly string[]): Caller | Promise<Caller> {
    const id = accountOf(String(header));
    if (id === caller.account_id) return caller;
    const isNamed = caller.issued?.accounts?.includes(id) === true;
    if (caller.limits.reach !== 'tree' && !isNamed) return readerOf(caller, id, undefined);
    const line = this.#lineOf(id);
    if (line instanceof Promise) return line.then((found) => readerOf(caller, id, found));
    return readerOf(caller, id, line);
  }

  #lineOf(id: string): Line | Promise<Line | undefined> {
    if (this.#cache === undefined) return findLine(this.#store, id);
    const state = this.#store.state?.();
    const cached = this.#cache.find(id, state);
    if (cached !== undefined) return cached;
    const lookup = findLine(this.#store, id);
    this.#cache.set(id, state, lookup);
    return lookup;
  }
}

function readerOf(caller: Caller, account_id: string, line: Line | undefined): Caller {
  const { issued, limits } = caller;
  const own = issued?.accounts ?? [caller.account_id];
  const isAbove = (id: string) => line?.above.includes(id) === true;
  if (line !== undefined && (own.includes(account_id) || (limits.reach === 'tree' && own.some(isAbove))))
    return { ...caller, account_id, revision: line.revision };
  throw new Problem(
    'forbidden',
    `This token may not read the account ${account_id}: it reads its own account and, with the reach tree, enabled accounts below it.`,
    { headers: limits.reach === 'tree' ? {} : scopeHeaders(caller, 'tree') },
  );
}
