// Client: reads the account and the lists of one Linecard deployment. The calls for a list are in
// list-client.ts, requests in transport.ts.

import { accounts } from '../contract/accounts.ts';
import type { ActivityEntry, ActivityQuery } from '../contract/activity.ts';
import { additional_services } from '../contract/additional-services.ts';
import { ACCOUNT_PATH } from '../contract/addresses.ts';
import type { lists } from '../contract/contract.ts';
import { Problem } from '../contract/problems.ts';
import type { Params } from '../contract/query.ts';
import { WEBHOOKS_PATH, type Webhook, webhookPath } from '../contract/webhooks.ts';
import type { AdditionalServices } from '../lists/additional-services.ts';
import { ActivityPage, type ActivityPromise } from './activity.ts';
import { withHead } from './headers.ts';
import { LargePages } from './large-pages.ts';
import { ListClient } from './list-client.ts';
import { NumbersClient } from './numbers-client.ts';
import type { CallOptions, ClientOptions, WithOwn } from './options.ts';
import { Page, type PagePromise, pagePromise } from './page.ts';
import { isAccount, isWebhook, isWebhooks } from './shape.ts';
import { Transport } from './transport.ts';

type ListName = keyof typeof lists;

/** Of each list, how many items it has; null where the token may not see them. */
type Counts = Readonly<Record<ListName, number | null>>;

export interface Account extends Counts {
  /** The operator's own id of the customer. */
  readonly id: string;
  /** What the account is called; empty when nothing was given. */
  readonly name: string;
  /** The ISO 4217 code of all its charges; null where the operator has set none, or the token sees none. */
  readonly currency: string | null;
  /** When anything on it last changed. */
  readonly updated_at: string;
  /** The token that the client holds. */
  readonly token: {
    /** The operator revokes it by this id. */
    readonly id: string;
    /** What the operator called it. */
    readonly name: string;
    /** When it ends; null for one that does not. */
    readonly expires_at: string | null;
    /** The lists that it may see. */
    readonly lists: readonly ListName[];
    /** Whether it sees charges. Without them they are in no item and no facets. */
    readonly charges: boolean;
    /**
     * `account`: its own account alone; `tree`: also the accounts below it; `operator`: the accounts that a
     * token of the operator is for.
     */
    readonly reach: 'account' | 'tree' | 'operator';
  };
}

/** An account directly below the one that is read. */
export type AccountBelow = Omit<Account, 'token'> & {
  /** How many accounts are directly below it. */
  readonly accounts: number;
};

/** What to list of the accounts below. */
export interface AccountsQuery {
  /** Only those with this text in their id or name, whatever the case. */
  readonly q?: string | undefined;
  /** Default 1. */
  readonly page?: number | undefined;
  /** Default 10. */
  readonly page_size?: number | undefined;
}

/**
 * Reads from one Linecard deployment the lists of one account: the one that the token belongs to or, with
 * `account`, one below it.
 *
 * ```ts
 * import { Client } from '@linecard/client';
 *
 * const client = new Client({ url: 'https://linecard.example.com', token: 'lc_…' });
 * for await (const number of client.virtualNumbers.iterate({ country_codes: ['GB'] })) {
 *   console.log(number.did, number.monthly);
 * }
 * ```
 *
 * The type parameters are the operator's own fields of the items of each list, where a program knows them:
 * `new Client<{ x_site: string; x_last_call: string | null }>(…)`.
 */
export class Client<Numbers = unknown, Services = unknown> {
  /** The virtual numbers on the account. */
  readonly virtualNumbers: NumbersClient<Numbers>;
  /** The additional services on the account. */
  readonly additionalServices: ListClient<WithOwn<AdditionalServices, Services>>;
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #largePages = new LargePages();

