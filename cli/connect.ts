// The connection of a command to the account that is signed in, or to one below it.

import { Client, type ClientOptions, type Retry } from '@linecard/client';
import type { List } from '@linecard/client/contract/list';
import { oneLine } from './explain.ts';
import { ACCOUNT_OPTION, type GivenOptions, textOf } from './options.ts';
import { say } from './print.ts';
import { fetchFrom } from './proxy.ts';
import { currentSignIn, type SignIn } from './sign-in.ts';

/** A message about a shorter wait would appear when it is over. */
const WORTH_SAYING_MS = 500;

export function sayRetry({ problem, attempt, retries, wait_ms }: Retry): void {
  if (wait_ms < WORTH_SAYING_MS) return;
  const seconds = Math.ceil(wait_ms / 1_000);
  const tries = retries === PATIENT.retries ? attempt : `${attempt} of ${retries}`;
  say(`linecard: ${oneLine(problem.message)} Trying again in ${seconds} s (${tries}).`);
}

/** For commands that run until stopped: they outlast any outage of the server. */
const PATIENT = { retries: Number.MAX_SAFE_INTEGER, max_wait_ms: 3_600_000 } as const;

export function clientOf({ url, token }: SignIn, more: Partial<ClientOptions> = {}): Client {
  return new Client({ url, token, onRetry: sayRetry, fetch: fetchFrom(url), ...more });
}

export interface Connection {
  readonly url: string;
  readonly client: Client;
}

/**
 * The client of the account that is signed in, or of the one below it that `--account` names.
 * @param isPatient for commands that run until stopped
 * @throws {Failed} where no account is signed in
 */
export async function connect(given: GivenOptions, isPatient = false): Promise<Connection> {
  const signIn = await currentSignIn();
  const account = textOf(given, ACCOUNT_OPTION.name);
  return { url: signIn.url, client: clientOf(signIn, { account, ...(isPatient && PATIENT) }) };
}

/** A command about a list, as it was given. It connects once it knows that nothing given is wrong. */
export interface ListCall {
  readonly list: List;
  readonly given: GivenOptions;
  readonly signal: AbortSignal;
}
