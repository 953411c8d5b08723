// A page as a type. Made from the contract by `npm run docs`: change that instead.

/** A page as an answer carries it: exactly these fields, in this order. */
export interface PageOf<Item> {
  /** The items of this page. */
  data: Item[];
  /** The page number that was requested. */
  page: number;
  /** The page size used. */
  page_size: number;
  /** How many items match, over all pages. */
  total: number;
  /** ceil(total / page_size); 0 when nothing matches. */
  total_pages: number;
}
