// A page as it leaves: the text of its envelope, and what its headers need.

/** One page of a list. */
export interface Page {
  /** Of a worker thread as UTF-8. */
  readonly body: string | Uint8Array;
  readonly revision: string;
  readonly page: number;
  readonly page_size: number;
  readonly total_pages: number;
  /** Filters, order and fields as a query string, for the links. */
  readonly selection: string;
  /** Where the next page starts; absent on the last one. */
  readonly next?: string;
  /**
   * What leads to the changes since this page and those before it, as a query string; absent where what
   * those were read from is no more.
   */
  readonly monitor?: string;
}

/** The envelope as JSON text around items that are JSON text already. */
export function envelopeText(
  items: readonly unknown[],
  page: number,
  page_size: number,
  total: number,
  total_pages: number,
) {
  return `{"data":[${items.join(',')}],"page":${page},"page_size":${page_size},"total":${total},"total_pages":${total_pages}}`;
}
