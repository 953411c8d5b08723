// The arguments of an agent's tool -> the parameters of a request. What is wrong is reported all at once, in
// the names that the tool's own schema has.

import { lists } from '@linecard/client/contract';
import { SINCE_NOW } from '@linecard/client/contract/changes';
import type { List } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import { QueryParser } from '@linecard/client/contract/query-parser';
import { nearest } from '@linecard/client/contract/suggestion';
import { namesMeant } from '@linecard/client/contract/tried-names';
import { spanStems } from './list-options.ts';
import { FIELDS, type JsonSchema, MAX_PAGE_SIZE } from './mcp-schemas.ts';
import type { ListParams } from './options.ts';
import { readSpan, SPAN_FORM } from './times.ts';

export type Given = Readonly<Record<string, unknown>>;

const MOST_SHOWN = 100;

const shown = (text: string) => (text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`);

/** Arguments that a tool cannot work with; the message says how to put all of it right. */
export class WrongArguments extends Error {}

/** @throws {WrongArguments} with every fault, where there is any */
function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new WrongArguments(faults.join('\n'));
}

/**
 * Arguments that the schema does not have are refused.
 * @throws {WrongArguments}
 */
export function mustBeTaken(tool: string, { properties }: JsonSchema, given: Given): void {
  const known = Object.keys(properties as object);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const faults = unknown.map((name) => {
    const meant = namesMeant(name, known).map((one) => `"${one}"`);
    const hint = meant.length === 0 ? '' : ` Did you mean ${meant.join(' or ')}?`;
    return `"${shown(name)}" is not an argument of ${tool}.${hint}`;
  });
  if (faults.length > 0) faults.push(`It takes ${known.length === 0 ? 'none' : known.join(', ')}.`);
  refuse(faults);
}

/** Spans of time as the two filters that bound them. */
function spansRead(list: List, given: Given): { params: Record<string, unknown>; faults: string[] } {
  const params: Record<string, unknown> = { ...given };
  const faults: string[] = [];
  for (const stem of spanStems(list)) {
    const text = params[stem];
    delete params[stem];
    if (text === undefined) continue;
    const bounds = typeof text === 'string' ? readSpan(text) : undefined;
    if (bounds === undefined) faults.push(`${stem} must be ${SPAN_FORM}.`);
    for (const [side, time] of Object.entries(bounds ?? {})) params[`${stem}_${side}`] = time;
  }
  return { params, faults };
}

/**
 * The parameters of a request, checked by the contract's own parser.
 * @throws {WrongArguments}
 */
export function paramsFrom(list: List, given: Given, use: 'page' | 'facets'): ListParams {
  const { params, faults } = spansRead(list, given);
  try {
    new QueryParser(list, MAX_PAGE_SIZE, use).ofJson(JSON.stringify(params));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    faults.push(...(error.faults ?? [{ detail: error.message }]).map(({ detail }) => detail));
  }
  refuse(faults);
  return params as ListParams;
}

/**
 * The fields that were chosen, or the usual ones.
 * @throws {WrongArguments}
 */
export function fieldsFrom(list: List, given: unknown, usual: readonly string[]): readonly string[] {
  if (given === undefined) return usual;
  const known = Object.keys(list.fields);
  const names = Array.isArray(given) ? given.map(String) : [];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined && names.length > 0) return names;
  const meant = nearest(unknown ?? '', known);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  throw new WrongArguments(`${FIELDS} must be a list of ${known.join(', ')}.${hint}`);
}

/** @throws {WrongArguments} */
export function idFrom(given: unknown): number {
  if (Number.isSafeInteger(given) && Number(given) >= 1) return Number(given);
  throw new WrongArguments('id must be an integer from 1, such as a list gives it.');
}

/** @throws {WrongArguments} */
export function listFrom(given: unknown): List {
  const list = Object.values<List>(lists).find(({ name }) => name === given);
  if (list !== undefined) return list;
  throw new WrongArguments(`list must be one of ${Object.keys(lists).join(', ')}.`);
}

/**
 * A token of changes; without one, what stands for now.
 * @throws {WrongArguments}
 */
export function sinceFrom(given: unknown): string {
  if (given === undefined) return SINCE_NOW;
  if (typeof given === 'string' && given !== '') return given;
  throw new WrongArguments('since must be the `since` of the answer before; leave it out for a token.');
}
