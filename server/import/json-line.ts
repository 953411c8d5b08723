// What `JSON.parse` does not tell of a line: which keys the object itself has, more than once perhaps, and
// whether its numbers are written as JavaScript writes them.

import { endOfString } from '@linecard/client/contract/json-outline';

const STRUCTURE = /["{}[\]:]/g;
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
