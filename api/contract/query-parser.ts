// Parses queries, from a query string or a JSON body, by the rules of one list. Nothing is ignored, clamped
// or widened: every fault is reported, all at once.

import {
  DEFAULT_MAX_PAGE_SIZE,
  DEFAULT_PAGE_SIZE,
  MAX_BODY_LIST_VALUES,
  MAX_BODY_VALUES,
  MAX_LIST_VALUES,
} from './contract.ts';
import { type Excess, type JsonLimits, type JsonOutline, outlineOf } from './json-outline.ts';
import type { List } from './list.ts';
import type { Query } from './query.ts';
import { MAX_PARAMETERS, MAX_STRANGE, pairsOf } from './query-faults.ts';
import { QueryReader } from './query-reader.ts';
import { type Rule, rulesOf, type Use } from './rules.ts';

/** No meaningful query comes near the first and the last. */
export const BODY_LIMITS: JsonLimits = {
  members: 100,
  values: MAX_BODY_LIST_VALUES,
  allValues: MAX_BODY_VALUES,
  depth: 8,
};

/** A name in a JSON text, which need not be valid. */
function unquoted(name: string): string {
  try {
    return String(JSON.parse(name));
  } catch {
    return name;
  }
}

const listLength = (value: unknown) => (Array.isArray(value) ? value.length : 0);

/** For one list and one use; `max_page_size` is the deployment's. */
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
   * @param text a query string without `?`
   * @throws {Problem} `invalid-parameter`, with one entry in `faults` for each fault
   */
  ofString(text: string): Query {
    if (text === '') return this.#defaults;
    const reader = this.#reader(MAX_LIST_VALUES);
    const pairs = pairsOf(text);
    if (pairs.length > MAX_PARAMETERS)
      reader.refuse(`A query string takes at most ${MAX_PARAMETERS} parameters.`);
    else this.#readPairs(reader, pairs);
    return reader.query(this.#page_size);
  }

  /**
   * @param text a JSON object with the same parameters, lists as arrays
   * @throws {Problem} as `ofString`
   */
  ofJson(text: string): Query {
    const reader = this.#reader(MAX_BODY_LIST_VALUES);
    const outline = outlineOf(text, BODY_LIMITS);
    if (outline.excess === undefined) this.#readBody(reader, text, outline);
    else refuseExcess(reader, outline.excess);
    return reader.query(this.#page_size);
  }

  #readPairs(reader: QueryReader, pairs: readonly string[]): void {
    for (const [i, pair] of pairs.entries()) {
      if (reader.readPair(pair) || i < MAX_STRANGE || i === pairs.length - 1) continue;
      return reader.stop();
    }
  }

  #readBody(reader: QueryReader, text: string, { members, written = new Map() }: JsonOutline): void {
    const asWritten = new Map([...written].map(([name, numbers]) => [unquoted(name), numbers]));
    try {
      const body: unknown = JSON.parse(text);
      if (typeof body !== 'object' || body === null || Array.isArray(body)) {
        return reader.refuse('The body must be a JSON object, such as {"page_size": 50}.');
      }
      const values = Object.values(body).reduce((n: number, value) => n + listLength(value), 0);
      if (values > MAX_BODY_VALUES) return refuseExcess(reader, { over: 'allValues' });
      for (const [name, value] of Object.entries(body)) {
        reader.readMember(name, value, asWritten.get(name));
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return reader.refuse('The body is not valid JSON.');
    }
    const times = new Map<string, number>();
    for (const name of members.map(unquoted)) times.set(name, (times.get(name) ?? 0) + 1);
    for (const [name, n] of times) if (n > 1) reader.refuseRepeated(name, n);
  }

  #reader(maxValues: number): QueryReader {
    return new QueryReader(this.#list, this.#rules, maxValues);
  }
}

function refuseExcess(reader: QueryReader, excess: Excess): void {
  if (excess.over === 'values') reader.refuseLength(unquoted(excess.member));
  else if (excess.over === 'allValues') {
    reader.refuse(`The body has more than ${MAX_BODY_VALUES} values in all its lists together.`);
  } else if (excess.over === 'members') {
    reader.refuse(`The body has more than ${BODY_LIMITS.members} members, and a query far fewer parameters.`);
  } else {
    reader.refuse(
      'The body is nested too deeply: a parameter is text, a number, a flag, or an array of them.',
    );
  }
}
