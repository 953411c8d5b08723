// Texts -> settings: from the command line, else from the environment. Only this file reads the environment.

import { nearest } from '@linecard/client/contract/suggestion';
import { WrongUsage } from './errors.ts';
import { type SettingName, type Settings, settings } from './settings.ts';

const PREFIX = 'LINECARD_';
/** Variables of `linecard`, the customer's command, which may share an environment with the server. */
const CUSTOMER_VARIABLES = ['LINECARD_URL', 'LINECARD_TOKEN'];

type Environment = Readonly<Record<string, string | undefined>>;

/** `max_page_size` -> `--max-page-size` */
export function optionOf(name: SettingName): string {
  const { option = name } = settings[name] as { option?: string };
  return `--${option.replaceAll('_', '-')}`;
}

/** `max_page_size` -> `LINECARD_MAX_PAGE_SIZE` */
export const variableOf = (name: SettingName) => PREFIX + name.toUpperCase();

function readOne(name: SettingName, source: string, text: string): unknown {
  const { allowed, isSecret = false } = settings[name] as { allowed: string; isSecret?: boolean };
  const value = settings[name].read(text);
  if (value !== undefined) return value;
  throw new WrongUsage(`${source} must be ${allowed}${isSecret ? '' : `, but was "${text}"`}.`);
}

/**
 * The settings named, each from the command line, else from the environment, else its default. An empty
 * variable counts as not set.
 * @throws {WrongUsage} when a text is not what the setting takes.
 */
export function readSettings<const N extends SettingName>(
  names: readonly N[],
  options: Readonly<Record<string, string | true | undefined>>,
  environment: Environment = process.env,
): Pick<Settings, N> {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const option = options[name];
    const variable = environment[variableOf(name)];
    if (option !== undefined) values[name] = option === true || readOne(name, optionOf(name), option);
    else if (variable) values[name] = readOne(name, variableOf(name), variable);
    else values[name] = settings[name].default;
  }
  return values as Pick<Settings, N>;
}

/** A sentence for each `LINECARD_` variable that is not a setting, such as a mistyped one. */
export function unknownVariables(environment: Environment = process.env): string[] {
  const names = Object.keys(settings) as SettingName[];
  const known = [...names.map(variableOf), ...CUSTOMER_VARIABLES];
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => {
      const meant = nearest(name.slice(PREFIX.length), names);
      const hint = meant === undefined ? '' : ` Did you mean ${variableOf(meant as SettingName)}?`;
      return `${name} is not a setting and is ignored.${hint}`;
    });
}
