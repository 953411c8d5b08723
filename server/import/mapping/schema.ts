// The schema of a mapping for one list: what its keys and values may be, and the sentence for each that is
// something else. Only an import with a mapping loads it.

import { DECIMAL_SIGNS } from '@linecard/client/check/contents';
import { nearest } from '@linecard/client/contract/suggestion';
import { trimmed } from '@linecard/client/contract/trimmed';
import { listed } from '@linecard/client/contract/wording';
import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import { delimiter } from '../../settings/kinds.ts';
import { options } from '../../settings/options.ts';
import type { ImportColumn } from '../columns.ts';
import { quoted } from '../values.ts';
import { FORM_ALLOWED, isDateForm } from './forms.ts';
import { isTimeZone } from './times.ts';
import { ID_KINDS, REPEATED, SKIPPED } from './written.ts';

export interface MappingFault {
  /** Where, as a JSON pointer (RFC 6901); empty for all of it. */
  readonly pointer: string;
  readonly detail: string;
}

interface Format {
  /** To follow "must be". */
  readonly allowed: string;
  readonly fits: (text: string) => boolean;
}

const FORMATS: Readonly<Record<string, Format>> = {
  delimiter: { allowed: delimiter.allowed, fits: (text) => delimiter.read(text) !== undefined },
  encoding: {
    allowed: options.encoding.allowed,
    fits: (text) => options.encoding.read(text) !== undefined,
  },
  currency: {
    allowed: 'what stands next to charges, such as €, US$ or EUR',
    fits: (text) => /^[\p{L}\p{Sc}]{1,5}\.?$/u.test(text),
  },
  date: { allowed: FORM_ALLOWED, fits: isDateForm },
  zone: { allowed: 'an IANA time zone such as Europe/Berlin', fits: isTimeZone },
};

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const NAMES = { ...TEXTS, minItems: 1 };
/** What each condition of `only` has, in addition to its column. */
const TESTS = ['present', 'in', 'not_in'] as const;
const CONDITION = {
  type: 'object',
  required: ['column'],
  additionalProperties: false,
  minProperties: 2,
  maxProperties: 2,
  properties: { column: TEXT, present: { type: 'boolean' }, in: NAMES, not_in: NAMES },
};
const EMPTY = { type: ['array', 'object'], items: TEXT, additionalProperties: false };
const QUOTE_ESCAPES = ['\\'] as const;
/** More lines before a header are no title. */
const MAX_SKIPPED_LINES = 1_000;
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
  integer: 'a whole number',
};

