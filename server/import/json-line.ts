// What `JSON.parse` does not tell of a line: which keys the object itself has, more than once perhaps, and
// whether its numbers are written as JavaScript writes them.

import { endOfString } from '@linecard/client/contract/json-outline';
import { pathBelow } from './nested.ts';

const STRUCTURE = /["{}[\]:]/g;
const NESTED = /["{}[\]:,]/g;
const NO_BLANK = /[^ \t\r]/g;
const SPACED_COLON = /"\s+:/;
/** What may follow a number. */
const ENDS_NUMBER = /[\s,}]/;

/** The keys of an object as often as they are there, and where the value of each begins. */
export type Members = readonly (readonly [key: string, at: number])[];

/** The object's own keys, not those of the objects in it. */
function* walk(line: string): Generator<readonly [key: string, at: number]> {
  let depth = 0;
  let name = '';
  for (let at = 0; ; ) {
    STRUCTURE.lastIndex = at;
    const found = STRUCTURE.exec(line);
    if (found === null) return;
    at = found.index + 1;
    if (found[0] === '"') {
      at = endOfString(line, found.index);
      if (depth === 1) name = line.slice(found.index, at);
    } else if (found[0] === ':') {
      NO_BLANK.lastIndex = at;
      if (depth === 1) yield [JSON.parse(name) as string, NO_BLANK.exec(line)?.index ?? at];
    } else depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
  }
}

/** The paths of all keys of an object and of the objects in it, as often as they are there. */
export function namesWithin(text: string): string[] {
  const names: string[] = [];
  /** What is open: its path, and the key of its next value, or the index in an array. */
  const open: { readonly path: string; next: string | number }[] = [];
  const pathOf = ({ path, next }: (typeof open)[number]) => pathBelow(path, String(next));
  for (let at = 0; ; ) {
    NESTED.lastIndex = at;
    const found = NESTED.exec(text);
    if (found === null) return names;
    at = found.index + 1;
    const top = open.at(-1);
    const [sign] = found;
    if (sign === '{' || sign === '[')
      open.push({ path: top === undefined ? '' : pathOf(top), next: sign === '[' ? 0 : '' });
    else if (sign === '}' || sign === ']') open.pop();
    else if (sign === '"') {
      at = endOfString(text, found.index);
      if (typeof top?.next === 'string') top.next = text.slice(found.index, at);
    } else if (typeof top?.next === 'number') top.next += 1;
    else if (top !== undefined && sign === ':') {
      top.next = JSON.parse(top.next) as string;
      names.push(pathOf(top));
    }
  }
}

function count(line: string, part: string): number {
  let found = 0;
  for (let at = line.indexOf(part); at >= 0; at = line.indexOf(part, at + part.length)) found += 1;
  return found;
}

/**
 * The members of the object on a line; `undefined` where it has each key once and holds no object, which most
 * lines tell at a glance: a quote and a colon follow every key.
 */
export function membersOf(line: string, item: object): Members | undefined {
  const isFlat = count(line, '":') === Object.keys(item).length && !SPACED_COLON.test(line);
  return isFlat ? undefined : [...walk(line)];
}

/** The index after a key and the spaces that follow it. */
function valueAfter(line: string, key: string): number {
  let at = line.indexOf(key);
  if (at < 0) return line.length;
  at += key.length;
  while (line[at] === ' ') at += 1;
  return at;
}

/**
 * Whether a number is there exactly as JavaScript writes it, so that no digit of it is lost.
 * @param where its index, or its key with quotes and colon on a line that has each key once.
 */
export function numberStandsAs(line: string, number: number, where: number | string): boolean {
  const at = typeof where === 'number' ? where : valueAfter(line, where);
  const text = String(number);
  return line.startsWith(text, at) && ENDS_NUMBER.test(line.charAt(at + text.length));
}
