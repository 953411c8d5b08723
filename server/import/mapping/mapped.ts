// The step of a mapping between the readers of rows and the check of rows: which name of a file feeds which
// column, and what becomes of its texts. It is compiled once, to an array of functions by column.

import { hash } from 'node:crypto';
import { chargeReader, type DecimalSign } from '@linecard/client/check/contents';
import { numberDigits } from '@linecard/client/contract/digits';
import { trimmed } from '@linecard/client/contract/trimmed';
import type { HeaderWords, ImportColumn } from '../columns.ts';
import { plainName } from '../columns.ts';
import { quoted, type RawValue, shownName } from '../values.ts';
import { LocalTimes } from './times.ts';

/** How the ids of a file that has none are made. */
export const ID_KINDS = ['digits', 'digest'] as const;
export type IdKind = (typeof ID_KINDS)[number];

/** Where the value of a column is from: a name in the file, or one from which an id is made. */
export type MappingSource = string | { readonly from: string; readonly as?: IdKind };

/** A mapping as its file has it, once it is checked. */
export interface Mapping {
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly decimal?: DecimalSign;
  /** What charges have before or after them, such as `€` or `EUR`. */
  readonly currency?: string;
  readonly dates?: readonly string[];
  readonly time_zone?: string;
  readonly columns: Readonly<Record<string, MappingSource>>;
  readonly constants?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly ignore?: readonly string[];
  /** The path of the array of a JSON document that has the rows. */
  readonly records?: string;
  /** The name of the sheet of a workbook, where it is not the first one that has a header. */
  readonly sheet?: string;
}

/** No value, as MySQL writes it. */
const NULL = '\\N';
/** The hexadecimal digits of 52 bits, which every program holds exactly. */
const DIGEST_DIGITS = 13;

/** The check of rows says what is wrong with one of these. */
const STAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:/;

type Convert = (text: string) => RawValue;

/** As names are compared. */
export const nameOf = (source: MappingSource): string =>
  plainName(typeof source === 'string' ? source : source.from);

/** A column in a message: with the name that the file has for it. */
export function columnLabel(mapping: Mapping | undefined, column: string): string {
  const source = mapping?.columns[column];
  if (source === undefined || nameOf(source) === column) return column;
  return `${shownName(nameOf(source))} (${column})`;
}

/** What every charge may be. */
const SMALL_CHARGE = /^-?(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/;
const CURRENCY = /\p{Sc}|\b[A-Z]{3}\b/u;

function chargeFault(text: string, decimal: DecimalSign, currency: string | undefined): { fault: string } {
  const [found] = CURRENCY.exec(text) ?? [];
  if (found !== undefined && (currency === undefined || !text.includes(currency))) {
    const what =
      currency === undefined
        ? `has a currency: if all charges of the file are in it, add "currency": "${found}" to the mapping.`
        : `is not in ${currency}, as the mapping says that all charges are.`;
    return { fault: `${quoted(text)} ${what}` };
  }
  const example = decimal === ',' ? '2,25 or 1.234,56' : '2.25 or 1,234.56';
  return { fault: `${quoted(text)} is not a charge: write ${example}, with at most six decimals.` };
}

/** The charges of a file: most are below what needs a second look. */
function chargeConvert(column: ImportColumn, { decimal = '.', currency }: Mapping): Convert {
  const read = chargeReader(decimal, currency);
  return (given) => {
    const number = read(given);
    if (number !== undefined && (SMALL_CHARGE.test(number) || column.read(number) !== undefined))
      return number;
    return chargeFault(given, decimal, currency);
  };
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
  /** What becomes of the text of a column, by its position; of the others nothing. */
  readonly #converts: readonly (readonly [position: number, convert: Convert])[];
  readonly #constants: readonly (readonly [position: number, text: string])[];
  /** The positions of the columns that a name feeds. */
  readonly fed: ReadonlyMap<string, readonly number[]>;

  constructor(mapping: Mapping, columns: readonly ImportColumn[]) {
    this.#mapping = mapping;
    this.#columns = columns;
    this.#ignored = new Set(mapping.ignore?.map(plainName));
    const { dates, time_zone, constants = {} } = mapping;
    const times = dates === undefined ? undefined : new LocalTimes(dates, time_zone);
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
    return this.#ignored.has(plainName(name));
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
    return faults === 0 ? positions : undefined;
  }

  /** A number of a source that has numbers, as the mapping has its texts. */
  spelled(number: string): string {
    return this.#mapping.decimal === ',' ? number.replace('.', ',') : number;
  }

  get timeZone(): string | undefined {
    return this.#mapping.time_zone;
  }

  /** Makes the values of a row, by the order of the columns, those of Linecard. */
  apply(values: RawValue[]): void {
    for (const [i, convert] of this.#converts) {
      const text = values[i];
      if (typeof text === 'string') values[i] = convert(text);
    }
    for (const [i, text] of this.#constants) values[i] = text;
  }

  #convertOf(column: ImportColumn, times: LocalTimes | undefined): Convert | undefined {
    const { decimal, currency, columns, values = {} } = this.#mapping;
    const source = columns[column.name];
    if (source === undefined) return undefined;
    let convert: Convert | undefined;
    if (typeof source === 'object' && source.as !== undefined) convert = ID_CONVERTS[source.as];
    else if (column.kind === 'charge' && (decimal ?? currency) !== undefined)
      convert = chargeConvert(column, this.#mapping);
    else if (column.kind === 'timestamp')
      convert = times === undefined ? stampConvert(column) : timeConvert(column, times);
    // The digest is that of the text as it is: its id is the same for ever.
    const isDigest = convert === ID_CONVERTS.digest;
    const present =
      convert &&
      ((text: string) => {
        const bare = trimmed(text);
        return bare === '' || bare === NULL ? bare : convert(isDigest ? text : bare);
      });
    if (!Object.hasOwn(values, column.name)) return present;
    const known = new Map(
      Object.entries(values[column.name] ?? {}).map(([text, value]) => [trimmed(text), value] as const),
    );
    return (text) => known.get(trimmed(text)) ?? (present === undefined ? text : present(text));
  }
}
