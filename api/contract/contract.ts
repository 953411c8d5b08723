// The contract as data: the lists, each in a file of its own, and the limits of a query. Validation, SQL,
// OpenAPI, documentation and import are made from it.

import { additional_services } from './additional-services.ts';
import { virtual_numbers } from './virtual-numbers.ts';

/** The types of stored services; only `additional` is ever listed. */
export const CATEGORIES = ['additional', 'reputation', 'lead', 'core'] as const;

export const lists = { virtual_numbers, additional_services } as const;

export const envelope = {
  data: 'The items of this page.',
  page: 'The page number that was requested.',
  page_size: 'The page size used.',
  total: 'How many items match, over all pages.',
  total_pages: 'ceil(total / page_size); 0 when nothing matches.',
} as const;

/** The largest integer that JSON numbers keep exactly: the limit of ids and page numbers. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
export const MAX_LIST_VALUES = 1_000;
/** Values of one parameter in the body of a QUERY. */
export const MAX_BODY_LIST_VALUES = 10_000;
/** Values of all parameters together: parsing more would delay every other request. */
export const MAX_BODY_VALUES = 20_000;
export const MAX_Q_CHARACTERS = 200;
/** The result of a tool for agents, as it is sent. */
export const MAX_TOOL_RESULT_BYTES = 256_000;
/** The results of all calls of a batch together. */
export const MAX_TOOL_RESULTS_BYTES = 1_048_576;
/** Characters of any other text of an item. */
export const MAX_TEXT_CHARACTERS = 1_000;
/** Characters of a telephone number, as written. */
export const MAX_NUMBER_CHARACTERS = 100;
export const DEFAULT_PAGE_SIZE = 10;
export const DEFAULT_MAX_PAGE_SIZE = 1_000;
