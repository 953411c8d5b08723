// Chosen fields of an item, straight from the JSON text that it is stored as.

import { endOfString } from '@linecard/client/contract/json-outline';
import type { List } from '@linecard/client/contract/list';

/** The text of an item with some of its fields, byte for byte as the whole has them. */
type Projection = (item: string) => string;

const whole: Projection = (item) => item;

/**
 * What leaves of each item only some fields.
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

/** Where a value ends that is a text, a number, a flag or null. */
function endOfValue(item: string, start: number): number {
  if (item.startsWith('"', start)) return endOfString(item, start);
  const comma = item.indexOf(',', start);
  return comma < 0 ? item.length - '}'.length : comma;
}
