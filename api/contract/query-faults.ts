// The faults of one query as they are found: the first few in words, the rest by their number, so that what
// is wrong with a query costs no more than what is right.

import { type Fault, invalidParameter, MAX_COUNTED_FAULTS, MAX_REPORTED_FAULTS } from './problems.ts';

const MAX_SHOWN_CHARACTERS = 100;
/** Suggestions that a request earns: finding one costs more than reading a parameter. */
const MAX_SUGGESTIONS = 3;

/** What was sent, as far as it is shown. */
export function shown(text: string): string {
  // A character takes two code units at the most.
  const points = Array.from(text.slice(0, 2 * MAX_SHOWN_CHARACTERS + 2));
  return text.length <= 2 * MAX_SHOWN_CHARACTERS && points.length <= MAX_SHOWN_CHARACTERS
    ? text
    : `${points.slice(0, MAX_SHOWN_CHARACTERS).join('')}…`;
}

export class QueryFaults {
  readonly #reported: Fault[] = [];
  #count = 0;
  #suggestions = 0;

  /**
   * Counts a fault; only of the first few the words are found, `value` as far as it is shown.
   * @throws {Problem} `invalid-parameter`, where there are too many to go on.
   */
  add(parameter: string, detail: (value: string) => string, value?: string | (() => string)): void {
    this.#count += 1;
    if (this.#count >= MAX_COUNTED_FAULTS) this.mustBeNone();
    if (this.#reported.length >= MAX_REPORTED_FAULTS) return;
    const text = typeof value === 'function' ? value() : value;
    const sent = text === undefined ? {} : { value: shown(text) };
    this.#reported.push({ parameter: shown(parameter), detail: detail(sent.value ?? ''), ...sent });
  }

  /** A suggestion, if it is one of the few that are looked for and there is one. */
  suggested(suggestion: () => string | undefined): string | undefined {
    if (this.#suggestions >= MAX_SUGGESTIONS) return undefined;
    this.#suggestions += 1;
    return suggestion();
  }

  /** @throws {Problem} `invalid-parameter`, with one entry in `faults` for each of the first few. */
  mustBeNone(): void {
    if (this.#count > 0) throw invalidParameter(this.#reported, this.#count);
  }
}
