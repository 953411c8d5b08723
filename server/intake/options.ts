// The address and the headers of a request -> the options of an import, under the names that the command has
// for them.

import { readdirSync, statSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { FILE_TYPES } from '@linecard/client/contract/addresses';
import { invalidParameter, Problem } from '@linecard/client/contract/problems';
import { decodedPart, firstPairs, QueryFaults, shown } from '@linecard/client/contract/query-faults';
import { nearest } from '@linecard/client/contract/suggestion';
import { listed } from '@linecard/client/contract/wording';
import type { Format } from '../import/files.ts';
import {
  type Importable,
  type ImportOptions,
  ONLY_ITEMS,
  optionsByParameter,
  optionsOfMethod,
  takesOption,
} from '../import/job.ts';
import { parameters } from '../settings/config.ts';
import { type Options, options } from '../settings/options.ts';
import { accountIdFault } from '../store/access/accounts.ts';

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['text/csv', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
  ['application/x-jsonlines', 'ndjson'],
  ['application/json', 'json'],
  [FILE_TYPES.xlsx, 'xlsx'],
]);
/** One for each format, as they are named to senders. */
const ACCEPTED = [FILE_TYPES.csv, FILE_TYPES.ndjson, 'application/json', FILE_TYPES.xlsx];
/** After a sentence about a body that is no object. */
export const SEND_ROWS = ` To import rows, send ${FILE_TYPES.csv} or ${FILE_TYPES.ndjson}.`;
const ENCODINGS: ReadonlyMap<string, boolean> = new Map([
  ['identity', false],
  ['gzip', true],
  ['x-gzip', true],
]);
const CHARSET = /^charset="?([^"]+)"?$/i;
const SEQUENCE = /^(?:0|[1-9]\d{0,15})$/;
const MAX_FEED_CHARACTERS = 100;
/** Names of mappings that a message shows. */
const MAX_KNOWN = 20;
/** The name of a file, not a path, and not of one that is hidden. */
const MAPPING = /^(?!\.)[^/\\\p{Cc}]{1,100}$/u;
const JSON_ENDING = /(?:\.json)?$/;
const CONTROL = /\p{Cc}/u;

function parameterValue(
  option: keyof ImportOptions,
  text: string | undefined,
  method: string,
): { value: unknown } | string {
  if (text === undefined) return 'is not valid percent-encoded UTF-8';
  const parameter = parameters[option];
  const value = parameter.read(text);
  if (value === undefined) return `must be ${parameter.allowed}`;
  if (option === 'replace_all' && method !== 'PUT') return 'belongs to PUT, which replaces the list';
  if (option === 'defaults' && method === 'PATCH')
    return 'belongs to POST and PUT: PATCH changes only the columns of the body';
  if (option === 'mapping' && !MAPPING.test(text)) return 'must be the name of a mapping, without a path';
  const fault = option === 'account' ? accountIdFault(text) : undefined;
  return fault ?? { value };
}

