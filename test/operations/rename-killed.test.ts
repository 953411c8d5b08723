// A rename whose process is killed, on the embedded store, whose tokens are in a file of their own: nobody
// reads what is another's, and the next start completes it.

import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withStore } from '../../server/commands/command.ts';
import { createAccountOperation } from '../../server/operations/accounts.ts';
import { Unable } from '../../server/operations/operation.ts';
import { findAccount } from '../../server/store/access/account-pages.ts';
import { createAccount } from '../../server/store/access/accounts.ts';
import { findCaller } from '../../server/store/access/callers.ts';
import { createOperatorToken, createToken, findToken } from '../../server/store/access/tokens.ts';
import { commandOrigin } from '../../server/store/log/audit.ts';
import { openStore } from '../../server/store/open.ts';
import { renameAccount } from '../../server/store/rename.ts';
import type { Store } from '../../server/store/store.ts';
import { everyInstant } from '../kit/killed.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const BY = commandOrigin();
const [FORMER, NEW] = ['C7', 'D7'];

test('an account that is renamed keeps its tokens, and no other gets them, wherever the process is killed', async () => {
  const folder = temporaryFolder();
  const urlIn = (where: string) => `sqlite:${join(where, 'linecard.db')}`;
  const store = await openStore(urlIn(folder), 'write');
  await createAccount(store, FORMER, { name: 'First' });
  const { token } = (await createToken(store, FORMER, '')) ?? assert.fail();
  const bound = await createOperatorToken(store, { name: '', accounts: [FORMER] });
  const copies = await everyInstant(folder, () => renameAccount(store, FORMER, NEW, BY));
  await store.close();

  /** The name of the account that the token reads; undefined if it is refused. */
  async function readBy(at: Store): Promise<string | undefined> {
    const caller = await findCaller(at, token);
    return caller && (await findAccount(at, caller.account_id))?.name;
  }
  const boundTo = async (at: Store) => {
    const found = await findToken(at, bound.id);
    return found !== undefined && 'may' in found ? found.accounts : assert.fail();
  };
  const seen = new Set<string>();
  for (const copy of copies) {
    const other = `${copy}-started`;
    cpSync(copy, other, { recursive: true });
    // One that runs already, such as an intake, and gives each free id to another customer.
    const running = await openStore(urlIn(copy), 'change');
    const isRefused = (await readBy(running)) === undefined;
    for (const id of [FORMER, NEW]) {
      const given = { id, name: 'Other', currency: undefined, parent_id: undefined };
      const operation = createAccountOperation;
      await operation.run({ store: running, by: BY }, given, '').catch((error: unknown) => {
        assert.ok(error instanceof Unable && error.code === 'conflict');
      });
    }
    assert.equal(await readBy(running), 'First', copy);
    await running.close();
    // A start, which completes it.
    await withStore({ database_url: urlIn(other), database_pooler: 'none' }, async (started) => {
      assert.equal(await readBy(started), 'First', copy);
      const [id = ''] = (await boundTo(started)) ?? [];
      assert.equal((await findAccount(started, id))?.name, 'First', copy);
      seen.add(`${id} ${isRefused}`);
    });
  }
  assert.deepEqual(seen, new Set([`${FORMER} false`, `${NEW} true`]));
});
