// The file of a mapping -> a mapping that is checked for a list and a run, or all that is wrong with it, each
// fault with its place.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writtenText } from '@linecard/client/contract/written-text';
import { delimiter } from '../../settings/kinds.ts';
import type { OwnFields } from '../../store/tables.ts';
import type { ImportColumn } from '../columns.ts';
import { plainName } from '../columns.ts';
import { ImportRefused } from '../faults.ts';
import type { TargetName } from '../job.ts';
import { RowReader, type RowRules } from '../rows.ts';
import { type ImportTarget, targetOf } from '../targets.ts';
import { formShape } from './forms.ts';
import { type MappingFault, repeatedKeys, schemaCheck } from './schema.ts';
import { type Mapping, type MappingSource, nameOf } from './written.ts';

/** A mapping is written by hand: a larger file is something else. */
const MAX_BYTES = 1_048_576;
const MAX_FOUND = 100;
const MAX_CHECKS = 10;

const refused = (path: string, ...faults: readonly MappingFault[]) =>
  new ImportRefused(
    [path],
    faults.map(({ pointer, detail }) => ({ line: 0, column: pointer || undefined, detail })),
    faults.length,
    'The mapping has ',
  );

const hasKeys = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const keysOf = (value: unknown) => (hasKeys(value) ? Object.keys(value) : []);
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** What is wrong with parts that do not go together, as far as they are what they must be. */
function* conflicts(mapping: Partial<Mapping>, columns: readonly ImportColumn[]): Generator<MappingFault> {
  const sources = keysOf(mapping.columns);
  const constants = keysOf(mapping.constants);
  for (const name of constants.filter((one) => sources.includes(one)))
    yield { pointer: `/constants/${name}`, detail: 'has a source in "columns", too; leave one out.' };
  const names = sources.flatMap((name) => {
    const source = (mapping.columns as Readonly<Record<string, MappingSource>>)[name];
    return typeof source === 'string' || hasKeys(source) ? [nameOf(source)] : [];
  });
  const ignored = textsOf(mapping.ignore);
  for (const [i, name] of ignored.entries())
    if (names.includes(plainName(name)))
      yield { pointer: `/ignore/${i}`, detail: 'is mapped in "columns", too.' };
  const shapes = textsOf(mapping.dates).map(formShape);
  for (const [i, shape] of shapes.entries()) {
    const first = shapes.indexOf(shape);
    if (first < i)
      yield { pointer: `/dates/${i}`, detail: `reads the same texts as /dates/${first}; leave one out.` };
  }
  if (mapping.skip !== undefined && mapping.header !== undefined)
    yield { pointer: '/skip', detail: 'says where the header is, as "header" does; leave one out.' };
  const mayRemove = sources.includes('removed');
  const missing = columns.filter(
    ({ name, required, mayBeAbsent }) =>
      required &&
      mayBeAbsent !== true &&
      (!mayRemove || name === 'account_id' || name === 'id') &&
      !sources.includes(name) &&
      !constants.includes(name),
  );
  for (const { name } of missing)
    yield {
      pointer: '/columns',
      detail: `${name} is required, but has no source: add it here, or to "constants".`,
    };
}

function textOf(path: string): string {
  const fault = (detail: string) => refused(path, { pointer: '', detail });
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw fault(code === 'ENOENT' ? 'There is no such mapping.' : `It cannot be read: ${message}.`);
  }
  if (bytes.length > MAX_BYTES) throw fault('It has more than 1 MiB, so it is no mapping.');
  const text = writtenText(bytes);
  if (text === undefined) throw fault('It is not JSON in UTF-8 or UTF-16: save it as UTF-8.');
  return text;
}

type Check = (path: string, text: string) => Mapping;

/** Those that were found good, and the checks themselves, by what they are for: to make one takes 10 ms. */
const found = new Map<string, Mapping>();
const checks = new Map<string, Check>();

/** The value of a key, made where it is missing; a map that is full is emptied first. */
function cached<Value>(map: Map<string, Value>, most: number, key: string, made: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = made();
  if (map.size >= most) map.clear();
  map.set(key, value);
  return value;
}

/**
 * Reads the file of a mapping.
 * @throws {ImportRefused} with everything that is wrong with it.
 */
export function readMapping(path: string, name: TargetName, rules: RowRules = {}, own?: OwnFields): Mapping {
  const text = textOf(path);
  const use = JSON.stringify([name, own?.revision, rules]);
  return cached(found, MAX_FOUND, hash('sha256', use + text), () =>
    cached(checks, MAX_CHECKS, use, () => checkFor(targetOf(name, own), rules))(path, text),
  );
}

function checkFor(target: ImportTarget, rules: RowRules): Check {
  const { columns } = new RowReader(target, rules);
  const schemaFaults = schemaCheck(columns, target.list.title.toLowerCase());
  return (path, text) => {
    let mapping: unknown;
    try {
      mapping = JSON.parse(text);
    } catch (error) {
      throw refused(path, { pointer: '', detail: `It is not JSON: ${(error as Error).message}.` });
    }
    const faults = [...repeatedKeys(text), ...schemaFaults(mapping)];
    if (hasKeys(mapping) && 'columns' in mapping) faults.push(...conflicts(mapping, columns));
    if (faults.length > 0) throw refused(path, ...faults);
    const checked = mapping as Mapping;
    // It may be named.
    const cells = checked.delimiter === undefined ? undefined : delimiter.read(checked.delimiter);
    return { ...checked, ...(cells === undefined ? {} : { delimiter: cells }) };
  };
}
