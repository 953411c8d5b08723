// Webhook endpoints as an operator creates and manages them, on every store: a copy does not speak for the
// original, and every mistake is named.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { timeFindings, webhookFindings } from '../../server/commands/doctor-imports.ts';
import { addFieldOperation, removeFieldOperation } from '../../server/operations/fields.ts';
import { readShape, ShapeRefused } from '../../server/operations/shape.ts';
import { createAccount, deleteAccount } from '../../server/store/access/accounts.ts';
import { copyStore } from '../../server/store/copy.ts';
import { newId } from '../../server/store/log/audit.ts';
import { openStore } from '../../server/store/open.ts';
import { separate, sql } from '../../server/store/sql.ts';
import { backUp } from '../../server/store/sqlite/backup.ts';
import { restore } from '../../server/store/sqlite/restore.ts';
import type { Store } from '../../server/store/store.ts';
import { restoreWebhooks, testWebhook } from '../../server/store/webhooks/webhook-changes.ts';
import { recordAttempt } from '../../server/store/webhooks/webhook-records.ts';
import { secretsOf, signingKeys } from '../../server/store/webhooks/webhook-secrets.ts';
import {
  findWebhook,
  forgetDeliverer,
  listWebhooks,
  readAttempts,
  recordDeliverer,
} from '../../server/store/webhooks/webhooks.ts';
import { readAudit } from '../kit/audit-log.ts';
import { Operator } from '../kit/program.ts';
import { numberRow } from '../kit/rows.ts';
import { databaseOf, load, stores } from '../kit/service.ts';
import { leftOf } from '../kit/stored-items.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';
import { Webhooks } from '../kit/webhooks.ts';
import { writtenForms } from '../kit/written-forms.ts';

const HOOK = 'https://crm.example.com/hook?key=1';
const KEY = Buffer.alloc(32, 1);
const BY = { origin: 'command', actor: 'me@here' } as const;
const ATTEMPT = { message_id: 'msg_1', type: 'webhook.test', status: 200, fault: null, ms: 3, next_at: null };

const webhooksOf = (store: Store, keys: readonly Buffer[] = [KEY], testMs?: number) =>
  new Webhooks(store, { maxWebhooks: 2, allow: [], keys: () => keys, testMs }, BY);

/** The faults of what must be refused. */
async function faultsOf(work: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await work.catch((caught: unknown) => caught);
  assert.ok(error instanceof ShapeRefused, String(error));
  return error.faults.map(({ member, what, hint = '' }) => `${member} ${what} ${hint}`.trimEnd());
}

