// The fields of an item, straight from the JSON text that it is stored as, and which of them a caller sees.

import type { Item } from '@linecard/client/contract/csv';
import { endOfString } from '@linecard/client/contract/json-outline';
import type { List } from '@linecard/client/contract/list';

/** The fields that a caller sees of those chosen, in the order of the contract; `undefined` for all. */
export function visibleFields(
  { fields }: List,
  chosen: readonly string[] | undefined,
  hasCharges: boolean,
): readonly string[] | undefined {
  if (hasCharges) return chosen;
  return (chosen ?? Object.keys(fields)).filter((name) => fields[name]?.kind !== 'charge');
}

/** The text of an item with some of its fields, byte for byte as in the complete item. */
type Projection = (item: string) => string;

const whole: Projection = (item) => item;

/**
 * Projects each item to some of its fields.
 * @param fields in the order of the contract; absent for all of them.
 */
export function projectionOf(list: List, fields: readonly string[] | undefined): Projection {
  if (fields === undefined) return whole;
  const chosen = new Set(fields);
  const last = fields.at(-1);
  const members = Object.keys(list.fields).map((name) => ({
    name,
    isChosen: chosen.has(name),
    /** Of the name, its quotes and the colon. */
    length: JSON.stringify(name).length + ':'.length,
  }));
  return (item) => {
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
export function readItem(text: string, names: readonly string[]): Item {
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
