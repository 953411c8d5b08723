// What the reference reads from the OpenAPI document: operations by tag, and the types and limits of schemas
// in words.

import { count } from '@linecard/client/contract/wording';
import type { OpenApiDocument } from '@linecard/client/openapi';

type Get = OpenApiDocument['paths'][string]['get'];

/** What a request sends, by media type. */
export interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example: unknown }>>;
}

export type Operation = Get & { readonly requestBody?: RequestBody };

/** An OpenAPI document that may also have operations that write. */
export interface ReferenceDocument extends Omit<OpenApiDocument, 'paths' | 'externalDocs' | 'webhooks'> {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Located {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export function operationsOf(document: ReferenceDocument, tag: string): Located[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

export type Schema = OpenApiDocument['components']['schemas'][string];

export function resolve<T extends object>(
  document: ReferenceDocument,
  item: T | { readonly $ref: string },
): T {
  if (!('$ref' in item) || typeof item.$ref !== 'string') return item as T;
  const steps = item.$ref.slice('#/'.length).split('/');
  const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
  return found as T;
}

/** A schema with what it refers to. */
export const completed = (document: ReferenceDocument, schema: Schema): Schema => ({
  ...resolve<Schema>(document, schema),
  ...schema,
});

/** `list of integers`, `timestamp or null` */
export function typeOf(document: ReferenceDocument, schema: Schema): string {
  const { type, format, items, title, anyOf, properties } = resolve<Schema>(document, schema);
  if (title !== undefined && properties !== undefined) return title;
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(document, one)).join(' or ');
  if (items !== undefined) {
    const one = typeOf(document, items);
    return `list of ${one.includes(' ') || /^[A-Z]/.test(one) ? one : `${one}s`}`;
  }
  const words = [type ?? 'any']
    .flat()
    .map((word) => (word === 'string' && format === 'date-time' ? 'timestamp' : word));
  return words.join(' or ');
}

export function limitsOf({ minimum, maximum, maxLength, maxItems, default: fallback }: Schema): string[] {
  const limits: string[] = [];
  if (minimum !== undefined && maximum !== undefined) limits.push(`${count(minimum)} to ${count(maximum)}`);
  if (maxLength !== undefined) limits.push(`at most ${count(maxLength)} characters`);
  if (maxItems !== undefined) limits.push(`at most ${count(maxItems)}`);
  if (fallback !== undefined) limits.push(`default ${String(fallback)}`);
  return limits;
}