for (const kind of stores) {
  describe(`webhooks on ${kind.name}`, () => {
    let store: Store;
    let webhooks: Webhooks;
    let remove: () => Promise<void>;
    before(async () => {
      const database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
      webhooks = webhooksOf(store);
      remove = () => database.remove();
      for (const id of ['acme', 'other', 'full', 'log', 'gone']) await createAccount(store, id);
    });
    after(async () => {
      await store.close();
      await remove();
    });

    test('subscribe to all events of both lists but changed and payments_due, unless others are named', async () => {
      const { id, secret, ...made } = await webhooks.create('acme', { url: HOOK });
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.partialDeepStrictEqual(made, {
        account_id: 'acme',
        url: HOOK,
        name: '',
        format: 'json',
        lists: ['virtual_numbers', 'additional_services'],
        events: [
          'added',
          'removed',
          'spam_flagged',
          'spam_cleared',
          'status_changed',
          'subscription_changed',
          'charges_changed',
        ],
        fields: null,
        charges: true,
        status: 'active',
      });
      const given = { url: HOOK, lists: ['additional_services'], charges: false, name: 'dialler' };
      const few = await webhooks.create('acme', given);
      assert.deepEqual(few.events, ['added', 'removed', 'subscription_changed']);
      assert.equal(few.charges, false);
      assert.deepEqual(
        (await webhooks.list('acme')).map((one) => one.id),
        [id, few.id],
      );
      await webhooks.delete(id);
      await webhooks.delete(few.id);
    });

    test('are refused with every fault at once', async () => {
      const given = {
        url: 'http://10.0.0.1/',
        events: ['spam_flaged', 'replaced'],
        fields: ['dids'],
        lists: [],
        format: 'xml',
        charges: 1,
        evnts: [],
      };
      const faults = await faultsOf(webhooks.create('acme', given));
      for (const part of [
        /^evnts is not a member of a webhook Did you mean events\?$/,
        /^url must begin with https/,
        /^url must not be the private/,
        /^format must be json or text$/,
        /^lists must be a list of names/,
        /^events must not name "spam_flaged" \(did you mean spam_flagged\?\)$/,
        /^events must not name replaced/,
        /^fields .*\(did you mean did\?\)$/,
        /^charges must be true or false$/,
      ])
        assert.equal(faults.filter((one) => part.test(one)).length, 1, `${part} in ${faults.join('\n')}`);
      assert.equal(faults.length, 9);
      const apart = {
        url: HOOK,
        lists: ['additional_services'],
        events: ['spam_flagged', 'charges_changed'],
      };
      assert.deepEqual(
        await faultsOf(webhooks.create('acme', { ...apart, charges: false, fields: ['did', 'monthly'] })),
        [
          'events must not name spam_flagged: additional_services has no such event',
          'events must not name charges_changed for an endpoint without charges',
          'fields must not name did: additional_services has no such field',
          'fields must not name monthly for an endpoint without charges',
        ],
      );
      assert.deepEqual(await faultsOf(webhooks.create('acme', {})), ['url is missing']);
      assert.deepEqual(await webhooks.list(undefined), []);
    });

    test('name fields of the operator that are declared, and a sentence says which are not', async () => {
      const declare = (name: string, kind: 'text' | 'charge') =>
        addFieldOperation.run(
          { store, by: BY },
          readShape(addFieldOperation.takes, { list: 'virtual_numbers', name, kind }, 'a field'),
          '',
        );
      const create = (given: object) => webhooks.create('acme', { url: HOOK, ...given });
      assert.deepEqual(await faultsOf(create({ fields: ['x_site'] })), [
        'fields must not name x_site, which is not declared or was removed Declare it first.',
      ]);
      await declare('x_site', 'text');
      await declare('x_cost', 'charge');
      assert.deepEqual(await faultsOf(create({ fields: ['did', 'x_sites', 'x_other'] })), [
        'fields must not name x_sites, which is not declared or was removed Did you mean x_site?',
        'fields must not name x_other, which is not declared or was removed Declared are x_site and x_cost.',
      ]);
      assert.deepEqual(await faultsOf(create({ fields: ['x_cost', 'x_site'], charges: false })), [
        'fields must not name x_cost for an endpoint without charges',
      ]);
      assert.deepEqual(await faultsOf(create({ fields: ['x_site'], lists: ['additional_services'] })), [
        'fields must not name x_site: additional_services has no such field',
      ]);
      const [wrong = ''] = await faultsOf(create({ fields: ['x_Site'] }));
      assert.match(wrong, /^fields must not name "x_Site"/);

      const { id, fields } = await create({ fields: ['x_site', 'did', 'x_site'] });
      assert.deepEqual(fields, ['did', 'x_site']);
      await removeFieldOperation.run({ store, by: BY }, {}, 'virtual_numbers/x_site');
      // Its name stays, so nothing of the endpoint is lost; what else is changed is not refused for it.
      assert.equal((await webhooks.change(id, { name: 'CRM' })).name, 'CRM');
      assert.deepEqual((await webhooks.show(id)).fields, ['did', 'x_site']);
      assert.deepEqual(await faultsOf(webhooks.change(id, { fields: ['x_site'] })), [
        'fields must not name x_site, which is not declared or was removed Declared are x_cost.',
      ]);
      await webhooks.delete(id);
      await removeFieldOperation.run({ store, by: BY }, {}, 'virtual_numbers/x_cost');
    });

    test('are as many as an account may have, and of accounts that exist', async () => {
      await webhooks.create('full', { url: HOOK });
      await webhooks.create('full', { url: HOOK });
      await assert.rejects(webhooks.create('full', { url: HOOK }), /has 2 webhooks, which is the maximum/);
      await assert.rejects(webhooks.create('nobody', { url: HOOK }), /There is no account nobody\./);
      await assert.rejects(webhooks.show('none'), /There is no webhook none\./);
    });

    test('are paused, enabled, changed and deleted, and the audit log says by whom', async () => {
      const { id } = await webhooks.create('other', { url: HOOK, name: 'CRM' });
      assert.partialDeepStrictEqual(await webhooks.pause(id), { status: 'paused', reason: null });
      await store.write({
        separate: true,
        text: `update webhooks set status = 'disabled', reason = 'gone', attempt = 3, next_at = '9', failing_since = '1'`,
        values: [],
      });
      const enabled = { status: 'active', reason: null, next_at: null, failing_since: null };
      assert.partialDeepStrictEqual(await webhooks.enable(id), enabled);
      assert.equal((await findWebhook(store, id))?.attempt, 0);
      await store.write({ separate: true, text: `update webhooks set next_at = '9'`, values: [] });
      const changed = { name: 'new', events: ['added'], fields: ['did'] };
      const rest = { url: HOOK, next_at: null };
      assert.partialDeepStrictEqual(await webhooks.change(id, { ...changed }), { ...changed, ...rest });
      await webhooks.delete(id);
      const audit = await readAudit(store, { account_id: 'other' });
      assert.deepEqual(
        audit
          .filter(({ event }) => event.startsWith('webhook'))
          .map(({ event, actor, details }) => [event, actor, details]),
        ['created', 'paused', 'enabled', 'updated', 'deleted'].map((event, i) => [
          `webhook ${event}`,
          BY.actor,
          // An entry has the name from before the change.
          { webhook_id: id, name: i < 4 ? 'CRM' : 'new' },
        ]),
      );
    });

    test('have a secret that is stored nowhere, of its own for each, and another after a rotation', async () => {
      const first = await webhooks.create('other', { url: HOOK });
      const second = await webhooks.create('other', { url: HOOK });
      assert.notEqual(first.secret, second.secret);
      const rotated = await webhooks.rotate(first.id, 60_000);
      assert.notEqual(rotated.secret, first.secret);
      const stored = await findWebhook(store, first.id);
      assert.ok(stored);
      assert.deepEqual(secretsOf([KEY], stored), [rotated.secret, first.secret]);
      // While the key is changed, receivers have secrets of either.
      const newKey = Buffer.alloc(32, 2);
      const [current, , ...old] = secretsOf([newKey, KEY], stored);
      assert.deepEqual(old, [rotated.secret, first.secret]);
      const next = await webhooksOf(store, [newKey, KEY]).rotate(first.id, 0);
      assert.notEqual(next.secret, current);
      const after = await findWebhook(store, first.id);
      assert.ok(after);
      assert.equal(secretsOf([newKey], after).length, 1);
      for (const { id } of [first, second]) await webhooks.delete(id);
    });

    test('are moved back to the first import since a time, and never forward', async () => {
      await load(store, 'virtual_numbers', [numberRow('log', 1)]);
      const { id } = await webhooks.create('log', { url: HOOK });
      assert.equal((await webhooks.replay(id, '2100-01-01T00:00:00.000000Z')).replayed_from, null);
      const { replayed_from } = await webhooks.replay(id, '2000-01-01T00:00:00.000000Z');
      assert.ok(replayed_from);
      const back = await findWebhook(store, id);
      assert.partialDeepStrictEqual(back, {
        from_sequence: 0,
        to_sequence: null,
        step: null,
        claimed_by: null,
      });
      const [[account]] = await store.read({
        text: `select revision from revisions where account_id = 'log' order by sequence`,
        values: [],
      });
      assert.equal(back?.from_revision, account?.[0]);
      // All since then is still to come.
      assert.equal((await webhooks.replay(id, replayed_from)).replayed_from, null);
      await store.write(
        separate(sql`update webhooks set attempt = 3, failing_since = 'then' where id = ${id}`),
      );
      assert.partialDeepStrictEqual(await webhooks.skip(id), { status: 'active', failing_since: null });
      const [[now]] = await store.read(sql`select sequence, revision from accounts where id = 'log'`);
      const [from_sequence, from_revision] = now ?? [];
      assert.partialDeepStrictEqual(await findWebhook(store, id), {
        ...{ from_sequence, from_revision, attempt: 0, to_sequence: null },
      });
      assert.notEqual(from_sequence, 0);
      await webhooks.delete(id);
    });

    test('are taken from the deliverer that has claimed one, once what it sends must have ended', async () => {
      const { id } = await webhooks.create('log', { url: HOOK });
      const claim = (until: string) =>
        store.write({
          separate: true,
          text: `update webhooks set claimed_by = 'd', claimed_until = '${until}', from_sequence = 99`,
          values: [],
        });
      await claim('2100-01-01T00:00:00.000000Z');
      await webhooks.pause(id);
      assert.equal((await findWebhook(store, id))?.claimed_by, 'd');
      await webhooks.replay(id, '2000-01-01T00:00:00.000000Z');
      const released = await findWebhook(store, id);
      assert.equal(released?.claimed_by, null);
      const left = Date.parse(released?.claimed_until ?? '') - Date.now();
      assert.ok(left > 15_000 && left <= 20_000, String(left));
      await webhooks.delete(id);
    });

    test('are tested through a deliverer, and a test that nobody sends says so', async () => {
      const { id } = await webhooks.create('other', { url: HOOK });
      await webhooks.pause(id);
      const start = /no deliverer runs\. Start one: linecard-server deliver/;
      await assert.rejects(webhooks.test(id), start);
      assert.equal((await findWebhook(store, id))?.test_id, null);
      const deliverer = { id: 'd0', actor: 'me', started_at: 'now' };
      await store.write(...recordDeliverer(deliverer));
      const testing = webhooks.test(id);
      const test_id = await until('a test is asked for', async () => (await findWebhook(store, id))?.test_id);
      // One that is asked for while another waits is that one.
      assert.equal(await testWebhook(store, id, 'msg_another'), test_id);
      // One of an event is another: it waits until that is answered.
      const ofEvent = webhooks.test(id, { event: 'added' });
      const attempt = {
        ...ATTEMPT,
        id: newId(),
        webhook_id: id,
        account_id: 'other',
        at: 'now',
        message_id: test_id,
      };
      await store.write(...recordAttempt(attempt));
      assert.partialDeepStrictEqual(await testing, { status: 200, ms: 3, message_id: test_id });
      const event_id = await until('the test of the event is asked for', async () => {
        const found = await findWebhook(store, id);
        return found?.test_id?.endsWith('.added') && found.test_id;
      });
      const added = { ...attempt, id: newId(), message_id: event_id };
      await store.write(...recordAttempt(added));
      assert.equal((await ofEvent).message_id, event_id);
      assert.equal((await findWebhook(store, id))?.test_id, null);
      await assert.rejects(webhooksOf(store, [KEY], 1).test(id), /the deliverers had no time for it/);
      const ended = webhooks.test(id);
      await until('a test is requested', async () => (await findWebhook(store, id))?.test_id);
      await store.write(forgetDeliverer(deliverer.id));
      await assert.rejects(ended, start);
      assert.equal((await findWebhook(store, id))?.test_id, null);
      await webhooks.delete(id);
    });

    test('keep each of several changes that come at once', async () => {
      const { id } = await webhooks.create('other', { url: HOOK, name: 'before' });
      await Promise.all([
        webhooks.change(id, { name: 'after' }),
        webhooks.change(id, { format: 'text' }),
        webhooks.change(id, { lists: ['virtual_numbers'] }),
      ]);
      const { name, format, lists } = await webhooks.show(id);
      assert.deepEqual([name, format, lists], ['after', 'text', ['virtual_numbers']]);
      await webhooks.delete(id);
    });

    test('keep their last 100 attempts, and lose them with the account', async () => {
      const { id } = await webhooks.create('gone', { url: HOOK });
      for (let n = 0; n < 103; n++) {
        const at = String(n).padStart(3, '0');
        const attempt = { ...ATTEMPT, id: at, webhook_id: id, account_id: 'gone', at };
        await store.write(...recordAttempt(attempt));
      }
      const attempts = await readAttempts(store, id);
      assert.deepEqual([attempts.length, attempts[0]?.at, attempts.at(-1)?.at], [100, '102', '003']);
      assert.equal((await webhooks.show(id)).attempts.length, 100);
      assert.equal(await deleteAccount(store, 'gone'), true);
      assert.deepEqual(await leftOf(store, 'gone'), {});
    });

    test('say in doctor what keeps them from being delivered', async () => {
      for (const { id } of await listWebhooks(store)) await webhooks.delete(id);
      const says = async (key: readonly string[] = [KEY.toString('base64')]) =>
        (await webhookFindings(store, key)).map((one) => `${one.status} ${one.says}`);
      assert.deepEqual(await says(), []);
      const { id } = await webhooks.create('acme', { url: HOOK });
      assert.deepEqual(await says(), ['wrong No deliverer runs: nothing is sent to webhooks.']);
      await store.write(...recordDeliverer({ id: 'd1', actor: 'me', started_at: 'now' }));
      assert.deepEqual(await says(), ['ok 1 webhook is active, and a deliverer runs.']);
      assert.match((await says([]))[0] ?? '', /^advice Secrets of webhooks are derived from a signing key/);
      await store.write({
        separate: true,
        text: `update webhooks set status = 'disabled', reason = 'gone'`,
        values: [],
      });
      assert.deepEqual(await says(), [`advice Their receivers have disabled ${id} of acme.`]);
      const ahead = timestampOf(Date.now() + 86_400_000);
      await store.write({
        separate: true,
        text: `update deliverers set seen_at = '${ahead}'`,
        values: [],
      });
      await store.write({
        separate: true,
        text: `update webhooks set status = 'active', reason = null, claimed_by = 'd1', claimed_until = '${ahead}', succeeded_at = '${ahead}'`,
        values: [],
      });
      assert.deepEqual(await says(), ['wrong No deliverer runs: nothing is sent to webhooks.']);
      const those = ', further ahead than it can be. It was written by me.';
      assert.deepEqual(
        (await timeFindings(store)).map((one) => one.says),
        [
          `The claim of the webhook ${id} of acme is at ${ahead}${those}`,
          `The last success of the webhook ${id} of acme is at ${ahead}${those}`,
          `The last sign of the deliverer d1 is at ${ahead}${those}`,
        ],
      );
      assert.equal((await webhooks.show(id)).succeeded_at, null);
      await store.write(forgetDeliverer('d1'));
      assert.equal(await restoreWebhooks(store, BY), 1);
      assert.match((await says())[0] ?? '', /^advice Paused since the database was restored/);
    });

    test('are paused in a copy, which must not speak for the original', async () => {
      for (const { id } of await listWebhooks(store)) await webhooks.delete(id);
      const { id, ...made } = await webhooks.create('acme', { url: HOOK });
      const database = await databaseOf(kind);
      const copy = await openStore(database.url, 'write');
      try {
        await copyStore(store, copy, () => {});
        const [copied] = await webhooksOf(copy).list('acme');
        assert.partialDeepStrictEqual(copied, { id, status: 'paused', reason: 'restored', url: made.url });
        assert.equal((await webhooks.show(id)).status, 'active');
      } finally {
        await copy.close();
        await database.remove();
      }
    });
  });
}

