// The shared texts of a workbook: each is there once, and cells name its number. A million of them as strings
// would take more memory than the rest of an import, so they are bytes.

import { UnreadableFile } from '../files.ts';
import type { Archive } from './archive.ts';
import { parseAll } from './xml.ts';

const MAX_BYTES = 134_217_728;
const MAX_CELL_CHARACTERS = 1_048_576;
/** More than a cell has. */
const PAGE_BYTES = 4_194_304;
const PAGE_TEXTS = 65_536;
/** How XML holds what it cannot: `_x000D_` is a carriage return, `_x005F_` the underscore of such a text. */
const ESCAPED = /_x([0-9A-Fa-f]{4})_/g;

/** The text that is written in a cell or in the table of texts. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

/** The text of `<is>` or `<si>`: of all its runs, without how it is pronounced. */
export class RichText {
  #text = '';
  #isText = false;
  #phonetic = 0;

  open(name: string): void {
    if (name === 'rPh') this.#phonetic += 1;
    this.#isText = name === 't' && this.#phonetic === 0;
  }

  close(name: string): void {
    if (name === 'rPh') this.#phonetic -= 1;
    this.#isText = false;
  }

  add(text: string): void {
    if (!this.#isText) return;
    this.#text += text;
    if (this.#text.length > MAX_CELL_CHARACTERS)
      throw new UnreadableFile('A cell of the workbook is too long.');
  }

  /** What was collected since the last time. */
  take(): string {
    const text = unescaped(this.#text);
    this.#text = '';
    return text;
  }
}

/** Bytes and where each text ends are in pages: what doubles when it is full has three times the memory. */
export class SharedTexts {
  readonly #pages: Buffer[] = [];
  readonly #ends: Uint32Array[] = [];
  /** No text goes on from one page to the next. */
  #used = 0;
  #count = 0;

  add(text: string): void {
    const size = Buffer.byteLength(text);
    const left = PAGE_BYTES * this.#pages.length - this.#used;
    if (size > left) {
      if (PAGE_BYTES * (this.#pages.length + 1) > MAX_BYTES)
        throw new UnreadableFile(
          `The texts of the workbook have more than ${MAX_BYTES} bytes: split it, or save it as CSV.`,
        );
      this.#used += left;
      this.#pages.push(Buffer.allocUnsafeSlow(PAGE_BYTES));
    }
    if (this.#count % PAGE_TEXTS === 0) this.#ends.push(new Uint32Array(PAGE_TEXTS));
    this.#pages.at(-1)?.write(text, this.#used % PAGE_BYTES);
    this.#used += size;
    (this.#ends.at(-1) as Uint32Array)[this.#count % PAGE_TEXTS] = this.#used;
    this.#count += 1;
  }

  #endOf(i: number): number {
    return this.#ends[Math.floor(i / PAGE_TEXTS)]?.[i % PAGE_TEXTS] ?? 0;
  }

  /** @throws {UnreadableFile} when there is none of this number. */
  get(number: string): string {
    const i = Number(number);
    if (!(Number.isInteger(i) && i >= 0 && i < this.#count))
      throw new UnreadableFile(`The workbook is damaged: it has no text ${JSON.stringify(number)}.`);
    const end = this.#endOf(i);
    const before = i === 0 ? 0 : this.#endOf(i - 1);
    if (end === before) return '';
    const page = Math.floor((end - 1) / PAGE_BYTES);
    const start = Math.max(before, page * PAGE_BYTES);
    return (this.#pages[page] as Buffer).toString('utf8', start - page * PAGE_BYTES, end - page * PAGE_BYTES);
  }
}

/** Reads the table of texts of a workbook. */
export async function sharedTexts(archive: Archive, name: string | undefined): Promise<SharedTexts> {
  const texts = new SharedTexts();
  if (name === undefined) return texts;
  const rich = new RichText();
  await parseAll(name, archive.read(name), {
    open: (tag) => rich.open(tag),
    close(tag) {
      rich.close(tag);
      if (tag === 'si') texts.add(rich.take());
    },
    text: (text) => rich.add(text),
  });
  return texts;
}
