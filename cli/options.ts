// Options of the commands, and how they become parameters. Those of a list are made in list-options.ts.

import type { ListParams } from '@linecard/client/client/any-list';
import { WrongUsage } from './outcome.ts';

export interface OptionDefinition {
  /** With dashes, without the leading two: `country-codes`. */
  readonly name: string;
  /** Its heading in the help. */
  readonly group: string;
  readonly about: string;
  /** Its value in the help: `<codes>`; in brackets where it is optional; absent for a switch. */
  readonly value?: string;
  /** Values to offer; others may be valid. */
  readonly values?: readonly string[];
  /** A filter whose values are also in the facets of a list. */
  readonly facet?: string;
  readonly countries?: true;
  /** Can be repeated, and takes comma-separated values. */
  readonly many?: true;
  /** Has a `--no-…`. */
  readonly negatable?: true;
  /** Sets a parameter of a list. */
  readonly sets?: Setter;
}

/** Converts the given texts to a parameter; throws a sentence to follow the name of the option. */
type Setter = (texts: readonly string[], params: ListParams) => void;

/** For each command that reads, before or after its words. */
export const ACCOUNT_OPTION: OptionDefinition = {
  name: 'account',
  group: 'Account',
  value: '<id>',
  about: 'an account below that of the token, which needs the reach tree; default the account of the token',
};

/** `page_size` -> `page-size` */
export function optionName(parameter: string): string {
  return parameter.replaceAll('_', '-');
}

/** The message follows the name of the option. */
export class OptionFault extends Error {}

/** Splits at commas; `\,` is a comma within a value. */
export function valuesOf(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.match(/(?:\\,|[^,])+/g) ?? [])
    .map((value) => value.replaceAll('\\,', ',').trim())
    .filter((value) => value !== '');
}

/** By name of the option, in order. */
export type GivenOptions = ReadonlyMap<string, readonly string[]>;

export function textOf(given: GivenOptions, name: string): string | undefined {
  return given.get(name)?.[0];
}

/** @throws {WrongUsage} with every fault */
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
