// The rows of an NDJSON file: one JSON object a line, its numbers as they are written.

import { trimmed } from '@linecard/client/contract/trimmed';
import { type ImportColumn, isForeign, plainName, unknownColumns } from './columns.ts';
import { type Members, membersOf, numberStandsAs } from './json-line.ts';
import type { MappedColumns } from './mapping/mapped.ts';
import type { FileRow, RowContext, RowFormat } from './rows.ts';
import { quoted, type RawValue, shownName } from './values.ts';

const BLANK = /^[ \t\r]*$/;
const MAX_UNKNOWN = 1_000;
/** What `JSON.parse` adds to a position; its line is not the line of the file. */
const WITHIN_LINE = / \(line 1 column \d+\)$/;
const CONTROL = /\p{Cc}/gu;

/** A number as its text. */
class Literal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Node gives the text of a number to the reviver; the declarations of TypeScript do not know it yet. */
function keepLiteral(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? new Literal(context?.source ?? String(value)) : value;
}

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

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export class NdjsonRows implements RowFormat {
  readonly #context: RowContext;
  readonly #positions: ReadonlyMap<string, readonly number[]>;
  /** Keys that may hold numbers, also as most writers spell them. */
  readonly #numbers: readonly (readonly [name: string, key: string])[];
  readonly #unknown = new Set<string>();
  blankLines = 0;
  #line = 0;
  #any = false;

  constructor(context: RowContext) {
    const { columns, mapped } = context;
    this.#context = context;
    this.#positions = mapped?.fed ?? new Map(columns.map(({ name }, i) => [name, [i]]));
    const numbers = columns.filter(({ kind }) => kind === 'integer' || kind === 'charge');
    const keys = mapped === undefined ? numbers.map(({ name }) => name) : [...mapped.fed.keys()];
    this.#numbers = keys.map((name) => [name, `${JSON.stringify(name)}:`]);
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
      const row = this.#row(line);
      if (row !== undefined) yield row;
    }
  }

  end(): void {
    if (!this.#any) this.#context.report(1, undefined, 'There is no row.');
  }

  #row(line: string): FileRow | undefined {
    if (!line.isWellFormed()) return this.#refuse('The line is not valid UTF-8.');
    let item: unknown;
    let members: Members | undefined;
    try {
      item = JSON.parse(line);
      if (isObject(item)) {
        members = membersOf(line, item);
        if (!this.#isExact(line, item, members)) item = JSON.parse(line, keepLiteral);
      }
    } catch (error) {
      const why = (error as Error).message.replace(WITHIN_LINE, '').replaceAll(CONTROL, '?');
      return this.#refuse(`The line is not JSON (${why}); write one complete object on each line.`);
    }
    if (!isObject(item)) return this.#refuse(`The line must be a JSON object, but was ${typeOf(item)}.`);
    if (members !== undefined) this.#reportRepeated(members.map(([key]) => key));
    return { line: this.#line, values: this.#values(this.#withPlainNames(item, line)) };
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
