// The audit log, on every store: what was done to tokens and lists stands in it, who did it and from where,
// written with what it records or not at all.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Authenticator } from '../../server/http/authentication.ts';
import type { PeerSource } from '../../server/http/peer.ts';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import {
  createAccount,
  deleteAccount,
  disableAccount,
  enableAccount,
  updateAccount,
} from '../../server/store/access/accounts.ts';
import { revokeTokensOf } from '../../server/store/access/token-batch.ts';
import {
  createToken,
  endToken,
  forgetToken,
  revokeToken,
  succeedToken,
} from '../../server/store/access/tokens.ts';
import { type AuditChoice, lastImports } from '../../server/store/log/audit-reading.ts';
import { pruneAudit } from '../../server/store/log/erasure.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { readAudit } from '../kit/audit-log.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const ACTOR = new RegExp(`^.+@${hostname().replaceAll('.', '\\.')}$`);
const HEAD = 'account_id,id,did,status,frequency,subscription_status,created_at\n';
const rowsOf = (...ids: readonly number[]) =>
  HEAD + ids.map((id) => `acme,${id},+4420794600${id},active,monthly,active,2026-01-01T00:00:00Z\n`).join('');

for (const kind of stores) {
  describe(`the audit log on ${kind.name}`, () => {
    const folder = temporaryFolder();
    let store: Store;
    let remove: () => Promise<void>;
    before(async () => {
      const database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
      remove = () => database.remove();
    });
    after(async () => {
      await store.close();
      await remove();
    });

    /** What stands in it of the tokens of an account, without when. */
    async function eventsOf(account_id: string, choice: AuditChoice = {}): Promise<string[]> {
      const entries = await readAudit(store, { ...choice, account_id });
      for (const { origin, actor } of entries) if (origin === 'command') assert.match(actor, ACTOR);
      const ofTokens = entries.filter(({ event }) => event.startsWith('token '));
      return ofTokens.map(({ event, token_id }) => `${event} ${token_id}`);
    }

    async function account(id: string): Promise<{ id: string; token: string }> {
      await createAccount(store, id);
      const made = await createToken(store, id, 'phone book');
      assert.ok(made);
      return made;
    }

    function importOf(text: string, more: Partial<ImportJob> = {}) {
      const file = join(folder, 'virtual-numbers.csv');
      writeFileSync(file, text);
      return importFiles({ store, table: tables.virtual_numbers, files: [file], ...more });
    }

    test('has what made, rotated and revoked a token, in their order', async () => {
      const { id } = await account('first');
      const next = await succeedToken(store, id);
      await endToken(store, id, Date.now() + 60_000);
      assert.equal(await revokeToken(store, id), 'revoked');
      assert.equal(await revokeToken(store, id), 'already');
      assert.deepEqual((await eventsOf('first')).toSorted(), [
        `token created ${id}`,
        `token ending ${id}`,
        `token revoked ${id}`,
        `token rotated ${next?.id}`,
      ]);
      assert.equal((await eventsOf('first')).at(-1), `token revoked ${id}`);
    });

    test('has every token of an account that is revoked or deleted, and none that was before', async () => {
      const { id: one } = await account('second');
      const two = await createToken(store, 'second', 'other');
      const lost = await createToken(store, 'second', 'never printed');
      await forgetToken(store, String(lost?.id));
      await revokeToken(store, one);
      assert.equal(await revokeTokensOf(store, 'second'), 1);
      const events = await eventsOf('second');
      assert.deepEqual(
        events.filter((event) => /revoked|withdrawn/.test(event)),
        [`token withdrawn ${lost?.id}`, `token revoked ${one}`, `token revoked ${two?.id}`],
      );
      const three = await createToken(store, 'second', 'third');
      assert.equal(await deleteAccount(store, 'second'), true);
      assert.equal((await eventsOf('second')).at(-1), `token deleted ${three?.id}`);
    });

    test('has what made, changed, disabled, enabled and deleted an account, each once', async () => {
      const id = 'fifth';
      const begin = (await readAudit(store, {})).length;
      assert.equal(await createAccount(store, id, { name: 'Five', currency: 'EUR' }), true);
      assert.equal(await createAccount(store, id, { name: 'again' }), false);
      assert.equal(await updateAccount(store, id, { name: 'Five and Sons' }), true);
      assert.equal(await updateAccount(store, 'nobody', { name: 'x' }), false);
      for (const change of [disableAccount, disableAccount, enableAccount, enableAccount])
        assert.equal(await change(store, id), true);
      const made = await createToken(store, id, 'phone book');
      assert.equal(await deleteAccount(store, id), true);
      assert.equal(await deleteAccount(store, id), false);
      const done = await readAudit(store, { account_id: id });
      assert.deepEqual(
        done.map(({ event, token_id, details }) => [event, token_id, details['name'], details['currency']]),
        [
          ['account created', null, 'Five', 'EUR'],
          ['account updated', null, 'Five and Sons', 'EUR'],
          ['account disabled', null, 'Five and Sons', 'EUR'],
          ['account enabled', null, 'Five and Sons', 'EUR'],
          ['token created', made?.id, 'phone book', undefined],
          ['account deleted', null, 'Five and Sons', 'EUR'],
          ['token deleted', made?.id, 'phone book', undefined],
        ],
      );
      for (const { actor, origin } of done) {
        assert.match(actor, ACTOR);
        assert.equal(origin, 'command');
      }
      assert.deepEqual((await readAudit(store, {})).slice(begin), done);
    });

    test('has where a token was used first from, once', async () => {
      const { token } = await account('third');
      for (const ip of ['192.0.2.7', '192.0.2.8']) {
        const authenticator = new Authenticator(store, false);
        const caller = await authenticator.caller(token);
        assert.equal(caller.isUnused, ip === '192.0.2.7');
        for (const one of [ip, '192.0.2.9'])
          authenticator.recordUse(caller, { ip: one, socket: {} } as PeerSource);
        await authenticator.uses.writeUses(store);
      }
      const [, , used, ...more] = await readAudit(store, { account_id: 'third' });
      assert.deepEqual(
        [used?.event, used?.actor, used?.origin],
        ['token first-used', '192.0.2.7', 'request'],
      );
      assert.deepEqual(more, []);
    });

    test('has nothing of a change that failed', async () => {
      const { id } = await account('fourth');
      const before_ = await eventsOf('fourth');
      const write = store.write.bind(store);
      const failing = Object.create(store, {
        write: {
          value: (...all: Parameters<Store['write']>) =>
            write(...all, { text: 'no SQL', values: [], separate: true }),
        },
      }) as Store;
      await assert.rejects(revokeToken(failing, id));
      await assert.rejects(createToken(failing, 'fourth', 'lost'));
      assert.deepEqual(await eventsOf('fourth'), before_);
    });

    test('has of each import what it did, how, and out of what; and none that changed nothing', async () => {
      const begin = Date.now();
      const earlier = (await readAudit(store, {})).length;
      await importOf(rowsOf(11, 12, 13));
      await importOf(rowsOf(12, 14), {
        replace_all: true,
        provenance: { origin: 'intake', actor: 'op1', source: '192.0.2.1' },
      });
      await importOf(rowsOf(15), { dry_run: true });
      await assert.rejects(importOf(`${HEAD}acme,16,wrong\n`));
      const done = (await readAudit(store, {})).slice(earlier);
      assert.deepEqual(
        done.map(({ event, origin, details }) => {
          const { list, mode, rows, inserted, updated, unchanged, removed, accounts_created: made } = details;
          return [event, origin, list, mode, rows, inserted, updated, unchanged, removed, made].join(' ');
        }),
        [
          'import command virtual_numbers insert 3 3 0 0 0 1',
          'import intake virtual_numbers replace-all 2 1 0 1 2 0',
        ],
      );
      assert.match(done[0]?.actor ?? '', ACTOR);
      assert.match(String(done[0]?.details['source']), /virtual-numbers\.csv$/);
      assert.deepEqual([done[1]?.actor, done[1]?.details['source']], ['op1', '192.0.2.1']);
      const [last, ...others] = await lastImports(store, ['virtual_numbers', 'additional_services']);
      assert.deepEqual([last?.rows, last?.removed, others], [2, 2, []]);
      assert.ok(Math.abs(Date.parse(last?.finished_at ?? '') - begin) < 60_000);
    });

    test('is read from a time on', async () => {
      const all = await readAudit(store, {});
      const middle = all[Math.floor(all.length / 2)]?.at ?? '';
      const since = await readAudit(store, { since: middle });
      assert.deepEqual(
        since.map(({ at }) => at),
        all.map(({ at }) => at).filter((at) => at >= middle),
      );
      assert.ok(since.length > 0 && since.length < all.length);
    });

    test('loses what is older than the operator says, of every log, and nothing else', async () => {
      await account('pruned');
      await importOf(rowsOf(91));
      const all = await readAudit(store, {});
      assert.ok(new Set(all.map(({ event }) => event.split(' ')[0])).size >= 3);
      const before = all[Math.floor(all.length / 2)]?.at ?? '';
      const old = all.filter(({ at }) => at < before);
      assert.equal(await pruneAudit(store, before), old.length);
      assert.deepEqual(
        await readAudit(store, {}),
        all.filter(({ at }) => at >= before),
      );
      assert.equal(await pruneAudit(store, before), 0);
    });
  });
}
