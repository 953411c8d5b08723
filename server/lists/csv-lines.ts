// Items as CSV lines, as bytes, straight from the JSON texts that they are stored as: the same bytes as
// CsvWriter makes of their values, in a third of the time. A text for each value would be most of the work of
// an export, and garbage.

import { CsvWriter, FORMULA_BEGINS } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import { ByteWriter } from '../byte-writer.ts';
import type { StoredItem } from '../store/tables.ts';
import { completeText, readItem, type VisibleFields } from './fields.ts';

const byte = (character: string) => character.charCodeAt(0);
const [QUOTE, COMMA, SEMICOLON, BACKSLASH] = [byte('"'), byte(','), byte(';'), byte('\\')] as const;
const [RETURN, NEWLINE] = [byte('\r'), byte('\n')] as const;
const [PLUS, ZERO, NINE] = [byte('+'), byte('0'), byte('9')] as const;
/** The first bytes of formulas and of guarded ones. */
const SUSPICIOUS = new Set(Array.from(`'${FORMULA_BEGINS}`, (character) => Buffer.from(character)[0]));
/** Of `null`. */
const NULL = byte('n');
const NULL_BYTES = 'null'.length;

const NOT_SO_EASY = -1;

/** A field in the JSON text of an item. */
interface Member {
  readonly isColumn: boolean;
  readonly isText: boolean;
  readonly isPhoneNumber: boolean;
  /** Of the name, its quotes and the colon. */
  readonly nameBytes: number;
}

export class CsvLines {
  readonly header: string;
  readonly #csv: CsvWriter;
  readonly #names: readonly string[];
  readonly #members: readonly Member[];
  readonly #item = new ByteWriter();
  readonly #lines = new ByteWriter();

  constructor(list: List, { names: columns }: VisibleFields) {
    this.#csv = new CsvWriter(list, columns);
    this.header = this.#csv.header;
    this.#names = Object.keys(list.fields);
    this.#members = this.#names.map((name) => ({
      isColumn: columns === undefined || columns.includes(name),
      isText: list.fields[name]?.kind === 'text',
      isPhoneNumber: name === list.searchDigits,
      nameBytes: Buffer.byteLength(`${JSON.stringify(name)}:`),
    }));
  }

  /** A line for each item; the bytes are valid until the next call. */
  of(items: readonly StoredItem[]): Uint8Array {
    for (const item of items) this.#add(item);
    return this.#lines.take();
  }

  #add(item: StoredItem): void {
    this.#item.write(completeText(item));
    const { length } = this.#item.take();
    // Without the names of the fields a line is no longer than its item, also where values get quotes.
    this.#lines.reserve(length);
    const end = this.#write(length);
    if (end === NOT_SO_EASY) this.#lines.write(this.#csv.line(readItem(item, this.#names)));
    else this.#lines.used = end;
  }

  /** Writes the line of an item; returns where the line ends, or `NOT_SO_EASY` if CsvWriter must write it. */
  #write(itemBytes: number): number {
    const { bytes: from } = this.#item;
    const { bytes: to, used } = this.#lines;
    let at = '{'.length;
    let end = used;
    for (const { isColumn, isText, isPhoneNumber, nameBytes } of this.#members) {
      at += nameBytes;
      const begin = end;
      if (from[at] === QUOTE) {
        at += 1;
        const isSafe = !isText || isHarmless(from, at, isPhoneNumber);
        let needsQuotes = false;
        for (let code = from[at] as number; code !== QUOTE; code = from[at] as number) {
          // Only a text with JSON escapes needs parsing.
          if (code === BACKSLASH) return NOT_SO_EASY;
          if (code === COMMA || code === SEMICOLON) needsQuotes = true;
          to[end] = code;
          end += 1;
          at += 1;
        }
        at += 1;
        if (isColumn && !isSafe) return NOT_SO_EASY;
        if (isColumn && needsQuotes) {
          to.copyWithin(begin + 1, begin, end);
          to[begin] = QUOTE;
          to[end + 1] = QUOTE;
          end += 2;
        }
      } else if (from[at] === NULL) {
        at += NULL_BYTES;
      } else {
        for (; at < itemBytes - 1 && from[at] !== COMMA; at += 1) {
          to[end] = from[at] as number;
          end += 1;
        }
      }
      at += 1;
      if (isColumn) {
        to[end] = COMMA;
        end += 1;
      } else end = begin;
    }
    // Replace the comma after the last value.
    to[end - 1] = RETURN;
    to[end] = NEWLINE;
    return end + 1;
  }
}

/** Whether a text is no formula, by how it begins. */
function isHarmless(bytes: Uint8Array, at: number, isPhoneNumber: boolean): boolean {
  const first = bytes[at] as number;
  if (!SUSPICIOUS.has(first)) return true;
  if (first !== PLUS || !isPhoneNumber) return false;
  let end = at + 1;
  for (let code = bytes[end] as number; code >= ZERO && code <= NINE; code = bytes[end] as number) end += 1;
  return end > at + 1 && bytes[end] === QUOTE;
}
