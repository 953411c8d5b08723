// The step of a mapping between the readers of rows and the check of rows: which name of a file feeds which
// column, and what becomes of its texts. It is compiled once, to an array of functions by column.

import { hash } from 'node:crypto';
import { numberDigits } from '@linecard/client/contract/digits';
import { trimmed } from '@linecard/client/contract/trimmed';
import type { HeaderWords, ImportColumn } from '../columns.ts';
import { plainName } from '../columns.ts';
import { NEEDS_MAPPING, quoted, type RawValue, shownName } from '../values.ts';
import { chargeConverter } from './charges.ts';
import { Choice, emptyTextsOf, isAmong, isZeroDate, Seen, type TextOf } from './choice.ts';
import { LocalTimes } from './times.ts';
import { columnLabel, type IdKind, type Mapping, nameOf } from './written.ts';

/** The hexadecimal digits of 52 bits, which every program holds exactly. */
const DIGEST_DIGITS = 13;

/** The check of rows says what is wrong with one of these. */
const STAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:/;

type Convert = (text: string) => RawValue;

/** Charges of a mapping without a decimal sign; what has none is not what `mapping propose` could add. */
function decimalConvert(column: ImportColumn): Convert {
  return (text) =>
    column.read(text) === undefined && column.complaint(text).includes(NEEDS_MAPPING)
      ? {
          fault: `${quoted(text)} is not a plain decimal: add the sign of its decimals to the mapping, such as "decimal": ".".`,
        }
      : text;
}

/** Times of a mapping without forms; what has none is not what `mapping propose` could add. */
function stampConvert(column: ImportColumn): Convert {
  return (text) =>
    STAMP.test(text) || column.read(text) !== undefined
      ? text
      : {
          fault: `${quoted(text)} is not a timestamp with an offset: add the form of its dates to the mapping, such as "dates": ["DD.MM.YYYY"].`,
        };
}

function timeConvert(column: ImportColumn, times: LocalTimes): Convert {
  return (text) => {
    const time = times.read(text);
    if (time !== undefined) return time;
    return column.read(text) === undefined ? { fault: times.complaint(text) } : text;
  };
}

const ID_CONVERTS: Readonly<Record<IdKind, Convert>> = {
  digits(text) {
    const digits = numberDigits(text).replace(/^0+/, '');
    return digits === ''
      ? { fault: `${quoted(text)} has no digits that could be an id; map another column to it.` }
      : digits;
  },
  digest: (text) => String(Number.parseInt(hash('md5', text, 'hex').slice(0, DIGEST_DIGITS), 16)),
};

export class MappedColumns {
  readonly #mapping: Mapping;
  readonly #columns: readonly ImportColumn[];
  readonly #ignored: ReadonlySet<string>;
  /** Names that say which rows count. */
  readonly #known: ReadonlySet<string>;
  /** What becomes of the text of a column, by its position; of the others nothing. */
  readonly #converts: readonly (readonly [position: number, convert: Convert])[];
  readonly #times: LocalTimes[] = [];
  readonly #charges: ReturnType<typeof chargeConverter>;
  readonly #choice: Choice | undefined;
  /** The position of the column no two rows of which may have the same value, or -1. */
  readonly #unique: number;
  readonly #seen = new Seen();
  /** How many rows were left out. */
  leftOut = 0;
  readonly #constants: readonly (readonly [position: number, text: string])[];
  /** The positions of the columns that a name feeds. */
  readonly fed: ReadonlyMap<string, readonly number[]>;

