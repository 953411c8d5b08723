// JSON objects as rows, their numbers as they are written; and NDJSON, which has one of them a line.

import { trimmed } from '@linecard/client/contract/trimmed';
import { type ImportColumn, isForeign, plainName, unknownColumns } from './columns.ts';
import { type Members, membersOf, namesWithin, numberStandsAs } from './json-line.ts';
import type { MappedColumns } from './mapping/mapped.ts';
import { hasNested, isCovered, type JsonObject, keepLiteral, Literal, leavesOf } from './nested.ts';
import type { FileRow, RowContext, RowFormat } from './rows.ts';
import { quoted, type RawValue, shownName } from './values.ts';

const BLANK = /^[ \t\r]*$/;
const MAX_UNKNOWN = 1_000;
/** What `JSON.parse` adds to a position; its line is not the line of the file. */
const WITHIN_LINE = / \(line 1 column \d+\)$/;
const CONTROL = /\p{Cc}/gu;

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Literal) return 'a number';
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const EXPECTED = {
  integer: 'a JSON number',
  charge: 'a JSON number or a text with a decimal',
  flag: 'true or false, without quotes',
  text: 'a JSON text',
  timestamp: 'a JSON text with a timestamp, or null',
} as const;

/** A value as the text that CSV would have, or what is wrong with its type. */
function textOf({ kind }: ImportColumn, value: unknown): RawValue {
  if (value === null) return '';
  if (value === undefined) return undefined;
  if (kind === 'text' || kind === 'timestamp') {
    if (typeof value === 'string' && (kind === 'text' || trimmed(value) !== '')) return value;
  } else if (kind === 'flag') {
    const flag = value instanceof Literal ? Number(value.text) : value;
    if (typeof flag === 'boolean' || flag === 0 || flag === 1) return String(flag);
  } else if (typeof value === 'number') {
    return String(value);
  } else if (value instanceof Literal) {
    return value.text;
  } else if (kind === 'charge' && typeof value === 'string' && trimmed(value) !== '') {
    return value;
  }
  const text = typeof value === 'string' ? trimmed(value) : undefined;
  const was = text === undefined ? typeOf(value) : text === '' ? 'an empty text' : `the text ${quoted(text)}`;
  return { fault: `must be ${EXPECTED[kind]}, but was ${was}.` };
}

/** The same where a mapping says what the text means: any text, number or flag is one. */
function mappedText({ kind }: ImportColumn, value: unknown, mapped: MappedColumns): RawValue {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  const number =
    typeof value === 'number' ? String(value) : value instanceof Literal ? value.text : undefined;
  if (number === undefined)
    return { fault: `must be a JSON text, number, true or false, but was ${typeOf(value)}.` };
  return kind === 'charge' ? mapped.spelled(number) : number;
}

