// The fields of an item, straight from the JSON text that it is stored as, and which of them a caller sees.

import type { Item } from '@linecard/client/contract/csv';
import { endOfString } from '@linecard/client/contract/json-outline';
import type { List } from '@linecard/client/contract/list';
import type { StoredItem } from '../store/tables.ts';

declare const ofACaller: unique symbol;
/** The fields that a caller sees, in the order of the contract; `undefined` for all. */
export interface VisibleFields {
  readonly [ofACaller]: never;
  readonly names: readonly string[] | undefined;
}

/** @param chosen in the order of the contract; `undefined` for all. */
export function visibleFields(
  { fields }: List,
  chosen: readonly string[] | undefined,
  hasCharges: boolean,
): VisibleFields {
  const names = hasCharges
    ? chosen
    : (chosen ?? Object.keys(fields)).filter((name) => fields[name]?.kind !== 'charge');
  return { names } as VisibleFields;
}

/** The text of an item with the fields that a caller sees, byte for byte as in the complete item. */
export type Projection = (item: StoredItem) => string;

/** The complete text, for what shows columns of it, or decides by it; nothing else may send it. */
export const completeText: Projection = (item) => item as unknown as string;

/** Projects each item to the fields that a caller sees. */
export function projectionOf(list: List, { names }: VisibleFields): Projection {
  if (names === undefined) return completeText;
  const chosen = new Set(names);
  const last = names.at(-1);
  const members = Object.keys(list.fields).map((name) => ({
    name,
    isChosen: chosen.has(name),
    /** Of the name, its quotes and the colon. */
    length: JSON.stringify(name).length + ':'.length,
  }));
  return (stored) => {
    const item = completeText(stored);
    const texts: string[] = [];
    let start = '{'.length;
    for (const { name, isChosen, length } of members) {
      const end = endOfValue(item, start + length);
      if (isChosen) texts.push(item.slice(start, end));
      if (name === last) break;
      start = end + ','.length;
    }
    return `{${texts.join(',')}}`;
  };
}

/** Where a value ends: a text, a number, a flag or null. */
function endOfValue(item: string, start: number): number {
  if (item.startsWith('"', start)) return endOfString(item, start);
  const comma = item.indexOf(',', start);
  return comma < 0 ? item.length - '}'.length : comma;
}

/**
 * All values of an item: the same as `JSON.parse`, with numbers and flags as the texts they were written as.
 * JSON.parse puts every short text into memory that is seldom collected: 16 MiB for 200,000 numbers.
 * @param names all fields, in the order they were written in.
 */
export function readItem(stored: StoredItem, names: readonly string[]): Item {
  const text = completeText(stored);
  if (text.includes('\\')) return JSON.parse(text) as Item;
  const item: Record<string, string | null> = {};
  let at = '{'.length;
  for (const name of names) {
    at += `"${name}":`.length;
    const isText = text.startsWith('"', at);
    if (isText) at += 1;
    let end = text.indexOf(isText ? '"' : ',', at);
    if (end < 0) end = text.length - '}'.length;
    const value = text.slice(at, end);
    item[name] = value === 'null' && !isText ? null : value;
    at = end + (isText ? '",' : ',').length;
  }
  return item;
}
