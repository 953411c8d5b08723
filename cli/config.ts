// The environment: variables and the user's folders. Only this file reads it.

import { homedir } from 'node:os';
import { join } from 'node:path';

const FOLDER = 'linecard';
const CONFIG_FILE = 'config.json';

export const URL_VARIABLE = 'LINECARD_URL';
export const TOKEN_VARIABLE = 'LINECARD_TOKEN';
const WIDTH_VARIABLE = 'COLUMNS';
const WIDTH = /^[1-9]\d{0,3}$/;

/** An empty variable counts as not set. */
function variable(name: string): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}

/** A folder of the user: as XDG or Windows say, else below the home folder. */
function folder(xdg: string, windows: string, belowHome: string): string {
  const base = variable(xdg) ?? (process.platform === 'win32' ? variable(windows) : undefined);
  return join(base ?? join(homedir(), belowHome), FOLDER);
}

/** Where `linecard login` stores URL and token. */
export function configFile(): string {
  const belowHome = process.platform === 'darwin' ? 'Library/Application Support' : '.config';
  return join(folder('XDG_CONFIG_HOME', 'APPDATA', belowHome), CONFIG_FILE);
}

/** Node's compile cache. Not in the shared temporary folder, which others can write to. */
export function cacheFolder(): string {
  const belowHome = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
  return folder('XDG_CACHE_HOME', 'LOCALAPPDATA', belowHome);
}

export function urlVariable(): string | undefined {
  return variable(URL_VARIABLE);
}

export function tokenVariable(): string | undefined {
  return variable(TOKEN_VARIABLE)?.trim();
}

/** The width of a line; `undefined` where it is unknown, as in a pipe. */
export function lineWidth(output: { readonly columns?: number }): number | undefined {
  const said = variable(WIDTH_VARIABLE);
  if (said !== undefined && WIDTH.test(said)) return Number(said);
  // 0 means that a terminal does not know its width.
  return output.columns === 0 ? undefined : output.columns;
}
