// Thousands of idle webhooks on one deliverer: how long a change takes to its receiver, alone, while one item
// changes all the time, and next to receivers that never answer; and how many messages fast receivers get.

import { randomBytes } from 'node:crypto';
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliverLimits } from '../../server/limits/deliver-limits.ts';
import { openStore } from '../../server/store/open.ts';
import { separate } from '../../server/store/sql.ts';
import type { Store } from '../../server/store/store.ts';
import { DrillService } from '../kit/drill-service.ts';
import { quantile } from '../kit/many.ts';
import { numberRow } from '../kit/rows.ts';
import { load, type StoreKind } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { openReceiver, type Receiver, testCertificate } from '../kit/webhook-receiver.ts';
import { type Drill, type DrillResult, type DrillSize, ofSize, onStores, Tally } from './drill.ts';

const ENDPOINTS = { short: 300, long: 10_000 };
const CHANGES = { short: 5, long: 100 };
const BUSY_MS = { short: 3_000, long: 60_000 };
const MESSAGES = { short: 300, long: 5_000 };
/** Each has four webhooks: together more than there are connections. */
const SILENT_ACCOUNTS = { short: 70, long: 150 };
const SILENT_ENDPOINTS = 4;
const IMPORTS_A_MINUTE = 1_000;
const P50_MS = 2_000;
const P99_MS = 5_000;
const LAG_MS = 3_000;
const MESSAGES_A_SECOND = 500;
const LEAVES_MS = 3_000;
/** Of an attempt: what takes longer waited for a receiver that does not answer. */
const ATTEMPT_MS = 1_000 * deliverLimits.attempt.each;
const MINUTE = 60_000;

interface Message {
  readonly data: { readonly items: readonly { readonly item: { readonly comment: string } }[] };
}

/** The comments that receivers have got, with when each came. */
class Arrivals {
  readonly #at = new Map<string, number>();
  last = 0;

