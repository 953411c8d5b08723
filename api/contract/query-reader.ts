// Collects the values and faults of one query, then builds the query.

import { chargedBy } from './charged.ts';
import { boundsOfUnequalLength } from './digits-range.ts';
import type { List } from './list.ts';
import { type AppliedFilter, DEFAULT_SORT, type Query } from './query.ts';
import { decodedPart, MAX_MEANT_CHARACTERS, QueryFaults, shown, textFault } from './query-faults.ts';
import type { Rule } from './rules.ts';
import { hintFor } from './tried-names.ts';
import { listed } from './wording.ts';

const BRACKETS = /^([^[]*)\[(?:0|[1-9]\d*)?\]$/;

function subject({ name, many }: Rule): string {
  return many ? `Each value of ${name}` : name;
}

interface GivenParameter {
  readonly rule: Rule;
  readonly values: unknown[];
  readonly max: number;
  /** Includes values that were not read because there are too many. */
  count: number;
  /** How many times it is in the query string. */
  times: number;
}

/**
 * What exceeds a limit is only counted: neither the values of a list that is too long nor the faults after
 * the first few cost more than that.
 */
export class QueryReader {
  readonly #faults = new QueryFaults();
  readonly #given = new Map<string, GivenParameter>();
  readonly #unknownNames = new Set<string>();
  readonly #list: List;
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #maxValues: number;

  constructor(list: List, rules: ReadonlyMap<string, Rule>, maxValues: number) {
    this.#list = list;
    this.#rules = rules;
    this.#maxValues = maxValues;
  }

  /** Says that the rest of the query is not read. */
  stop(): void {
    this.#faults.isPart = true;
  }

  /** Returns whether there is such a parameter. */
  readPair(pair: string): boolean {
    const equals = pair.indexOf('=');
    const rawName = equals < 0 ? pair : pair.slice(0, equals);
    const rawValue = equals < 0 ? '' : pair.slice(equals + 1);
    const name = decodedPart(rawName);
    if (name === undefined) {
      this.#faults.add(rawName, () => 'The name of a parameter is not valid percent-encoded UTF-8.');
      return false;
    }
    const bracketed = BRACKETS.exec(name);
    const rule = this.#known(name, bracketed?.[1] ?? name, rawValue);
    if (rule === undefined) return false;
    if (bracketed !== null && !rule.many) {
      this.#faults.add(name, () => `${rule.name} takes a single value: write ${rule.name}=….`);
      return false;
    }
    const value = decodedPart(rawValue);
    if (value === undefined)
      this.#faults.add(rule.name, () => `${rule.name} is not valid percent-encoded UTF-8.`, rawValue);
    else this.#readValue(rule, value, bracketed !== null);
    return true;
  }

  #readValue(rule: Rule, value: string, isBracketed: boolean): void {
    const given = this.#giving(rule);
    given.times += 1;
    if (!rule.many && given.times > 1) return;
    if (!rule.many || isBracketed) return this.#addValue(given, value);
    for (let start = 0; start <= value.length; ) {
      const comma = value.indexOf(',', start);
      const end = comma < 0 ? value.length : comma;
      if (end > start) this.#addValue(given, value.slice(start, end));
      start = end + 1;
    }
  }

  /**
   * One member of a JSON object.
   * @param written by index, numbers as written that `JSON.parse` changed
   */
  readMember(name: string, value: unknown, written?: ReadonlyMap<number, string>): void {
    const rule = this.#known(name, name, String(value));
    if (rule === undefined) return;
    if (rule.many !== Array.isArray(value)) {
      const form = rule.many ? `an array, such as "${rule.name}": […]` : 'a single value, not an array';
      return this.#faults.add(rule.name, () => `${rule.name} must be ${form}.`);
    }
    const given = this.#giving(rule);
    for (const [place, one] of (rule.many ? (value as unknown[]) : [value]).entries()) {
      const number = typeof one === 'number' ? written?.get(place) : undefined;
      if (typeof one === rule.json || (rule.orText && typeof one === 'string'))
        this.#addValue(given, number ?? String(one));
      else {
        const must = () => `${subject(rule)} must be a JSON ${rule.json} (${rule.allowed}), but was`;
        this.#faults.add(
          rule.name,
          (text) => `${must()} ${text}.`,
          () => number ?? JSON.stringify(one),
        );
      }
    }
  }

  refuseRepeated(name: string, times: number): void {
    const often = times === 2 ? 'twice' : `${times} times`;
    this.#faults.add(name, () => `${shown(name)} must be given once, but was given ${often}.`);
  }

  refuseLength(name: string): void {
    const why = () => `${shown(name)} has more values than the ${this.#maxValues} that a list takes.`;
    this.#faults.add(name, why);
  }

  refuse(detail: string): void {
    this.#faults.add('', () => detail);
  }

  /** @throws {Problem} `invalid-parameter`, with one entry in `faults` for each fault */
  query(page_size: number): Query {
    for (const [name, { rule, max, count, times }] of this.#given) {
      if (!rule.many && times > 1) this.refuseRepeated(name, times);
      if (count > max) {
        this.#faults.add(name, () => `${name} takes at most ${max} values, but got ${count}.`);
      }
    }
    if (this.#given.has('cursor') && this.#given.has('page')) {
      this.#faults.add('page', () => 'page must not be given together with cursor, which says the page.');
    }
    const ends = boundsOfUnequalLength(this.#list, (name) => this.#given.get(name)?.values[0]);
    if (ends !== undefined) {
      this.#faults.add(ends[1], () => `${ends.join(' and ')} must have the same number of digits.`);
    }
    this.#faults.mustBeNone();

    const filters: AppliedFilter[] = [];
    for (const [name, { field, test }] of Object.entries(this.#list.filters)) {
      const { values, rule } = this.#given.get(name) ?? {};
      if (values === undefined || values.length === 0) continue;
      const value = rule?.many === true ? [...new Set(values)] : values[0];
      filters.push({ name, field, test, value: value as AppliedFilter['value'] });
    }
    const value = <T>(name: string) => this.#given.get(name)?.values[0] as T | undefined;
    const names = Object.keys(this.#list.fields);
    const fields = this.#chosen('fields', names);
    const optional = {
      q: value<string>('q') || undefined,
      cursor: value('cursor'),
      since: value('since'),
      due_days: value('due_days'),
      charges: value('charges') || undefined,
      headings: value('headings'),
      fields: fields?.length === names.length ? undefined : fields,
      split_by: this.#chosen('split_by', this.#list.splits),
      min_count: value('min_count'),
      charged: chargedBy(this.#list, (name) => this.#given.get(name)?.values),
    };
    return {
      filters,
      sort_by: value('sort_by') ?? DEFAULT_SORT,
      sort_order: value('sort_order') ?? 'asc',
      page: value('page') ?? 1,
      page_size: value('page_size') ?? page_size,
      ...Object.fromEntries(Object.entries(optional).filter(([, one]) => one !== undefined)),
    };
  }

  /** In contract order; `undefined` where none were chosen. */
  #chosen(name: string, all: readonly string[] = []): string[] | undefined {
    const chosen = new Set(this.#given.get(name)?.values);
    return chosen.size === 0 ? undefined : all.filter((one) => chosen.has(one));
  }

  #known(name: string, base: string, value: string): Rule | undefined {
    const rule = this.#rules.get(base);
    if (rule === undefined) this.#unknown(name, value);
    else if (rule.refused !== undefined) this.#faults.add(rule.name, () => String(rule.refused));
    else return rule;
    return undefined;
  }

  #giving(rule: Rule): GivenParameter {
    let given = this.#given.get(rule.name);
    if (given === undefined) {
      const max = Math.min(rule.max ?? this.#maxValues, this.#maxValues);
      given = { rule, max, values: [], count: 0, times: 0 };
      this.#given.set(rule.name, given);
    }
    return given;
  }

  /** One value; empty values in a list are dropped. */
  #addValue(given: GivenParameter, text: string): void {
    const { rule } = given;
    if (text === '' && rule.many) return;
    given.count += 1;
    if (given.count > given.max) return;
    const wrong = textFault(text);
    if (wrong !== undefined) return this.#faults.add(rule.name, () => `${rule.name} ${wrong}.`);
    const allowed = () => `${subject(rule)} must be ${rule.allowed}, but was`;
    if (text === '' && rule.emptyIsOff !== true) {
      return this.#faults.add(rule.name, () => `${allowed()} empty; leave it out to switch it off.`, text);
    }
    const value = rule.read(text);
    if (value !== undefined) given.values.push(value);
    // The value is not repeated, because a search may be a person's number.
    else if (rule.name === 'q') this.#faults.add('q', () => `${allowed()} longer.`);
    else {
      const hint = () => {
        if (text.length > MAX_MEANT_CHARACTERS) return '.';
        const why = rule.why?.(text);
        if (why !== undefined) return `: ${why}.`;
        const meant = rule.meant && this.#faults.suggested(() => rule.meant?.(text));
        return meant === undefined ? '.' : `; did you mean \`${meant}\`?`;
      };
      this.#faults.add(rule.name, (sent) => `${allowed()} "${sent}"${hint()}`, text);
    }
  }

  /**
   * Each unknown name is reported once, and the known ones once for all of them. The value is not repeated,
   * because it may be a misplaced token.
   */
  #unknown(name: string, value: string): void {
    if (this.#unknownNames.has(name)) return;
    this.#unknownNames.add(name);
    const names = [...this.#rules.values()].flatMap((rule) => (rule.refused ? [] : rule.name));
    const known = names.length === 1 ? 'The only parameter here is' : 'Known parameters are';
    this.#faults.note ??= `${known} ${listed(names)}.`;
    this.#faults.add(name, () => {
      const hint = this.#faults.suggested(() => hintFor(this.#list, name, names, value));
      const what = `"${shown(name)}" is not a parameter of ${this.#list.title.toLowerCase()}.`;
      return hint === undefined ? what : `${what} ${hint}`;
    });
  }
}
