// Which rows of a file count, as `only` and `unique` of a mapping say, and which of its texts mean that
// nothing is there (`empty`).

import { trimmed } from '@linecard/client/contract/trimmed';
import { plainName } from '../columns.ts';
import { type Condition, type EmptyTexts, type Mapping, nameOf } from './written.ts';

/** No value, as MySQL writes it. */
const NULL = '\\N';
/** Dates and times of zeros alone, as MySQL writes what has none. */
const ZERO_DATE = /^(?:0000([-./])00\1(?:00)|00([-./])00\2(?:0000))(?:[ T]00:00(?::00(?:\.0{1,6})?)?)?$/;

export const isZeroDate = (text: string) =>
  text.startsWith('00') && text.length <= 26 && ZERO_DATE.test(text);

/** The texts that mean nothing is there in a column of Linecard's. */
export function emptyTextsOf({ empty }: Mapping, column: string): ReadonlySet<string> {
  const texts = empty === undefined ? [] : isOfAll(empty) ? empty : (empty[column] ?? []);
  return new Set([NULL, ...texts.map(trimmed)]);
}

const isOfAll = (empty: EmptyTexts): empty is readonly string[] => Array.isArray(empty);

const CODES_OF_ASCII = 128;

/** Tells these texts from others, most of which begin with another character: to hash each takes longer. */
export function isAmong(texts: ReadonlySet<string>): (text: string) => boolean {
  const begins = Array.from({ length: CODES_OF_ASCII }, () => false);
  for (const text of texts) if (text.charCodeAt(0) < CODES_OF_ASCII) begins[text.charCodeAt(0)] = true;
  return (text) => begins[text.charCodeAt(0)] !== false && texts.has(text);
}

/** The same in a column of the file. */
function emptyTextsOfName(mapping: Mapping, name: string): ReadonlySet<string> {
  const { empty = [], columns } = mapping;
  if (isOfAll(empty)) return new Set([NULL, ...empty.map(trimmed)]);
  const fed = Object.keys(columns).filter((column) => nameOf(columns[column] ?? '') === name);
  return new Set(fed.flatMap((column) => [...emptyTextsOf(mapping, column)]).concat(NULL));
}

/** A copy: a part of a text would hold all of the chunk that it is of. */
const copyOf = (text: string) => Buffer.from(text, 'utf16le').toString('utf16le');

/** Texts that were seen. */
export class Seen {
  readonly #texts = new Set<string>();

  /** Whether the text is one that was not seen before; nothing is always new. */
  isNew(text: string): boolean {
    if (text === '') return true;
    if (this.#texts.has(text)) return false;
    this.#texts.add(copyOf(text));
    return true;
  }
}

type Test = (text: string) => boolean;

function testOf(condition: Condition, mapping: Mapping): Test {
  const empty = emptyTextsOfName(mapping, plainName(condition.column));
  const isEmpty = (text: string) => text === '' || empty.has(text);
  if ('present' in condition) return (text) => isEmpty(text) !== condition.present;
  const texts = new Set(('in' in condition ? condition.in : condition.not_in).map(trimmed));
  const isOne = (text: string) => texts.has(text) || (isEmpty(text) && texts.has(''));
  return 'in' in condition ? isOne : (text) => !isOne(text);
}

/** Gives the text that a row has under a name of the file; `undefined` where the row ends before it. */
export type TextOf = (name: string) => string | undefined;

export class Choice {
  readonly #tests: readonly (readonly [name: string, test: Test])[];
  /** A column of the file, no two rows of which may have the same text. */
  readonly #unique: string | undefined;
  readonly #isEmpty: Test;
  readonly #seen = new Seen();

  constructor(mapping: Mapping) {
    const { only = [], unique, columns } = mapping;
    this.#tests = only.map((one) => [plainName(one.column), testOf(one, mapping)] as const);
    this.#unique = unique === undefined || Object.hasOwn(columns, unique) ? undefined : plainName(unique);
    const empty = emptyTextsOfName(mapping, this.#unique ?? '');
    this.#isEmpty = (text) => empty.has(text);
  }

  /** The names of the file that it reads. */
  get names(): readonly string[] {
    const names = this.#tests.map(([name]) => name);
    return this.#unique === undefined ? names : [...names, this.#unique];
  }

  /** Whether a row counts. What a row ends before decides nothing: that it does is a fault. */
  counts(textOf: TextOf): boolean {
    for (const [name, test] of this.#tests) {
      const text = textOf(name);
      if (text !== undefined && !test(trimmed(text))) return false;
    }
    if (this.#unique === undefined) return true;
    const text = trimmed(textOf(this.#unique) ?? '');
    return this.#isEmpty(text) || this.#seen.isNew(text);
  }
}
