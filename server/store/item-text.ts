// The JSON text of an item as it is stored, byte for byte as an answer carries it, and the texts of its
// members.

import { chargeOf } from '@linecard/client/contract/charge';
import type { List } from '@linecard/client/contract/list';

type Values = Readonly<Record<string, string | number | boolean | null>>;

/** The JSON text of an item. */
export function itemOf(list: List, values: Values): string {
  const item: Record<string, unknown> = {};
  for (const name in list.fields) {
    const value = values[name] ?? null;
    item[name] = list.fields[name]?.kind === 'charge' ? chargeOf(value as number) : value;
  }
  return JSON.stringify(item);
}

/** From where to where the text of an item has the value of a field. */
function memberPosition({ fields }: List, item: string, field: string): readonly [from: number, to: number] {
  const names = Object.keys(fields);
  const position = names.indexOf(field);
  const next = names[position + 1];
  // No text within a value is like this: its quotes are escaped.
  const from = item.indexOf(`${position === 0 ? '{' : ','}"${field}":`) + field.length + 4;
  const to = next === undefined ? item.length - 1 : item.indexOf(`,"${next}":`, from);
  if (position < 0 || from < field.length + 4 || to < 0)
    throw new Error(`An item is stored without ${field}.`);
  return [from, to];
}

/** The JSON texts of all fields of an item, in the order of the contract. */
export function memberTexts({ fields }: List, item: string): string[] {
  const names = Object.keys(fields);
  let from = 0;
  return names.map((name, i) => {
    const start = from + name.length + 4;
    const next = names[i + 1];
    from = next === undefined ? item.length - 1 : item.indexOf(`,"${next}":`, start);
    return item.slice(start, from);
  });
}

/** The JSON text of one field of an item. */
export const memberText = (list: List, item: string, field: string): string =>
  item.slice(...memberPosition(list, item, field));

/** The text of an item with another value of a field. */
export function withMember(list: List, item: string, field: string, value: string): string {
  const [from, to] = memberPosition(list, item, field);
  return item.slice(0, from) + value + item.slice(to);
}
