// Reads settings from the command line, else from the environment, else from a file; and options from the
// command line alone. Only this file reads the environment.

import { readFileSync } from 'node:fs';
import { type NamedProxy, proxyFor, UnusableProxy } from '@linecard/client/client/proxy';
import { shownAddress } from '@linecard/client/contract/secrets';
import { nearest } from '@linecard/client/contract/suggestion';
import { NOT_WRITTEN_TEXT, writtenText } from '@linecard/client/contract/written-text';
import { WrongUsage } from '../errors.ts';
import { scaledToMemory } from '../memory.ts';
import type { Parameter } from './kinds.ts';
import { type OptionName, options } from './options.ts';
import { type SettingName, settings } from './settings.ts';

const PREFIX = 'LINECARD_';
/** Variables of `linecard`, the customers' command, which may share an environment with the server. */
const CUSTOMER_VARIABLES = ['LINECARD_URL', 'LINECARD_TOKEN'];

type Environment = Readonly<Record<string, string | undefined>>;

/** Both tables: what commands take. */
export const parameters = { ...settings, ...options };
export type ParameterName = keyof typeof parameters;
export type Values = { [N in ParameterName]: (typeof parameters)[N]['default'] };

const settingNames = Object.keys(settings) as SettingName[];
const optionNames = Object.keys(options) as OptionName[];

export const isOption = (name: string): name is OptionName => Object.hasOwn(options, name);

const definitionOf = (name: ParameterName): Parameter<unknown> => parameters[name];

/** `max_page_size` -> `--max-page-size` */
export const optionOf = (name: ParameterName) =>
  `--${(definitionOf(name).option ?? name).replaceAll('_', '-')}`;

/** `max_page_size` -> `LINECARD_MAX_PAGE_SIZE` */
export const variableOf = (name: ParameterName) => PREFIX + name.toUpperCase();

/** Of a secret, the variable that names a file with it: `LINECARD_DATABASE_URL_FILE`. */
const fileVariableOf = (name: ParameterName) => `${variableOf(name)}_FILE`;
const hasFileVariable = (name: ParameterName) => definitionOf(name).isSecret === true && !isOption(name);

/**
 * The value of a variable, or of the file that another variable names; an empty one counts as not set.
 * @throws {WrongUsage} if both are set, or the file cannot be used.
 */