test('a backup that is restored has its webhooks paused, and an older one has none', async () => {
  const folder = temporaryFolder();
  const [path, file] = [join(folder, 'linecard.db'), join(folder, 'backup.db')];
  const store = await openStore(`sqlite:${path}`, 'write');
  await createAccount(store, 'acme');
  const { id } = await webhooksOf(store).create('acme', { url: HOOK });
  await backUp(path, file, () => {});
  await store.close();
  restore(file, path);
  const restored = await openStore(`sqlite:${path}`, 'change');
  assert.partialDeepStrictEqual(await findWebhook(restored, id), { status: 'paused', reason: 'restored' });
  await webhooksOf(restored).enable(id);
  assert.equal((await findWebhook(restored, id))?.status, 'active');
  await restored.close();
});

describe('the commands of webhooks', () => {
  const folder = temporaryFolder();
  const url = `sqlite:${join(folder, 'linecard.db')}`;
  const operator = new Operator(url, { LINECARD_SIGNING_KEY: KEY.toString('base64') });

  test('make one, show it, rotate its secret and delete it', async () => {
    assert.equal((await operator.run('account', 'create', 'acme')).status, 0);
    const made = await operator.run(
      ...['webhook', 'create', '--account', 'acme', '--url', HOOK, '--name', 'CRM'],
      ...[
        '--events',
        'spam-flagged,spam_cleared',
        '--lists',
        'virtual-numbers',
        '--fields',
        'did',
        '--without-charges',
      ],
    );
    assert.equal(made.status, 0, made.err);
    assert.match(made.out, /^whsec_[A-Za-z0-9+/]{43}=\n$/);
    const [, id = ''] = /Created webhook (\w+) \(CRM\) of acme/.exec(made.err) ?? [];
    const list = await operator.run('webhook', 'list', '--json');
    assert.partialDeepStrictEqual(JSON.parse(list.out), [
      {
        id,
        events: ['spam_flagged', 'spam_cleared'],
        lists: ['virtual_numbers'],
        fields: ['did'],
        charges: false,
      },
    ]);
    const shown = await operator.run('webhook', 'show', id);
    assert.match(shown.out, /^url: https:\/\/crm\.example\.com\/hook\?key=1$/m);
    const rotated = await operator.run('webhook', 'rotate', id, '--overlap', '7d', '--json');
    const { secret, overlap_until } = JSON.parse(rotated.out);
    assert.notEqual(secret, made.out.trim());
    assert.ok(Date.parse(overlap_until) > Date.now());
    const reset = await operator.run('webhook', 'reset', '--all');
    assert.match(reset.err, /^Paused 1 webhook\. /);
    assert.match((await operator.run('webhook', 'list')).out, /paused \(restored\)/);
    assert.match(
      (await operator.run('webhook', 'delete', id)).err,
      /^Deleted webhook \w+ \(CRM\) of acme\.$/m,
    );
    assert.match((await operator.run('audit')).out, /webhook deleted +acme .*CRM/);
  });

  test('name the options that are wrong, and what they need', async () => {
    const wrong = [
      'webhook',
      'create',
      '--account',
      'acme',
      '--url',
      'http://localhost/',
      '--events',
      'flagged',
    ];
    const { status, err } = await operator.run(...wrong);
    assert.equal(status, 2);
    assert.match(err, /--url must begin with https:\/\/\.$/m);
    assert.match(err, /^--url must not lead to a local name/m);
    assert.match(err, /^--events must not name "flagged"/m);
    const bare = new Operator(url);
    const without = await bare.run('webhook', 'create', '--account', 'acme', '--url', HOOK);
    assert.equal(without.status, 1);
    assert.match(without.err, /set LINECARD_SIGNING_KEY to 32 random bytes in base64/);
    const short = new Operator(url, { LINECARD_SIGNING_KEY: 'c2hvcnQ=' });
    const refused = await short.run('webhook', 'create', '--account', 'acme', '--url', HOOK);
    assert.equal(refused.status, 1);
    assert.match(refused.err, /neither 32 bytes in base64 nor the path of a file/);
    assert.equal(refused.err.includes('c2hvcnQ='), false);
    for (const [form, bytes] of writtenForms(`${KEY.toString('base64')}\r\n`)) {
      const path = join(folder, 'signing-key');
      writeFileSync(path, bytes);
      assert.deepEqual(signingKeys([path]), [KEY], form);
    }
    const unknown = await operator.run('webhook', 'pause', 'none');
    assert.deepEqual([unknown.status, /webhook list/.test(unknown.err)], [1, true]);
    assert.equal((await operator.run('webhook', 'reset')).status, 2);
    assert.equal((await operator.run('webhook', 'replay', 'x')).status, 2);
  });
});
