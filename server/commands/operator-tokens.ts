// What `linecard-server token` does with operators' tokens, beside those of customers.

import { Failed } from '../errors.ts';
import { accountIdFault, hasAccount } from '../store/accounts.ts';
import {
  createOperatorToken,
  endOperatorToken,
  forgetOperatorToken,
  isGood,
  listOperatorTokens,
  type OperatorToken,
  operatorTokenOf,
} from '../store/operator-tokens.ts';
import type { Store } from '../store/store.ts';
import { endOfSuccessor } from '../store/token-lifecycle.ts';
import { deliver, printRows, say, typed } from './print.ts';

const COLUMNS = ['id', 'accounts', 'name', 'created_at', 'expires_at', 'revoked_at', 'last_used_at'] as const;

const whose = (accounts: OperatorToken['accounts']) =>
  accounts ? `an operator, for ${accounts.join(', ')}` : 'an operator, for all accounts';

export function noAccount(id: string): Failed {
  return new Failed(`There is no account ${id}. Create it with: linecard-server account create ${typed(id)}`);
}

/** @throws {Failed} when an account that a token is to be bound to is not there. */
async function mustExist(store: Store, accounts: readonly string[]): Promise<void> {
  for (const id of accounts) {
    const fault = accountIdFault(id);
    if (fault !== undefined) throw new Failed(`The id of an account ${fault}.`);
    if (!(await hasAccount(store, id))) throw noAccount(id);
  }
}

/**
 * Prints a token that was just made, or takes it back: one that was handed to nobody is of no use to anybody.
 * @param whose whom it is for, as it is printed.
 * @throws {Failed}
 */
export async function handOver(
  { id, token }: { id: string; token: string },
  whose: string,
  forget: (id: string) => Promise<void>,
): Promise<void> {
  say(`Created token ${id} of ${whose}. It is shown only once and stored only as a hash:`);
  try {
    await deliver(token);
  } catch (error) {
    await forget(id);
    throw new Failed(
      `The token could not be written to standard output (${(error as Error).message}), and was taken back.`,
      { cause: error },
    );
  }
}

const handOverTo = (store: Store, made: { id: string; token: string }, accounts: OperatorToken['accounts']) =>
  handOver(made, whose(accounts), (id) => forgetOperatorToken(store, id));

/** Makes a token that may write the accounts named, or all where none is. */
export async function createForOperator(
  store: Store,
  accounts: readonly string[] | undefined,
  name: string,
  expires_at: number | undefined,
): Promise<void> {
  await mustExist(store, accounts ?? []);
  await handOverTo(store, await createOperatorToken(store, { name, accounts, expires_at }), accounts ?? null);
}

export async function printOperatorTokens(store: Store, json: boolean): Promise<void> {
  const tokens = await listOperatorTokens(store);
  if (json) return printRows(true, COLUMNS, tokens);
  const shown = tokens.map((token) => ({ ...token, accounts: token.accounts?.join(', ') ?? 'all' }));
  printRows(false, COLUMNS, shown);
}

/**
 * Makes a token in the place of an operator's, for the same accounts, under the same name and for as long;
 * the old one ends after the overlap. False where no operator's token that is still good has the id.
 */
export async function rotateOperatorToken(store: Store, id: string, overlap: number): Promise<boolean> {
  const old = await operatorTokenOf(store, id);
  if (old === undefined || !isGood(old)) return false;
  const { name, accounts } = old;
  const request = { name, accounts: accounts ?? undefined, expires_at: endOfSuccessor(old) };
  await handOverTo(store, await createOperatorToken(store, request, 'rotated'), accounts);
  await endOperatorToken(store, id, Date.now() + overlap);
  say(`Token ${id} ends at ${(await operatorTokenOf(store, id))?.expires_at}.`);
  return true;
}
