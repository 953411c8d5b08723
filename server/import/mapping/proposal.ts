// A sample of a file -> a mapping for it, with the reason for each guess, and a question for what is left
// open.

import { arePhoneNumbers, currencyOf, decimalSign, present } from '@linecard/client/check/contents';
import { listed } from '@linecard/client/contract/wording';
import type { ImportColumn } from '../columns.ts';
import { quoted, shownName } from '../values.ts';
import { areCountryCodes, areFlags, dateForms, flagValues, idKindOf } from './contents.ts';
import { columnNamed } from './names.ts';
import type { Sample } from './sample.ts';
import { ignoredOf } from './sample-objects.ts';
import { vendorFees, vendorQuestion } from './vendors.ts';
import { type Mapping, type MappingSource, nameOf } from './written.ts';

/** Columns whose value may be the same for all rows, with what it most likely is. */
const CONSTANTS: Readonly<Record<string, string>> = { status: 'active', subscription_status: 'active' };
const FREQUENCIES = { charged: 'monthly', free: 'one_time' } as const;

/** How many names of a file stand for one of these columns. */
export const matches = ({ names }: Pick<Sample, 'names'>, columns: readonly ImportColumn[]): number =>
  names.filter((name) => columnNamed(name, columns) !== undefined).length;

export class Proposal {
  readonly reasons: string[];
  readonly questions: string[];
  readonly #sample: Sample;
  readonly #columns: readonly ImportColumn[];
  /** Names that stand for a column which another name has. */
  readonly #doubtful = new Set<string>();
  readonly #sources = new Map<string, MappingSource>();
  readonly #constants: Record<string, string> = {};
  readonly #values: Record<string, Readonly<Record<string, string>>> = {};
  readonly #dates: readonly string[];
  readonly #currency: Mapping['currency'];
  readonly #decimal: Mapping['decimal'];

  constructor(sample: Sample, columns: readonly ImportColumn[]) {
    this.#sample = sample;
    this.#columns = columns;
    this.reasons = [...sample.reasons];
    this.questions = [...sample.questions];
    this.#takeNames();
    this.#takeNumbers();
    this.#takeId();
    this.#dates = this.#takeDates();
    this.#currency = this.#takeCurrency();
    this.#decimal = this.#takeDecimal();
    this.#takeFlags();
    this.#takeConstants();
    this.#askForTheRest();
  }

