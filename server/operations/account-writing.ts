// How accounts are written: once no import has the lock of the lists, and one that gets a parent as an import
// of one row would write it.

import { listed } from '@linecard/client/contract/wording';
import { parentFaultText } from '../import/account-faults.ts';
import { accountsBelow } from '../store/access/account-pages.ts';
import type { AccountChange } from '../store/access/accounts.ts';
import { AccountsLoad } from '../store/access/accounts-load.ts';
import { absence, forgetDeleted } from '../store/access/deleted-accounts.ts';
import { StoreBusy } from '../store/store-errors.ts';
import { ANOTHER_WRITER, waitForWriteLock } from '../store/write-lock.ts';
import { type Actor, type Advice, type Context, isOf, Unable } from './operation.ts';
import { ShapeRefused } from './shape.ts';

const MAX_SHOWN_BELOW = 3;

export const noAccount = async (
  { store }: Pick<Context, 'store'>,
  id: string,
  see: Advice = { words: 'account list' },
): Promise<Unable> => new Unable('not-found', await absence(store, id), see);

/**
 * Writes, without blocking the thread while an import has the lock.
 * @throws {StoreBusy} when that does not end in time.
 */
export async function onceFree<T>({ waits }: Context, write: () => Promise<T>): Promise<T> {
  if (waits === undefined) return write();
  const done: T[] = [];
  const tryToWrite = async () => {
    try {
      done.push(await write());
      return true;
    } catch (error) {
      if (error instanceof StoreBusy) return false;
      throw error;
    }
  };
  await waitForWriteLock(() => ANOTHER_WRITER, tryToWrite, waits);
  return done[0] as T;
}

/** @throws {Unable} for a parent, now or before, that the actor may not write. */
async function mustStayWithin(load: AccountsLoad, { accounts }: Actor): Promise<void> {
  const outside = accounts && (await load.outside(accounts));
  if (outside === undefined) return;
  const what =
    outside.named > 0
      ? `This token may not write the account ${outside.account_id}.`
      : 'The account is below one that this token may not write: leave parent_id out.';
  throw new Unable('forbidden', what);
}

/**
 * Creates or changes an account that is to have a parent, or none; false when it exists already, or does not.
 * @throws {ShapeRefused} when the parent is unknown, or makes a loop or too many levels.
 */
export async function writeBelow(
  { store, by, waits }: Context,
  id: string,
  { name, currency }: AccountChange,
  { parent_id, isNew }: { readonly parent_id: string | null; readonly isNew: boolean },
): Promise<boolean> {
  const load = await AccountsLoad.begin(store, by, waits);
  try {
    const code = currency === null ? '' : (currency ?? null);
    await load.add([[id, name ?? null, code, parent_id ?? '', null]], [1]);
    await mustStayWithin(load, by);
    const { first } = await load.parentFaults(1);
    for (const fault of first) {
      const text = parentFaultText(fault, (account) => isOf(by, account)).replace(/\.$/, '');
      throw new ShapeRefused([{ member: 'parent_id', what: `${parent_id}: ${text}` }]);
    }
    const isWanted = ((await load.prepare()).inserted === 1) === isNew;
    if (isWanted && isNew) await load.write(forgetDeleted(id));
    if (isWanted) await load.commit();
    return isWanted;
  } finally {
    await load.rollback();
  }
}

/** @throws {Unable} when others are below the account. */
export async function mustHaveNoneBelow({ store, by }: Context, id: string): Promise<void> {
  const below = await accountsBelow(store, id, MAX_SHOWN_BELOW + 1);
  const [first] = below;
  if (first === undefined) return;
  const named = below.slice(0, MAX_SHOWN_BELOW).filter((one) => isOf(by, one));
  const shown = listed([...named, ...(below.length > named.length ? ['others'] : [])]);
  const sentence = `Below ${id} there ${shown === first ? 'is' : 'are'} ${shown}.`;
  throw new Unable('conflict', sentence, {
    lead: 'Delete what is below it first, or move it',
    words: 'account update',
    rest: first,
    options: '--parent none',
  });
}
