// The server and the token: from variables, else as `linecard login` stored them. No message has the token.

import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { lists } from '@linecard/client/contract';
import { writtenText } from '@linecard/client/contract/written-text';
import {
  CONFIG_VARIABLE,
  configFile,
  TOKEN_VARIABLE,
  tokenVariable,
  URL_VARIABLE,
  urlVariable,
} from './config.ts';
import { wordOf } from './list-examples.ts';
import { Failed, WrongUsage } from './outcome.ts';
import { writeFailure, writeWhole } from './whole-file.ts';

export interface SignIn {
  readonly url: string;
  readonly token: string;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** There is no such file. */
const ABSENT = ['ENOENT', 'ENOTDIR'];
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const HOW = `Sign in with \`linecard login\`, or set ${URL_VARIABLE} and ${TOKEN_VARIABLE}.`;

/**
 * Normalizes a URL: adds a scheme (https, but http for this machine), and removes query, fragment and slashes
 * at the end.
 * @throws {WrongUsage}
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
  const { origin, pathname } = url;
  let { length } = pathname;
  while (pathname.endsWith('/', length)) length -= 1;
  return origin + pathname.slice(0, length);
}

/** The paths of Linecard's own pages, which people copy from a browser. */
const PAGE = new RegExp(
  `/(?:docs(?:\\.md)?|llms\\.txt|openapi\\.json|(?:api/v1|${Object.values(lists).map(wordOf).join('|')})(?:/.*)?)$`,
);

/** The URL of the deployment that an address is in: `https://host/prefix` for `https://host/prefix/docs`. */
export function deploymentOf(url: string): string {
  return url.replace(PAGE, '');
}

/** Whether others on the network could read the token. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}

export async function storedSignIn(): Promise<SignIn | undefined> {
  const path = configFile();
  if (path === undefined) return undefined;
  let text: string | undefined;
  try {
    text = writtenText(await readFile(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (ABSENT.includes(code ?? '')) return undefined;
    throw new Failed(`${path} cannot be read: ${message}`, { cause: error });
  }
  try {
    const { url, token } = JSON.parse(text ?? '') as Partial<Record<keyof SignIn, unknown>>;
    if (typeof url === 'string' && typeof token === 'string') return { url, token };
  } catch {
    // Reported below without the text, which may contain a token.
  }
  throw new Failed(`${path} is damaged. Run \`linecard login\` to write it again.`);
}

/**
 * Where a sign-in is stored.
 * @throws {Failed} that says what to do, where there is no folder for it
 */
export function signInFile(): string {
  const path = configFile();
  if (path !== undefined) return path;
  throw new Failed(
    `There is no home folder to store the sign-in in. Set ${CONFIG_VARIABLE} to the absolute path of a folder, or set ${URL_VARIABLE} and ${TOKEN_VARIABLE} and do without \`linecard login\`.`,
  );
}

/**
 * @returns the path of the file
 * @throws {Failed}
 */
export async function storeSignIn(signIn: SignIn): Promise<string> {
  const path = signInFile();
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER }).catch((error: unknown) => {
    throw writeFailure(path, error);
  });
  await writeWhole(path, { mode: PRIVATE_FILE, keepMode: false }, (file) =>
    file.writeFile(`${JSON.stringify(signIn, null, 2)}\n`),
  );
  return path;
}

/** @returns the path of the deleted file, if there was one */
export async function forgetSignIn(): Promise<string | undefined> {
  const path = configFile();
  if (path === undefined) return undefined;
  try {
    await rm(path);
    return path;
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** @throws {Failed} that says what to do, where the server or the token is unknown */
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
  // A stored token is sent only to the server that it belongs to.
  if (url !== undefined && url !== stored.url) {
    throw new Failed(
      `${URL_VARIABLE} is ${url}, but the stored token belongs to ${stored.url}. Set ${TOKEN_VARIABLE} as well, or sign in again with \`linecard login\`.`,
    );
  }
  return { url: stored.url, token: token ?? stored.token };
}
