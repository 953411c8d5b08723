// An import that is held in the middle, on every store: tokens are made, rotated and revoked meanwhile, and
// the service knows it, before the import has come to its end.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { withStore } from '../../server/commands/command.ts';
import { fillDemo } from '../../server/demo/demo.ts';
import { deleteAccount, listAccounts } from '../../server/store/access/accounts.ts';
import { revokeTokensOf } from '../../server/store/access/token-batch.ts';
import { recordUse } from '../../server/store/access/token-uses.ts';
import {
  createToken,
  endToken,
  listTokens,
  revokeToken,
  succeedToken,
} from '../../server/store/access/tokens.ts';
import type { Store } from '../../server/store/store.ts';
import { StoreUnavailable } from '../../server/store/store-errors.ts';
import { tables } from '../../server/store/tables.ts';
import { readAudit } from '../kit/audit-log.ts';
import type { Running } from '../kit/program.ts';
import { Operator, statusOf } from '../kit/program.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const LIST = '/api/v1/did/me';
const NUMBERS = ['import', 'virtual-numbers', '--format', 'csv', '-'] as const;
const HEADER = 'account_id,id,did,frequency,status,subscription_status,created_at\n';
/** Enough that the import has begun to store them. */
const ROWS = 5_000;

function rows(first: number, count: number): string {
  const line = (id: number) =>
    `acme,${id},+44207946${id},monthly,active,active,2026-02-10T16:04:11.482913Z\n`;
  return Array.from({ length: count }, (_, i) => line(first + i)).join('');
}

/** Does what a command does that changes something: on a connection of its own, which it closes. */
function command<T>(database_url: string, work: (store: Store) => Promise<T>): Promise<T> {
  return withStore({ database_url, database_pooler: 'none' }, work, 'change');
}

/** Whether another import could begin now. */
async function isLocked(database_url: string): Promise<boolean> {
  try {
    await command(database_url, async (store) =>
      (await store.load(tables.virtual_numbers, { lockTimeoutMs: 0 })).rollback(),
    );
    return false;
  } catch (error) {
    assert.ok(error instanceof StoreUnavailable, String(error));
    return true;
  }
}

/** An import that has stored rows and waits for more. */
async function holdImport(operator: Operator, database_url: string): Promise<Running> {
  const held = operator.start(...NUMBERS);
  held.child.stdin.write(HEADER + rows(1_000_000, ROWS));
  await until('the import holds its lock', () => isLocked(database_url));
  return held;
}

for (const kind of stores) {
  describe(`while an import runs on ${kind.name}`, () => {
    let service: Service;
    let operator: Operator;
    let held: Running;
    let url: string;
    let afterwards: () => Promise<void>;

    const make = async () => {
      const made = await command(url, (store) => createToken(store, 'acme', 'test'));
      assert.ok(made);
      return made;
    };
    const ask = (token: string) =>
      service.send('GET', `${LIST}?page_size=1`, { authorization: `Bearer ${token}` });
    const mayUse = async (token: string) => (await ask(token)).status === 200;

    before(async () => {
      service = await openService(kind, { accounts: ['acme', 'gone', 'stopped'] });
      url = service.database_url;
      operator = new Operator(url);
      held = await holdImport(operator, url);
    });
    after(async () => {
      operator.close();
      await held.ended;
      await service.close();
    });

    test('a token is made, rotated and revoked, one or all of an account', async () => {
      const [first, second] = [await make(), await make()];
      assert.ok((await mayUse(first.token)) && (await mayUse(second.token)));
      const rotated = await command(url, async (store) => {
        const made = await succeedToken(store, first.id);
        await endToken(store, first.id, Date.now());
        return made?.token ?? '';
      });
      assert.ok(await mayUse(rotated));
      await until('the old one is refused', async () => !(await mayUse(first.token)));
      assert.equal(await command(url, (store) => revokeToken(store, second.id)), 'revoked');
      await until('the revoked one is refused', async () => !(await mayUse(second.token)));
      assert.equal(await command(url, (store) => revokeTokensOf(store, 'acme')), 3);
      await until('all are refused', async () => !(await mayUse(rotated)));
      assert.ok(await isLocked(url), 'the import is where it was');
    });

    test('when a token was last used is noted', async () => {
      const { id } = await make();
      await withStore(
        { database_url: url, database_pooler: 'none' },
        (store) => recordUse(store, 'customer', new Map([[id, Date.now()]])),
        'note',
      );
      const [token] = (await listTokens(service.operator, 'customer', 'acme')).filter((one) => one.id === id);
      assert.match(String(token?.last_used_at), /^\d{4}-.*Z$/);
      assert.ok(await isLocked(url));
    });

    test('an account is disabled: its tokens are refused at once, and it is marked when the import ends', async () => {
      const account = 'stopped';
      await command(url, (store) => createToken(store, account, 'revoked')).then((one) =>
        command(url, (store) => revokeToken(store, String(one?.id))),
      );
      const { token = '' } = (await command(url, (store) => createToken(store, account, 'test'))) ?? {};
      assert.ok(await mayUse(token));
      const disabling = operator.start('account', 'disable', account);
      await until('its token is refused', async () => !(await mayUse(token)));
      assert.ok(await isLocked(url), 'the import is where it was');
      afterwards = async () => {
        const { status, err } = await disabling.ended;
        assert.equal(status, 0, err);
        const shown = async () => (await listAccounts(service.operator)).find(({ id }) => id === account);
        assert.ok((await shown())?.disabled_at);
        assert.equal(await mayUse(token), false);
        const events = (await readAudit(service.operator, { account_id: account })).map(({ event }) => event);
        assert.deepEqual(events.slice(-2).toSorted(), ['account disabled', 'token suspended']);
        await operator.mustDo('account', 'enable', account);
        await until('its token is taken again', () => mayUse(token));
        assert.equal((await shown())?.disabled_at, null);
      };
    });

    test('its rows come all at once when it ends, and what was done with tokens stays', async () => {
      const { token } = await make();
      const total = async () => (JSON.parse((await ask(token)).body) as { total: number }).total;
      assert.equal(await total(), 0);
      await setImmediate();
      held.child.stdin.end(rows(1, 1));
      const { status, err } = await held.ended;
      assert.equal(status, 0, err);
      assert.equal(await total(), ROWS + 1);
      await afterwards();
      assert.equal(await command(url, (store) => deleteAccount(store, 'gone')), true);
      assert.deepEqual(await listTokens(service.operator, 'customer', 'gone'), []);
    });
  });
}

describe('while an import runs on a demo', () => {
  test('the demo starts again, with tokens of its own, and its commands work', async (context) => {
    const database = await stores[0]?.make();
    assert.ok(database);
    const operator = new Operator(database.url);
    context.after(async () => {
      operator.close();
      await database.remove();
    });
    await withStore({ database_url: database.url, database_pooler: 'none' }, (store) => fillDemo(store));
    const held = await holdImport(operator, database.url);
    const demo = await operator.serve('--demo', '--log-level', 'silent');
    const token = String(/lc_[0-9A-Za-z]{42}/.exec(demo.said.out)?.[0]);
    assert.equal(await statusOf(demo.url + LIST, token), 200);
    const account = await fetch(`${demo.url}/api/v1/account`, { headers: { authorization: token } });
    const { id } = (await account.json()) as { id: string };
    await operator.mustDo('token', 'revoke', '--account', id);
    await until('it is refused', async () => (await statusOf(demo.url + LIST, token)) === 401);
    assert.equal(held.child.exitCode, null);
  });
});
