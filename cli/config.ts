// The environment: variables and the user's folders. Only this file reads it.

import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

const FOLDER = 'linecard';
const CONFIG_FILE = 'config.json';

export const URL_VARIABLE = 'LINECARD_URL';
export const TOKEN_VARIABLE = 'LINECARD_TOKEN';
const WIDTH_VARIABLE = 'COLUMNS';
const WIDTH = /^[1-9]\d{0,3}$/;

/** An empty variable counts as not set. */
function variable(name: string, environment: Environment): string | undefined {
  const value = environment[name];
  return value === '' ? undefined : value;
}

/** A folder of the user: as XDG or Windows say, else below the home folder. */
function folder(xdg: string, windows: string, belowHome: string, environment: Environment): string {
  const base =
    variable(xdg, environment) ?? (process.platform === 'win32' ? variable(windows, environment) : undefined);
  return join(base ?? join(homedir(), belowHome), FOLDER);
}

/** Where `linecard login` stores URL and token. */
export function configFile(environment: Environment = process.env): string {
  const belowHome = process.platform === 'darwin' ? 'Library/Application Support' : '.config';
  return join(folder('XDG_CONFIG_HOME', 'APPDATA', belowHome, environment), CONFIG_FILE);
}

/** Node's compile cache. Not in the shared temporary folder, which others can write to. */
export function cacheFolder(environment: Environment = process.env): string {
  const belowHome = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
  return folder('XDG_CACHE_HOME', 'LOCALAPPDATA', belowHome, environment);
}

export function urlVariable(environment: Environment = process.env): string | undefined {
  return variable(URL_VARIABLE, environment);
}

export function tokenVariable(environment: Environment = process.env): string | undefined {
  return variable(TOKEN_VARIABLE, environment)?.trim();
}

/** The width of a line; `undefined` where it is unknown, as in a pipe. */
export function lineWidth(
  output: { readonly columns?: number },
  environment: Environment = process.env,
): number | undefined {
  const said = variable(WIDTH_VARIABLE, environment);
  if (said !== undefined && WIDTH.test(said)) return Number(said);
  // 0 means that a terminal does not know its width.
  return output.columns === 0 ? undefined : output.columns;
}
