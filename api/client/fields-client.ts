// FieldsClient: which fields of a list the operator of the deployment declared, as its OpenAPI document says.

import { OPENAPI_PATH } from '../contract/addresses.ts';
import type { List } from '../contract/list.ts';
import { type OwnFieldFacts, ownFactsOf } from '../contract/own-fields.ts';
import { itemName } from '../contract/wording.ts';
import type { CallOptions } from './options.ts';
import { isObject } from './shape.ts';
import type { Transport } from './transport.ts';

export class FieldsClient {
  readonly #list: List;
  readonly #transport: Transport;

  constructor(list: List, transport: Transport) {
    this.#list = list;
    this.#transport = transport;
  }

  /**
   * The fields of this list that the operator of the deployment declared, in their order. Most declare none.
   *
   * ```ts
   * for (const { name, kind, title } of await client.virtualNumbers.fields()) {
   *   console.log(name, kind, title); // x_site text Site
   * }
   * ```
   * @throws {Problem}
   */
  async fields(options: CallOptions = {}): Promise<readonly OwnFieldFacts[]> {
    const call = { ...options, path: OPENAPI_PATH, params: {}, isOfAll: true } as const;
    const { body } = await this.#transport.read<unknown>(call, [isObject, 'an OpenAPI document']);
    return ownFactsOf(body, itemName(this.#list));
  }
}
