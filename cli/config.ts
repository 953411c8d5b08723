// The environment: variables and the user's folders. Only this file reads it.

import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type NamedProxy, proxyFor } from '@linecard/client/client/proxy';

const IS_WINDOWS = process.platform === 'win32';
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

/** A folder that a variable names; a relative one would be another wherever a command runs (XDG). */
function folderVariable(name: string): string | undefined {
  const path = variable(name);
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** The home folder; `undefined` where the user has none, as in a container. */
function homeFolder(): string | undefined {
  const given = folderVariable(IS_WINDOWS ? 'USERPROFILE' : 'HOME');
  if (given !== undefined) return given;
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? homedir : undefined;
  } catch {
    // The user has no entry in the system.
    return undefined;
  }
}

/** A folder of the user: as XDG or Windows say, else below the home folder. */
function folder(xdg: string, windows: string, below: Readonly<Record<string, string>>): string | undefined {
  const given = folderVariable(xdg) ?? (IS_WINDOWS ? folderVariable(windows) : undefined);
  if (given !== undefined) return join(given, FOLDER);
  const home = homeFolder();
  return home === undefined
    ? undefined
    : join(home, below[process.platform] ?? below['others'] ?? '', FOLDER);
}

/** Where `linecard login` stores URL and token; `undefined` where there is no folder for it. */
export function configFile(): string | undefined {
  const found = folder('XDG_CONFIG_HOME', 'APPDATA', {
    darwin: 'Library/Application Support',
    win32: 'AppData/Roaming',
    others: '.config',
  });
  return found === undefined ? undefined : join(found, CONFIG_FILE);
}

/** Node's compile cache. Not in the shared temporary folder, which others can write to. */
export function cacheFolder(): string | undefined {
  return folder('XDG_CACHE_HOME', 'LOCALAPPDATA', {
    darwin: 'Library/Caches',
    win32: 'AppData/Local',
    others: '.cache',
  });
}

/** The variable that names a folder where there is no home folder. */
export const CONFIG_VARIABLE = IS_WINDOWS ? 'APPDATA' : 'XDG_CONFIG_HOME';

/**
 * The proxy between here and a server, as the environment names it.
 * @throws {UnusableProxy}
 */
export const proxyOf = (url: string): NamedProxy | undefined => proxyFor(url, process.env);

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
