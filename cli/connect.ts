// The connection of the signed-in account to one list, whichever list it is.

import { type Account, type CallOptions, Client, type Retry } from '@linecard/client';
import { type AnyList, currencyOf, listOf } from '@linecard/client/client/any-list';
import type { List } from '@linecard/client/contract/list';
import type { GivenOptions } from './options.ts';
import { say } from './print.ts';
import { currentSignIn, type SignIn } from './sign-in.ts';

/** A message about a shorter wait would appear when it is over. */
const WORTH_SAYING_MS = 500;

export function sayRetry({ problem, attempt, retries, wait_ms }: Retry): void {
  if (wait_ms < WORTH_SAYING_MS) return;
  const seconds = Math.ceil(wait_ms / 1_000);
  const tries = retries === PATIENT.retries ? attempt : `${attempt} of ${retries}`;
  say(`linecard: ${problem.message} Trying again in ${seconds} s (${tries}).`);
}

/** For commands that run until stopped: they outlast any outage of the server. */
const PATIENT = { retries: Number.MAX_SAFE_INTEGER, max_wait_ms: 3_600_000 } as const;

export interface ConnectOptions {
  /** An account below that of the token. */
  readonly account?: string | undefined;
  readonly isPatient?: boolean;
}

export function clientOf(
  { url, token }: SignIn,
  { account, isPatient = false }: ConnectOptions = {},
): Client {
  return new Client({ url, token, account, onRetry: sayRetry, ...(isPatient && PATIENT) });
}

export interface Connection {
  readonly url: string;
  readonly items: AnyList;
  account(call: CallOptions): Promise<Account>;
  /** The currency of the charges; `undefined` where none is set, or where no answer comes in time. */
  currency(signal: AbortSignal): Promise<string | undefined>;
}

/** A command about a list, as it was given. It connects once it knows that nothing given is wrong. */
export interface ListCall {
  readonly list: List;
  readonly connection: () => Promise<Connection>;
  readonly given: GivenOptions;
  readonly signal: AbortSignal;
}

/** @throws {Failed} where no account is signed in */
export async function connect(list: List, options: ConnectOptions): Promise<Connection> {
  const signIn = await currentSignIn();
  const client = clientOf(signIn, options);
  return {
    url: signIn.url,
    items: listOf(client, list),
    account: (call) => client.account(call),
    currency: (signal) => currencyOf(client, signal),
  };
}
