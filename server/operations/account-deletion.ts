// Accounts that end: deleted, and what is recorded of them erased.

import { findAccount } from '../store/access/account-pages.ts';
import { deleteAccount, hasAccount } from '../store/access/accounts.ts';
import { eraseAccount, idsOf } from '../store/log/erasure.ts';
import { isCurrent } from '../store/log/former-ids.ts';
import { ID, PATH } from './account-shape.ts';
import { mustHaveNoneBelow, noAccount, onceFree } from './account-writing.ts';
import { line } from './field.ts';
import { mustBeOwn, operation, Unable } from './operation.ts';
import { ShapeRefused } from './shape.ts';

const MAX_CONFIRMED_CHARACTERS = 100;
const DELETED = 'what is deleted cannot be restored';
const ERASED = 'what is erased cannot be restored';

const confirmation = (why: string) =>
  line(MAX_CONFIRMED_CHARACTERS, { about: `The id of the account again: ${why}.`, example: 'C1001' });

/** @throws {ShapeRefused} */
function mustBeConfirmed(confirm: string | undefined, id: string, why: string): void {
  if (confirm === id) return;
  throw new ShapeRefused([{ member: 'confirm', what: `must be the id of the account: ${why}` }]);
}

export const deleteAccountOperation = operation({
  words: 'account delete',
  title: 'Delete an account',
  about: 'Delete an account with its items and tokens, after confirmation.',
  of: 'the request',
  id: ID,
  takes: {
    confirm: confirmation(DELETED),
  },
  shown: ['confirm'],
  route: { method: 'DELETE', path: PATH, status: 204, permission: 'accounts', on: 'slow' },
  async run(context, { confirm }, id) {
    const { store, by } = context;
    mustBeOwn(by, id, 'delete');
    mustBeConfirmed(confirm, id, DELETED);
    if ((await findAccount(store, id)) === undefined) throw await noAccount(context, id);
    await mustHaveNoneBelow(context, id);
    if (await onceFree(context, () => deleteAccount(store, id, by))) return;
    await mustHaveNoneBelow(context, id);
    throw await noAccount(context, id);
  },
});

export const eraseAccountOperation = operation({
  words: 'account erase',
  title: 'Erase what is recorded of a deleted account',
  about:
    'Take the names, addresses and texts of a deleted account out of the audit log and the runs of imports, after confirmation.',
  of: 'the request',
  id: ID,
  takes: { confirm: confirmation(ERASED) },
  shown: ['confirm'],
  route: { method: 'POST', path: `${PATH}/erase`, status: 204, permission: 'accounts', on: 'slow' },
  async run(context, { confirm }, id) {
    const { store, by } = context;
    mustBeOwn(by, id, 'erase');
    mustBeConfirmed(confirm, id, ERASED);
    for (const { id: one } of (await idsOf(store, id)).filter(isCurrent))
      if (await hasAccount(store, one)) {
        const which = one === id ? `The account ${id}` : `The account ${id} was renamed: ${one}`;
        const see = { words: 'account delete', rest: one } as const;
        throw new Unable('conflict', `${which} still exists: delete it first.`, see);
      }
    if (!(await onceFree(context, () => eraseAccount(store, id, by))))
      throw new Unable('not-found', `Nothing is recorded of an account ${id}.`);
  },
});
