// `linecard login` and `linecard logout`. URL and token are tried on the server before they are stored.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer as bytesFrom } from 'node:stream/consumers';
import { lists } from '@linecard/client/contract';
import { visible } from '@linecard/client/contract/printable';
import { writtenText } from '@linecard/client/contract/written-text';
import { TOKEN_VARIABLE, tokenVariable, URL_VARIABLE, urlVariable } from './config.ts';
import { clientOf } from './connect.ts';
import { forgetValues } from './offers.ts';
import { type GivenOptions, textOf } from './options.ts';
import { WrongUsage } from './outcome.ts';
import { counted, say } from './print.ts';
import {
  deploymentOf,
  forgetSignIn,
  isUnencrypted,
  type SignIn,
  signInFile,
  storedSignIn,
  storeSignIn,
  tidyUrl,
} from './sign-in.ts';

const WHITE_SPACE = /\s/;
const NOWHERE = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Whether a person is at the terminal. */
const canAsk = () => process.stdin.isTTY === true;

/**
 * Prompts on standard error; a secret is not shown while it is typed.
 * @throws {WrongUsage} where the input ends
 */
async function ask(question: string, signal: AbortSignal, isSecret = false): Promise<string> {
  const output = isSecret ? NOWHERE() : process.stderr;
  const input = createInterface({ input: process.stdin, output, terminal: true });
  // The terminal is in raw mode during a prompt: Ctrl-C arrives as a key.
  input.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  let isOver = false;
  const ended = new Promise<never>((_, reject) => {
    input.once('close', () => {
      if (!isOver && !isSecret) process.stderr.write('\n');
      reject(new WrongUsage('Nothing was typed.'));
    });
  });
  try {
    if (isSecret) process.stderr.write(question);
    return (await Promise.race([input.question(isSecret ? '' : question, { signal }), ended])).trim();
  } finally {
    isOver = true;
    input.close();
    if (isSecret) process.stderr.write('\n');
  }
}

async function piped(): Promise<string> {
  return (writtenText(await bytesFrom(process.stdin)) ?? '').trim();
}

async function askUrl(signal: AbortSignal): Promise<string> {
  const stored = await storedSignIn().catch(() => undefined);
  const suggestion = urlVariable() ?? stored?.url;
  const shown = suggestion === undefined ? '' : ` [${visible(suggestion)}]`;
  for (;;) {
    const typed = await ask(`URL of your provider's Linecard${shown}: `, signal);
    try {
      return deploymentOf(tidyUrl(typed === '' ? (suggestion ?? '') : typed));
    } catch (error) {
      if (!(error instanceof WrongUsage)) throw error;
      say(error.message);
    }
  }
}

async function signInFrom(given: GivenOptions, signal: AbortSignal): Promise<SignIn> {
  const said = textOf(given, 'url') ?? (canAsk() ? await askUrl(signal) : urlVariable());
  if (said === undefined) throw new WrongUsage('Say where to sign in: --url https://linecard.example.com.');
  const url = deploymentOf(tidyUrl(said));
  if (isUnencrypted(url)) say(`${url} is not encrypted: anyone on the way there can read your token.`);
  const token = canAsk() ? await ask('API token (it is not shown): ', signal, true) : await piped();
  if (token === '') throw new WrongUsage('The token is missing: type it at the prompt, or pipe it in.');
  if (WHITE_SPACE.test(token)) throw new WrongUsage('That is more than a token: pipe in the token alone.');
  return { url, token };
}

/** The account, which only a valid token can read. */
async function look(signIn: SignIn, signal: AbortSignal): Promise<string> {
  const account = await clientOf(signIn).account({ signal });
  const counts = Object.values(lists).flatMap((list) => {
    const total = account[list.name];
    return total === null ? [] : [counted(total, list)];
  });
  return `${account.name === '' ? account.id : account.name}, ${counts.join(', ')}`;
}

/**
 * @throws {WrongUsage}
 * @throws {Problem} where the server rejects the token; then nothing is stored
 */
export async function login(given: GivenOptions, signal: AbortSignal): Promise<void> {
  // Nobody types a token that cannot be stored.
  signInFile();
  const signIn = await signInFrom(given, signal);
  const account = await look(signIn, signal);
  const path = await storeSignIn(signIn);
  say(`Signed in at ${signIn.url}: ${account}. Stored in ${path}.`);
  if (tokenVariable() !== undefined)
    say(`${TOKEN_VARIABLE} is set: it takes precedence over the stored token.`);
  else if (urlVariable() !== undefined) say(`${URL_VARIABLE} is set: it must be ${signIn.url} as well.`);
}

export async function logout(): Promise<void> {
  const path = await forgetSignIn();
  await forgetValues();
  say(
    path === undefined
      ? 'You were not signed in.'
      : `Signed out: ${path} was deleted. The token itself is still valid; your provider can revoke it.`,
  );
  if (tokenVariable() !== undefined) say(`${TOKEN_VARIABLE} is still set.`);
}
