// One list of the account that is signed in. Which list it is comes from the contract, so here it is any
// list: its items are any items and its parameters are what the options made.

import { Client, type Export, type Facet, type PageOf } from '@linecard/client';
import type { lists } from '@linecard/client/contract';
import type { Item } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import type { ListParams } from './options.ts';
import { currentSignIn, type SignIn } from './sign-in.ts';

interface Interruptible {
  readonly signal: AbortSignal;
}

export interface AnyFacets {
  readonly total: number;
  readonly sums: Readonly<Record<string, number>>;
  readonly due: Readonly<Record<string, { readonly count: number; readonly monthly: number }>>;
  readonly facets: Readonly<Record<string, Facet>>;
}

/** A client's list, whichever it is. All of it throws `Problem`. */
export interface AccountList {
  list(params: ListParams, call: Interruptible): Promise<PageOf<Item>>;
  iterate(params: ListParams, call: Interruptible): AsyncGenerator<Item, void, void>;
  export(
    params: ListParams,
    call: Interruptible & { readonly format?: 'csv' | 'ndjson' },
  ): Promise<Export<Item>>;
  facets(params: ListParams, call: Interruptible): Promise<AnyFacets>;
}

export function accountList(list: List, { url, token }: SignIn): AccountList {
  const client = new Client({ url, token });
  const byName: Readonly<Record<keyof typeof lists, unknown>> = {
    virtual_numbers: client.virtualNumbers,
    additional_services: client.additionalServices,
  };
  return byName[list.name as keyof typeof lists] as AccountList;
}

/** @throws {Failed} when no account is signed in. */
export async function connect(list: List): Promise<AccountList> {
  return accountList(list, await currentSignIn());
}
