// `serve --demo`: sample accounts, a token for each, and URLs to try.

import { lists } from '@linecard/client/contract';
import { type DemoAccount, fillDemo, findDemo } from '../demo/demo.ts';
import type { Store } from '../store/store.ts';
import { createToken } from '../store/tokens.ts';

const TOKEN_NAME = 'demo';
const TOKEN_DAYS = 7;
const MILLISECONDS_PER_DAY = 86_400_000;

/** Fills an empty database. Returns its sample accounts; `undefined` if it contains real accounts. */
export async function prepareDemo(store: Store): Promise<DemoAccount[] | undefined> {
  return (await fillDemo(store)) ?? findDemo(store);
}

export async function welcome(store: Store, accounts: readonly DemoAccount[], url: string): Promise<string> {
  const expiresAt = Date.now() + TOKEN_DAYS * MILLISECONDS_PER_DAY;
  const all: (DemoAccount & { readonly token: string })[] = [];
  for (const account of accounts) {
    const created = await createToken(store, account.id, TOKEN_NAME, expiresAt);
    if (created !== undefined) all.push({ ...account, token: created.token });
  }
  const numbers = `${url}${lists.virtual_numbers.path}`;
  const services = `${url}${lists.additional_services.path}`;
  const curl = (address: string) => `  curl -H "Authorization: Bearer ${all[0]?.token}" "${address}"\n`;
  return [
    `\nLinecard answers at ${url}\n`,
    ...all.map(({ id, about, token }) => `\n  ${id}: ${about}\n  ${token}\n`),
    `\nTry the first of them, in a browser:\n\n  ${url}/#token=${all[0]?.token}\n\nand from a terminal:\n\n`,
    curl(`${numbers}?page_size=3`),
    curl(`${numbers}?country_codes=DE&sort_by=next_payment_at`),
    curl(`${numbers}?q=20+7946`),
    curl(`${numbers}?is_spammed=true`),
    curl(services),
    `\nThe reference is at ${url}/docs. The tokens are valid for ${TOKEN_DAYS} days. Press Ctrl-C to stop.\n\n`,
  ].join('');
}
