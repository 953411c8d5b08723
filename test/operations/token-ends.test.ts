// Tokens that end: which end soon, on every store, and how the commands replace and revoke those of many
// accounts, or one whose secret was leaked. The audit log names the person who did it.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createAccount } from '../../server/store/access/accounts.ts';
import { tokenBatches, tokenPage } from '../../server/store/access/token-batch.ts';
import {
  createOperatorToken,
  createToken,
  listTokens,
  revokeToken,
} from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import { readAudit } from '../kit/audit-log.ts';
import { runProgram } from '../kit/program.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const DAY = 86_400_000;
const timeIn = (days: number) => new Date(Date.now() + days * DAY).toISOString();

for (const kind of stores) {
  test(`tokens that end soon are those that neither ended nor were revoked on ${kind.name}`, async () => {
    const database = await databaseOf(kind);
    const store = await openStore(database.url, 'write');
    for (const id of ['acme', 'other']) await createAccount(store, id);
    const made = async (account: string, days?: number) => {
      const at = days === undefined ? undefined : Date.now() + days * DAY;
      return (await createToken(store, account, 'one', at))?.id ?? assert.fail();
    };
    const soon = await made('acme', 3);
    for (const days of [undefined, -1, 30]) await made('acme', days);
    await revokeToken(store, await made('acme', 2));
    const others = await made('other', 13);
    const operators = (await createOperatorToken(store, { name: 'feed', expires_at: Date.now() + DAY })).id;
    const endsBefore = timeIn(14);
    const pages = async (accounts: readonly string[] | undefined) => {
      const { total, tokens } = await tokenPage(store, { accounts, endsBefore, limit: 10, offset: 0 });
      assert.equal(total, tokens.length);
      return tokens.map(({ id }) => id);
    };
    assert.deepEqual(await pages(undefined), [soon, others]);
    assert.deepEqual(await pages(['other']), [others]);
    const snapshot = await store.snapshot();
    const batches = await Array.fromAsync(tokenBatches(snapshot, store, 'operator', { endsBefore }));
    assert.deepEqual(
      batches.flat().map(({ id }) => id),
      [operators],
    );
    await snapshot.close();
    await store.close();
    await database.remove();
  });
}

describe('the commands', () => {
  const folder = temporaryFolder();
  const url = `sqlite:${join(folder, 'linecard.db')}`;
  const env = { LINECARD_DATABASE_URL: url, SUDO_USER: 'alice' };
  const run = (words: readonly string[], options: { readonly input?: string } = {}) =>
    runProgram(['token', ...words], { env, ...options });
  const withStore = async <T>(work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>) => {
    const store = await openStore(url, 'write');
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const validOf = (account: string) =>
    withStore(async (store) => {
      const all = await listTokens(store, 'customer', account);
      return all.filter(({ revoked_at }) => revoked_at === null).map(({ id }) => id);
    });

  test('a leaked token is revoked from standard input, and is never repeated', async () => {
    const { token, id } = await withStore(async (store) => {
      for (const account of ['acme', 'other', 'third']) await createAccount(store, account);
      return (await createToken(store, 'acme', 'leaked')) ?? assert.fail();
    });
    const wrong = `${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`;
    const refused = await run(['revoke', `Bearer ${wrong}`]);
    assert.equal(refused.status, 1);
    assert.match(refused.err, /token revoke -/);
    assert.equal((refused.out + refused.err).includes(wrong), false);
    const nothing = await run(['revoke', '-'], { input: 'no token\n' });
    assert.match(nothing.err, /Standard input has no token/);
    const revoked = await run(['revoke', '-'], { input: `Authorization: Bearer ${token}\n` });
    assert.equal(revoked.status, 0, revoked.err);
    assert.equal(revoked.err, `Revoked token ${id}.\n`);
    assert.deepEqual(await validOf('acme'), []);
  });

  test('the tokens of the accounts of a file are replaced and revoked together, or none is', async () => {
    const before = await withStore(async (store) => {
      const made = [];
      for (const account of ['other', 'third', 'third']) made.push(await createToken(store, account, 'one'));
      return made.map((one) => one?.id);
    });
    const file = join(folder, 'accounts.csv');
    writeFileSync(file, 'account_id\nother\nnobody\n');
    const unknown = await run(['rotate', '--accounts', file]);
    assert.equal(unknown.status, 1);
    assert.match(unknown.err, /accounts\.csv:3: there is no account "nobody"/);
    assert.deepEqual(await validOf('other'), before.slice(0, 1));
    writeFileSync(file, 'account_id\nother\nthird\n');
    const rotated = await run(['rotate', '--accounts', file, '--overlap', '7d', '--as', 'Bea']);
    assert.equal(rotated.status, 0, rotated.err);
    const [head, ...lines] = rotated.out.trimEnd().split('\n');
    assert.equal(head, 'account_id,token_id,token');
    assert.deepEqual(
      lines.map((line) => line.split(',')[0]),
      ['other', 'third', 'third'],
    );
    const soon = JSON.parse((await run(['list', '--expiring', '14d', '--json'])).out) as { id: string }[];
    assert.deepEqual(new Set(soon.map(({ id }) => id)), new Set(before));
    const revoked = await run(['revoke', '--accounts', file]);
    assert.match(revoked.err, /Revoked 2 tokens of other\.\nRevoked 4 tokens of third\./);
    const two = await run(['revoke', 'x', '--accounts', file]);
    assert.equal(two.status, 2);
    const actors = await withStore((store) => readAudit(store, { account_id: 'other' }));
    const shown = actors.map(({ event, actor }) => `${event}: ${/\((.*)\)@/.exec(actor)?.[1]}`);
    assert.deepEqual(
      shown.filter((one) => /rotated|revoked/.test(one)),
      ['token rotated: Bea', 'token revoked: alice', 'token revoked: alice'],
    );
  });
});
