// Objects of JSON with objects and arrays in them -> what they hold by the paths of its keys: `a.b` of
// objects, `a.0` of arrays. Numbers are the texts that they are written as.

import { plainName } from './columns.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A number as its text. */
export class Literal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Node gives the text of a number to the reviver; the declarations of TypeScript do not know it yet. */
export function keepLiteral(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? new Literal(context?.source ?? String(value)) : value;
}

const isContainer = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !(value instanceof Literal);

export const hasNested = (item: JsonObject): boolean => Object.values(item).some(isContainer);

/** The path of what is below a key. */
export const pathBelow = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/** What a mapping says of the paths of keys. */
export interface KnownPaths {
  readonly isMapped: (path: string) => boolean;
  readonly isIgnored: (path: string) => boolean;
  /** Whether something below the path is mapped. */
  readonly isAboveMapped: (path: string) => boolean;
}

/** Whether nothing counts of a path: it or one above it is ignored, and it is not mapped. */
export function isCovered(path: string, { isMapped, isIgnored }: KnownPaths): boolean {
  if (isMapped(path)) return false;
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1))
    if (isIgnored(path.slice(0, end))) return true;
  return false;
}

/**
 * What an object holds, by paths. Below what is ignored only what is mapped counts; and null has
 * nothing below it.
 */
export function leavesOf(item: JsonObject, known: KnownPaths): JsonObject {
  const leaves: [string, unknown][] = [];
  const walk = (within: string, object: JsonObject, isBelowIgnored: boolean) => {
    for (const [key, value] of Object.entries(object)) {
      const path = pathBelow(within, plainName(key));
      if (known.isMapped(path)) leaves.push([path, value]);
      else {
        const isIgnored = isBelowIgnored || known.isIgnored(path);
        const isAbove = known.isAboveMapped(path);
        if (isContainer(value) && (isAbove || (!isIgnored && Object.keys(value).length > 0)))
          walk(path, value, isIgnored);
        else if (!isIgnored && !(isAbove && value === null)) leaves.push([path, value]);
      }
    }
  };
  walk('', item, false);
  return Object.fromEntries(leaves);
}
