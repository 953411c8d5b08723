// NumbersClient: the calls for virtual numbers, which in addition to those of any list have ranges.

import type { NumberRange, RangesOptions } from '../contract/ranges.ts';
import { rangesPath } from '../contract/ranges.ts';
import { virtual_numbers } from '../contract/virtual-numbers.ts';
import type { VirtualNumbers, VirtualNumbersFilters } from '../lists/virtual-numbers.ts';
import { ListClient } from './list-client.ts';
import type { CallOptions } from './options.ts';
import { Page, type PagePromise, pagePromise } from './page.ts';
import type { Transport } from './transport.ts';

/** The virtual numbers, as the account of the client's token sees them. */
export class NumbersClient extends ListClient<VirtualNumbers> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(virtual_numbers, transport);
    this.#transport = transport;
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
