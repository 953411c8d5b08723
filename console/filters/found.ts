// Whether what is typed finds something that is on the page already: as a search of the list would find it.

import { type FilterFacts, folded, type ListFacts, type Row } from '../contract.ts';
import { isNumberFound } from '../reading.ts';
import { filterValueLabel } from './words.ts';

const NO_WORD = /[^\p{L}\p{M}\p{N}]+/u;

/** Whether each typed word is the start of a word of the label. */
export function hasWords(label: string, typed: string): boolean {
  const begins = folded(label).split(NO_WORD);
  const words = folded(typed)
    .split(NO_WORD)
    .filter((word) => word !== '');
  return words.length > 0 && words.every((word) => begins.some((one) => one.startsWith(word)));
}

export const hasText = (text: string, typed: string): boolean => folded(text).includes(folded(typed.trim()));

/** Whether a value of a filter has the text, as people know it or as it is sent. */
export function isValueFound(filter: FilterFacts, value: string | boolean, typed: string): boolean {
  return [filterValueLabel(filter, value), String(value)].some((text) => hasText(text, typed));
}

/** Whether an item is among those that a search of its list finds. */
export function isRowFound({ search, fields }: ListFacts, row: Row, typed: string): boolean {
  return search.some((name) => {
    const text = String(row[name] ?? '');
    const isNumber = fields.some((field) => field.name === name && field.isNumber);
    return hasText(text, typed) || (isNumber && isNumberFound(text, typed));
  });
}
