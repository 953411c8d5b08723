// NumbersClient: the calls for virtual numbers, which in addition to those of any list have ranges.

import type { NumberRange, RangesOptions } from '../contract/ranges.ts';
import { rangesPath } from '../contract/ranges.ts';
import { virtual_numbers } from '../contract/virtual-numbers.ts';
import type {
  VirtualNumber,
  VirtualNumbers,
  VirtualNumbersFilters,
  VirtualNumbersQuery,
} from '../lists/virtual-numbers.ts';
import { itemsByNumber, MAX_BY_NUMBER } from './by-number.ts';
import { ListClient } from './list-client.ts';
import type { CallOptions, WithOwn } from './options.ts';
import { Page, type PagePromise, pagePromise } from './page.ts';
import type { Transport } from './transport.ts';

/** The virtual numbers, as the account of the client's token sees them. */
export class NumbersClient<Own = unknown> extends ListClient<WithOwn<VirtualNumbers, Own>> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(virtual_numbers, transport);
    this.#transport = transport;
  }

  /**
   * The numbers that have these digits, however they are written: usually one, none where the account has no
   * such number. One without its country code is found by its last digits, and may be several.
   *
   * ```ts
   * const [number] = await client.virtualNumbers.getByNumber('020 7946 0018');
   * console.log(number?.id ?? 'not one of ours');
   * ```
   * @throws {Problem} `invalid-parameter` for a text without a digit
   */
  async getByNumber(number: string, options: CallOptions = {}): Promise<readonly (VirtualNumber & Own)[]> {
    const page = (params: VirtualNumbersQuery, call: CallOptions) => this.list(params, call);
    const found = await itemsByNumber(page, virtual_numbers, number, {}, MAX_BY_NUMBER, options);
    return found.items;
  }

  /**
   * The numbers as ranges, as forms of porting and telephone systems take them: a page, or with `for await`
   * all of them. With `split_by`, a new range also begins where one of these fields changes.
   *
   * ```ts
   * for await (const { from, to, count } of client.virtualNumbers.ranges({ statuses: ['active'] })) {
   *   console.log(from, to, count);
   * }
   * ```
   * @throws {Problem}
   */
  ranges(
    query: VirtualNumbersFilters & RangesOptions = {},
    options: CallOptions = {},
  ): PagePromise<NumberRange> {
    const path = rangesPath(virtual_numbers);
    const request = {
      ...options,
      transport: this.#transport,
      list: virtual_numbers,
      path,
      params: { ...query },
    };
    return pagePromise(Page.fetch<NumberRange>(request));
  }
}
