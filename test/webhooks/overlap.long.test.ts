// Three deliverers, one of which is killed now and then, and two hundred endpoints that are slow or fail: no
// two attempts of one endpoint overlap, and nothing is left. `TEST_MINUTES` is how long imports go on.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount } from '../../server/store/access/accounts.ts';
import { openStore } from '../../server/store/open.ts';
import { insertWebhook } from '../../server/store/webhooks/webhook-changes.ts';
import { FOLLOWER } from '../kit/deliveries.ts';
import { PostgresServer } from '../kit/postgres-server.ts';
import { Operator, type Running } from '../kit/program.ts';
import { numberRow } from '../kit/rows.ts';
import { load } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { openReceiver, testCertificate } from '../kit/webhook-receiver.ts';

/** Before the end. */
const LAST_KILL_MS = 15_000;
const MINUTES = Number(process.env['TEST_MINUTES'] ?? 0.5);
const ACCOUNTS = 50;
const ENDPOINTS = 4;
const DELIVERERS = 3;
const SLOW_MS = 400;
const BY = { origin: 'command', actor: 'test' } as const;

test(`three deliverers and 200 endpoints for ${MINUTES} minutes`, async (t) => {
  const database = await (await PostgresServer.shared()).makeDatabase();
  const operator = new Operator(database.url, {
    LINECARD_SIGNING_KEY: randomBytes(32).toString('base64'),
    LINECARD_DELIVER_ALLOW: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: testCertificate().file,
  });
  /** The messages that are being answered, by endpoint. */
  const sending = new Map<string, string[]>();
  const overlaps: string[] = [];
  let attempts = 0;
  let isEnding = false;
  const receiver = await openReceiver(async (response, { headers }, { url = '' }) => {
    attempts += 1;
    const id = String(headers['webhook-id']);
    const others = sending.get(url) ?? [];
    if (others.length > 0) overlaps.push(`${url}: ${id} during ${others}`);
    sending.set(url, [...others, id]);
    let isEnded = false;
    const end = () => {
      if (isEnded) return;
      isEnded = true;
      const left = sending.get(url) ?? [];
      sending.set(url, left.toSpliced(left.indexOf(id), 1));
    };
    response.once('close', end);
    await sleep(isEnding ? 0 : Math.random() * SLOW_MS);
    end();
    if (isEnding || Math.random() < 0.9) response.writeHead(204).end();
    else if (Math.random() < 0.5) response.writeHead(500).end();
    else response.destroy();
  });
  const store = await openStore(database.url, 'write');
  t.after(async () => {
    operator.close();
    await store.close();
    await receiver.close();
    await database.remove();
  });
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => `C${i}`);
  for (const id of accounts) {
    await createAccount(store, id);
    for (let n = 0; n < ENDPOINTS; n++) {
      const url = `https://127.0.0.1:${receiver.port}/${id}/${n}`;
      await insertWebhook(store, id, { ...FOLLOWER, url }, ENDPOINTS, BY);
    }
  }
  const start = () => operator.start('deliver');
  const running: Running[] = Array.from({ length: DELIVERERS }, start);
  let imports = 0;
  for (const end = performance.now() + MINUTES * 60_000; performance.now() < end; imports++) {
    const some = accounts.flatMap((id, i) =>
      Math.random() < 0.3 ? [numberRow(id, i + 1, { comment: `${imports}` })] : [],
    );
    await load(store, 'virtual_numbers', some);
    await sleep(300);
    // What a killed one has claimed is delivered before the end.
    if (Math.random() > 0.02 || performance.now() > end - LAST_KILL_MS) continue;
    running.shift()?.child.kill('SIGKILL');
    running.push(start());
  }
  isEnding = true;
  // What failed waits for its next attempt, and what was claimed by a killed one for the end of the claim.
  await until('everything is delivered', async () => {
    await store.write({ text: 'update webhooks set next_at = null', values: [] });
    const [[left]] = await store.read({
      text: 'select count(*) from webhooks join accounts on accounts.id = account_id where revision <> from_revision',
      values: [],
    });
    return Number(left?.[0]) === 0;
  });
  t.diagnostic(`${imports} imports, ${attempts} attempts`);
  assert.deepEqual(overlaps, []);
});
