// A deliverer that is killed at any instant: before each write of a file, before each statement of a server,
// and between a message to the receiver and its answer. Every event is delivered at least once, in its order,
// and what is repeated has the id that it had.

import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { Message } from '../../server/deliver/sending.ts';
import { answerOf, Deliveries } from '../kit/deliveries.ts';
import { everyInstant, mortalClient } from '../kit/killed.ts';
import { numberRow } from '../kit/rows.ts';
import { type StoreKind, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const PAGES = [[1, 2], [3, 4], [5]];
const itemsAPage = 2;
/** The claim of one that was killed has ended by then. */
const CLAIM_MS = 61_000;
const QUIET = { info: () => {}, warn: () => {} };
const [sqlite, ...servers] = stores as [StoreKind, ...StoreKind[]];

const rows = (comment: string) => PAGES.flat().map((id) => numberRow('C1', id, { comment }));

test('a deliverer that is killed before any write of SQLite repeats at most the delivery of that instant, with its id', async () => {
  const desk = await Deliveries.open(sqlite, ['C1']);
  const folder = dirname(desk.path);
  const file = (of: string) => join(of, 'received');
  await desk.load('virtual_numbers', rows('first'));
  await desk.endpoint('C1');
  await desk.load('virtual_numbers', rows('second'));
  const note = (of: string) => (id: string) => appendFileSync(file(of), `${id}\n`);
  const deliverer = desk.another({ itemsAPage }, note(folder));
  const copies = await everyInstant(folder, () => desk.deliver(deliverer));
  const idsIn = (of: string) => readFileSync(file(of), 'utf8').trim().split('\n').filter(Boolean);
  const expected = idsIn(folder);
  assert.equal(expected.length, PAGES.length);
  assert.ok(copies.length > 4, `${copies.length}`);
  for (const copy of copies) {
    const again = await Deliveries.at(`sqlite:${join(copy, 'linecard.db')}`);
    appendFileSync(file(copy), '');
    again.now += CLAIM_MS;
    await again.deliver(again.another({ itemsAPage }, note(copy)));
    const ids = idsIn(copy);
    assert.deepEqual([...new Set(ids)], expected);
    assert.ok(ids.length <= expected.length + 1, `${ids}`);
    await again.close();
  }
  await desk.close();
});

interface Body {
  readonly data: { readonly items: readonly { readonly id: number; readonly item: { comment: string } }[] };
}

/** Each event once, in its order, as the items are; and at most one message twice. */
function mustBeDelivered(received: readonly Message[], comment: string): void {
  const once = new Map(received.map((one) => [one.id, (JSON.parse(one.body) as Body).data.items]));
  assert.deepEqual(
    [...once.values()].map((items) => items.map(({ id, item }) => [id, item.comment])),
    PAGES.map((ids) => ids.map((id) => [id, comment])),
  );
  assert.ok(received.length <= PAGES.length + 1, `${received.map(({ id }) => id)}`);
}

for (const kind of servers)
  test(`a deliverer that is killed before any statement of ${kind.name}, or before an answer, repeats at most one delivery, with its id`, async (t) => {
    const desk = await Deliveries.open(kind, ['C1']);
    const client = await mortalClient(desk.url);
    const victim = await Deliveries.at(client.url);
    t.after(async () => {
      await victim.close();
      client.close();
      await desk.close();
    });
    await desk.load('virtual_numbers', rows('first'));
    const webhook = await desk.endpoint('C1');
    let round = 0;
    /** Returns whether it was killed: before the nth statement of the server, or the nth answer to it. */
    const kill = async (at: { readonly act?: number; readonly answer?: number }): Promise<boolean> => {
      round += 1;
      const comment = `round ${round}`;
      await desk.load('virtual_numbers', rows(comment));
      const received: Message[] = [];
      const dying = victim.another({
        itemsAPage,
        logger: QUIET,
        send: async (message) => {
          if (!client.isKilled()) received.push(message);
          if (received.length === at.answer) client.kill();
          if (client.isKilled()) throw new Error('killed');
          return answerOf(200);
        },
      });
      victim.now = desk.now;
      client.live(at.act);
      await victim.deliver(dying).catch(() => {});
      await dying.idle();
      const isKilled = client.isKilled();
      client.live();
      desk.now += CLAIM_MS;
      const send = async (message: Message) => {
        received.push(message);
        return answerOf(200);
      };
      // What the killed one sent last may still be written.
      await until('all is delivered', async () => {
        await desk.deliver(desk.another({ itemsAPage, send }));
        const { to_sequence, claimed_by } = await desk.find(webhook);
        return to_sequence === null && claimed_by === null && received.length >= PAGES.length;
      });
      mustBeDelivered(received, comment);
      return isKilled;
    };
    for (let answer = 1; answer <= PAGES.length; answer++) assert.ok(await kill({ answer }));
    let acts = 0;
    while (await kill({ act: acts })) acts += 1;
    assert.ok(acts > 20, `${acts}`);
    t.diagnostic(`killed before each of ${acts} statements and commits`);
  });
