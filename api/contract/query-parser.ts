// Text -> query: a query string or a JSON body, read by the rules of one list. Nothing is ignored, clamped or
// widened: what is wrong is reported, all of it at once. It must not know where anything is stored.

import {
  DEFAULT_MAX_PAGE_SIZE,
  DEFAULT_PAGE_SIZE,
  MAX_BODY_LIST_VALUES,
  MAX_LIST_VALUES,
} from './contract.ts';
import type { List } from './list.ts';
import type { Query } from './query.ts';
import { QueryReader } from './query-reader.ts';
import { type Rule, rulesOf, type Use } from './rules.ts';

/**
 * The names that a JSON object has more than once, which parsing alone does not show; the text is valid JSON.
 */
function repeatedMembers(json: string): Set<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  let depth = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && token.endsWith(':')) {
      const name = JSON.parse(token.slice(0, -1)) as string;
      if (seen.has(name)) repeated.add(name);
      seen.add(name);
    }
  }
  return repeated;
}

/** Reads the queries of one list for one use; `max_page_size` is the deployment's largest page. */
export class QueryParser {
  readonly #list: List;
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #page_size: number;
  readonly #defaults: Query;

  constructor(list: List, max_page_size: number = DEFAULT_MAX_PAGE_SIZE, use: Use = 'page') {
    this.#list = list;
    this.#rules = rulesOf(list, max_page_size, use);
    this.#page_size = Math.min(DEFAULT_PAGE_SIZE, max_page_size);
    this.#defaults = this.#reader(0).query(this.#page_size);
  }

  /**
   * The typed query of a query string (without `?`).
   * @throws {Problem} `invalid-parameter`, with one entry in `faults` for each fault.
   */
  ofString(text: string): Query {
    if (text === '') return this.#defaults;
    const reader = this.#reader(MAX_LIST_VALUES);
    for (const pair of text.split('&')) if (pair !== '') reader.readPair(pair);
    return reader.query(this.#page_size);
  }

  /**
   * The typed query of a JSON text: an object with the same parameters, lists as arrays.
   * @throws {Problem} as `ofString`.
   */
  ofJson(text: string): Query {
    const reader = this.#reader(MAX_BODY_LIST_VALUES);
    try {
      const body: unknown = JSON.parse(text);
      if (typeof body !== 'object' || body === null || Array.isArray(body)) {
        reader.refuse('The body must be a JSON object, such as {"page_size": 50}.');
      } else {
        for (const [name, value] of Object.entries(body)) reader.readMember(name, value);
        for (const name of repeatedMembers(text)) reader.refuseRepeated(name);
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      reader.refuse('The body is not valid JSON.');
    }
    return reader.query(this.#page_size);
  }

  #reader(maxValues: number): QueryReader {
    return new QueryReader(this.#list, this.#rules, maxValues);
  }
}
