// Thousands of waits end in batches, so that their reads do not overload the database.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RevisionWatch } from '../answers/revision-watch.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Authenticator } from './authentication.ts';
import { Waiting } from './waiting.ts';

const COUNT = 1_000;
/** The size of a batch. */
const MOST = 50;

const what = { revision: 'a', etag: '"a"' };

/** Waiting requests, and how many of them ended in each iteration of the event loop. */
function waitingRequests() {
  const onChange: (() => void)[] = [];
  const watch: Pick<RevisionWatch, 'watch'> = {
    watch(_account, _revision, call) {
      onChange.push(call);
      return () => {};
    },
  };
  const caller = async () => ({});
  const authenticator = { follow: () => () => {}, current: caller } as unknown as Authenticator;
  const waiting = new Waiting(authenticator, watch as RevisionWatch);
  const iterations: number[] = [];
  let isCounting = false;
  const reply = { header: () => reply } as unknown as FastifyReply;
  const all = Array.from({ length: COUNT }, async (_, i) => {
    const request = {
      caller: { account_id: 'acme', token_id: `token-${i}` },
      headers: {},
      socket: Object.assign(new EventEmitter(), { destroyed: false }),
      waitedMs: 0,
    } as unknown as FastifyRequest;
    const hasWaited = await waiting.wait(request, reply, 50, what);
    assert.ok(hasWaited);
    if (!isCounting) {
      isCounting = true;
      iterations.push(0);
      setImmediate(() => {
        isCounting = false;
      });
    }
    iterations.push((iterations.pop() ?? 0) + 1);
  });
  return { waiting, onChange, iterations, ended: Promise.all(all) };
}

test('a client that disconnects before its wait begins is not counted', async () => {
  const authenticator = { follow: () => () => {} } as unknown as Authenticator;
  const waiting = new Waiting(authenticator, { watch: () => () => {} } as unknown as RevisionWatch);
  for (let i = 0; i < COUNT; i++) {
    const request = {
      caller: { account_id: 'acme', token_id: 'token' },
      headers: {},
      socket: Object.assign(new EventEmitter(), { destroyed: true }),
      waitedMs: 0,
    } as unknown as FastifyRequest;
    await assert.rejects(waiting.wait(request, {} as FastifyReply, 50, what), StoreUnavailable);
  }
  assert.equal(waiting.count, 0);
});

test('all waits end in batches when the server stops', async () => {
  const { waiting, iterations, ended } = waitingRequests();
  assert.equal(waiting.count, COUNT);
  waiting.close();
  await ended;
  assert.equal(waiting.count, 0);
  assert.ok(Math.max(...iterations) <= MOST, `${iterations}`);
});

test('waits end in batches when all accounts change, and immediately when a single one changes later', async () => {
  const { onChange, iterations, ended } = waitingRequests();
  const [first, ...others] = onChange as [() => void, ...(() => void)[]];
  for (const call of others) call();
  for (const call of others) call();
  while (iterations.reduce((sum, one) => sum + one, 0) < COUNT - 1) await new Promise(setImmediate);
  assert.ok(Math.max(...iterations) <= MOST, `${iterations}`);
  first();
  await ended;
});
