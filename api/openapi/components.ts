// The parts of the document that have a name: schemas, which references lead to, and parameters, each of
// which is there once for all operations that take it.

import { inPascalCase } from '../contract/wording.ts';
import type { OpenApiParameter, Reference } from './headers.ts';
import type { Operation } from './list-operations.ts';
import { REFERRED, type Schema } from './schemas.ts';

type Paths = Readonly<Record<string, { readonly get: Operation }>>;

/** By title, in the order in which references lead to them. */
export function schemasIn(part: unknown, found: Record<string, Schema> = {}): Record<string, Schema> {
  if (typeof part !== 'object' || part === null) return found;
  const schema = (part as Schema)[REFERRED];
  const { title } = schema ?? {};
  if (title !== undefined && schema !== undefined && found[title] === undefined) {
    found[title] = schema;
    schemasIn(schema, found);
  }
  for (const value of Object.values(part)) schemasIn(value, found);
  return found;
}

/**
 * What a parameter is called: its name, with that of the tag where operations of other tags have another one
 * of this name.
 */
function keyOf({ name }: OpenApiParameter, tag: string, isShared: boolean): string {
  const words = `${name.replaceAll(/_+/g, ' ')} parameter`;
  return inPascalCase(isShared ? words : `${tag} ${words}`);
}

/** The paths with references to their parameters, and these. */
export function sharedParameters(paths: Paths): [Paths, Record<string, OpenApiParameter>] {
  const variants = new Map<string, Set<string>>();
  const each = Object.values(paths).flatMap(({ get }) => get.parameters);
  for (const one of each)
    if ('in' in one) variants.set(one.name, (variants.get(one.name) ?? new Set()).add(JSON.stringify(one)));
  const shared: Record<string, OpenApiParameter> = {};
  const refer = (one: OpenApiParameter | Reference, [tag = '']: readonly string[]) => {
    if (!('in' in one)) return one;
    const key = keyOf(one, tag, variants.get(one.name)?.size === 1);
    shared[key] ??= one;
    // Another one of the same tag and name stays where it is.
    if (JSON.stringify(shared[key]) !== JSON.stringify(one)) return one;
    return { $ref: `#/components/parameters/${key}` };
  };
  const referring = Object.entries(paths).map(([path, { get }]) => {
    const parameters = get.parameters.map((one) => refer(one, get.tags));
    return [path, { get: { ...get, parameters } }] as const;
  });
  return [Object.fromEntries(referring), shared];
}