/** What says whether a row counts; a key that is not there has nothing. */
function choiceText(value: unknown): string {
  if (value instanceof Literal) return value.text;
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Makes rows of the texts of objects, each of which is a line or a record of a file. */
export class JsonObjects {
  readonly #context: RowContext;
  readonly #unit: 'line' | 'record';
  readonly #positions: ReadonlyMap<string, readonly number[]>;
  /** Keys that may hold numbers, also as most writers spell them. */
  readonly #numbers: readonly (readonly [name: string, key: string])[];
  readonly #unknown = new Set<string>();
  #line = 0;

  constructor(context: RowContext, unit: 'line' | 'record') {
    const { columns, mapped } = context;
    this.#context = context;
    this.#unit = unit;
    this.#positions = mapped?.fed ?? new Map(columns.map(({ name }, i) => [name, [i]]));
    const numbers = columns.filter(({ kind }) => kind === 'integer' || kind === 'charge');
    const keys = mapped === undefined ? numbers.map(({ name }) => name) : mapped.read;
    this.#numbers = keys.map((name) => [name, `${JSON.stringify(name)}:`]);
  }

  /** The row of an object, or nothing where it has a fault, which is reported. */
  row(text: string, line: number): FileRow | undefined {
    this.#line = line;
    const unit = this.#unit;
    if (!text.isWellFormed()) return this.#refuse(`The ${unit} is not valid UTF-8.`);
    let item: unknown;
    let members: Members | undefined;
    try {
      item = JSON.parse(text);
      if (isObject(item)) {
        members = membersOf(text, item);
        if (!this.#isExact(text, item, members)) item = JSON.parse(text, keepLiteral);
      }
    } catch (error) {
      const why = (error as Error).message.replace(WITHIN_LINE, '').replaceAll(CONTROL, '?');
      const advice = unit === 'line' ? '; write one complete object on each line' : '';
      return this.#refuse(`The ${unit} is not JSON (${why})${advice}.`);
    }
    if (!isObject(item)) return this.#refuse(`The ${unit} must be a JSON object, but was ${typeOf(item)}.`);
    if (this.#context.mapped !== undefined && hasNested(item)) return this.#rowOf(this.#leaves(text));
    if (members !== undefined) this.#reportRepeated(members.map(([key]) => key));
    return this.#rowOf(this.#withPlainNames(item, text));
  }

  #rowOf(item: JsonObject): FileRow | undefined {
    const { mapped } = this.#context;
    if (mapped?.hasChoice === true && !mapped.counts((name) => choiceText(item[name]))) return undefined;
    return { line: this.#line, values: this.#values(item) };
  }

  /** What an object with objects or arrays in it holds, by the paths of keys. */
  #leaves(text: string): JsonObject {
    const { mapped } = this.#context;
    const read = new Set(mapped?.read);
    const known = {
      isMapped: (path: string) => read.has(path),
      isIgnored: (path: string) => mapped?.isIgnored(path) === true,
      isAboveMapped: (path: string) => read.keys().some((one) => one.startsWith(`${path}.`)),
    };
    this.#reportRepeated(namesWithin(text).filter((path) => !isCovered(path, known)));
    return leavesOf(JSON.parse(text, keepLiteral) as JsonObject, known);
  }

  /** The same with the names of known columns, where keys are written in another way. */
  #withPlainNames(item: JsonObject, line: string): JsonObject {
    const isPlain = (name: string) => this.#positions.has(name) || plainName(name) === name;
    const names = Object.keys(item);
    if (names.every(isPlain)) return item;
    // The numbers under such keys were not looked at.
    const entries = Object.entries(JSON.parse(line, keepLiteral) as JsonObject);
    const plain = entries.map(([name, value]) => [plainName(name), value] as const);
    this.#reportRepeated(plain.map(([name]) => name));
    return Object.fromEntries(plain);
  }

  #refuse(fault: string): undefined {
    this.#context.report(this.#line, undefined, fault);
  }

  /** Parsing again for the texts of the numbers takes five times as long. */
  #isExact(line: string, item: JsonObject, members: Members | undefined): boolean {
    const places = members && new Map(members);
    return this.#numbers.every(([name, key]) => {
      const value = item[name];
      return typeof value !== 'number' || numberStandsAs(line, value, places?.get(name) ?? key);
    });
  }

  #values(item: JsonObject): RawValue[] {
    const { columns, mapped } = this.#context;
    const values: RawValue[] = [];
    values.length = columns.length;
    const names = Object.keys(item);
    const unknown: string[] = [];
    for (const name of names) {
      const positions = this.#positions.get(name);
      if (positions === undefined) unknown.push(name);
      else {
        for (const position of positions) {
          const column = columns[position] as ImportColumn;
          const value = item[name];
          values[position] = mapped === undefined ? textOf(column, value) : mappedText(column, value, mapped);
        }
      }
    }
    if (unknown.length > 0) this.#reportUnknown(unknown, names);
    return values;
  }

  /** The first key that the row has twice, of which `JSON.parse` takes the last without a word. */
  #reportRepeated(keys: readonly string[]): void {
    const { report, mapped } = this.#context;
    const seen = new Set<string>();
    const repeated = keys.find((key) => mapped?.isIgnored(key) !== true && seen.size === seen.add(key).size);
    if (repeated !== undefined)
      report(this.#line, shownName(repeated), 'is there twice in the row; leave one out.');
  }

  /** Once a file, like the header of CSV: the same for a million rows would drown what else is wrong. */
  #reportUnknown(names: readonly string[], all: readonly string[]): void {
    const { list, columns, report, mapped, foreign } = this.#context;
    const strange = names.filter((name) => !this.#unknown.has(name) && mapped?.isIgnored(name) !== true);
    if (strange.length === 0) return;
    const isFirst = this.#unknown.size === 0;
    for (const name of strange) if (this.#unknown.size < MAX_UNKNOWN) this.#unknown.add(name);
    if (mapped !== undefined) {
      for (const name of strange) report(this.#line, shownName(name), mapped.strange(name));
      return;
    }
    if (isFirst && foreign !== undefined && isForeign(columns, all)) this.#refuse(foreign);
    const { column, fault } = unknownColumns(list, columns, strange);
    report(this.#line, column, fault);
  }
}

export class NdjsonRows implements RowFormat {
  readonly #context: RowContext;
  readonly #objects: JsonObjects;
  blankLines = 0;
  #line = 0;
  #any = false;

  constructor(context: RowContext) {
    this.#context = context;
    this.#objects = new JsonObjects(context, 'line');
  }

  get nextLine(): number {
    return this.#line + 1;
  }

  *rows(chunk: string): Generator<FileRow> {
    for (let start = 0; start < chunk.length; ) {
      const feed = chunk.indexOf('\n', start);
      const line = chunk.slice(start, feed < 0 ? chunk.length : feed);
      start = feed < 0 ? chunk.length : feed + 1;
      this.#line += 1;
      if (BLANK.test(line)) {
        this.blankLines += 1;
        continue;
      }
      this.#any = true;
      const row = this.#objects.row(line, this.#line);
      if (row !== undefined) yield row;
    }
  }

  end(): void {
    if (!this.#any) this.#context.report(1, undefined, 'There is no row.');
  }
}
