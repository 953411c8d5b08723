// A JSON document as a stream -> the texts of the values in one of its arrays: the document itself, or the
// array of a path. What is around them is checked as JSON here, the values are where they are parsed. What is
// held is one value, or one token around them.

import { endOfString } from '@linecard/client/contract/json-outline';
import { MAX_LINE_BYTES } from './chunks.ts';
import { plainName } from './columns.ts';
import { UnreadableFile, UnreadableLine } from './files.ts';
import { pathBelow } from './nested.ts';
import { quoted } from './values.ts';

/** How deep objects and arrays may be in each other, around the records and in one. */
const MAX_DEPTH = 64;
const BLANKS = /[ \t\r\n]*/y;
const STRUCTURE = /["{}[\]]/g;
const SCALAR_END = /[\s{}[\],:"]/g;
const NO_BLANK = /[^ \t\r\n]/;

const MAX_SHOWN = 20;

const CUT_OFF = 'The document ends before its last bracket: the rest is missing.';
const TOO_DEEP = `Objects and arrays are more than ${MAX_DEPTH} deep in each other; the rest of the file was not read.`;
const MORE =
  'The document goes on after its end. If it has one object on each line, it is NDJSON: --format ndjson.';

/** One object or array that is open around the records. */
interface Level {
  readonly isArray: boolean;
  readonly isOfRecords: boolean;
  readonly path: string;
  /** The key of the next value, or its index. */
  next: string | number;
}

/** What may come next around the records. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'end';

export class JsonDocument {
  /** The path of the array that has the records; empty for the document itself. */
  readonly #wanted: string;
  readonly #levels: Level[] = [];
  #expected: Expected = 'value';
  #text = '';
  #at = 0;
  /** Within a record: how far it was read, and how many brackets are open there. */
  #scanned = 0;
  #depth = 0;
  #isWithin = false;
  #isFound = false;
  records = 0;

  constructor(path = '') {
    this.#wanted = path;
  }

  /**
   * The texts of the records that end in this part of the document.
   * @throws {UnreadableLine} when it cannot be read on.
   */
  *take(chunk: string): Generator<string> {
    this.#text = this.#text.slice(this.#at) + chunk;
    this.#scanned -= this.#at;
    this.#at = 0;
    for (;;) {
      const record = this.#isWithin ? this.#restOfRecord() : this.#step();
      if (record === undefined) break;
      if (record === '') continue;
      this.records += 1;
      yield record;
    }
    if (this.#text.length - this.#at <= MAX_LINE_BYTES) return;
    const what = this.#isWithin ? 'record' : 'text';
    throw new UnreadableLine(
      `A ${what} is longer than ${MAX_LINE_BYTES} characters; the rest of the file was not read.`,
    );
  }

  /**
   * To be called at the end of the file; what is left may be a record.
   * @throws {UnreadableFile} when the document is not complete, or has no such array.
   */
  end(): void {
    if (!NO_BLANK.test(this.#text) && this.#expected === 'value')
      throw new UnreadableFile('The file is empty.');
    // A scalar at the end of all is no record.
    for (const _ of this.take('\n'));
    if (this.#levels.length > 0 || this.#expected !== 'end') throw new UnreadableLine(CUT_OFF);
    if (!this.#isFound)
      throw new UnreadableFile(
        `The document has no ${quoted(this.#wanted)}, the array that "records" of the mapping names.`,
      );
  }

  /** The record that was begun, where all of it is there. */
  #restOfRecord(): string | undefined {
    const end = this.#endOfRecord();
    if (end === undefined) return undefined;
    this.#isWithin = false;
    return this.#cut(end);
  }

  #cut(end: number): string {
    const text = this.#text.slice(this.#at, end);
    this.#at = end;
    return text;
  }

  #endOfRecord(): number | undefined {
    for (;;) {
      STRUCTURE.lastIndex = this.#scanned;
      const found = STRUCTURE.exec(this.#text);
      if (found === null) {
        this.#scanned = this.#text.length;
        return undefined;
      }
      if (found[0] === '"') {
        const end = this.#stringEnd(found.index);
        this.#scanned = end ?? found.index;
        if (end === undefined) return undefined;
        continue;
      }
      this.#scanned = found.index + 1;
      this.#depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
      if (this.#depth === 0) return this.#scanned;
      this.#mustNotBeDeep(this.#depth);
    }
  }

  /** The index after a text; `undefined` where its end has not come. */
  #stringEnd(start: number): number | undefined {
    const end = endOfString(this.#text, start);
    if (end < this.#text.length) return end;
    // Where there is no quote at its end, it is only the end of what has come.
    let slashes = 0;
    while (this.#text[end - 2 - slashes] === '\\') slashes += 1;
    return end - start > 1 && this.#text[end - 1] === '"' && slashes % 2 === 0 ? end : undefined;
  }

  /** Takes one token; a record, or an empty text for another one, or `undefined` where all has not come. */
  #step(): string | undefined {
    BLANKS.lastIndex = this.#at;
    BLANKS.exec(this.#text);
    this.#at = BLANKS.lastIndex;
    const sign = this.#text[this.#at];
    if (sign === undefined) return undefined;
    if (this.#expected === 'end') throw new UnreadableLine(MORE);
    if (sign === '{' || sign === '[') return this.#open(sign === '[');
    if ('}],:'.includes(sign)) {
      this.#punctuate(sign);
      this.#at += 1;
      return '';
    }
    SCALAR_END.lastIndex = this.#at;
    const end = sign === '"' ? this.#stringEnd(this.#at) : SCALAR_END.exec(this.#text)?.index;
    return end === undefined ? undefined : this.#takeScalar(end, sign === '"');
  }

  #fail(): never {
    const [shown = ''] = this.#text.slice(this.#at, this.#at + MAX_SHOWN).split('\n', 1);
    throw new UnreadableLine(`The document is not JSON: ${quoted(shown)} is in the wrong place.`);
  }

  #mustNotBeDeep(depth: number): void {
    if (depth > MAX_DEPTH) throw new UnreadableLine(TOO_DEEP);
  }

  /** The path of a value that begins here. */
  #begin(): string {
    if (this.#expected !== 'value' && this.#expected !== 'value or end') this.#fail();
    const top = this.#levels.at(-1);
    this.#expected = top === undefined ? 'end' : 'comma or end';
    return top === undefined ? '' : pathBelow(top.path, String(top.next));
  }

  #open(isArray: boolean): '' | undefined {
    const path = this.#begin();
    if (this.#levels.at(-1)?.isOfRecords === true) {
      this.#isWithin = true;
      this.#scanned = this.#at;
      return '';
    }
    const isOfRecords = path === this.#wanted;
    if (isOfRecords) this.#mustBeArray(isArray ? undefined : 'an object');
    this.#levels.push({ isArray, isOfRecords, path, next: isArray ? 0 : '' });
    this.#mustNotBeDeep(this.#levels.length);
    this.#expected = isArray ? 'value or end' : 'key or end';
    this.#at += 1;
    return '';
  }

  /** @param other what the value is that should be the array of the records, where it is none. */
  #mustBeArray(other: string | undefined): void {
    if (other !== undefined)
      throw new UnreadableFile(
        this.#wanted === ''
          ? `The document is ${other}, not an array: name the path of its array in the mapping, such as "records": "data", or add --format ndjson where each line is an object.`
          : `${quoted(this.#wanted)} is ${other}, and not an array: correct "records" of the mapping.`,
      );
    if (this.#isFound) throw new UnreadableLine(`${quoted(this.#wanted)} is there twice; leave one out.`);
    this.#isFound = true;
  }

  #punctuate(sign: string): void {
    const top = this.#levels.at(-1);
    const mayEnd = this.#expected.endsWith('or end');
    if (top !== undefined && mayEnd && sign === (top.isArray ? ']' : '}')) {
      this.#levels.pop();
      this.#expected = this.#levels.length === 0 ? 'end' : 'comma or end';
    } else if (top !== undefined && sign === ',' && this.#expected === 'comma or end') {
      if (typeof top.next === 'number') top.next += 1;
      this.#expected = top.isArray ? 'value' : 'key';
    } else if (sign === ':' && this.#expected === 'colon') this.#expected = 'value';
    else this.#fail();
  }

  #takeScalar(end: number, isString: boolean): string {
    const top = this.#levels.at(-1);
    const value = this.#parsed(end);
    if (isString && top !== undefined && this.#expected.startsWith('key')) {
      top.next = plainName(String(value));
      this.#expected = 'colon';
      this.#at = end;
      return '';
    }
    const path = this.#begin();
    const text = this.#cut(end);
    if (top?.isOfRecords === true) return text;
    if (path === this.#wanted) this.#mustBeArray(value === null ? 'null' : `a ${typeof value}`);
    return '';
  }

  #parsed(end: number): unknown {
    try {
      return JSON.parse(this.#text.slice(this.#at, end));
    } catch {
      return this.#fail();
    }
  }
}
