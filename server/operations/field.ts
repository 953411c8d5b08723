// The kinds of members of records and requests as data: what each must be, how it is described, and how a
// value of it is read, whether it came as JSON, as a parameter or as an option.

import { listed } from '@linecard/client/contract/wording';
import type { OpenApiDocument } from '@linecard/client/openapi';
import { duration, pastTime } from '../settings/kinds.ts';

/** A JSON Schema, as the OpenAPI document has it. */
export type Schema = OpenApiDocument['components']['schemas'][string];

/** What is wrong with a value, each as it reads after the name of its member. */
export class Wrong {
  readonly faults: readonly string[];

  constructor(...faults: readonly string[]) {
    this.faults = faults;
  }
}

export interface Field<T = unknown> {
  readonly about: string;
  readonly schema: Schema;
  readonly example: unknown;
  /** What is wrong where it is missing, as it reads after its name; absent if it may be missing. */
  readonly missing?: string;
  /** Its value where it is missing. */
  readonly fallback?: T;
  /** Reads a value of JSON, which is not `undefined`. */
  read(value: unknown): T | Wrong;
  /** The value of JSON that a text in a query string stands for; the text itself if absent. */
  ofText?(text: string): unknown;
}

type Described = 'about' | 'example';
type About<T> = Pick<Field<T>, Described>;

const CONTROL = /\p{Cc}/u;
const MAX_NAME_CHARACTERS = 100;

/** Whether a value is a text that a line can show, of at most so long a length. */
export const isLine = (value: unknown, max: number): value is string =>
  typeof value === 'string' &&
  value.isWellFormed() &&
  !CONTROL.test(value) &&
  Array.from(value).length <= max;

/** One of which the request has to have a value. */
export const required = <T>(
  field: Field<T>,
  missing = 'is missing',
): Field<T> & { readonly missing: string } => ({
  ...field,
  missing,
});

/** One that has a value where it is missing. */
export const withDefault = <T>(field: Field<T>, fallback: T): Field<T> & { readonly fallback: T } => ({
  ...field,
  fallback,
});

/** One that may also be null, which says what it stands for; a fault does not say so if that is left out. */
export const orNull = <T>(field: Field<T>, meaning = ''): Field<T | null> => ({
  ...field,
  schema: { ...field.schema, type: [field.schema.type ?? [], 'null'].flat() },
  read(value) {
    if (value === null) return null;
    const read = field.read(value);
    if (!(read instanceof Wrong) || meaning === '') return read;
    return new Wrong(...read.faults.map((what) => `${what}, or null ${meaning}`));
  },
});

/** A text that a line can show. */
export const line = (max: number, about: About<string>): Field<string> => ({
  ...about,
  schema: { type: 'string', maxLength: max },
  read: (value) =>
    isLine(value, max)
      ? value
      : new Wrong(`must be a text of at most ${max} characters, none of them control`),
});

export const nameField = (about: About<string>): Field<string> => line(MAX_NAME_CHARACTERS, about);

export const trueOrFalse = (about: About<boolean>): Field<boolean> => ({
  ...about,
  schema: { type: 'boolean' },
  read: (value) => (typeof value === 'boolean' ? value : new Wrong('must be true or false')),
  ofText: (text) =>
    new Map([
      ['true', true],
      ['false', false],
    ]).get(text) ?? text,
});

export const integerField = (
  { min, max, unit = '' }: { readonly min: number; readonly max: number; readonly unit?: string },
  about: About<number>,
): Field<number> => ({
  ...about,
  schema: { type: 'integer', minimum: min, maximum: max },
  read: (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? Number(value)
      : new Wrong(`must be an integer from ${min} to ${max}${unit}`),
  ofText: (text) => (/^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : text),
});

export const oneOfField = <const T extends string>(values: readonly T[], about: About<T>): Field<T> => ({
  ...about,
  schema: { type: 'string', enum: values },
  read: (value) => values.find((one) => one === value) ?? new Wrong(`must be ${listed(values, 'or')}`),
});

/** Some of these values, in their order here. */
export const someOfField = <const T extends string>(
  values: readonly T[],
  about: About<readonly T[]>,
  otherwise = '',
): Field<readonly T[]> => ({
  ...about,
  schema: { type: 'array', items: { type: 'string', enum: values }, minItems: 1 },
  read: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one: unknown) => values.some((known) => known === one))
      ? values.filter((one) => value.includes(one))
      : new Wrong(`must be an array of ${listed(values, 'or')}${otherwise}`),
});

/** How long something lasts, read as milliseconds. */
export function durationField(about: About<string>, mayBeNone = false): Field<number> {
  const { allowed, read } = duration(mayBeNone);
  return {
    ...about,
    schema: { type: 'string', pattern: '^(0|[1-9]\\d{0,4})[mhdw]$' },
    read: (value) => (typeof value === 'string' ? read(value) : undefined) ?? new Wrong(`must be ${allowed}`),
  };
}

/** A time in the past, read as a timestamp. */
export const pastTimeField = (about: About<string>): Field<string> => ({
  ...about,
  schema: { type: 'string' },
  read(value) {
    const time = typeof value === 'string' ? pastTime.read(value) : undefined;
    return time ?? new Wrong(`must be ${pastTime.allowed}`);
  },
});