  constructor(mapping: Mapping, columns: readonly ImportColumn[]) {
    this.#mapping = mapping;
    this.#columns = columns;
    this.#ignored = new Set(mapping.ignore?.map(plainName));
    this.#charges = chargeConverter(mapping);
    const { dates, constants = {}, only, unique } = mapping;
    this.#unique = columns.findIndex(({ name }) => name === unique && Object.hasOwn(mapping.columns, name));
    const choice = only === undefined && unique === undefined ? undefined : new Choice(mapping);
    this.#choice = choice;
    this.#known = new Set(choice?.names);
    if (dates !== undefined) this.#times.push(new LocalTimes(dates, mapping));
    const [times] = this.#times;
    this.#converts = columns.flatMap((column, i) => {
      const convert = this.#convertOf(column, times);
      return convert === undefined ? [] : [[i, convert] as const];
    });
    this.#constants = columns.flatMap(({ name }, i) =>
      Object.hasOwn(constants, name) ? [[i, String(constants[name])] as const] : [],
    );
    const fed = new Map<string, number[]>();
    for (const [i, { name }] of columns.entries()) {
      const source = mapping.columns[name];
      if (source !== undefined) fed.set(nameOf(source), [...(fed.get(nameOf(source)) ?? []), i]);
    }
    this.fed = fed;
  }

  isIgnored(name: string): boolean {
    const plain = plainName(name);
    return this.#ignored.has(plain) || this.#known.has(plain);
  }

  /** Whether a name feeds a column, or is known for another reason. */
  knows(name: string): boolean {
    return this.fed.has(name) || this.isIgnored(name);
  }

  /** Names that are read, also where they feed no column. */
  get read(): readonly string[] {
    return [...this.fed.keys(), ...this.#known];
  }

  /** Whether a row counts; one that does not is left out, and counted. */
  counts(textOf: TextOf): boolean {
    const isOne = this.#choice?.counts(textOf) !== false;
    if (!isOne) this.leftOut += 1;
    return isOne;
  }

  /** Whether anything says which rows count. */
  get hasChoice(): boolean {
    return this.#choice !== undefined;
  }

  /** Whether local times are read, so that a timestamp needs no offset. */
  get hasDates(): boolean {
    return this.#mapping.dates !== undefined;
  }

  /** What is wrong with a name that feeds no column. */
  strange(name: string): string {
    const what = name === '' ? 'has no name, and is' : 'is';
    return `${what} neither mapped nor ignored; add ${quoted(name)} to "columns" or to "ignore" of the mapping.`;
  }

  /** For each column the position of its cell, or -1; `undefined` when a fault was reported. */
  positions(
    names: readonly string[],
    words: HeaderWords,
    report: (column: string, fault: string) => void,
  ): readonly number[] | undefined {
    let faults = 0;
    const fault = (column: string, text: string) => {
      faults += 1;
      report(column, text);
    };
    for (const [i, name] of names.entries()) {
      const shown = name === '' ? `${words.cell} ${i + 1}` : shownName(name);
      if (this.isIgnored(name)) continue;
      if (!this.fed.has(name)) fault(shown, this.strange(name));
      else if (names.indexOf(name) < i) fault(shown, `is there twice in ${words.header}; rename one.`);
    }
    const positions = this.#columns.map(({ name }) => {
      const source = this.#mapping.columns[name];
      if (source === undefined) return -1;
      const position = names.indexOf(nameOf(source));
      if (position < 0)
        fault(columnLabel(this.#mapping, name), `is mapped, but ${words.header} does not name it.`);
      return position;
    });
    for (const name of this.#known)
      if (!names.includes(name) && !this.fed.has(name))
        fault(shownName(name), `says which rows count, but ${words.header} does not name it.`);
    return faults === 0 ? positions : undefined;
  }

  /** A number of a source that has numbers, as the mapping has its texts. */
  spelled(number: string): string {
    return this.#mapping.decimal === ',' ? number.replace('.', ',') : number;
  }

  /** Local times of these forms, whatever those of the mapping are. */
  localTimes(forms: readonly string[]): LocalTimes {
    const times = new LocalTimes(forms, this.#mapping);
    this.#times.push(times);
    return times;
  }

  /** What was read and may not be what was meant, in a sentence each. */
  get warnings(): string[] {
    return this.#times.flatMap(({ warnings }) => warnings);
  }

  /**
   * Makes the values of a row, by the order of the columns, those of Linecard.
   * @returns whether the row counts
   */
  apply(values: RawValue[]): boolean {
    for (const [i, convert] of this.#converts) {
      const text = values[i];
      if (typeof text === 'string') values[i] = convert(text);
    }
    for (const [i, text] of this.#constants) values[i] = text;
    const value = values[this.#unique];
    if (typeof value !== 'string' || this.#seen.isNew(trimmed(value))) return true;
    this.leftOut += 1;
    return false;
  }

  #convertOf(column: ImportColumn, times: LocalTimes | undefined): Convert | undefined {
    const { decimal, currency, columns, values = {} } = this.#mapping;
    const source = columns[column.name];
    if (source === undefined) return undefined;
    let convert: Convert | undefined;
    if (typeof source === 'object' && source.as !== undefined) convert = ID_CONVERTS[source.as];
    else if (column.kind === 'charge' && (decimal ?? currency) !== undefined) convert = this.#charges(column);
    else if (column.kind === 'charge') convert = decimalConvert(column);
    else if (column.kind === 'timestamp')
      convert = times === undefined ? stampConvert(column) : timeConvert(column, times);
    // The digest is that of the text as it is: its id is the same for ever.
    const isDigest = convert === ID_CONVERTS.digest;
    const isEmpty = isAmong(emptyTextsOf(this.#mapping, column.name));
    const isTime = column.kind === 'timestamp';
    const present = (text: string) => {
      const bare = trimmed(text);
      if (bare === '' || isEmpty(bare) || (isTime && isZeroDate(bare))) return '';
      return convert === undefined ? text : convert(isDigest ? text : bare);
    };
    if (!Object.hasOwn(values, column.name)) return present;
    const known = new Map(
      Object.entries(values[column.name] ?? {}).map(([text, value]) => [trimmed(text), value] as const),
    );
    return (text) => known.get(trimmed(text)) ?? present(text);
  }
}
