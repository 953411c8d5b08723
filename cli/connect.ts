// One list of the account that is signed in. Which list it is comes from the contract, so here it is any
// list: its items are any items and its parameters are what the options made.

import {
  type Account,
  type ChangesPage,
  Client,
  type Export,
  type ExportFormat,
  type Facet,
  type PageOf,
  type Retry,
} from '@linecard/client';
import type { lists } from '@linecard/client/contract';
import type { Item } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import type { ListParams } from './options.ts';
import { say } from './print.ts';
import { currentSignIn, type SignIn } from './sign-in.ts';

interface Interruptible {
  readonly signal: AbortSignal;
}

export interface AnyFacets {
  readonly total: number;
  readonly currency?: string | null;
  readonly sums: Readonly<Record<string, number>>;
  readonly due: Readonly<Record<string, { readonly count: number; readonly monthly: number }>>;
  readonly facets: Readonly<Record<string, Facet>>;
}

/** A client's list, whichever it is. All of it throws `Problem`. */
export interface AccountList {
  list(params: ListParams, call: Interruptible): Promise<PageOf<Item>>;
  get(id: number, params: ListParams, call: Interruptible): Promise<Item>;
  iterate(params: ListParams, call: Interruptible): AsyncGenerator<Item, void, void>;
  export(params: ListParams, call: Interruptible & { readonly format?: ExportFormat }): Promise<Export<Item>>;
  facets(params: ListParams, call: Interruptible): Promise<AnyFacets>;
  changes(params: ChangesParams, call: Interruptible): Promise<ChangesPage<Item>>;
  follow(params: ChangesParams, call: Interruptible): AsyncGenerator<ChangesPage<Item>, void, void>;
}

type ChangesParams = ListParams | (ListParams & { readonly since: string });

/** Shorter waits are over before a message about them is read. */
const WORTH_SAYING_MS = 500;
/** Which currency it is must not keep a table waiting. */
const CURRENCY_WITHIN_MS = 2_000;

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

export function listOf(client: Client, list: List): AccountList {
  const byName: Readonly<Record<keyof typeof lists, unknown>> = {
    virtual_numbers: client.virtualNumbers,
    additional_services: client.additionalServices,
  };
  return byName[list.name as keyof typeof lists] as AccountList;
}

/** What a command reads from. */
export interface Connection {
  readonly url: string;
  readonly items: AccountList;
  account(call: Interruptible): Promise<Account>;
  /** The currency of the charges; `undefined` where none is set, or where that cannot be known soon. */
  currency(call: Interruptible): Promise<string | undefined>;
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
    async currency({ signal }) {
      const soon = AbortSignal.any([signal, AbortSignal.timeout(CURRENCY_WITHIN_MS)]);
      const account = await client.account({ signal: soon }).catch(() => undefined);
      return account?.currency ?? undefined;
    },
  };
}
