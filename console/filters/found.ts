// Whether what is typed finds something that is on the page already: as a search of the list would find it.

import { type FilterFacts, folded } from '../contract.ts';
import { filterValueLabel } from './words.ts';

const NO_WORD = /[^\p{L}\p{M}\p{N}]+/u;

/** Whether each typed word is the start of a word of the label. */
export function hasWords(label: string, typed: string): boolean {
  const begins = folded(label).split(NO_WORD);
  return folded(typed)
    .split(/\s+/)
    .every((word) => begins.some((one) => one.startsWith(word)));
}

/** Whether a value of a filter has the text, as people know it or as it is sent. */
export function isValueFound(filter: FilterFacts, value: string | boolean, typed: string): boolean {
  const wanted = folded(typed.trim());
  return [filterValueLabel(filter, value), String(value)].some((text) => folded(text).includes(wanted));
}