  /** What is empty is left out, but not the columns, which every mapping has. */
  get mapping(): Mapping {
    const { encoding, delimiter, records } = this.#sample;
    const used = new Set([...this.#sources.values()].map(nameOf));
    const order = new Map(this.#columns.map(({ name }, i) => [name, i]));
    const sources = [...this.#sources].toSorted(([a], [b]) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    const parts = {
      delimiter,
      encoding,
      records,
      decimal: this.#decimal,
      currency: this.#currency,
      dates: this.#dates,
      columns: Object.fromEntries(sources),
      constants: this.#constants,
      values: this.#values,
      ignore: ignoredOf(this.#sample, used),
    };
    const isThere = ([key, part]: [string, object | string | undefined]) =>
      key === 'columns' || (part !== undefined && Object.keys(part).length > 0);
    return Object.fromEntries(Object.entries(parts).filter(isThere)) as unknown as Mapping;
  }

  #texts(name: string): string[] {
    return present(this.#sample.textsOf(name));
  }

  #isFree(name: string): boolean {
    return ![...this.#sources.values()].some((source) => nameOf(source) === name);
  }

  #take(column: string, source: MappingSource, reason: string): void {
    this.#sources.set(column, source);
    const as = typeof source === 'object' && source.as !== undefined ? `the ${source.as} of ` : '';
    this.reasons.push(`${column}: ${as}${quoted(nameOf(source))}, ${reason}`);
  }

  #leave(name: string, question: string): void {
    this.#doubtful.add(name);
    this.questions.push(`${quoted(name)} is ignored: ${question}`);
  }

  #kindOf(column: string | undefined): ImportColumn['kind'] | undefined {
    return this.#columns.find(({ name }) => name === column)?.kind;
  }

  #takeNames(): void {
    const columnOf = (name: string) => columnNamed(name, this.#columns);
    const fees = vendorFees(this.#sample.names, (name) => this.#kindOf(columnOf(name)) === 'charge');
    for (const name of this.#sample.names) {
      let column = columnOf(name);
      // A country is often its code.
      if (column === 'country' && areCountryCodes(this.#texts(name))) column = 'country_code';
      const says = fees.get(name);
      if (says !== undefined) this.#leave(name, vendorQuestion(name, says, column));
      else if (column !== undefined) this.#takeNamed(column, name);
    }
  }

  #takeNamed(column: string, name: string): void {
    const taken = this.#sources.get(column);
    if (this.#kindOf(column) === 'timestamp' && areFlags(this.#texts(name)))
      this.#leave(name, `${column} is a time, and its texts are flags. Is it another column?`);
    else if (taken === undefined) this.#take(column, name, 'by its name');
    else this.#leave(name, `it may be ${column} as well as ${quoted(nameOf(taken))}. Map the one that is.`);
  }

  #takeNumbers(): void {
    if (!this.#isWanted('did')) return;
    const { names, rows } = this.#sample;
    // What is the same in all rows is a number of the operator's own.
    const isNumber = (texts: readonly string[]) => arePhoneNumbers(texts) && (texts.length > 1 || rows === 1);
    const name = names.find((one) => this.#isFree(one) && isNumber(this.#texts(one)));
    if (name !== undefined) this.#take('did', name, 'because its texts are telephone numbers');
  }

  /** Whether the list has the column, and nothing is known of it. */
  #isWanted(column: string): boolean {
    return this.#columns.some(({ name }) => name === column) && !this.#sources.has(column);
  }

  #takeId(): void {
    const own = this.#sources.get('id');
    if (own !== undefined) {
      const as = idKindOf(this.#texts(nameOf(own)));
      if (as === undefined) return;
      this.#take('id', { from: nameOf(own), as }, 'because its texts are no integers');
      return;
    }
    const number = this.#sources.get('did');
    if (number === undefined) return;
    const reason = 'because the file has no id, and a number occurs once';
    this.#take('id', { from: nameOf(number), as: 'digits' }, reason);
  }

  #textsOfKind(kind: ImportColumn['kind']): { readonly names: string[]; readonly texts: string[] } {
    const names = this.#columns.flatMap((column) => {
      const source = column.kind === kind ? this.#sources.get(column.name) : undefined;
      return source === undefined ? [] : [nameOf(source)];
    });
    return { names, texts: [...new Set(names.flatMap((name) => this.#texts(name)))] };
  }

  #takeDates(): readonly string[] {
    const { names, texts } = this.#textsOfKind('timestamp');
    const { found, unclear, ways } = dateForms(texts);
    if (found.length > 0) {
      this.reasons.push(`dates ${found.join(', ')}, by the texts of ${listed(names.map(quoted))}`);
      this.questions.push(
        'time_zone: where are these dates local? Without an answer they are in UTC; add "time_zone": "Europe/Berlin", or yours.',
      );
    }
    if (ways !== undefined)
      this.questions.push(
        `dates: is ${quoted(unclear ?? '')} ${listed(ways, 'or')}? Add "dates": ["${ways[0]}"].`,
      );
    else if (unclear !== undefined)
      this.questions.push(
        `dates: how is ${quoted(unclear)} written? Add its form, such as "dates": ["DD.MM.YYYY"].`,
      );
    return found;
  }

  #takeCurrency(): Mapping['currency'] {
    const { names, texts } = this.#textsOfKind('charge');
    const { found, ways } = currencyOf(texts);
    if (found !== undefined)
      this.reasons.push(`currency ${quoted(found)}, by the texts of ${listed(names.map(quoted))}`);
    if (ways !== undefined)
      this.questions.push(
        `currency: the charges are in ${listed(ways)}, and those of an account have one currency. Split the file, and add "currency" to the mapping of each part.`,
      );
    return found;
  }

  #takeDecimal(): Mapping['decimal'] {
    const { names, texts: written } = this.#textsOfKind('charge');
    const currency = this.#currency;
    const texts = currency === undefined ? written : written.map((text) => text.replace(currency, '').trim());
    const { found, unclear, ways } = decimalSign(texts);
    if (found !== undefined)
      this.reasons.push(`decimal ${quoted(found)}, by the texts of ${listed(names.map(quoted))}`);
    if (unclear !== undefined)
      this.questions.push(
        `decimal: is ${quoted(unclear)} written with "." or ","? (${listed(ways ?? [], 'or')}) Add "decimal".`,
      );
    return found;
  }

  #takeFlags(): void {
    for (const { name: column, kind } of this.#columns) {
      const source = kind === 'flag' ? this.#sources.get(column) : undefined;
      if (source === undefined) continue;
      const { found, unclear } = flagValues(this.#texts(nameOf(source)));
      if (Object.keys(found).length > 0) this.#values[column] = found;
      if (unclear !== undefined)
        this.questions.push(
          `values: is ${quoted(unclear)} in ${quoted(nameOf(source))} true or false? Add it.`,
        );
    }
  }

  #takeConstants(): void {
    const status = this.#sources.get('status');
    if (status !== undefined && this.#isWanted('subscription_status'))
      this.#take('subscription_status', status, 'because the file has one status');
    const hasFee = this.#sources.has('monthly');
    const frequency = hasFee ? FREQUENCIES.charged : FREQUENCIES.free;
    for (const [column, text] of Object.entries({ ...CONSTANTS, frequency })) {
      if (!this.#isWanted(column)) continue;
      this.#constants[column] = text;
      this.reasons.push(
        `${column}: always ${quoted(text)}, because no column says it; change it if it is not`,
      );
    }
  }

  #askForTheRest(): void {
    for (const { name, required, mayBeAbsent, about } of this.#columns) {
      if (!required || mayBeAbsent === true || !this.#isWanted(name) || name in this.#constants) continue;
      this.questions.push(`${name}: which column is it? (${about}) Add it to "columns", or to "constants".`);
    }
    for (const name of this.#sample.names) {
      if (!this.#isFree(name) || this.#doubtful.has(name)) continue;
      const shown = name === '' ? 'A column without a name' : quoted(shownName(name));
      this.questions.push(`${shown} is ignored, because no name in Linecard is like it. Is it needed?`);
    }
  }
}
