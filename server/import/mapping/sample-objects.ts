// The objects of NDJSON and of JSON documents as a sample: what they hold by the paths of their keys, and
// which array of a document has them.

import { endOfString } from '@linecard/client/contract/json-outline';
import { trimmed } from '@linecard/client/contract/trimmed';
import { JsonDocument } from '../json-document.ts';
import { type JsonObject, keepLiteral, Literal, leavesOf, pathBelow } from '../nested.ts';

const MAX_ROWS = 1_000;
const STRUCTURE = /["{}[\],:]/g;

export interface SampledObjects {
  /** The path of the array, of a document that is not an array itself. */
  readonly records?: string | undefined;
  readonly names: readonly string[];
  readonly textsOf: (name: string) => readonly string[];
  readonly rows: number;
}

const ALL = { isMapped: () => false, isIgnored: () => false, isAboveMapped: () => false };

function textOf(value: unknown): string {
  if (value instanceof Literal) return value.text;
  return typeof value === 'string' ? trimmed(value) : typeof value === 'boolean' ? String(value) : '';
}

/** What is no object says nothing. */
function objectOf(text: string): ReadonlyMap<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(text, keepLiteral);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? [new Map(Object.entries(leavesOf(value as JsonObject, ALL)))]
      : [];
  } catch {
    return [];
  }
}

function sampled(texts: Iterable<string>, records?: string): SampledObjects {
  const objects = Iterator.from(texts).take(MAX_ROWS).flatMap(objectOf).toArray();
  const names = [...new Set(objects.flatMap((one) => [...one.keys()]))];
  return {
    ...(records === undefined || records === '' ? {} : { records }),
    names,
    textsOf: (name) => objects.map((one) => textOf(one.get(name))),
    rows: objects.length,
  };
}

/** A key as it is written, where it is well-formed. */
function keyOf(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The path of the array of objects that is least deep in a document, or in the beginning of one. */
function pathOfRecords(text: string): string {
  const open: { readonly path: string; next: string | number }[] = [];
  const found: { readonly path: string; readonly depth: number }[] = [];
  let last = '';
  for (let at = 0; ; ) {
    STRUCTURE.lastIndex = at;
    const token = STRUCTURE.exec(text)?.[0];
    if (token === undefined) break;
    at = STRUCTURE.lastIndex;
    const top = open.at(-1);
    if (token === '"') {
      const end = endOfString(text, at - 1);
      last = text.slice(at - 1, end);
      at = end;
    } else if (token === '{' || token === '[') {
      const path = top === undefined ? '' : pathBelow(top.path, String(top.next));
      const isRecord = token === '{' && top?.next === 0;
      if (isRecord) found.push({ path: top?.path ?? '', depth: open.length });
      open.push({ path, next: token === '[' ? 0 : '' });
    } else if (token === '}' || token === ']') open.pop();
    else if (top === undefined) continue;
    else if (token === ',') {
      if (typeof top.next === 'number') top.next += 1;
    } else if (token === ':' && typeof top.next === 'string') top.next = keyOf(last);
  }
  return found.toSorted((a, b) => a.depth - b.depth)[0]?.path ?? '';
}

function* recordsOf(text: string, path: string): Generator<string> {
  try {
    yield* new JsonDocument(path).take(text);
  } catch {
    // What is wrong with the document is for the import to say.
  }
}

/** Whether this is one object on each line: the first of them is one. */
function isOfLines(text: string): boolean {
  const [line = ''] = text.trimStart().split('\n', 1);
  return text.trimStart().startsWith('{') && objectOf(line).length > 0;
}

/** The objects of the beginning of a file; `undefined` where it is no JSON. */
export function objectsOf(text: string): SampledObjects | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  if (isOfLines(text)) return sampled(text.split('\n'));
  const path = pathOfRecords(text);
  return sampled(recordsOf(text, path), path);
}

/** What a mapping ignores of a sample: of keys, what covers several of them and nothing that is mapped. */
export function ignoredOf(
  { names, isOfKeys }: { readonly names: readonly string[]; readonly isOfKeys?: boolean },
  mapped: ReadonlySet<string>,
): string[] {
  const isAboveMapped = (path: string) => mapped.values().some((one) => one.startsWith(`${path}.`));
  const shortest = (name: string) => {
    for (let end = name.indexOf('.'); end > 0; end = name.indexOf('.', end + 1)) {
      const path = name.slice(0, end);
      if (!mapped.has(path) && !isAboveMapped(path)) return path;
    }
    return name;
  };
  const ignored = names.filter((name) => !mapped.has(name));
  return [...new Set(isOfKeys === true ? ignored.map(shortest) : ignored)];
}
