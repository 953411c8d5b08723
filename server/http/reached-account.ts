// The header `Linecard-Account` (docs/generated/api.md, "Accounts below accounts"): the caller's own account,
// one below it, or with the token of an operator any of its accounts.

import { ACCOUNT_HEADER } from '@linecard/client/contract/addresses';
import { invalidParameter, type Problem } from '@linecard/client/contract/problems';
import { decoded } from '@linecard/client/contract/query-faults';
import type { CacheStatistics } from '../answers/cache.ts';
import { findLine, type Line } from '../store/access/account-tree.ts';
import { accountIdFault } from '../store/access/accounts.ts';
import { type Caller, scopeHeaders, storeFor } from '../store/access/callers.ts';
import { Refusal } from '../store/access/refusals.ts';
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

/** A refusal of an account that a caller named: alike in every byte, whether there is one or not. */
export class AccountRefused extends Refusal {}

interface NamedAccount extends Line {
  readonly account_id: string;
}

/** The line of an account that nobody reads but itself. */
const ROOT: Line = { revision: undefined, above: [] };

export class ReachedAccounts {
  readonly #store: Store;
  /** By header, so that it is parsed once. */
  readonly #cache: LookupCache<NamedAccount> | undefined;

  constructor(store: Store, isCached: boolean) {
    this.#store = store;
    this.#cache = isCached ? new LookupCache() : undefined;
  }

  get statistics(): CacheStatistics | undefined {
    return this.#cache?.statistics;
  }

  /**
   * The caller as the reader of the account that the header names. Synchronous if that is cached.
   * @throws {Problem} `invalid-parameter`; `forbidden` if there is no such account, it is disabled, or it is
   *   not one that the caller reads
   */
  reader(caller: Caller, header: string | readonly string[]): Caller | Promise<Caller> {
    const text = String(header);
    const { limits, issued, operator } = caller;
    if (limits.reach === 'account' && issued?.accounts === undefined)
      return readerOf(caller, { account_id: accountOf(text), ...ROOT });
    // Refused before it is looked up: how long that takes tells nothing of an account that is not its own.
    if (operator?.accounts) mustRead(caller, { account_id: accountOf(text), ...ROOT });
    const state = this.#store.state?.();
    const cached = this.#cache?.find(text, state);
    if (cached !== undefined && !(cached instanceof Promise)) return readerOf(caller, cached);
    const account_id = accountOf(text);
    if (account_id === caller.account_id) return caller;
    const lookup = cached ?? this.#lookUp(text, account_id, { caller, state });
    return lookup.then((found) => {
      if (found === undefined) throw forbidden(caller, account_id);
      return readerOf(caller, found);
    });
  }

  #lookUp(
    text: string,
    account_id: string,
    { caller, state }: { readonly caller: Caller; readonly state: number | undefined },
  ): Promise<NamedAccount | undefined> {
    const store = storeFor(this.#store, caller);
    const lookup = findLine(store, account_id).then((line) => line && { ...line, account_id });
    this.#cache?.set(text, state, lookup);
    return lookup;
  }
}

function readerOf(caller: Caller, account: NamedAccount): Caller {
  const { account_id, revision } = account;
  if (account_id === caller.account_id) return caller;
  mustRead(caller, account);
  return { ...caller, account_id, revision };
}

/** @throws {AccountRefused} */
function mustRead(caller: Caller, { account_id, above }: NamedAccount): void {
  const { limits, issued, operator } = caller;
  const isOfIssued = (id: string) => issued?.accounts?.includes(id) === true;
  const isBelow = above.includes(caller.account_id) || above.some(isOfIssued);
  const mayRead =
    operator === undefined
      ? isOfIssued(account_id) || (isBelow && limits.reach === 'tree')
      : (operator.accounts?.includes(account_id) ?? true);
  if (!mayRead) throw forbidden(caller, account_id);
}

function forbidden(caller: Caller, account_id: string): AccountRefused {
  const reads =
    caller.operator === undefined
      ? 'its own account and, with the reach tree, enabled accounts below it'
      : 'the enabled accounts that it was created for';
  return new AccountRefused(
    'forbidden',
    `This token may not read the account ${account_id}: it reads ${reads}.`,
    'account_header',
    { headers: caller.limits.reach === 'account' ? scopeHeaders(caller, 'tree') : {} },
  );
}
