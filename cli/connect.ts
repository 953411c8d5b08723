// One list of the account that is signed in. Which list it is comes from the contract, so here it is any
// list: its items are any items and its parameters are what the options made.

import { Client, type Retry } from '@linecard/client';
import { type AnyList, currencyOf, listOf } from '@linecard/client/client/any-list';
import type { List } from '@linecard/client/contract/list';
import { say } from './print.ts';
import { currentSignIn, type SignIn } from './sign-in.ts';

/** Shorter waits are over before a message about them is read. */
const WORTH_SAYING_MS = 500;

function sayRetry({ problem, attempt, retries, wait_ms }: Retry): void {
  if (wait_ms < WORTH_SAYING_MS) return;
  const seconds = Math.ceil(wait_ms / 1_000);
  const tries = retries === PATIENT.retries ? attempt : `${attempt} of ${retries}`;
  say(`linecard: ${problem.message} Trying again in ${seconds} s (${tries}).`);
}

/** What a client does that runs until it is stopped: no outage of the server ends it. */
const PATIENT = { retries: Number.MAX_SAFE_INTEGER, max_wait_ms: 3_600_000 } as const;

export function clientOf({ url, token }: SignIn, isPatient = false): Client {
  return new Client({ url, token, onRetry: sayRetry, ...(isPatient && PATIENT) });
}

/** What a command reads from. */
export interface Connection {
  readonly url: string;
  readonly items: AnyList;
  readonly account: Client['account'];
  /** The currency of the charges; `undefined` where none is set, or where that cannot be known soon. */
  currency(signal: AbortSignal): Promise<string | undefined>;
}

/**
 * @param isPatient for what runs until it is stopped
 * @throws {Failed} when no account is signed in
 */
export async function connect(list: List, isPatient = false): Promise<Connection> {
  const signIn = await currentSignIn();
  const client = clientOf(signIn, isPatient);
  return {
    url: signIn.url,
    items: listOf(client, list),
    account: (call) => client.account(call),
    currency: (signal) => currencyOf(client, signal),
  };
}
