// The faults of one query: the first few in words, the others counted, so that a bad query costs no more than
// a good one.

import { type Fault, invalidParameter, MAX_COUNTED_FAULTS, MAX_REPORTED_FAULTS } from './problems.ts';

const MAX_SHOWN_CHARACTERS = 100;
/** Per request: a suggestion costs more than reading a parameter. */
const MAX_SUGGESTIONS = 3;

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
    if (this.#count > 0) throw invalidParameter(this.#reported, this.#count, this.note);
  }
}

/** Decodes a part of a query string; `undefined` for broken percent-encoding or UTF-8. */
export const decodedPart = (text: string) => decoded(text.replaceAll('+', ' '));

export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
