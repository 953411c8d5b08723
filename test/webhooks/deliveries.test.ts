// What an endpoint is sent, and when, on every store: messages, their order and ids, what follows from an
// answer, and what several deliverers do together. The network is in sending.test.ts.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { testIdOf, WEBHOOK_EVENTS, type WebhookEvent } from '@linecard/client/contract/webhooks';
import { readReady } from '../../server/deliver/claims.ts';
import type { Deliverer } from '../../server/deliver/deliverer.ts';
import { disableAccount, updateAccount } from '../../server/store/access/accounts.ts';
import { separate } from '../../server/store/sql.ts';
import { readVoidTimes } from '../../server/store/stored-times.ts';
import {
  changeScope,
  deleteWebhook,
  enableWebhook,
  endTest,
  pauseWebhook,
  replayWebhook,
  restoreWebhooks,
  testWebhook,
} from '../../server/store/webhooks/webhook-changes.ts';
import { readWebhookState } from '../../server/store/webhooks/webhook-state.ts';
import type { Webhook } from '../../server/store/webhooks/webhooks.ts';
import { answerOf, Deliveries, FOLLOWER, type Sent } from '../kit/deliveries.ts';
import type { ModelRow } from '../kit/model.ts';
import { numberRow } from '../kit/rows.ts';
import { stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const BY = { origin: 'command', actor: 'test' } as const;
const LOST = { status: undefined, fault: 'no answer within 15 seconds', retryAfter: undefined };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const numbers = (account_id: string, ids: readonly number[], more: Partial<ModelRow> = {}) =>
  ids.map((id) => numberRow(account_id, id, more));
const upTo = (n: number, first = 1) => Array.from({ length: n }, (_, i) => first + i);
const idsOf = ({ data }: Sent) => (data['items'] as { id: number }[]).map(({ id }) => id);

for (const kind of stores) {
  describe(`deliveries on ${kind.name}`, () => {
    const accounts = Array.from({ length: 50 }, (_, i) => `C${i + 1}`);
    let desk: Deliveries;
    let next = 0;
    before(async () => {
      desk = await Deliveries.open(kind, accounts);
    });
    after(() => desk.close());
    afterEach(() => desk.clear());

    /** An account that no other test has, with numbers that are delivered already. */
    async function account(count = 0): Promise<{ id: string; first: number }> {
      desk.now = Date.now();
      const [id = '', first] = [accounts[next], next * 1_000 + 1];
      next += 1;
      await desk.load('virtual_numbers', numbers(id, [first + 900, ...upTo(count, first)]));
      return { id, first };
    }

    /** What the audit log has of an endpoint, in the order of the alphabet. */
    async function recorded({ id }: Pick<Webhook, 'id'>): Promise<string[]> {
      await setImmediate();
      const text = 'select event from webhook_events where webhook_id = $1 order by event';
      const [rows] = await desk.store.read({ text, values: [id] });
      return rows.map(([event]) => String(event));
    }

    test('an import is one message an event, with each item as it is when it is sent', async () => {
      const { id, first } = await account(3);
      const webhook = await desk.endpoint(id, { events: ['added', 'removed', 'spam_flagged'] });
      assert.deepEqual(await desk.deliver(), []);
      await desk.load('virtual_numbers', numbers(id, [first, first + 5], { is_spammed: true }));
      await desk.load('virtual_numbers', numbers(id, [first], { is_spammed: true, comment: 'later' }));
      const [added, flagged, ...more] = await desk.deliver();
      assert.deepEqual(more, []);
      assert.deepEqual(
        [added?.type, flagged?.type],
        ['virtual_numbers.added', 'virtual_numbers.spam_flagged'],
      );
      assert.deepEqual(idsOf(flagged as Sent), [first, first + 5]);
      const { account: of, count, items, more: hasMore } = (flagged as Sent).data;
      assert.deepEqual([of, count, hasMore], [id, 2, false]);
      const [[stored]] = await desk.store.read({
        text: `select item from virtual_numbers where id = ${first}`,
        values: [],
      });
      assert.ok(flagged?.body.includes(String(stored?.[0])));
      assert.equal((items as { item: { comment: string } }[])[0]?.item.comment, 'later');
      const { from_sequence, to_sequence, step, claimed_by } = await desk.find(webhook);
      assert.deepEqual([to_sequence, step, claimed_by], [null, null, null]);
      assert.ok(Number(from_sequence) > 0);
      assert.deepEqual(await desk.deliver(), []);
    });

    test('an item that was removed has its label, and one that is back has itself', async () => {
      const { id, first } = await account(2);
      await desk.endpoint(id, { events: ['removed'] });
      await desk.load('virtual_numbers', numbers(id, [first]), [id]);
      const [removed] = await desk.deliver();
      const [one, other] = (removed as Sent).data['items'] as { item: null; label: string }[];
      assert.deepEqual([one?.item, one?.label], [null, numberRow(id, first + 1)['did']]);
      assert.ok(other !== undefined);
    });

    test('a message has 100 items, and the next goes on after them', async () => {
      const { id, first } = await account(1);
      await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, upTo(212, first + 1)));
      const sent = await desk.deliver();
      assert.deepEqual(
        sent.map((one) => [idsOf(one).length, one.data['count'], one.data['more']]),
        [
          [100, 212, true],
          [100, 212, true],
          [12, 212, false],
        ],
      );
      assert.deepEqual(sent.flatMap(idsOf), upTo(212, first + 1));
      assert.equal(new Set(sent.map(({ id }) => id)).size, 3);
    });

    test('each of many items is in one message, as it is at that time, though its log is read ahead', async () => {
      const { id } = await account();
      const [all, changed] = [upTo(1_500, 100_001), upTo(700, 100_501)];
      await desk.load('virtual_numbers', numbers(id, all));
      await desk.endpoint(id, { events: ['changed'] });
      await desk.load('virtual_numbers', numbers(id, changed, { comment: 'first' }));
      const [later, gone] = [changed.filter((one) => one % 3 === 0), changed.filter((one) => one % 3 === 1)];
      const halfway = 351;
      desk.answer = async ({ data }) => {
        const [{ id: first } = { id: 0 }] = data['items'] as { id: number }[];
        if (first === changed[halfway]) {
          await desk.load('virtual_numbers', numbers(id, later, { comment: 'later' }));
          await desk.store.write({
            text: `delete from virtual_numbers where account_id = $1 and id % 3 = 1 and id > 100000`,
            values: [id],
            owner: { kind: 'account_id', value: id },
          });
        }
        return answerOf(200);
      };
      const small = desk.another({ itemsAPage: 3 });
      const sent = await desk.deliver(small);
      assert.deepEqual(sent.flatMap(idsOf), changed);
      assert.deepEqual(new Set(sent.map(({ data }) => data['count'])), new Set([700]));
      assert.equal(new Set(sent.map((one) => one.id)).size, Math.ceil(700 / 3));
      const comments = sent
        .flatMap(({ data }) => data['items'] as { id: number; item: { comment: string } | null }[])
        .map(({ id: at, item }) => [at, item?.comment ?? null]);
      const nowOf = (at: number) => (later.includes(at) ? 'later' : gone.includes(at) ? null : 'first');
      assert.deepEqual(
        comments,
        changed.map((at, i) => [at, i > halfway + 2 ? nowOf(at) : 'first']),
      );
      const next = await desk.deliver(small);
      assert.deepEqual(next.flatMap(idsOf), later);
    });

    test('fields, charges and lists are those of the endpoint', async () => {
      const { id, first } = await account(1);
      await desk.endpoint(id, { fields: ['did', 'monthly'], charges: false, lists: ['virtual_numbers'] });
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'x', monthly: 7 }));
      await desk.load('additional_services', [
        { account_id: id, id: first, title: 'VPN', frequency: 'monthly', subscription_status: 'active' },
      ]);
      const [changed, ...more] = await desk.deliver();
      assert.deepEqual(more, []);
      const did = numberRow(id, first)['did'];
      assert.deepEqual(changed?.data['items'], [{ id: first, item: { id: first, did } }]);
    });

    test('an event of fields says what they were before the first of its imports, as far as the endpoint sees them', async () => {
      const { id, first } = await account(2);
      await desk.endpoint(id, { events: ['status_changed', 'charges_changed'] });
      await desk.endpoint(id, { events: ['status_changed'], fields: ['did'] });
      await desk.endpoint(id, { events: ['status_changed'], charges: false });
      const change = (one: number, more: Partial<ModelRow>) =>
        desk.load('virtual_numbers', numbers(id, [one], more));
      await change(first, { monthly: 7, status: 'blocked' });
      await change(first, { monthly: 8, incoming: 0.5, status: 'blocked' });
      await change(first + 1, { status: 'released' });
      const sent = await desk.deliver();
      const former = sent.map(({ type, data }) => [
        type.split('.')[1],
        (data['items'] as { from?: object }[]).map(({ from }) => from),
      ]);
      const status = { status: 'active' };
      assert.deepEqual(
        former.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
        [
          ['charges_changed', [{ monthly: 0, incoming: 0 }]],
          ['status_changed', [status, status]],
          ['status_changed', [status, status]],
          ['status_changed', [undefined, undefined]],
        ],
      );
    });

    test('a list that was filled, rebuilt or pruned is sent as replaced', async () => {
      const { id, first } = await account(1);
      const services = upTo(2, first).map((one) => ({
        account_id: id,
        id: one,
        title: 'VPN',
        frequency: 'monthly',
        subscription_status: 'active',
      }));
      await desk.endpoint(id, { events: ['removed'] });
      await desk.load('additional_services', services);
      const [filled] = await desk.deliver();
      assert.equal(filled?.type, 'additional_services.replaced');
      assert.deepEqual(filled?.data, {
        account: id,
        list: 'additional_services',
        total: 2,
        reason: 'filled',
      });
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'changed' }));
      await desk.store.write({
        text: `update change_logs set pruned = newest where account_id = '${id}' and list = 'virtual_numbers'`,
        values: [],
      });
      const [expired] = await desk.deliver();
      assert.deepEqual([expired?.type, expired?.data['reason']], ['virtual_numbers.replaced', 'expired']);
    });

    test('a delivery is repeated with the same id, before any later one, and what came meanwhile follows', async () => {
      const { id, first } = await account(2);
      const webhook = await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      desk.answer = () => LOST;
      const [lost] = await desk.deliver();
      await desk.load('virtual_numbers', numbers(id, [first, first + 1], { comment: 'two' }));
      assert.deepEqual(await desk.deliver(), []);
      desk.answer = () => answerOf(200);
      desk.now += 7_000;
      const [repeated] = await desk.deliver();
      assert.equal(repeated?.id, lost?.id);
      assert.deepEqual(idsOf(repeated as Sent), [first]);
      assert.match(repeated?.body ?? '', /"two"/);
      const [following] = await desk.deliver();
      assert.notEqual(following?.id, lost?.id);
      assert.deepEqual(idsOf(following as Sent), [first, first + 1]);
      const attempts = await desk.attempts(webhook);
      assert.deepEqual(
        attempts.map(({ status, fault, next_at }) => [
          status === null ? status : Number(status),
          fault,
          next_at !== null,
        ]),
        [
          [200, null, false],
          [200, null, false],
          [null, LOST.fault, true],
        ],
      );
    });

    test('a failure is repeated after 5 s, 30 s, 2 min, 10 min, 30 min, then hourly', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      desk.answer = () => answerOf(500);
      for (const seconds of [5, 30, 120, 600, 1_800, 3_600, 3_600]) {
        assert.equal((await desk.deliver()).length, 1);
        const delay = await desk.delay(webhook);
        assert.ok(delay >= 0.8 * seconds && delay <= 1.2 * seconds, `${delay} for ${seconds}`);
        desk.now += delay * 1_000;
      }
      desk.answer = () => answerOf(200);
      await desk.deliver();
      const { attempt, failing_since } = await desk.find(webhook);
      assert.deepEqual([Number(attempt), failing_since], [0, null]);
    });

    test('Retry-After lengthens the usual delay, up to a day, and never shortens it', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      const inHours = (hours: number) => new Date(desk.now + hours * HOUR).toUTCString();
      const asctime = (date: string) =>
        date.replace(/^(...), (..) (...) (....) (\S+) GMT$/, (_, day, of, month, year, time) =>
          [day, month, of, time, year].join(' '),
        );
      // What an answer asks for, and the seconds that follow from it and the number of failures.
      const usual = [5, 30, 120, 600, 1_800, 3_600];
      const cases: readonly (readonly [retryAfter: () => string, seconds?: number])[] = [
        [() => '1'],
        [() => '-5'],
        [() => inHours(-24)],
        [() => '2.5'],
        [() => '0'],
        [() => 'soon'],
        [() => '7200', 7_200],
        [() => inHours(2), 7_200],
        [() => asctime(inHours(2)), 7_200],
        [() => '31536000', DAY / 1_000],
        [() => inHours(24 * 365), DAY / 1_000],
        [() => '9'.repeat(400), DAY / 1_000],
      ];
      for (const [i, [retryAfter, wanted]] of cases.entries()) {
        desk.answer = () => answerOf(503, retryAfter());
        await desk.deliver();
        const delay = await desk.delay(webhook);
        const own = usual[Math.min(i, usual.length - 1)] ?? 0;
        const [least, most] = wanted === undefined ? [0.8 * own, 1.2 * own] : [wanted - 1, wanted + 1];
        assert.ok(delay >= least && delay <= most, `${retryAfter()}: ${delay}`);
        desk.now += delay * 1_000 + 1_000;
      }
      desk.answer = () => answerOf(200);
      await desk.deliver();
    });

    test('a redirect counts as a failure, and 410 disables the endpoint, whose position stays', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      desk.answer = () => answerOf(302);
      const [sent] = await desk.deliver();
      assert.equal((await desk.find(webhook)).status, 'active');
      desk.answer = () => answerOf(410);
      desk.now += 10_000;
      await desk.deliver();
      const { status, reason } = await desk.find(webhook);
      assert.deepEqual([status, reason], ['disabled', 'gone']);
      desk.answer = () => answerOf(200);
      desk.now += DAY;
      assert.deepEqual(await desk.deliver(), []);
      await enableWebhook(desk.store, webhook.id, BY);
      const [again] = await desk.deliver();
      assert.equal(again?.id, sent?.id);
      assert.deepEqual(await recorded(webhook), ['created', 'disabled', 'enabled']);
    });

    test('five days without a success disable it', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      desk.answer = () => LOST;
      const begin = desk.now;
      for (let delay = 0; !Number.isNaN(delay); delay = await desk.delay(webhook)) {
        desk.now += delay * 1_000;
        await desk.deliver();
      }
      assert.equal((await desk.find(webhook)).reason, 'failing');
      const days = (desk.now - begin) / DAY;
      assert.ok(days > 4.9 && days < 5.3, `${days}`);
      assert.equal((await desk.attempts(webhook)).length, 100);
    });

    test('payments that are due are delivered once a day, from the day after it was made', async () => {
      const { id, first } = await account(1);
      await desk.endpoint(id, { events: ['payments_due'], lists: ['virtual_numbers'] });
      const soon = new Date(desk.now + 3 * DAY).toISOString().replace('Z', '000Z');
      await desk.load('virtual_numbers', numbers(id, [first], { next_payment_at: soon, monthly: 2.25 }));
      assert.deepEqual(await desk.types(), []);
      desk.now += DAY;
      desk.answer = () => LOST;
      const [lost] = await desk.deliver();
      desk.answer = () => answerOf(200);
      desk.now += 10_000;
      const [due, ...more] = await desk.deliver();
      assert.deepEqual([due?.id, more], [lost?.id, []]);
      assert.equal(due?.type, 'virtual_numbers.payments_due');
      assert.deepEqual(idsOf(due), [first]);
      assert.deepEqual(
        [due?.data['count'], due?.data['due']],
        [1, { 7: { count: 1, monthly: 2.25 }, 30: { count: 1, monthly: 2.25 } }],
      );
      assert.deepEqual(await desk.types(), []);
      desk.now += DAY;
      const [tomorrow] = await desk.deliver();
      assert.notEqual(tomorrow?.id, due?.id);
      assert.deepEqual(await desk.types(), []);
    });

    test('text for chat is one sentence an event, with ten numbers, of what is still so', async () => {
      const { id, first } = await account(3);
      await desk.endpoint(id, { format: 'text', events: ['spam_flagged', 'removed'] });
      await desk.load(
        'virtual_numbers',
        numbers(id, upTo(3, first), { is_spammed: true, did: '+442079460018' }),
      );
      await desk.load('virtual_numbers', numbers(id, [first + 2], { is_spammed: false }));
      const [flagged, ...more] = await desk.deliver();
      assert.deepEqual(more, []);
      assert.equal(
        flagged?.text,
        `2 virtual numbers were flagged as spam: +44 20 7946 0018, +44 20 7946 0018 (${id})`,
      );
      await desk.load(
        'virtual_numbers',
        numbers(id, upTo(250, first + 10), { is_spammed: true, did: '+442079460018' }),
      );
      const [many] = await desk.deliver();
      assert.match(
        many?.text ?? '',
        /^250 virtual numbers were flagged as spam: (\+44 20 7946 0018, ){10}… \(C\d+\)$/,
      );
      await desk.load('virtual_numbers', numbers(id, [first], { is_spammed: false }));
      await desk.load('virtual_numbers', numbers(id, [first], { is_spammed: true }));
      await desk.load('virtual_numbers', numbers(id, [first], { is_spammed: false }));
      assert.deepEqual(await desk.deliver(), []);
    });

    test('a test is sent to an endpoint that fails or is paused, and moves nothing', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      desk.answer = () => answerOf(500);
      await desk.deliver();
      await testWebhook(desk.store, webhook.id, 'msg_test');
      const [sent, ...more] = await desk.deliver();
      assert.deepEqual(
        [sent?.id, sent?.type, sent?.data, more],
        ['msg_test', 'webhook.test', { account: id }, []],
      );
      const { attempt, test_id, claimed_by } = await desk.find(webhook);
      assert.deepEqual([Number(attempt), test_id, claimed_by], [1, null, null]);
      desk.answer = () => answerOf(200);
      desk.now += 10_000;
      assert.deepEqual(await desk.types(), ['virtual_numbers.changed']);
    });

    test('a test of an event is what the event looks like, of an item that is there, and says that it is a test', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id, { charges: true });
      const spoken = await desk.endpoint(id, { format: 'text' });
      for (const event of Object.keys(WEBHOOK_EVENTS) as WebhookEvent[]) {
        await testWebhook(desk.store, webhook.id, testIdOf(`msg_${event}`, event));
        const [sent, ...more] = await desk.deliver();
        assert.deepEqual([sent?.id, more], [`msg_${event}.${event}`, []]);
        assert.equal(sent?.type, `virtual_numbers.${event}`);
        const { items, test: isTest, more: isMore } = sent?.data ?? {};
        assert.deepEqual([isTest, isMore], [true, false]);
        const [item] = items as { id: number; item: { did: string } | null; label?: string }[];
        if (event === 'payments_due') assert.ok(sent?.data['due']);
        else assert.equal(item?.id, first);
        if (event === 'removed') assert.deepEqual([item?.item, typeof item?.label], [null, 'string']);
        else if (item !== undefined) assert.match(item.item?.did ?? '', /^\+/);
      }
      await testWebhook(desk.store, spoken.id, testIdOf('msg_text', 'spam_flagged'));
      const [said] = await desk.deliver();
      assert.match(said?.text ?? '', /^Test: 1 virtual number was flagged as spam: \+\d.* \(C\d+\)$/);
      // It moves nothing, and of an empty list it has no item.
      assert.deepEqual(await desk.deliver(), []);
      const services = await desk.endpoint(id, { lists: ['additional_services'] });
      await testWebhook(desk.store, services.id, testIdOf('msg_none', 'added'));
      const [empty] = await desk.deliver();
      assert.deepEqual(empty?.data, { account: id, count: 0, items: [], more: false, test: true });
    });

    test('replay sends again what was delivered, and a restored database says so', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id);
      // Times have milliseconds: the import that filled the list was in another one.
      await sleep(2);
      const begin = timestampOf();
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      assert.deepEqual(await desk.types(), ['virtual_numbers.changed']);
      await replayWebhook(desk.store, webhook.id, begin, BY);
      assert.deepEqual(await desk.types(), ['virtual_numbers.changed']);
      const ids = new Set<string>();
      for (let i = 0; i < 2; i++) {
        await restoreWebhooks(desk.store, BY);
        assert.deepEqual(await desk.deliver(), []);
        await enableWebhook(desk.store, webhook.id, BY);
        const sent = await desk.deliver();
        const own = sent.filter(({ data }) => data['account'] === id);
        assert.deepEqual(
          own.map(({ type, data }) => [type, data['reason']]),
          [
            ['virtual_numbers.replaced', 'restored'],
            ['additional_services.replaced', 'restored'],
          ],
        );
        for (const one of own) ids.add(one.id);
      }
      assert.equal(ids.size, 4);
    });

    test('lists of an older age than the endpoint are sent as replaced', async () => {
      const { id, first } = await account(1);
      await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      await desk.types();
      await desk.store.write({
        text: `update accounts set revision = 'another', sequence = sequence - 1 where id = '${id}'`,
        values: [],
      });
      const sent = await desk.deliver();
      assert.deepEqual(
        sent.map(({ data }) => data['reason']),
        ['restored', 'restored'],
      );
      assert.deepEqual(await desk.deliver(), []);
    });

    test('how webhooks are doing is how many there are by status, and how far the slowest is behind', async () => {
      const { id, first } = await account(1);
      const { id: disabled, first: other } = await account(1);
      for (const one of [id, disabled]) await desk.endpoint(one);
      await pauseWebhook(desk.store, (await desk.endpoint(id)).id, BY);
      const state = async (now: number) => {
        await setImmediate();
        return readWebhookState(desk.store, now);
      };
      const byStatus = { active: 2, paused: 1, disabled: 0 };
      assert.deepEqual(await state(Date.now()), { byStatus, oldestPendingSeconds: 0 });
      for (const comment of ['one', 'two']) {
        await desk.load('virtual_numbers', numbers(id, [first], { comment }));
        await sleep(2);
      }
      const [[ended]] = await desk.store.read({
        text: `select ended_at from revisions where account_id = '${id}' order by sequence desc limit 1 offset 1`,
        values: [],
      });
      await desk.load('virtual_numbers', numbers(disabled, [other], { comment: 'one' }));
      await disableAccount(desk.store, disabled);
      const now = Date.parse(String(ended?.[0])) + 5_000;
      assert.deepEqual(await state(now), { byStatus, oldestPendingSeconds: 5 });
      // Those of a disabled account are behind, and wait for nothing.
      await desk.deliver();
      assert.deepEqual(await state(now), { byStatus, oldestPendingSeconds: 0 });
    });

    test('a change that no list shows sends nothing', async () => {
      const { id } = await account(1);
      const webhook = await desk.endpoint(id);
      const { from_sequence } = await desk.find(webhook);
      await updateAccount(desk.store, id, { name: 'Renamed' });
      assert.deepEqual(await desk.deliver(), []);
      assert.equal(Number((await desk.find(webhook)).from_sequence), Number(from_sequence) + 1);
    });

    test('the outcome of an attempt whose claim was lost is not written', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      const other = desk.another();
      const types: string[] = [];
      desk.answer = async ({ type }) => {
        desk.answer = () => answerOf(200);
        // It hangs for longer than its claim lasts, and another takes over.
        desk.now += 61_000;
        types.push(type, ...(await desk.deliver(other)).map((one) => one.type));
        return LOST;
      };
      const [sent, again] = await desk.deliver();
      assert.equal(again?.id, sent?.id);
      assert.deepEqual(types, ['virtual_numbers.changed', 'virtual_numbers.changed']);
      const { attempt, failing_since } = await desk.find(webhook);
      assert.deepEqual([Number(attempt), failing_since], [0, null]);
      assert.deepEqual(
        (await desk.attempts(webhook)).map(({ fault }) => fault),
        [null],
      );
    });

    test('an attempt that fails overwrites nothing that an operator has changed meanwhile', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id);
      const url = 'https://corrected.example/';
      const corrected = () => changeScope(desk.store, webhook.id, { ...FOLLOWER, url }, BY);
      const enabled = () => enableWebhook(desk.store, webhook.id, BY);
      const again = () => changeScope(desk.store, webhook.id, FOLLOWER, BY);
      // After three failures it has failed for six days, and the fourth would disable it.
      const cases = [
        { failures: 0, change: corrected, answer: answerOf(410) },
        { failures: 1, change: corrected, answer: answerOf(410) },
        { failures: 1, change: corrected, answer: answerOf(503, '3600') },
        { failures: 3, change: enabled, answer: LOST },
        { failures: 3, reset: again, change: enabled, answer: LOST },
      ];
      for (const [i, { failures, reset, change, answer }] of cases.entries()) {
        await again();
        await desk.load('virtual_numbers', numbers(id, [first], { comment: `change ${i}` }));
        desk.answer = () => answerOf(500);
        for (let failed = 0; failed < failures; failed++) {
          await desk.deliver();
          desk.now += 2 * DAY;
        }
        await reset?.();
        desk.answer = async () => {
          await change();
          return answer;
        };
        const [sent] = await desk.deliver();
        const { status, attempt, next_at, claimed_by } = await desk.find(webhook);
        assert.deepEqual([status, Number(attempt), next_at, claimed_by], ['active', 0, null, null], `${i}`);
        desk.answer = () => answerOf(200);
        const [repeated] = await desk.deliver();
        assert.deepEqual(
          [repeated?.id, repeated?.url],
          [sent?.id, change === corrected ? url : FOLLOWER.url],
        );
        // What was sent is shown, and that it was tried again immediately.
        const [, overtaken] = await desk.attempts(webhook);
        assert.deepEqual([overtaken?.message_id, overtaken?.next_at], [sent?.id, timestampOf(desk.now)]);
      }
      assert.equal((await recorded(webhook)).includes('disabled'), false);
    });

    test('an attempt whose endpoint was moved or deleted meanwhile is recorded nowhere', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id);
      // Times have milliseconds: the import that filled the list was in another one.
      await sleep(2);
      const begin = timestampOf();
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      await desk.types();
      for (const answer of [answerOf(410), answerOf(200)]) {
        const before = await desk.attempts(webhook);
        await desk.load('virtual_numbers', numbers(id, [first], { comment: `${answer.status}` }));
        desk.answer = async () => {
          await replayWebhook(desk.store, webhook.id, begin, BY);
          return answer;
        };
        await desk.deliver();
        const { status, claimed_by } = await desk.find(webhook);
        assert.deepEqual([status, claimed_by], ['active', null]);
        assert.deepEqual(await desk.attempts(webhook), before);
        desk.answer = () => answerOf(200);
        desk.now += 61_000;
        assert.ok((await desk.types()).length > 0);
      }
      assert.deepEqual(await recorded(webhook), ['created', 'replayed', 'replayed']);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'two' }));
      desk.answer = async () => {
        await deleteWebhook(desk.store, webhook.id, BY);
        return answerOf(410);
      };
      assert.equal((await desk.deliver()).length, 1);
      assert.deepEqual(await desk.attempts(webhook), []);
      assert.deepEqual(await recorded(webhook), ['created', 'deleted', 'replayed', 'replayed']);
    });

    test('a test that ends takes nothing back of the one that was begun meanwhile', async () => {
      const { id } = await account(1);
      const webhook = await desk.endpoint(id);
      await testWebhook(desk.store, webhook.id, 'msg_first');
      desk.answer = async (sent) => {
        if (sent.id !== 'msg_first') return answerOf(200);
        await endTest(desk.store, webhook.id, 'msg_first');
        await testWebhook(desk.store, webhook.id, 'msg_second');
        return LOST;
      };
      const sent = await desk.deliver();
      assert.deepEqual(
        sent.map((one) => one.id),
        ['msg_first', 'msg_second'],
      );
      const attempts = await desk.attempts(webhook);
      assert.deepEqual(
        attempts.map(({ message_id }) => message_id),
        ['msg_second', 'msg_first'],
      );
      const { test_id, claimed_by } = await desk.find(webhook);
      assert.deepEqual([test_id, claimed_by], [null, null]);
    });

    test('what is ready are tests, changes and payments, of accounts that are not disabled', async () => {
      const { id, first } = await account(1);
      const { id: idle } = await account(1);
      const { id: disabled, first: other } = await account(1);
      for (const one of [id, id, id, idle, disabled]) await desk.endpoint(one);
      const tested = await desk.endpoint(disabled);
      const due = await desk.endpoint(idle, { events: ['payments_due'] });
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      await desk.load('virtual_numbers', numbers(disabled, [other], { comment: 'one' }));
      await disableAccount(desk.store, disabled);
      await testWebhook(desk.store, tested.id, 'msg_test');
      await setImmediate();
      const look = {
        now: desk.now + DAY,
        dueAtMs: 6 * HOUR,
        limit: 100,
        limitOfAccount: 2,
        ...{ failingLimit: 100, except: [] },
      };
      const ready = await readReady(desk.store, look);
      assert.equal(ready.length, 4);
      assert.ok([tested.id, due.id].every((one) => ready.some(({ webhook }) => webhook.id === one)));
      assert.equal((await readReady(desk.store, { ...look, limit: 1 })).length, 1);
    });

    test('of one account four are sent to at once, and of all no more than there are connections', async () => {
      const { id, first } = await account(1);
      const { id: second, first: other } = await account(1);
      for (let i = 0; i < 6; i++) await desk.endpoint(id);
      for (let i = 0; i < 6; i++) await desk.endpoint(second);
      const sending: unknown[] = [];
      /** Of each account how many are sent to at once, when there are no more. */
      const atOnce = async (deliverer: Deliverer, count: number, rows: readonly ModelRow[]) => {
        const gate = Promise.withResolvers<void>();
        sending.length = 0;
        desk.answer = async ({ data }) => {
          sending.push(data['account']);
          await gate.promise;
          return answerOf(200);
        };
        await desk.load('virtual_numbers', rows);
        const delivered = desk.deliver(deliverer);
        await until(`${count} are sent to`, () => sending.length === count);
        for (let i = 0; i < 100; i++) await setImmediate();
        const counts = [id, second].map((one) => sending.filter((name) => name === one).length);
        gate.resolve();
        await delivered;
        while ((await desk.deliver(deliverer)).length > 0);
        return counts;
      };
      const wide = desk.another({ connections: 5 });
      assert.deepEqual(await atOnce(wide, 4, numbers(id, [first], { comment: 'one' })), [4, 0]);
      assert.equal(sending.length, 6);
      assert.equal(new Set(desk.sent.slice(-6).map((one) => one.id)).size, 6);
      const both = [
        ...numbers(id, [first], { comment: 'two' }),
        ...numbers(second, [other], { comment: 'two' }),
      ];
      const [one = 0, two = 0] = await atOnce(wide, 5, both);
      assert.ok(one <= 4 && two <= 4 && one + two === 5, `${one} and ${two}`);
      assert.equal(sending.length, 12);
    });

    test('a deliverer whose clock is ahead, and is killed while it sends, delays nothing once another has the time', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id, { events: ['changed', 'payments_due'] });
      for (const [ahead, answer] of [
        [DAY, undefined],
        [2 * HOUR, undefined],
        [2 * DAY, answerOf(503, '7200')],
      ] as const) {
        await desk.load('virtual_numbers', numbers(id, [first], { comment: `${ahead} ${answer?.status}` }));
        const real = desk.now;
        desk.now += ahead;
        desk.answer = () => answer ?? assert.fail();
        const killed = desk.another({ logger: { info: () => {}, warn: () => {} } });
        if (answer === undefined) {
          // Its claim is written, and what would follow the attempt is not.
          const before = desk.sent.length;
          await killed.look();
          await killed.idle();
          assert.equal(desk.sent.length, before + 1);
        } else await desk.deliver(killed);
        desk.now = real;
        const { claimed_until, next_at } = await desk.find(webhook);
        const written = answer === undefined ? claimed_until : next_at;
        assert.ok((written ?? '') > timestampOf(desk.now + HOUR), String(written));
        const says = (await readVoidTimes(desk.store)).map(({ what, of }) => `${what} ${of}`);
        const what = answer === undefined ? 'The claim of the webhook' : 'The next attempt of the webhook';
        assert.ok(says.includes(`${what} ${webhook.id} of ${id}`), says.join());
        desk.answer = () => answerOf(200);
        assert.ok((await desk.types()).includes('virtual_numbers.changed'), `${ahead}`);
      }
    });

    test('a deliverer whose clock is a little behind leaves an endpoint to the one that sends to it', async () => {
      const { id, first } = await account(1);
      const webhook = await desk.endpoint(id, { events: ['changed'] });
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      const gate = Promise.withResolvers<void>();
      desk.answer = () => gate.promise.then(() => answerOf(200));
      const before = desk.sent.length;
      try {
        await desk.deliverer.look();
        await until('it is sent', () => desk.sent.length > before);
        const { claimed_by } = await desk.find(webhook);
        for (const behind of [1_000, 30_000, 59_000]) {
          await desk.another({ now: () => desk.now - behind }).look();
          await setImmediate();
          assert.equal((await desk.find(webhook)).claimed_by, claimed_by, `${behind} ms behind`);
        }
      } finally {
        gate.resolve();
        await desk.deliverer.idle();
      }
      assert.equal(desk.sent.length, before + 1);
    });

    test('payments of a day to come are no reason to send none until then', async () => {
      const { id, first } = await account(1);
      await desk.endpoint(id, { events: ['payments_due'], lists: ['virtual_numbers'] });
      const soon = timestampOf(desk.now + 3 * DAY);
      await desk.load('virtual_numbers', numbers(id, [first], { next_payment_at: soon, monthly: 2.25 }));
      await desk.types();
      desk.now += DAY;
      await desk.store.write(separate({ text: `update webhooks set due_day = '2999-01-01'`, values: [] }));
      assert.deepEqual(await desk.types(), ['virtual_numbers.payments_due']);
      assert.deepEqual(await desk.types(), []);
    });

    if (kind.name === 'PostgreSQL')
      test('claims and retries are by the clock of the database', async (t) => {
        const { id, first } = await account(1);
        const webhook = await desk.endpoint(id);
        await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
        const { now } = Date;
        const begin = now();
        t.mock.method(Date, 'now', () => now() + 7 * DAY);
        desk.answer = () => answerOf(500);
        assert.equal((await desk.deliver(desk.another({ now: undefined }))).length, 1);
        t.mock.restoreAll();
        const { next_at, failing_since } = await desk.find(webhook);
        for (const time of [next_at, failing_since]) {
          const ms = Date.parse(time ?? '') - begin;
          assert.ok(ms > -HOUR && ms < HOUR, `${time}`);
        }
      });

    /** Endpoints of that many accounts, two each, that have something to be sent, and are never answered. */
    async function silentAccounts(count: number): Promise<{ open: Map<string, number>; end: () => void }> {
      const open = new Map<string, number>();
      const gate = Promise.withResolvers<void>();
      const silent = new Set<string>();
      for (let i = 0; i < count; i++) {
        const { id, first } = await account(1);
        silent.add(id);
        for (let n = 0; n < 2; n++) await desk.endpoint(id);
        await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      }
      desk.answer = async ({ data }) => {
        const id = String(data['account']);
        if (!silent.has(id)) return answerOf(200);
        open.set(id, (open.get(id) ?? 0) + 1);
        await gate.promise;
        open.set(id, (open.get(id) ?? 0) - 1);
        return LOST;
      };
      return { open, end: gate.resolve };
    }

    const allOf = (open: Map<string, number>) => [...open.values()].reduce((sum, one) => sum + one, 0);

    test('receivers that have never answered delay no other account', async () => {
      const { open, end } = await silentAccounts(2);
      const narrow = desk.another({ connections: 4 });
      const delivered = desk.deliver(narrow);
      await until('all connections wait for them', () => allOf(open) === 4);
      const { id, first } = await account(1);
      await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      const before = desk.sent.length;
      await narrow.look();
      await until('another account is sent to', () =>
        desk.sent.slice(before).some(({ data }) => data['account'] === id),
      );
      assert.equal(allOf(open), 4);
      end();
      await delivered;
      await narrow.idle();
    });

    test('an account that is sent to at none of its webhooks comes before others that wait', async () => {
      const { id, first } = await account(1);
      const { id: late, first: other } = await account(1);
      for (let i = 0; i < 4; i++) await desk.endpoint(id);
      await desk.endpoint(late);
      const gates: PromiseWithResolvers<void>[] = [];
      desk.answer = async () => {
        const gate = Promise.withResolvers<void>();
        gates.push(gate);
        await gate.promise;
        return answerOf(200);
      };
      const narrow = desk.another({ connections: 2 });
      const before = desk.sent.length;
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      await narrow.look();
      await until('two are sent to', () => gates.length === 2);
      await desk.load('virtual_numbers', numbers(late, [other], { comment: 'one' }));
      await narrow.look();
      gates[0]?.resolve();
      await until('another is sent to', () => gates.length === 3);
      assert.equal(desk.sent.slice(before)[2]?.data['account'], late);
      desk.answer = () => answerOf(200);
      for (const gate of gates) gate.resolve();
      await narrow.idle();
    });

    test('of webhooks whose last attempt failed a quarter of the connections are used at most, and one of an account', async () => {
      const { open, end } = await silentAccounts(3);
      await desk.store.write(separate({ text: 'update webhooks set attempt = 1', values: [] }));
      const { id, first } = await account(1);
      for (let i = 0; i < 3; i++) await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      const narrow = desk.another({ connections: 8 });
      const before = desk.sent.length;
      const delivered = desk.deliver(narrow);
      const own = () => desk.sent.slice(before).filter(({ data }) => data['account'] === id).length;
      await until('others are sent to', () => allOf(open) === 2 && own() === 3);
      await setImmediate();
      assert.deepEqual([...open.values()], [1, 1]);
      end();
      await delivered;
      desk.answer = () => answerOf(200);
      desk.now += HOUR;
      while ((await desk.deliver(narrow)).length > 0);
      const [[left]] = await desk.store.read({
        text: 'select count(*) from webhooks where attempt > 0',
        values: [],
      });
      assert.equal(Number(left?.[0]), 0);
    });

    test('a webhook that works is seen next to any number of the same account that fail', async () => {
      const { id, first } = await account(1);
      for (let i = 0; i < 6; i++) await desk.endpoint(id);
      await desk.store.write(separate({ text: 'update webhooks set attempt = 1', values: [] }));
      const { id: works } = await desk.endpoint(id);
      await desk.load('virtual_numbers', numbers(id, [first], { comment: 'one' }));
      await setImmediate();
      const look = { now: desk.now, dueAtMs: 6 * HOUR, limit: 1, limitOfAccount: 2, except: [] };
      const idsAt = async (failingLimit: number, except: readonly string[] = []) =>
        (await readReady(desk.store, { ...look, failingLimit, except })).map(({ webhook }) => webhook.id);
      assert.deepEqual(await idsAt(0), [works]);
      const [seen, ...failing] = await idsAt(10);
      assert.deepEqual([seen, failing.length], [works, 2]);
      assert.deepEqual(await idsAt(10, [id]), []);
    });
  });
}