  add(body: string): void {
    this.last = performance.now();
    for (const { item } of (JSON.parse(body) as Message).data.items)
      if (!this.#at.has(item.comment)) this.#at.set(item.comment, this.last);
  }

  get count(): number {
    return this.#at.size;
  }

  of(comment: string): Promise<number> {
    return until(`${comment} is received`, () => this.#at.get(comment));
  }

  /** When the first of several came that is not before this one. */
  from(comments: readonly string[], i: number): number | undefined {
    const times = comments.slice(i).flatMap((one) => this.#at.get(one) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}

const accountOf = (i: number) => `customer-${i}`;

/** An endpoint for each account whose id begins so, all of them idle. */
async function makeEndpoints(store: Store, { port }: Receiver, of: string, nth = 0): Promise<void> {
  const fixed = `'json', '["changed"]', 1, 'active', 1, 0`;
  const text = `insert into webhooks (id, account_id, name, url, created_at, from_sequence, from_revision,
      format, events, charges, status, secret_version, attempt)
    select 'w${nth}-' || id, id, '', 'https://127.0.0.1:${port}/' || id, created_at, sequence, revision, ${fixed}
    from accounts where id like '${of}-%'`;
  await store.write(separate({ text, values: [] }));
}

/** The milliseconds from the commit of single changes, each of another account, until they are received. */
async function latencies(
  store: Store,
  arrivals: Arrivals,
  { accounts, count, name }: { readonly accounts: number; readonly count: number; readonly name: string },
): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    await sleep(Math.random() * 200);
    const nth = Math.floor(Math.random() * accounts);
    const comment = `${name} ${i}`;
    await load(store, 'virtual_numbers', [numberRow(accountOf(nth), nth + 1, { comment })]);
    const committed = performance.now();
    times.push((await arrivals.of(comment)) - committed);
  }
  return times.toSorted((a, b) => a - b);
}

/** The most milliseconds from a commit until it or a later one is received, while one item changes. */
async function lagOf(
  store: Store,
  arrivals: Arrivals,
  ms: number,
): Promise<{ imports: number; lag: number }> {
  const comments: string[] = [];
  const committed: number[] = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const next = performance.now() + MINUTE / IMPORTS_A_MINUTE;
    const comment = `busy ${comments.length}`;
    await load(store, 'virtual_numbers', [numberRow(accountOf(0), 1, { comment })]);
    comments.push(comment);
    committed.push(performance.now());
    await sleep(Math.max(0, next - performance.now()));
  }
  await arrivals.of(comments.at(-1) ?? '');
  const lags = committed.map((at, i) => (arrivals.from(comments, i) ?? Number.POSITIVE_INFINITY) - at);
  return { imports: comments.length, lag: Math.round(Math.max(...lags)) };
}

/** How many messages a second arrive when an import changes an item of each of these accounts. */
async function rateOf(store: Store, arrivals: Arrivals, count: number): Promise<number> {
  const before = arrivals.count;
  const rows = Array.from({ length: count }, (_, i) =>
    numberRow(accountOf(i), i + 1, { comment: `all ${i}` }),
  );
  await load(store, 'virtual_numbers', rows);
  await until('the first is received', () => arrivals.count > before);
  const start = performance.now();
  const first = arrivals.count;
  await until('all are received', () => arrivals.count === before + count);
  return Math.round(((before + count - first) * 1_000) / Math.max(1, arrivals.last - start));
}

/** What a receiver does: those of some accounts never answer, or send interim responses without end. */
function receiverOf(arrivals: Arrivals) {
  const silent = { open: 0 };
  const receiver = openReceiver((response, { body }, { url = '', socket }) => {
    if (!url.startsWith('/silent')) {
      arrivals.add(body);
      return void response.writeHead(204).end();
    }
    silent.open += 1;
    socket.on('error', () => {});
    if (!/[05]$/.test(url)) return;
    const write = () => {
      while (!socket.destroyed && socket.write('HTTP/1.1 100 Continue\r\n\r\n'));
    };
    socket.on('drain', write);
    write();
  });
  return { receiver, silent };
}

/** Latencies of changes while the receivers of other accounts never answer. */
async function nextToSilent(
  store: Store,
  receiver: Receiver,
  arrivals: Arrivals,
  silent: { readonly open: number },
  size: DrillSize,
): Promise<number[]> {
  const accounts = ofSize(SILENT_ACCOUNTS, size);
  const rows = (comment: string) =>
    Array.from({ length: accounts }, (_, i) => numberRow(`silent-${i}`, 1_000_000 + i, { comment }));
  await load(store, 'virtual_numbers', rows('first'));
  for (let nth = 0; nth < SILENT_ENDPOINTS; nth++) await makeEndpoints(store, receiver, 'silent', nth);
  await load(store, 'virtual_numbers', rows('second'));
  const most = Math.min(deliverLimits.connections.total, accounts * SILENT_ENDPOINTS);
  await until('others hold all connections', () => silent.open >= most);
  const endpoints = ofSize(ENDPOINTS, size);
  return latencies(store, arrivals, { accounts: endpoints, count: ofSize(CHANGES, size), name: 'late' });
}

async function onStore(
  kind: StoreKind,
  size: DrillSize,
  report: (line: string) => void,
): Promise<DrillResult[]> {
  const accounts = ofSize(ENDPOINTS, size);
  const environment = {
    LINECARD_SIGNING_KEY: randomBytes(32).toString('base64'),
    LINECARD_DELIVER_ALLOW: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: testCertificate().file,
  };
  const service = await DrillService.make({ rows: {}, kind, environment });
  const arrivals = new Arrivals();
  const { receiver: opened, silent } = receiverOf(arrivals);
  const receiver = await opened;
  const store = await openStore(service.database_url, 'write');
  try {
    // On a machine with other work the times say nothing.
    const isJudged = size !== 'short' && (loadavg()[0] ?? 0) < cpus().length;
    await load(
      store,
      'virtual_numbers',
      Array.from({ length: accounts }, (_, i) => numberRow(accountOf(i), i + 1)),
    );
    await makeEndpoints(store, receiver, 'customer');
    const deliverer = service.start('deliver', '--log-level', 'warn');
    await deliverer.says(/Webhooks are delivered/);
    const times = await latencies(store, arrivals, {
      accounts,
      count: ofSize(CHANGES, size),
      name: 'change',
    });
    const [p50, p99] = [0.5, 0.99].map((share) => Math.round(quantile(times, share))) as [number, number];
    const { imports, lag } = await lagOf(store, arrivals, ofSize(BUSY_MS, size));
    const messages = ofSize(MESSAGES, size);
    const rate = await rateOf(store, arrivals, messages);
    const late = await nextToSilent(store, receiver, arrivals, silent, size);
    const latest = Math.round(late.at(-1) ?? Number.NaN);
    const judged = (did: string, count: number, note: string, isMissed: boolean): DrillResult => {
      const tally = new Tally();
      tally.add(undefined, count - 1);
      tally.add(isJudged && isMissed ? note : undefined);
      return tally.result(`${did}, on ${kind.name}`, isJudged ? note : `${note}, not judged`);
    };
    const results = [
      judged(
        `changes next to ${accounts} idle endpoints`,
        times.length,
        `p50 ${p50} ms, p99 ${p99} ms`,
        p50 >= P50_MS || p99 >= P99_MS,
      ),
      judged('imports of one item', imports, `a lag of ${lag} ms at most`, lag >= LAG_MS),
      judged('messages to fast receivers', messages, `${rate} a second`, rate < MESSAGES_A_SECOND),
    ];
    const limit = isJudged ? LEAVES_MS : ATTEMPT_MS;
    const tally = new Tally();
    for (const ms of late) tally.add(ms < limit ? undefined : `${Math.round(ms)} ms`);
    results.push(
      tally.result(`changes next to receivers that never answer, on ${kind.name}`, `${latest} ms at most`),
    );
    for (const { did, note } of results) report(`${did}: ${note}`);
    return results;
  } finally {
    await store.close();
    await receiver.close();
    await service.remove();
  }
}

export const drill: Drill = {
  name: 'webhooks',
  proves: [
    'With 10,000 idle webhooks on one deliverer, a change reaches its receiver within 2 s of its commit at the median and 5 s at p99, on either store.',
    '1,000 imports a minute of one item coalesce: the receiver is never more than 3 s behind.',
    'Fast receivers get 500 messages a second from one deliverer.',
    'While 600 webhooks of 150 other accounts never answer, or send interim responses without end, a change leaves within 3 s of its commit.',
  ],

  run: (size, report) => onStores(size, (kind) => onStore(kind, size, report)),
};
