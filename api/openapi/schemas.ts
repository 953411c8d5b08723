// The JSON Schema (draft 2020-12) of items, pages and errors.

import { CHARGE_FORM, MAX_CHARGE } from '../contract/charge.ts';
import { envelope, MAX_INTEGER } from '../contract/contract.ts';
import type { Field, List } from '../contract/list.ts';
import { OWN_FIELD, type OwnFieldFacts, ownFacts } from '../contract/own-fields.ts';
import { inPascalCase, itemName, named } from '../contract/wording.ts';

export type Scalar = string | number | boolean | null;

/** What a reference refers to: `components.ts` puts it into the document. JSON does not have it. */
export const REFERRED = Symbol('referred');

/** The keywords that Linecard uses. */
export interface Schema {
  readonly [REFERRED]?: Schema;
  readonly [OWN_FIELD]?: OwnFieldFacts;
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: Scalar;
  readonly enum?: readonly Scalar[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly default?: Scalar;
  readonly examples?: readonly unknown[];
}

/** The canonical form of timestamp.ts. */
const TIMESTAMP_PATTERN = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$';
/** Empty where the country is unknown. */
const COUNTRY_PATTERN = '^(?:[A-Z]{2})?$';

/** A reference by the title: every schema that one refers to is a component of that name. */
export const refTo = (schema: Schema): Schema => ({
  $ref: `#/components/schemas/${schema.title ?? ''}`,
  [REFERRED]: schema,
});

/** The schema itself, and what it refers to. */
const referred = (schema: Schema): Schema => ({ ...schema[REFERRED], ...schema });

/** A set of values with a name, for which a program has one type. */
export const choice = (title: string, values: readonly string[], description: string): Schema => ({
  title,
  description,
  type: 'string',
  enum: values,
});

/** With references to what has a name. */
export function byName(schema: Schema): Schema {
  const { default: fallback, ...own } = schema;
  const own_items = own.items === undefined ? own : { ...own, items: byName(own.items) };
  const named = own.title === undefined ? own_items : refTo(own_items);
  return fallback === undefined ? named : { ...named, default: fallback };
}

/** More members than any set of names gets within v1. */
const MAX_NAMES = 100;

export const namesOf = (items: Schema): Schema => ({ type: 'array', maxItems: MAX_NAMES, items });

export const TEXT: Schema = { type: 'string' };
export const TIMESTAMP: Schema = { type: 'string', format: 'date-time', pattern: TIMESTAMP_PATTERN };
export const INTEGER: Schema = { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_INTEGER };
/** From 0. */
export const COUNT: Schema = { ...INTEGER, minimum: 0 };

export const CURRENCY: Schema = {
  description:
    'The currency of all charges, as ISO 4217 has it; null where the operator has set none or the token may not see charges.',
  type: ['string', 'null'],
  pattern: '^[A-Z]{3}$',
  examples: ['EUR'],
};

/** With the known values of an open set. */
function aboutField({ about, known }: Field): string {
  return known === undefined ? about : `${about} Known so far: ${named(known)}; be ready for others.`;
}

function bareSchema(field: Field): Schema {
  switch (field.kind) {
    case 'integer':
      if (field.signed === true) return { ...INTEGER, minimum: -MAX_INTEGER };
      return field.counts === true ? COUNT : INTEGER;
    case 'charge':
      return { type: 'number', minimum: -MAX_CHARGE, maximum: MAX_CHARGE };
    case 'flag':
      return { type: 'boolean' };
    case 'timestamp':
      return TIMESTAMP;
    case 'text':
      if (field.country === true) return { type: 'string', pattern: COUNTRY_PATTERN };
      return field.maxCharacters === undefined ? TEXT : { ...TEXT, maxLength: field.maxCharacters };
  }
}

export function fieldSchema(field: Field): Schema {
  const schema = bareSchema(field);
  return {
    description: field.kind === 'charge' ? `${aboutField(field)} It is ${CHARGE_FORM}.` : aboutField(field),
    ...schema,
    ...(field.nullable === true ? { type: [schema.type as string, 'null'] } : {}),
    examples: field.known ?? [field.example],
    ...(field.own !== undefined && { [OWN_FIELD]: ownFacts(field.own) }),
  };
}

/**
 * An object with these members, all required unless `more` says which are. Others are allowed: a later
 * version may add some.
 */
export function object(properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema {
  const { required = Object.keys(properties), ...rest } = more;
  return {
    type: 'object',
    ...rest,
    properties,
    ...(required.length > 0 && { required }),
  };
}

export function fieldSchemas({ fields }: List): Record<string, Schema> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]));
}

/** None of its fields is required, because `fields` can leave out each. */
export function itemSchema(list: List): Schema {
  return object(fieldSchemas(list), {
    title: itemName(list),
    required: [],
    description: `One ${list.one}. Every field is always present, unless \`fields\` chooses some or the token may not see charges.`,
  });
}

/** A page of what a schema describes. */
export function pageOf(item: Schema, things: string, max_page_size: number): Schema {
  const items: Schema = { type: 'array', maxItems: max_page_size, items: refTo(item) };
  const { data, page, page_size, total, total_pages } = envelope;
  return object(
    {
      data: { description: data, ...items },
      page: { description: page, ...INTEGER, examples: [1] },
      page_size: { description: page_size, ...INTEGER, maximum: max_page_size, examples: [10] },
      total: { description: total, ...COUNT, examples: [46] },
      total_pages: { description: total_pages, ...COUNT, examples: [5] },
    } satisfies Record<keyof typeof envelope, Schema>,
    { title: `${inPascalCase(things)}Page`, description: `A page of ${things.toLowerCase()}.` },
  );
}

export const pageSchema = (list: List, max_page_size: number): Schema =>
  pageOf(itemSchema(list), list.title, max_page_size);

/** An object of the first example of each member. */
export function exampleOf({ properties = {} }: Schema): Record<string, unknown> {
  const members = Object.entries(properties).map(([name, member]): [string, unknown] => {
    const { items, ...one } = referred(member);
    if (one.properties !== undefined) return [name, exampleOf(one)];
    const each = items === undefined ? {} : referred(items);
    return [name, each.properties === undefined ? one.examples?.[0] : [exampleOf(each)]];
  });
  return Object.fromEntries(members);
}

export function itemExample(list: List): Record<string, Scalar> {
  return Object.fromEntries(Object.entries(list.fields).map(([name, field]) => [name, field.example]));
}