  /** @throws {Problem} `invalid-option` */
  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.#options = options;
    this.virtualNumbers = new NumbersClient(transport);
    this.additionalServices = new ListClient(additional_services, transport);
  }

  /**
   * Whose token this is, in which currency the charges are, and how much there is on the account.
   *
   * ```ts
   * const { name, currency, virtual_numbers, token } = await client.account();
   * console.log(`${name}: ${virtual_numbers} numbers, charges in ${currency ?? 'an unknown currency'}`);
   * console.log(`The token ${token.name} ends ${token.expires_at ?? 'never'}`);
   * ```
   * @throws {Problem}
   */
  account(options?: CallOptions): Promise<Account>;
  /**
   * A client with the same token and options for an account below, at any level; the token's reach must be
   * `tree`.
   *
   * ```ts
   * const numbers = await client.account('harbour-dental').virtualNumbers.list();
   * console.log(numbers.total);
   * ```
   * @throws {Problem} `invalid-option`
   */
  account(id: string): Client<Numbers, Services>;
  account(given: string | CallOptions = {}): Client<Numbers, Services> | Promise<Account> {
    if (typeof given === 'string') return new Client<Numbers, Services>({ ...this.#options, account: given });
    return this.#readAccount(given);
  }

  async #readAccount(options: CallOptions): Promise<Account> {
    const call = { ...options, path: ACCOUNT_PATH, params: {} };
    const { body, head } = await this.#transport.read<Account>(call, [isAccount, 'an account']);
    return withHead(body, head);
  }

  /**
   * The accounts directly below, by id, for a token whose reach is `tree`: a page, or with `for await` all of
   * them.
   *
   * ```ts
   * for await (const { id, name, virtual_numbers } of client.accounts()) {
   *   console.log(`${name} (${id}): ${virtual_numbers} numbers`);
   * }
   * ```
   * @throws {Problem} `forbidden` for a token with another reach
   */
  accounts(query: AccountsQuery = {}, options: CallOptions = {}): PagePromise<AccountBelow> {
    const request = { ...options, transport: this.#transport, list: accounts, params: { ...query } };
    return pagePromise(Page.fetch<AccountBelow>(request));
  }

  /**
   * What happened to the items of the account, newest first: one entry for each import, list and event.
   * `await` gives a page; `for await` walks over all of it. Without `events`, everything but `changed`.
   *
   * ```ts
   * const { since } = await client.activity();
   * console.log(`Everything is known since ${since}`);
   * for await (const { at, list, event, count, ids } of client.activity({ from: '2026-11-01' })) {
   *   console.log(at, list, event, count, ids);
   * }
   * ```
   * @throws {Problem}
   */
  activity(query: ActivityQuery = {}, options: CallOptions = {}): ActivityPromise {
    const ask = (params: object) => ActivityPage.fetch(this.#transport, params, options);
    return pagePromise<ActivityEntry, ActivityPage>(this.#largePages.ask(query, ask));
  }

  /**
   * The webhook endpoints of the account, the oldest first, and how each is doing. The operator creates them.
   *
   * ```ts
   * const webhooks = await client.webhooks();
   * console.log(webhooks.filter(({ failing_since }) => failing_since !== null));
   * ```
   * @throws {Problem}
   */
  async webhooks(options: CallOptions = {}): Promise<readonly Webhook[]> {
    const call = { ...options, path: WEBHOOKS_PATH, params: {} };
    type Answer = { readonly data: readonly Webhook[] };
    const { body, head } = await this.#transport.read<Answer>(call, [isWebhooks, 'webhooks']);
    return withHead(body.data, head);
  }

  /**
   * One webhook endpoint of the account, with all attempts that are retained.
   *
   * ```ts
   * for (const { id } of await client.webhooks()) {
   *   const { attempts } = await client.webhook(id);
   *   console.log(id, attempts.filter(({ fault }) => fault !== null));
   * }
   * ```
   * @throws {Problem} `not-found` where the account has none of that id
   */
  async webhook(id: string, options: CallOptions = {}): Promise<Webhook> {
    const call = { ...options, path: webhookPath(encodeURIComponent(id)), params: {} };
    const { body, head } = await this.#transport.read<Webhook>(call, [isWebhook, `the webhook ${id}`]);
    return withHead(body, head);
  }

  /**
   * The JSON of any address of the API, for what this version of the client does not know.
   *
   * ```ts
   * const { total } = await client.request<{ total: number }>('/api/v1/did/me', { page_size: 1 });
   * console.log(total);
   * ```
   * @param path begins with a slash, and has no query
   * @throws {Problem}
   */
  async request<T = unknown>(path: string, params: Params = {}, options: CallOptions = {}): Promise<T> {
    if (!/^\/(?!\/)[^?#\s]*$/.test(path))
      throw new Problem('invalid-option', '`path` must begin with a slash and have no query: give `params`.');
    const { body } = await this.#transport.read<T>({ ...options, path, params }, [() => true, 'JSON']);
    return body;
  }
}

/** The calls of each list by its name, for programs that treat lists alike. */
export const clientsOf = (client: Client): Readonly<Record<ListName, unknown>> => ({
  virtual_numbers: client.virtualNumbers,
  additional_services: client.additionalServices,
});
