// Which encoding the bytes of a file are in, where no mark says it: UTF-8 if most of what is beyond ASCII is
// valid, else the one whose letters make words of a language. What two of them make sense of is a question.

import { visible } from '../contract/printable.ts';
import { listed } from '../contract/wording.ts';
import { decoderOf } from './encodings.ts';

const LINE_FEED = 10;
const LAST_ASCII = 0x7f;
const REPLACEMENT = /\ufffd/g;
const BEYOND_ASCII = /[^\0-\x7f\ufffd]/gu;
/** Lines with characters beyond ASCII that are looked at; more say nothing new. */
const MAX_LINES = 2_000;
const MAX_SHOWN_LINES = 5;
/** How much worse an encoding may fit than the best, and still be a question. */
const MARGIN = 0.03;
/** A text of several languages fits none of them, but should not lose to an encoding that happens to. */
const MIXED = 0.9;
const LEAST_FIT = 0.6;

const WESTERN = ['äöüß', 'àâæçèéêëîïôœùûüÿ', 'áéíóúüñ', 'àáâãçéêíóôõú', 'àèéìîòóù', 'åäöæøé', 'áéëïóöü'];
const CENTRAL = ['ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű', 'čćđšž', 'ăâîşţ', 'äöüß'];
const CYRILLIC = ['абвгдежзийклмнопрстуфхцчшщъыьэюяёієїґ'];

/** The lower-case letters of languages that an encoding is used for; the first of those that fit as well. */
const CANDIDATES: readonly (readonly [encoding: string, languages: readonly string[]])[] = [
  ['windows-1252', WESTERN],
  ['windows-1250', CENTRAL],
  ['iso-8859-15', WESTERN],
  ['cp850', WESTERN],
  ['macintosh', WESTERN],
  ['windows-1251', CYRILLIC],
];
/** What is no letter, and is found in the texts of every language. */
const SIGNS = '€£§°©®™½¼¾×²³µ±ªº«»“”„…•\u00a0';
const WITHIN_WORDS = '’‘´·';
const BEFORE_WORDS = '¿¡';
const DASHES = '–—';

const LETTER = /\p{L}/u;
const LOWER = /\p{Ll}/u;
const UPPER = /\p{Lu}/u;
const LATIN = /[a-z]/i;
const CYRILLIC_LETTER = /\p{Script=Cyrillic}/u;

export interface FoundEncoding {
  readonly encoding: string;
  readonly reason: string;
  readonly questions: readonly string[];
}

/**
 * Whether a letter is of the script and the case that its neighbours let expect: `BÜRO`, `Büro`, but neither
 * `bÜro` nor `Bьro`.
 */
function isInPlace(letter: string, before: string, after: string): boolean {
  if (CYRILLIC_LETTER.test(letter) && (LATIN.test(before) || LATIN.test(after))) return false;
  if (UPPER.test(letter)) return !LETTER.test(before) || (UPPER.test(before) && !LOWER.test(after));
  return !(UPPER.test(before) && UPPER.test(after));
}

function isSign(sign: string, before: string, after: string): boolean {
  const [isAfterLetter, isBeforeLetter] = [LETTER.test(before), LETTER.test(after)];
  if (WITHIN_WORDS.includes(sign)) return true;
  if (DASHES.includes(sign)) return !isAfterLetter && !isBeforeLetter;
  if (BEFORE_WORDS.includes(sign)) return !isAfterLetter && isBeforeLetter;
  return SIGNS.includes(sign) && !(isAfterLetter && isBeforeLetter);
}

/** Which part of what is beyond ASCII makes sense, in the language that it makes most of. */
function fitOf(text: string, languages: readonly string[]): number {
  const letters = new Map<string, number>();
  let [total, signs] = [0, 0];
  for (const { 0: one, index } of text.matchAll(BEYOND_ASCII)) {
    total += 1;
    const [before, after] = [text.charAt(index - 1), text.charAt(index + one.length)];
    if (!LETTER.test(one) || 'ªº'.includes(one)) signs += Number(isSign(one, before, after));
    else if (isInPlace(one, before, after)) {
      const lower = one.toLowerCase();
      letters.set(lower, (letters.get(lower) ?? 0) + 1);
    }
  }
  const known = (alphabet: string) =>
    [...letters].reduce((sum, [letter, count]) => sum + (alphabet.includes(letter) ? count : 0), 0);
  const best = Math.max(MIXED * known(languages.join('')), ...languages.map(known));
  return total === 0 ? 1 : (best + signs) / total;
}

