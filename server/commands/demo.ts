// What `serve --demo` does and says: sample accounts, a token for each, and addresses to try.

import { lists } from '@linecard/client/contract';
import { type DemoAccount, fillDemo, findDemo } from '../demo/demo.ts';
import type { Store } from '../store/store.ts';
import { createToken } from '../store/tokens.ts';

const TOKEN_NAME = 'demo';
const TOKEN_DAYS = 7;
const MILLISECONDS_A_DAY = 86_400_000;

interface Guest extends DemoAccount {
  readonly token: string;
}

function welcome(url: string, guests: readonly Guest[]): string {
  const [first] = guests;
  const numbers = `${url}${lists.virtual_numbers.path}`;
  const services = `${url}${lists.additional_services.path}`;
  const ask = (address: string) => `  curl -H "Authorization: Bearer ${first?.token}" "${address}"\n`;
  return [
    `\nLinecard answers at ${url}\n`,
    ...guests.map(({ id, about, token }) => `\n  ${id}: ${about}\n  ${token}\n`),
    '\nTry, as the first of them:\n\n',
    ask(`${numbers}?page_size=3`),
    ask(`${numbers}?country_codes=DE&sort_by=next_payment_at`),
    ask(`${numbers}?q=20+7946`),
    ask(`${numbers}?is_spammed=true`),
    ask(services),
    `\nThe reference is at ${url}/docs. The tokens are good for ${TOKEN_DAYS} days. Stop with Ctrl-C.\n\n`,
  ].join('');
}

/**
 * Fills an empty database with the sample accounts and makes a token for each; on a database that is a demo already,
 * only the tokens.
 * @returns what to print once the service has a URL; `undefined` on a database of real accounts, which is left alone.
 */
export async function prepareDemo(store: Store): Promise<((url: string) => string) | undefined> {
  const accounts = (await fillDemo(store)) ?? (await findDemo(store));
  if (accounts === undefined) return undefined;
  const guests: Guest[] = [];
  for (const account of accounts) {
    const made = await createToken(
      store,
      account.id,
      TOKEN_NAME,
      Date.now() + TOKEN_DAYS * MILLISECONDS_A_DAY,
    );
    if (made !== undefined) guests.push({ ...account, token: made.token });
  }
  return (url) => welcome(url, guests);
}
