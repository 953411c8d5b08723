// A database of two accounts for the tests of tokens, and tokens of theirs.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createAccount } from '../../server/store/access/accounts.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import { temporaryFolder } from './temporary-folder.ts';

export async function openTokenStore() {
  const folder = temporaryFolder();
  const url = `sqlite:${join(folder, 'linecard.db')}`;
  const store = await openStore(url, 'write');
  await createAccount(store, 'acme', { name: 'Acme' });
  await createAccount(store, 'other');
  return {
    /** Where the files of the database are. */
    folder,
    url,
    store,
    /** A new token: of `acme`, unless it is said to be of `other`. */
    made: async (account_id: 'acme' | 'other' = 'acme', expires_at?: number) => {
      const token = await createToken(store, account_id, 'test', expires_at);
      assert.ok(token !== undefined);
      return token;
    },
    close: () => store.close(),
  };
}

export type TokenStore = Awaited<ReturnType<typeof openTokenStore>>;