function inEnvironment(name: ParameterName, environment: Environment): string | undefined {
  const value = environment[variableOf(name)] || undefined;
  const variable = fileVariableOf(name);
  const path = (hasFileVariable(name) && environment[variable]) || undefined;
  if (path === undefined) return value;
  if (value !== undefined)
    throw new WrongUsage(`${variableOf(name)} and ${variable} are both set: unset one.`);
  let text: string | undefined;
  try {
    text = writtenText(readFileSync(path))?.trim();
  } catch (error) {
    throw new WrongUsage(`The file that ${variable} names cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  if (!text) throw new WrongUsage(`${path}, which ${variable} names, must have the value, in UTF-8.`);
  return text;
}

/** What is wrong with a value; `undefined` where it is allowed. */
function faultOf(name: ParameterName, source: string, text: string): string | undefined {
  const { allowed, isSecret = false } = definitionOf(name);
  if (parameters[name].read(text) !== undefined) return undefined;
  return `${source} must be ${allowed}${isSecret ? '' : `, but was "${shownAddress(text)}"`}.`;
}

/** @throws {WrongUsage} */
function readOne(name: ParameterName, source: string, text: string): unknown {
  const fault = faultOf(name, source, text);
  if (fault !== undefined) throw new WrongUsage(fault);
  return parameters[name].read(text);
}

function defaultOf(name: ParameterName): unknown {
  const { default: fallback, scalesWithMemory = false } = definitionOf(name);
  return scalesWithMemory ? scaledToMemory(fallback as number) : fallback;
}

/**
 * The text of a setting's value in the JSON file; an array is joined where the setting takes several.
 * `undefined` where it is of another kind.
 */
function textOf({ several }: Parameter<unknown>, value: unknown): string | undefined {
  const isText = (one: unknown) => ['string', 'number', 'boolean'].includes(typeof one);
  if (isText(value)) return String(value);
  return several && Array.isArray(value) && value.every(isText) ? value.join(several) : undefined;
}

function parsed(path: string): unknown {
  let text: string | undefined;
  try {
    text = writtenText(readFileSync(path));
  } catch (error) {
    throw new WrongUsage(`The file given with --config cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  if (text === undefined) throw new WrongUsage(`${path}: ${NOT_WRITTEN_TEXT}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    // The rest of the message is left out: it quotes the file, which may contain a password.
    const [, line, column] = /line (\d+) column (\d+)/.exec((error as Error).message) ?? [];
    const where = line === undefined ? '' : `; look at line ${line}, column ${column}`;
    throw new WrongUsage(`${path} is not JSON${where}.`, { cause: error });
  }
}

/**
 * Reads a settings file. It may contain settings of other commands, so that all can share one file; `checked`
 * are those whose values matter here.
 * @throws {WrongUsage} with every fault: unknown names, and values that are not allowed.
 */
function readFile(path: string, checked: readonly ParameterName[]): ReadonlyMap<ParameterName, string> {
  const file = parsed(path);
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    throw new WrongUsage(`${path} must be a JSON object of settings by name, such as {"port": 9000}.`);
  const names = settingNames.filter((one) => one !== 'config');
  const texts = new Map<ParameterName, string>();
  const faults = Object.entries(file).map(([given, value]) => {
    const name = names.find((one) => one === given);
    if (name === undefined) {
      const plain = given.replaceAll('-', '_').toLowerCase().replace(PREFIX.toLowerCase(), '');
      if (isOption(plain)) return `${path}: "${given}" ${notRead(plain)} Remove it from the file.`;
      const meant = nearest(plain, names);
      return `${path}: "${given}" is not a setting.${meant === undefined ? '' : ` Did you mean "${meant}"?`}`;
    }
    const definition = definitionOf(name);
    const text = textOf(definition, value);
    if (text === undefined)
      return `${path}: ${name} must be ${definition.several ? 'a string or a list of strings' : 'a string, a number, true or false'}.`;
    texts.set(name, text);
    return checked.includes(name) ? faultOf(name, `${path}: ${name}`, text) : undefined;
  });
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 0) throw new WrongUsage(found.join('\n'));
  return texts;
}

const notRead = (name: OptionName) =>
  `is not a setting: ${optionOf(name)} is given to a command, on its command line alone.`;

/** @throws {WrongUsage} if a variable says what only a command line can say. */
function mustHoldNoOption(environment: Environment): void {
  const faults = optionNames
    .filter((name) => environment[variableOf(name)])
    .map((name) => `${variableOf(name)} ${notRead(name)} Unset the variable.`);
  if (faults.length > 0) throw new WrongUsage(faults.join('\n'));
}

/**
 * The settings and options named: options from the command line, settings from there, else the environment,
 * else the file given with `config`; else the default. An empty variable counts as not set.
 * @throws {WrongUsage} if a value is not allowed, or the environment or the file has an option.
 */
export function readSettings<const N extends ParameterName>(
  names: readonly N[],
  given: Readonly<Record<string, string | true | undefined>>,
  environment: Environment = process.env,
): Pick<Values, N> {
  mustHoldNoOption(environment);
  const values: Record<string, unknown> = {};
  const path = given['config'] ?? (environment[variableOf('config')] || undefined);
  const readsFile = (names as readonly ParameterName[]).includes('config') && typeof path === 'string';
  const variables = new Map(
    names.flatMap((name) => {
      const text = given[name] === undefined ? inEnvironment(name, environment) : undefined;
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
  const ofFile = names.filter((name) => given[name] === undefined && !variables.has(name));
  const file: ReturnType<typeof readFile> = readsFile ? readFile(path, ofFile) : new Map();
  for (const name of names) {
    const option = given[name];
    const variable = variables.get(name);
    const inFile = file.get(name);
    if (option !== undefined) values[name] = option === true || readOne(name, optionOf(name), option);
    else if (variable !== undefined) values[name] = readOne(name, variableOf(name), variable);
    else if (inFile !== undefined) values[name] = parameters[name].read(inFile);
    else values[name] = defaultOf(name);
  }
  return values as Pick<Values, N>;
}

/** The user of `sudo`, if it runs this. */
export const sudoUser = ({ SUDO_USER: user }: Environment = process.env): string | undefined =>
  settings.actor.read(user ?? '');

/**
 * Whether OpenTelemetry's environment variables enable traces, and if so whether they name the service;
 * `undefined` if traces are disabled.
 */
export function tracesWanted(environment: Environment = process.env): { hasName: boolean } | undefined {
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = environment;
  if (disabled?.toLowerCase() === 'true' || exporter === 'none') return undefined;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = environment;
  if (!exporter && !all && !traces) return undefined;
  const { OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: attributes = '' } = environment;
  return { hasName: Boolean(name) || attributes.includes('service.name=') };
}

/**
 * The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name for an address.
 * @throws {WrongUsage} if they name what is no proxy.
 */
export function proxyOf(url: URL, environment: Environment = process.env): NamedProxy | undefined {
  try {
    return proxyFor(url, environment);
  } catch (error) {
    throw error instanceof UnusableProxy ? new WrongUsage(error.message, { cause: error }) : error;
  }
}

/** A warning for each `LINECARD_` variable that is not a setting. */
export function unknownVariables(environment: Environment = process.env): string[] {
  const files = settingNames.filter(hasFileVariable).map(fileVariableOf);
  const known = [...settingNames, ...optionNames].map(variableOf).concat(files, CUSTOMER_VARIABLES);
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => {
      const meant = nearest(name.slice(PREFIX.length), settingNames);
      const hint = meant === undefined ? '' : ` Did you mean ${variableOf(meant as SettingName)}?`;
      return `${name} is not a setting and is ignored.${hint}`;
    });
}
