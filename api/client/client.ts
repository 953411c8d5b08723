// Client: what a program holds to read from a Linecard deployment. The calls for a list are list-client.ts's,
// how a request travels is transport.ts's.

import { additional_services, virtual_numbers } from '../contract/contract.ts';
import type { AdditionalServices } from '../lists/additional-services-facets.ts';
import type { VirtualNumbers } from '../lists/virtual-numbers-facets.ts';
import { ACCOUNT_PATH, type Account } from './account.ts';
import { withHead } from './answer-head.ts';
import { ListClient } from './list-client.ts';
import type { CallOptions } from './list-types.ts';
import type { ClientOptions } from './options.ts';
import { isAccount } from './shape.ts';
import { Transport } from './transport.ts';

/**
 * Reads from one Linecard deployment the lists of one account: the one that the token belongs to.
 *
 * ```ts
 * import { Client } from '@linecard/client';
 *
 * const client = new Client({ url: 'https://linecard.example.com', token: 'lc_…' });
 * for await (const number of client.virtualNumbers.iterate({ country_codes: ['GB'] })) {
 *   console.log(number.did, number.monthly);
 * }
 * ```
 */
export class Client {
  /** The virtual numbers on the account. */
  readonly virtualNumbers: ListClient<VirtualNumbers>;
  /** The additional services on the account. */
  readonly additionalServices: ListClient<AdditionalServices>;
  readonly #transport: Transport;

  /** @throws {Problem} `invalid-option` */
  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.virtualNumbers = new ListClient(virtual_numbers, transport);
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
  async account(options: CallOptions = {}): Promise<Account> {
    const { signal } = options;
    const { body, head, problem } = await this.#transport.read({ path: ACCOUNT_PATH, params: {}, signal });
    if (isAccount(body)) return withHead(body as Account, head);
    throw problem('unexpected-answer', 'The answer is JSON, but not an account.');
  }
}
