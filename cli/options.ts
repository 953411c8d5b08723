// Options of the commands: what one is, and how what was given becomes parameters. Those that are parameters
// of a list are made in list-options.ts.

import type { ListParams } from '@linecard/client/client/any-list';
import { WrongUsage } from './outcome.ts';

/** An option, as the help, the completions and the documentation show it. */
export interface OptionDefinition {
  /** With dashes, without the two in front: `country-codes`. */
  readonly name: string;
  /** The heading it stands under. */
  readonly group: string;
  readonly about: string;
  /** How its value is shown: `<codes>`; in brackets where it may be left out; absent for a switch. */
  readonly value?: string;
  /** Values to offer; others may be right as well. */
  readonly values?: readonly string[];
  /** The filter whose further values the facets of a list know. */
  readonly facet?: string;
  /** Takes country codes. */
  readonly countries?: true;
  /** May be given again, and takes values with commas between them. */
  readonly many?: true;
  /** Has a `--no-…`. */
  readonly negatable?: true;
  /** What it sets, for an option that is made from the contract. */
  readonly sets?: Setter;
}

/**
 * Reads what was given for one option into parameters; throws a sentence to stand behind the option's name.
 */
type Setter = (texts: readonly string[], params: ListParams) => void;

/** `page_size` -> `page-size` */
export function optionName(parameter: string): string {
  return parameter.replaceAll('_', '-');
}

/** What is wrong with the value of an option, to stand behind its name. */
export class OptionFault extends Error {}

/** Splits at commas; `\,` is a comma within a value. */
export function valuesOf(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.match(/(?:\\,|[^,])+/g) ?? [])
    .map((value) => value.replaceAll('\\,', ',').trim())
    .filter((value) => value !== '');
}

/** What was given on the command line: the texts by the name of the option, in order. */
export type GivenOptions = ReadonlyMap<string, readonly string[]>;

/** The text of an option that is given once at most. */
export function textOf(given: GivenOptions, name: string): string | undefined {
  return given.get(name)?.[0];
}

/**
 * The parameters that the options stand for.
 * @throws {WrongUsage} with every fault there is.
 */
export function paramsOf(options: readonly OptionDefinition[], given: GivenOptions): ListParams {
  const params: ListParams = {};
  const faults: string[] = [];
  for (const { name, many, sets } of options) {
    const texts = given.get(name);
    if (texts === undefined) continue;
    try {
      if (many !== true && texts.length > 1) throw new OptionFault('must be given once, but was given twice');
      sets?.(texts, params);
    } catch (error) {
      if (!(error instanceof OptionFault)) throw error;
      faults.push(`--${name} ${error.message}.`);
    }
  }
  if (faults.length > 0) throw new WrongUsage(faults.join('\n'));
  return params;
}
