// The server that a command reads from, and the token: variables first, else what `linecard login` stored.
// The token never appears in a message.

import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { configFile, TOKEN_VARIABLE, tokenVariable, URL_VARIABLE, urlVariable } from './config.ts';
import { Failed, WrongUsage } from './outcome.ts';
import { writeWhole } from './whole-file.ts';

export interface SignIn {
  readonly url: string;
  readonly token: string;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const HOW = `Sign in with \`linecard login\`, or set ${URL_VARIABLE} and ${TOKEN_VARIABLE}.`;

/**
 * An address as it is stored: with its scheme (where none is given, https except on this machine), without
 * query, fragment or a slash at its end.
 * @throws {WrongUsage} when it is none.
 */
export function tidyUrl(text: string): string {
  const said = text.trim();
  const guessed = LOOPBACK.test(URL.parse(`http://${said}`)?.hostname ?? '') ? 'http' : 'https';
  const url = URL.parse(SCHEME.test(said) ? said : `${guessed}://${said}`);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw new WrongUsage(
      `The URL must be an address such as https://linecard.example.com, but was "${text}".`,
    );
  }
  if (url.username !== '' || url.password !== '') throw new WrongUsage('The URL must not hold a password.');
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** Whether a token would travel there unencrypted. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}

/** What `linecard login` stored, if anything. */
export async function storedSignIn(path = configFile()): Promise<SignIn | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Failed(`${path} cannot be read: ${message}`, { cause: error });
  }
  try {
    const { url, token } = JSON.parse(text) as Partial<Record<keyof SignIn, unknown>>;
    if (typeof url === 'string' && typeof token === 'string') return { url, token };
  } catch {
    // Reported below, without the text: it may hold a token.
  }
  throw new Failed(`${path} is damaged. Run \`linecard login\` to write it anew.`);
}

/** @returns the path of the file that holds it from now on. */
export async function storeSignIn(signIn: SignIn, path = configFile()): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  await writeWhole(path, { mode: PRIVATE_FILE, keepMode: false }, (file) =>
    file.writeFile(`${JSON.stringify(signIn, null, 2)}\n`),
  );
  return path;
}

/** @returns the path of the file that is gone now, or `undefined` where there was none. */
export async function forgetSignIn(path = configFile()): Promise<string | undefined> {
  try {
    await rm(path);
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The server to read from, and the token.
 * @throws {Failed} that says what to do, when one of both is not known.
 */
export async function currentSignIn(): Promise<SignIn> {
  const givenUrl = urlVariable();
  const url = givenUrl === undefined ? undefined : tidyUrl(givenUrl);
  const token = tokenVariable();
  if (url !== undefined && token !== undefined) return { url, token };
  const stored = await storedSignIn();
  if (stored === undefined) {
    const half = url === undefined ? URL_VARIABLE : TOKEN_VARIABLE;
    if (url === undefined && token === undefined) throw new Failed(`You are not signed in. ${HOW}`);
    throw new Failed(`${half} is missing. ${HOW}`);
  }
  // A stored token goes to the server that it was made for, and to no other.
  if (url !== undefined && url !== stored.url) {
    throw new Failed(
      `${URL_VARIABLE} is ${url}, but the stored token belongs to ${stored.url}. Set ${TOKEN_VARIABLE} as well, or sign in anew with \`linecard login\`.`,
    );
  }
  return { url: stored.url, token: token ?? stored.token };
}
