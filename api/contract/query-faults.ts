// The faults of one query: the first few in words, the others counted, so that a bad query costs no more than
// a good one.

import { type Fault, invalidParameter, MAX_COUNTED_FAULTS, MAX_REPORTED_FAULTS } from './problems.ts';
import { NOT_UNICODE } from './query.ts';

const MAX_SHOWN_CHARACTERS = 100;
/** Nothing that somebody meant is longer, and what looks for it reads no more. */
export const MAX_MEANT_CHARACTERS = 200;
/** Per request: a suggestion costs more than reading a parameter. */
const MAX_SUGGESTIONS = 3;

/** A thousand values of each list, written one by one, are fewer. */
export const MAX_PARAMETERS = 10_000;
/** After this number of parameters, the first one that is not known ends the reading of a query string. */
export const MAX_STRANGE = 100;

/** The parts between `&`, without empty ones; at most one more than a query may have. */
export function pairsOf(text: string): string[] {
  const pairs: string[] = [];
  for (let start = 0; start < text.length && pairs.length <= MAX_PARAMETERS; ) {
    const ampersand = text.indexOf('&', start);
    const end = ampersand < 0 ? text.length : ampersand;
    if (end > start) pairs.push(text.slice(start, end));
    start = end + 1;
  }
  return pairs;
}

/** A shortened value, to repeat in a message. */
export function shown(text: string): string {
  // A character has at most two code units.
  const points = Array.from(text.slice(0, 2 * MAX_SHOWN_CHARACTERS + 2));
  return text.length <= 2 * MAX_SHOWN_CHARACTERS && points.length <= MAX_SHOWN_CHARACTERS
    ? text
    : `${points.slice(0, MAX_SHOWN_CHARACTERS).join('')}…`;
}

export class QueryFaults {
  readonly #reported: Fault[] = [];
  #count = 0;
  #suggestions = 0;
  /** A sentence for all faults, which is in the problem once. */
  note: string | undefined;
  /** Set where the rest is not read. */
  isPart: boolean | undefined;

  /**
   * Counts a fault, and describes it if it is one of the first few.
   * @throws {Problem} `invalid-parameter`, where there are too many to go on
   */
  add(parameter: string, detail: (value: string) => string, value?: string | (() => string)): void {
    this.#count += 1;
    if (this.#count >= MAX_COUNTED_FAULTS) this.mustBeNone();
    if (this.#reported.length >= MAX_REPORTED_FAULTS) return;
    const text = typeof value === 'function' ? value() : value;
    const sent = text === undefined ? {} : { value: shown(text) };
    this.#reported.push({ parameter: shown(parameter), detail: detail(sent.value ?? ''), ...sent });
  }

  suggested(suggestion: () => string | undefined): string | undefined {
    if (this.#suggestions >= MAX_SUGGESTIONS) return undefined;
    this.#suggestions += 1;
    return suggestion();
  }

  /** @throws {Problem} `invalid-parameter`, if there are faults */
  mustBeNone(): void {
    if (this.#count > 0) throw invalidParameter(this.#reported, this.#count, this.note, this.isPart);
  }
}

/** The parts of a query string whose parameters are few: no more are read than show that it is wrong. */
export function firstPairs(text: string, faults: QueryFaults): string[] {
  const pairs = pairsOf(text);
  if (pairs.length > MAX_STRANGE) faults.isPart = true;
  return pairs.slice(0, MAX_STRANGE);
}

const CONTROL = /\p{Cc}/u;
const HAS_CONTROL = 'must not contain NUL or another control character';

/** What is wrong with a text that no parameter may have. */
export const textFault = (text: string): string | undefined =>
  text.isWellFormed() ? (CONTROL.test(text) ? HAS_CONTROL : undefined) : NOT_UNICODE;

/** Decodes a part of a query string; `undefined` for broken percent-encoding or UTF-8. */
export const decodedPart = (text: string) => decoded(text.replaceAll('+', ' '));

export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
