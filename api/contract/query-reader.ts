// One query on its way from text to values: collects the values and every fault, then makes the query. It
// must not know where the text comes from; query-parser.ts takes it apart.

import type { List } from './list.ts';
import { type Fault, invalidParameter } from './problems.ts';
import { type AppliedFilter, DEFAULT_SORT, type Query } from './query.ts';
import type { Rule } from './rules.ts';
import { nearest } from './suggestion.ts';

const MAX_SHOWN_CHARACTERS = 100;
const CONTROL = /\p{Cc}/u;
const BRACKETS = /^([^[]*)\[(?:0|[1-9]\d*)?\]$/;

/** Percent-decodes strictly; `undefined` for broken percent-encoding or UTF-8. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function shown(text: string): string {
  const points = Array.from(text);
  return points.length <= MAX_SHOWN_CHARACTERS ? text : `${points.slice(0, MAX_SHOWN_CHARACTERS).join('')}…`;
}

function subject({ name, many }: Rule): string {
  return many ? `Each value of ${name}` : name;
}

/** Collects the values and the faults of one query, however it is spelled. */
export class QueryReader {
  readonly #faults: Fault[] = [];
  readonly #values = new Map<string, unknown[]>();
  readonly #unknownNames = new Set<string>();
  readonly #list: List;
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #maxValues: number;

  constructor(list: List, rules: ReadonlyMap<string, Rule>, maxValues: number) {
    this.#list = list;
    this.#rules = rules;
    this.#maxValues = maxValues;
  }

  /** One `name=value` of a query string. */
  readPair(pair: string): void {
    const equals = pair.indexOf('=');
    const rawName = equals < 0 ? pair : pair.slice(0, equals);
    const rawValue = equals < 0 ? '' : pair.slice(equals + 1);
    const name = decode(rawName);
    if (name === undefined) {
      return this.#fault(shown(rawName), 'The name of a parameter is not valid percent-encoded UTF-8.');
    }
    const bracketed = BRACKETS.exec(name);
    const rule = this.#known(name, bracketed?.[1] ?? name);
    if (rule === undefined) return;
    if (bracketed !== null && !rule.many) {
      return this.#fault(shown(name), `${rule.name} takes a single value: write ${rule.name}=….`);
    }
    const value = decode(rawValue);
    if (value === undefined) {
      return this.#fault(rule.name, `${rule.name} is not valid percent-encoded UTF-8.`, rawValue);
    }
    if (!rule.many && this.#values.has(rule.name)) {
      return this.#fault(rule.name, `${rule.name} must be given once, but was given twice.`, value);
    }
    if (!this.#values.has(rule.name)) this.#values.set(rule.name, []);
    const split = rule.many && bracketed === null;
    for (const one of split ? value.split(',') : [value]) this.#addValue(rule, one);
  }

  /** One member of a JSON object. */
  readMember(name: string, value: unknown): void {
    const rule = this.#known(name, name);
    if (rule === undefined) return;
    if (rule.many !== Array.isArray(value)) {
      const form = rule.many ? `an array, such as "${rule.name}": […]` : 'a single value, not an array';
      return this.#fault(rule.name, `${rule.name} must be ${form}.`);
    }
    this.#values.set(rule.name, []);
    for (const one of rule.many ? (value as unknown[]) : [value]) {
      if (typeof one === rule.json) this.#addValue(rule, String(one));
      else {
        const json = JSON.stringify(one);
        const detail = `${subject(rule)} must be a JSON ${rule.json} (${rule.allowed}), but was ${shown(json)}.`;
        this.#fault(rule.name, detail, json);
      }
    }
  }

  /** A parameter that a JSON object names more than once. */
  refuseRepeated(name: string): void {
    this.#fault(shown(name), `${shown(name)} must be given once, but was given twice.`);
  }

  /** A fault of the whole, not of one parameter. */
  refuse(detail: string): void {
    this.#fault('', detail);
  }

  /**
   * The query, once everything is read.
   * @throws {Problem} `invalid-parameter`, with one entry in `faults` for each fault.
   */
  query(page_size: number): Query {
    for (const [name, values] of this.#values) {
      if (values.length > this.#maxValues) {
        this.#fault(name, `${name} takes at most ${this.#maxValues} values, but got ${values.length}.`);
      }
    }
    if (this.#values.has('cursor') && this.#values.has('page')) {
      this.#fault('page', 'page must not stand beside cursor: a cursor knows its page.');
    }
    if (this.#faults.length > 0) throw invalidParameter(this.#faults);

    const filters: AppliedFilter[] = [];
    for (const [name, { field, test }] of Object.entries(this.#list.filters)) {
      const values = this.#values.get(name);
      if (values === undefined || values.length === 0) continue;
      const value = test === 'any' ? [...new Set(values)] : values[0];
      filters.push({ name, field, test, value: value as AppliedFilter['value'] });
    }
    const value = <T>(name: string) => this.#values.get(name)?.[0] as T | undefined;
    const q = value<string>('q');
    const cursor = value<string>('cursor');
    return {
      filters,
      sort_by: value('sort_by') ?? DEFAULT_SORT,
      sort_order: value('sort_order') ?? 'asc',
      page: value('page') ?? 1,
      page_size: value('page_size') ?? page_size,
      ...(q === undefined || q === '' ? {} : { q }),
      ...(cursor === undefined ? {} : { cursor }),
    };
  }

  #known(name: string, base: string): Rule | undefined {
    const rule = this.#rules.get(base);
    if (rule === undefined) this.#unknown(name);
    else if (rule.refused !== undefined) this.#fault(rule.name, rule.refused);
    else return rule;
    return undefined;
  }

  /** One value of a parameter; in a list an empty one is dropped. */
  #addValue(rule: Rule, text: string): void {
    if (text === '' && rule.many) return;
    if (CONTROL.test(text) || !text.isWellFormed()) {
      return this.#fault(rule.name, `${rule.name} must not contain NUL or another control character.`);
    }
    const allowed = `${subject(rule)} must be ${rule.allowed}, but was`;
    if (text === '' && rule.emptyIsOff !== true) {
      return this.#fault(rule.name, `${allowed} empty; leave it out to switch it off.`, text);
    }
    const value = rule.read(text);
    if (value !== undefined) {
      this.#values.get(rule.name)?.push(value);
      return;
    }
    // A search is not repeated: it may be a person's number.
    if (rule.name === 'q') return this.#fault('q', `${allowed} longer.`);
    const meant = rule.meant?.(text);
    const hint = meant === undefined ? '.' : `; did you mean \`${meant}\`?`;
    this.#fault(rule.name, `${allowed} "${shown(text)}"${hint}`, text);
  }

  /**
   * Each unknown name is reported once, and the known names with the first of them. The value is not
   * repeated: it could be a misplaced token.
   */
  #unknown(name: string): void {
    if (this.#unknownNames.has(name)) return;
    this.#unknownNames.add(name);
    const names = [...this.#rules.values()].flatMap((rule) =>
      rule.refused === undefined ? [rule.name] : [],
    );
    const meant = nearest(name.replace(/\[.*$/s, ''), names);
    const hint = meant === undefined ? '' : ` Did you mean \`${meant}\`?`;
    const known = ` Known are ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`;
    this.#fault(
      shown(name),
      `"${shown(name)}" is not a parameter of ${this.#list.title.toLowerCase()}.${hint}${this.#unknownNames.size === 1 ? known : ''}`,
    );
  }

  #fault(parameter: string, detail: string, value?: string): void {
    this.#faults.push({ parameter, detail, ...(value === undefined ? {} : { value: shown(value) }) });
  }
}
