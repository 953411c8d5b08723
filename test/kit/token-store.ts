// A database of two accounts for the tests of tokens, and tokens of theirs.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createAccount } from '../../server/store/accounts.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { createToken } from '../../server/store/tokens.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface TokenStore {
  /** Where the files of the database are. */
  readonly folder: string;
  readonly url: string;
  readonly store: Store;
  /** A new token: of `acme`, unless it is said to be of `other`. */
  readonly made: (
    account_id?: 'acme' | 'other',
    expires_at?: number,
  ) => Promise<{ id: string; token: string }>;
  readonly close: () => Promise<void>;
}

export async function openTokenStore(): Promise<TokenStore> {
  const folder = temporaryFolder();
  const url = `sqlite:${join(folder, 'linecard.db')}`;
  const store = await openStore(url, 'write');
  await createAccount(store, 'acme', { name: 'Acme' });
  await createAccount(store, 'other');
  return {
    folder,
    url,
    store,
    async made(account_id = 'acme', expires_at) {
      const token = await createToken(store, account_id, 'test', expires_at);
      assert.ok(token !== undefined);
      return token;
    },
    close: () => store.close(),
  };
}