/** The first word that two readings of the same bytes differ in, as each has it. */
function differing(one: string, other: string): readonly [string, string] {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const isEnd = (character: string | undefined) => character === undefined || /[\s,;|"']/.test(character);
  let [start, end] = [at, at + 1];
  while (start > 0 && !isEnd(one[start - 1])) start -= 1;
  while (!isEnd(one[end])) end += 1;
  return [one.slice(start, end), other.slice(start, end)];
}

/** The one of the encodings of a byte a character that makes most sense. */
function singleByte(bytes: Uint8Array): FoundEncoding {
  const readings = CANDIDATES.map(([encoding, languages]) => {
    const text = decoderOf(encoding).decode(bytes);
    return { encoding, text, fit: fitOf(text, languages) };
  }).toSorted((a, b) => b.fit - a.fit);
  const [best, ...others] = readings as [(typeof readings)[number], ...typeof readings];
  const { encoding, text, fit } = best;
  const percent = Math.floor(100 * fit);
  const reason = `because it is not UTF-8, and ${percent} % of the other characters make sense in it`;
  if (fit < LEAST_FIT)
    return {
      encoding,
      reason,
      questions: [`encoding: how is the file written? Few of its letters make sense in ${encoding}.`],
    };
  const rival = others.find((one) => one.fit >= fit - MARGIN && one.text !== text);
  if (rival === undefined) return { encoding, reason, questions: [] };
  const [own, other] = differing(text, rival.text);
  const question = `encoding: is it "${visible(own)}" or "${visible(other)}"? The mapping says ${encoding}, which makes it the first; for the second write "encoding": "${rival.encoding}".`;
  return { encoding, reason, questions: [question] };
}

const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });
const VALID_UTF_8 = new TextDecoder('utf-8', { fatal: true });

function isUtf8(bytes: Uint8Array): boolean {
  try {
    VALID_UTF_8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function isBeyondAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if ((bytes[i] as number) > LAST_ASCII) return true;
  return false;
}

/** Each with a line feed. */
function joined(lines: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(lines.reduce((sum, { length }) => sum + length + 1, 0));
  let at = 0;
  for (const line of lines) {
    bytes.set(line, at);
    bytes[at + line.length] = LINE_FEED;
    at += line.length + 1;
  }
  return bytes;
}

/** Lines of a file, and what is beyond ASCII in them. */
export class EncodingEvidence {
  readonly #lines: Uint8Array[] = [];
  readonly #faulty: number[] = [];
  #line = 0;
  #valid = 0;
  #invalid = 0;

  /** @param bytes complete lines. */
  add(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length; ) {
      const feed = bytes.indexOf(LINE_FEED, start);
      const line = bytes.subarray(start, feed < 0 ? bytes.length : feed);
      start += line.length + 1;
      this.#line += 1;
      if (isBeyondAscii(line)) this.#addLine(line);
    }
  }

  #addLine(line: Uint8Array): void {
    const text = UTF_8.decode(line);
    this.#valid += text.match(BEYOND_ASCII)?.length ?? 0;
    if (this.#lines.length < MAX_LINES) this.#lines.push(line);
    if (isUtf8(line)) return;
    this.#invalid += text.match(REPLACEMENT)?.length ?? 0;
    this.#faulty.push(this.#line);
  }

  get found(): FoundEncoding {
    const encoding = 'utf-8';
    if (this.#invalid === 0) return { encoding, reason: 'because all of it is', questions: [] };
    // Bytes of other encodings are hardly ever valid.
    if (this.#valid < this.#invalid) return singleByte(joined(this.#lines));
    const shown = this.#faulty.slice(0, MAX_SHOWN_LINES).map(String);
    const more = this.#faulty.length - shown.length;
    const lines = listed(more === 0 ? shown : [...shown, `${more} more`]);
    const isOne = this.#faulty.length === 1;
    return {
      encoding,
      reason: `because ${this.#valid} of its ${this.#valid + this.#invalid} characters beyond ASCII are`,
      questions: [
        `encoding: ${isOne ? 'line' : 'lines'} ${lines} ${isOne ? 'is' : 'are'} not valid UTF-8, as the rest of the file is. The import refuses ${isOne ? 'it' : 'them'}: correct the file.`,
      ],
    };
  }
}