function unknownParameter(faults: QueryFaults, name: string, table: Importable): string {
  const known = [...optionsByParameter].flatMap(([one, option]) => (takesOption(table, option) ? [one] : []));
  const meant = faults.suggested(() => nearest(name, known));
  const hint = meant === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${meant}?`;
  return `${shown(name)} is not a parameter of intake. ${hint}`;
}

/**
 * The options that the method and the query string of a request stand for.
 * @throws {Problem} `invalid-parameter` with every fault.
 */
export function readOptions(url: string, method: string, table: Importable): ImportOptions {
  const mark = url.indexOf('?');
  const text = mark < 0 ? '' : url.slice(mark + 1);
  const options = new Map<keyof ImportOptions, unknown>();
  const faults = new QueryFaults();
  for (const part of firstPairs(text, faults)) {
    const [rawName = '', ...rest] = part.split('=');
    const name = decodedPart(rawName) ?? rawName;
    const option = optionsByParameter.get(name);
    if (option === undefined) {
      faults.add(name, () => unknownParameter(faults, name, table));
      continue;
    }
    if (!takesOption(table, option)) {
      faults.add(name, () => `${name} ${ONLY_ITEMS}`);
      continue;
    }
    const read = options.has(option)
      ? 'is there twice'
      : parameterValue(option, decodedPart(rest.join('=')), method);
    if (typeof read === 'string') faults.add(name, () => `${name} ${read}.`);
    else options.set(option, read.value);
  }
  faults.mustBeNone();
  return { ...optionsOfMethod(method), ...Object.fromEntries(options) };
}

/** What cannot be looked at, such as a name that is too long or a link to itself, is no file. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * The options with the file of the mapping for its name.
 * @throws {Problem} `invalid-parameter` when there is none.
 */
export function withMapping(options: ImportOptions, folder: string | undefined): ImportOptions {
  const { mapping: name } = options;
  if (name === undefined) return options;
  const refused = (detail: string) => invalidParameter([{ parameter: 'mapping', detail }]);
  if (folder === undefined)
    throw refused('This intake has no mappings; its operator names their folder with --mappings.');
  const path = join(folder, name.replace(JSON_ENDING, '.json'));
  if (isFile(path)) return { ...options, mapping: path };
  const files = readdirSync(folder).filter(
    (one) => one.endsWith('.json') && MAPPING.test(one) && isFile(join(folder, one)),
  );
  const known = files.map((one) => one.replace(JSON_ENDING, '')).slice(0, MAX_KNOWN);
  const hint = known.length === 0 ? 'There is none yet.' : `Known are ${known.join(', ')}.`;
  throw refused(`There is no mapping ${shown(name)}. ${hint}`);
}

export interface BodyType {
  readonly format: Format;
  readonly isCompressed: boolean;
  /** How its bytes are text, where that is said. */
  readonly encoding: Options['encoding'];
}

function unsupported(detail: string, headers: Record<string, string>): Problem {
  return new Problem('unsupported-media-type', detail, { headers });
}

/** @throws {Problem} `unsupported-media-type`, or `invalid-parameter` for options that it does not have */
export function bodyTypeOf(headers: IncomingHttpHeaders, { delimiter }: ImportOptions): BodyType {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const format = FORMATS.get(type.toLowerCase());
  if (format === undefined) {
    const was = type === '' ? 'and none was given' : `not ${JSON.stringify(type.slice(0, 100))}`;
    throw unsupported(`Content-Type must be ${listed(ACCEPTED, 'or')}, ${was}.`, {
      'accept-post': ACCEPTED.join(', '),
    });
  }
  if (format !== 'csv' && delimiter !== undefined) {
    const detail = `delimiter is for text/csv, and Content-Type is ${type}: leave it out.`;
    throw invalidParameter([{ parameter: 'delimiter', detail }]);
  }
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const isCompressed = ENCODINGS.get(coding);
  if (isCompressed === undefined)
    throw unsupported('Content-Encoding must be gzip, or there must be none.', { 'accept-encoding': 'gzip' });
  const charset = parameters.map((one) => CHARSET.exec(one)?.[1]).find((one) => one !== undefined);
  if (charset === undefined) return { format, isCompressed, encoding: undefined };
  const encoding = options.encoding.read(charset.toLowerCase());
  if (encoding !== undefined) return { format, isCompressed, encoding };
  throw unsupported(`The charset of Content-Type must be ${options.encoding.allowed}.`, {});
}

/** Which one of its feed a request is. */
export interface Sequence {
  readonly feed: string;
  readonly sequence: number;
}

/** The feed that a request names, with or without a number. */
export interface RequestFeed {
  readonly feed: string | undefined;
  readonly sequence: Sequence | undefined;
}

/** @throws {Problem} `bad-request` when a header is not of its form, or there is a number and no feed. */
export function feedOfRequest(headers: IncomingHttpHeaders): RequestFeed {
  const { 'linecard-feed': feed, 'linecard-sequence': text } = headers;
  if (feed === undefined) {
    if (text === undefined) return { feed, sequence: undefined };
    throw new Problem('bad-request', 'Linecard-Sequence needs the Linecard-Feed that it numbers.');
  }
  if (typeof feed !== 'string' || feed === '' || feed.length > MAX_FEED_CHARACTERS || CONTROL.test(feed))
    throw new Problem(
      'bad-request',
      `Linecard-Feed must be a name of 1 to ${MAX_FEED_CHARACTERS} characters, none of them control.`,
    );
  if (text === undefined) return { feed, sequence: undefined };
  if (typeof text !== 'string' || !SEQUENCE.test(text) || !Number.isSafeInteger(Number(text)))
    throw new Problem('bad-request', 'Linecard-Sequence must be an integer from 0 to 9007199254740991.');
  return { feed, sequence: { feed, sequence: Number(text) } };
}
