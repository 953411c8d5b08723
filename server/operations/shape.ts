// Shapes: the members of a request or of a record by name, and the one reader of what is given for them. It
// finds every fault: an unknown member, one that is missing, and each that is not what it must be.

import { shown } from '@linecard/client/contract/query-faults';
import { nearest } from '@linecard/client/contract/suggestion';
import { listed } from '@linecard/client/contract/wording';
import { type Field, type Schema, Wrong } from './field.ts';

export type Shape = Readonly<Record<string, Field>>;

type ValueOf<F> = F extends { read(value: unknown): infer T } ? Exclude<T, Wrong> : never;
type Certain = { readonly missing: string } | { readonly fallback: unknown };

/** What was given for a shape, once it is read. */
export type Given<S extends Shape> = {
  readonly [M in keyof S]: S[M] extends Certain ? ValueOf<S[M]> : ValueOf<S[M]> | undefined;
};

/** A value that its option has read already. */
export class Known {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** What is wrong with a member: as it reads after its name, and what to do. */
export interface MemberFault {
  readonly member: string;
  readonly what: string;
  readonly hint?: string;
}

/** A fault as a sentence; `name` is what the member is called where it was given. */
export const sentenceOf = ({ what, hint = '' }: MemberFault, name: string): string =>
  `${name} ${what}. ${hint}`.trimEnd();

export class ShapeRefused extends Error {
  override readonly name = 'ShapeRefused';
  readonly faults: readonly MemberFault[];

  constructor(faults: readonly MemberFault[]) {
    super(faults.map((fault) => sentenceOf(fault, fault.member)).join('\n'));
    this.faults = faults;
  }
}

function unknownMember(name: string, known: readonly string[], of: string): MemberFault {
  const meant = nearest(name, known);
  const others = known.length === 0 ? 'It has none.' : `Known are ${listed(known)}.`;
  const hint = meant === undefined ? others : `Did you mean ${meant}?`;
  return { member: shown(name), what: `is not a member of ${of}`, hint };
}

/**
 * The values of a shape.
 * @param of what the members are of, as in a sentence.
 * @param others faults found elsewhere, such as in the path, which come first.
 * @throws {ShapeRefused} with every fault.
 */
export function readShape<S extends Shape>(
  shape: S,
  given: Readonly<Record<string, unknown>>,
  of: string,
  others: readonly MemberFault[] = [],
): Given<S> {
  const names = Object.keys(shape);
  const faults = [...others];
  const values = Object.entries(shape).map(([member, field]) => {
    const value = Object.hasOwn(given, member) ? given[member] : undefined;
    if (value === undefined && field.missing !== undefined) faults.push({ member, what: field.missing });
    const read =
      value === undefined ? field.fallback : value instanceof Known ? value.value : field.read(value);
    if (read instanceof Wrong) faults.push(...read.faults.map((what) => ({ member, what })));
    return [member, read] as const;
  });
  for (const name of Object.keys(given))
    if (!names.includes(name)) faults.push(unknownMember(name, names, of));
  if (faults.length > 0) throw new ShapeRefused(faults);
  return Object.fromEntries(values) as Given<S>;
}

/** A member as a schema that says what it is for. */
function fieldSchema({ schema, about, example, fallback }: Field): Schema {
  const isScalar = ['string', 'number', 'boolean'].includes(typeof fallback);
  return {
    ...schema,
    description: about,
    ...(isScalar && { default: fallback as string }),
    examples: [example],
  };
}

/** The schema of an object with these members and no others. */
export function shapeSchema(shape: Shape, title?: string): Schema {
  const entries = Object.entries(shape);
  const missing = entries.filter(([, field]) => field.missing !== undefined).map(([name]) => name);
  return {
    ...(title !== undefined && { title }),
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(field)])),
    ...(missing.length > 0 && { required: missing }),
    additionalProperties: false,
  };
}
