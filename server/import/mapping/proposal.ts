// A sample of a file -> a mapping for it, a reason for each guess, and a question for what is left open.

import { arePhoneNumbers, present } from '@linecard/client/check/contents';
import { trimmed } from '@linecard/client/contract/trimmed';
import { listed } from '@linecard/client/contract/wording';
import type { ImportColumn } from '../columns.ts';
import { quoted } from '../values.ts';
import { isZeroDate } from './choice.ts';
import { areCountryCodes, areFlags, flagValues, idKindOf } from './contents.ts';
import { guessedRows, hasRepeated } from './guessed-rows.ts';
import { columnNamed } from './names.ts';
import { accountQuestions, columnQuestions, nameQuestions } from './open-questions.ts';
import type { Sample } from './sample.ts';
import { ignoredOf } from './sample-objects.ts';
import { type Shown, shownCurrency, shownDates, shownDecimal } from './shown-texts.ts';
import { systemOf } from './systems.ts';
import { vendorFees, vendorQuestion } from './vendors.ts';
import { type Condition, type EmptyTexts, type Mapping, type MappingSource, nameOf } from './written.ts';

/** Columns whose value may be the same for all rows, with what it most likely is. */
const CONSTANTS: Readonly<Record<string, string>> = { status: 'active', subscription_status: 'active' };
const FREQUENCIES = { charged: 'monthly', free: 'one_time' } as const;

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
  #only: readonly Condition[] = [];
  #unique: string | undefined;
  #empty: EmptyTexts | undefined;
  /** For each row whether it counts; all where nothing says it. */
  #counted: readonly boolean[] | undefined;
  readonly #dates: readonly string[];
  readonly #currency: Mapping['currency'];
  readonly #decimal: Mapping['decimal'];

  constructor(sample: Sample, columns: readonly ImportColumn[]) {
    this.#sample = sample;
    this.#columns = columns;
    this.reasons = [...sample.reasons];
    this.questions = [...sample.questions];
    const isKnown = this.#takeSystem();
    this.#takeNames(isKnown ? ['id'] : []);
    this.#takeRows();
    if (!isKnown) this.#takeNumbers();
    this.#takeId();
    this.#dates = this.#show('timestamp', shownDates);
    this.#currency = this.#show('charge', shownCurrency);
    this.#decimal = this.#show('charge', (names, texts) => shownDecimal(names, texts, this.#currency));
    this.#takeFlags();
    this.#takeConstants();
    const account = accountQuestions(this.#sources.get('account_id'), (name) => this.#texts(name));
    const missing = columns.filter(({ name }) => this.#isWanted(name) && !(name in this.#constants));
    const left = sample.names.filter((name) => this.#isFree(name) && !this.#doubtful.has(name));
    this.questions.push(...account, ...columnQuestions(missing), ...nameQuestions(left, isKnown));
  }

  /** What is empty is left out, but not the columns, which every mapping has. */
  get mapping(): Mapping {
    const { encoding, delimiter, records, form } = this.#sample;
    const used = new Set([...this.#sources.values()].map(nameOf));
    const order = new Map(this.#columns.map(({ name }, i) => [name, i]));
    const sources = [...this.#sources].toSorted(([a], [b]) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    const parts = {
      delimiter,
      encoding,
      records,
      ...form,
      decimal: this.#decimal,
      currency: this.#currency,
      dates: this.#dates,
      columns: Object.fromEntries(sources),
      constants: this.#constants,
      values: this.#values,
      only: this.#only,
      unique: this.#unique,
      empty: this.#empty,
      ignore: ignoredOf(this.#sample, used),
    };
    const isThere = ([key, part]: [string, object | string | number | undefined]) =>
      key === 'columns' || typeof part === 'number' || (part !== undefined && Object.keys(part).length > 0);
    return Object.fromEntries(Object.entries(parts).filter(isThere)) as unknown as Mapping;
  }

  /** The texts that are there in rows that count, each once. */
  #texts(name: string): string[] {
    const empty = new Set(this.#empty as readonly string[] | undefined);
    const texts = this.#sample.textsOf(name).filter((_, i) => this.#counted?.[i] !== false);
    return present(texts).filter((text) => !empty.has(trimmed(text)) && !isZeroDate(trimmed(text)));
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

  #column(called: string | undefined): ImportColumn | undefined {
    return this.#columns.find(({ name }) => name === called);
  }

  /** Takes the columns of a system whose files are known; returns whether it is one. */
  #takeSystem(): boolean {
    const system = this.#isWanted('did') ? systemOf(this.#sample.names) : undefined;
    if (system === undefined) return false;
    const { title, folder, columns, values = {}, questions = [] } = system;
    this.reasons.push(`${title}: its own mapping is printed by linecard-server recipe show ${folder}`);
    for (const [column, name] of Object.entries(columns))
      this.#take(column, name, `as the files of ${title} have it`);
    for (const [column, texts] of Object.entries(values)) {
      const found = this.#texts(columns[column] ?? '').filter((text) => Object.hasOwn(texts, text));
      if (found.length > 0)
        this.#values[column] = Object.fromEntries(found.map((text) => [text, String(texts[text])]));
    }
    this.#only = system.only;
    this.#unique = system.unique;
    this.questions.push(...questions);
    return true;
  }

  /** Takes which rows count, and which texts mean that nothing is there. */
  #takeRows(): void {
    const guess = guessedRows(this.#sample, Object.fromEntries(this.#sources), this.#only);
    this.#only = guess.only;
    this.#empty = guess.empty;
    this.#counted = guess.counted;
    this.reasons.push(...guess.reasons);
    this.questions.push(...guess.questions);
  }

  /** @param others columns that none of these names is. */
  #takeNames(others: readonly string[]): void {
    const columnOf = (name: string) => columnNamed(name, this.#columns);
    const fees = vendorFees(this.#sample.names, (name) => this.#column(columnOf(name))?.kind === 'charge');
    for (const name of this.#sample.names.filter((one) => this.#isFree(one))) {
      let column = columnOf(name);
      // A country is often its code.
      if (column === 'country' && areCountryCodes(this.#texts(name))) column = 'country_code';
      // The operator has said what a field of theirs is: nothing is guessed.
      const says = this.#column(column)?.titles === undefined ? fees.get(name) : undefined;
      if (says !== undefined) this.#leave(name, vendorQuestion(name, says, column));
      else if (column !== undefined && !others.includes(column)) this.#takeNamed(column, name);
    }
  }

  #takeNamed(column: string, name: string): void {
    const taken = this.#sources.get(column);
    if (this.#column(column)?.kind === 'timestamp' && areFlags(this.#texts(name)))
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
    const texts = this.#sample.textsOf(nameOf(number)).filter((_, i) => this.#counted?.[i] !== false);
    if (hasRepeated(texts)) {
      this.#unique = 'did';
      this.questions.push(
        'unique: rows have the same number. The first counts, and the others are left out: is it the right one?',
      );
    }
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

  /** Notes what texts of a kind show, with its reasons and questions. */
  #show<T>(kind: ImportColumn['kind'], show: (names: string, texts: readonly string[]) => Shown<T>): T {
    const { names, texts } = this.#textsOfKind(kind);
    const { found, reasons, questions } = show(listed(names.map(quoted)), texts);
    this.reasons.push(...reasons);
    this.questions.push(...questions);
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
    if (status !== undefined && this.#isWanted('subscription_status')) {
      this.#take('subscription_status', status, 'because the file has one status');
      const values = this.#values['status'];
      if (values !== undefined) this.#values['subscription_status'] = values;
    }
    const frequency = FREQUENCIES[this.#sources.has('monthly') ? 'charged' : 'free'];
    for (const [column, text] of Object.entries({ ...CONSTANTS, frequency })) {
      if (!this.#isWanted(column)) continue;
      this.#constants[column] = text;
      this.reasons.push(
        `${column}: always ${quoted(text)}, because no column says it; change it if it is not`,
      );
    }
  }
}