const pointerOf = (path: string, key: string) => `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const objectOf = (entries: readonly (readonly [string, object])[]) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(entries),
});

/** The source of a column: only ids are made from other texts. */
function sourceSchema({ kind }: ImportColumn): object {
  const as = kind === 'integer' ? { as: { enum: ID_KINDS } } : {};
  return {
    type: ['string', 'object'],
    required: ['from'],
    additionalProperties: false,
    properties: { from: TEXT, ...as },
  };
}

/** A text that the check of rows takes for the column. */
const valueSchema = ({ name }: ImportColumn) => ({ ...TEXT, format: `value ${name}` });

function schemaOf(columns: readonly ImportColumn[]): SchemaObject {
  const each = (schema: (column: ImportColumn) => object) =>
    objectOf(columns.map((column) => [column.name, schema(column)] as const));
  return {
    ...objectOf([
      ['delimiter', { ...TEXT, format: 'delimiter' }],
      ['encoding', { ...TEXT, format: 'encoding' }],
      ['decimal', { enum: DECIMAL_SIGNS }],
      ['currency', { ...TEXT, format: 'currency' }],
      ['dates', { type: 'array', items: { ...TEXT, format: 'date' } }],
      ['time_zone', { ...TEXT, format: 'zone' }],
      ['repeated', { enum: REPEATED }],
      ['skipped', { enum: SKIPPED }],
      ['columns', each(sourceSchema)],
      ['constants', each(valueSchema)],
      ['values', each((column) => ({ type: 'object', additionalProperties: valueSchema(column) }))],
      ['ignore', { type: 'array', items: TEXT }],
      ['records', TEXT],
      ['sheet', TEXT],
      ['skip', { type: 'integer', minimum: 1, maximum: MAX_SKIPPED_LINES }],
      ['header', NAMES],
      ['only', { type: 'array', items: CONDITION }],
      ['unique', TEXT],
      ['empty', { ...EMPTY, properties: Object.fromEntries(columns.map(({ name }) => [name, TEXTS])) }],
      ['quote_escape', { enum: QUOTE_ESCAPES }],
    ]),
    required: ['columns'],
  };
}

function unknownKey({ instancePath, params, parentSchema }: ErrorObject, title: string): MappingFault {
  const key = String(params['additionalProperty']);
  const known = Object.keys((parentSchema as { properties: object }).properties);
  const what = /^\/(?:columns|constants|values|empty)$/.test(instancePath)
    ? `a column of ${title}`
    : instancePath.startsWith('/only/')
      ? 'a key of a condition'
      : 'a key of a mapping';
  const meant = nearest(key, known);
  const hint = meant === undefined ? `Known are ${listed(known)}.` : `Did you mean ${meant}?`;
  return { pointer: pointerOf(instancePath, key), detail: `is not ${what}. ${hint}` };
}

function faultOf(error: ErrorObject, title: string, columns: readonly ImportColumn[]): MappingFault {
  const { keyword, instancePath: pointer, params, data } = error;
  const shown = typeof data === 'string' ? quoted(data) : JSON.stringify(data);
  const must = (what: string) => ({ pointer, detail: `must be ${what}, but was ${shown}.` });
  if (keyword === 'additionalProperties') return unknownKey(error, title);
  if (keyword === 'required') return { pointer, detail: `must have "${params['missingProperty']}".` };
  if (keyword === 'enum')
    return must(`one of ${(params['allowedValues'] as string[]).map((one) => `"${one}"`).join(', ')}`);
  if (keyword === 'format') {
    const name = String(params['format']);
    const format = FORMATS[name];
    if (format !== undefined) return must(format.allowed);
    const column = columns.find((one) => name === `value ${one.name}`) as ImportColumn;
    const text = trimmed(String(data));
    const detail = text === '' ? 'must not be empty.' : column.complaint(text);
    return { pointer, detail };
  }
  if (keyword === 'minItems') return { pointer, detail: 'must have at least one text.' };
  if (keyword === 'minProperties' || keyword === 'maxProperties')
    return {
      pointer,
      detail: `must have "column" and one of ${listed(
        TESTS.map((one) => `"${one}"`),
        'or',
      )}.`,
    };
  if (keyword === 'minimum' || keyword === 'maximum')
    return must(`a whole number from 1 to ${MAX_SKIPPED_LINES.toLocaleString('en')}`);
  const types = [params['type'] as string | string[]].flat().map((type) => TYPES[type] ?? type);
  return must(types.join(' or '));
}

/** What finds everything that the schema says is wrong with a mapping for a list with these columns. */
export function schemaCheck(
  columns: readonly ImportColumn[],
  title: string,
): (mapping: unknown) => MappingFault[] {
  const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true });
  for (const [name, { fits }] of Object.entries(FORMATS)) ajv.addFormat(name, fits);
  for (const column of columns) {
    const fits = (given: string) => {
      const text = trimmed(given);
      return text === '' ? !column.required : column.read(text) !== undefined;
    };
    ajv.addFormat(`value ${column.name}`, fits);
  }
  const validate = ajv.compile(schemaOf(columns));
  return (mapping) =>
    validate(mapping) ? [] : (validate.errors ?? []).map((error) => faultOf(error, title, columns));
}

/** The keys that an object of a JSON text has twice, of which `JSON.parse` takes the last without a word. */
export function repeatedKeys(text: string): MappingFault[] {
  const faults: MappingFault[] = [];
  /** The objects and lists that are open: the path of each, its keys, and the last of them. */
  const open: { path: string; keys: Set<string> | undefined; key: string }[] = [];
  for (const [token, string, colon] of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\],]/g)) {
    const top = open.at(-1);
    if (string !== undefined && colon !== undefined && top?.keys !== undefined) {
      const key = JSON.parse(string) as string;
      if (top.keys.has(key))
        faults.push({ pointer: pointerOf(top.path, key), detail: 'is there twice; leave one out.' });
      top.keys.add(key);
      top.key = key;
    } else if (token === '{' || token === '[') {
      const path = top === undefined ? '' : pointerOf(top.path, top.key);
      open.push({ path, keys: token === '{' ? new Set() : undefined, key: '0' });
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && top !== undefined && top.keys === undefined)
      top.key = String(Number(top.key) + 1);
  }
  return faults;
}
