// Many customers who wait for changes (docs/generated/api.md, "Staying up to date"), while one import comes
// after the other: who gets what, and when, and what the server needs for it.

import type { ChildProcess } from 'node:child_process';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../server/store/open.ts';
import { DrillService, ID_SPACE, LIST } from '../kit/drill-service.ts';
import { quantile } from '../kit/many.ts';
import { memoryOf } from '../kit/process-facts.ts';
import { numberRow } from '../kit/rows.ts';
import { load, type StoreKind, stores } from '../kit/service.ts';
import { ask } from '../kit/sockets.ts';
import { type BySize, type Drill, type DrillResult, type DrillSize, ofSize } from './drill.ts';

/** Two fewer than may wait with one token. */
const FOLLOWERS_AN_ACCOUNT = 8;
/** Which part of the accounts an import changes. */
const SHARE = 1 / 12;
const SOON_MS = 1_000;
const PATIENCE_MS = 15_000;
const PAUSE_MS = 100;
const BYTES_A_MEBIBYTE = 1_048_576;
const WAIT = 'wait=50';

const SIZES: BySize<{ readonly followers: number; readonly imports: number }> = {
  short: { followers: 60, imports: 4 },
  long: { followers: 2_000, imports: 30 },
  full: { followers: 2_000, imports: 100 },
};

interface ChangesAnswer {
  readonly data: readonly { readonly id: number; readonly item: { readonly comment: string } | null }[];
  readonly since: string;
  readonly more: boolean;
}

type Ask = (since: string, headers?: Record<string, string>) => Promise<ChangesAnswer>;

/** One customer's program. */
interface Follower {
  /** Of the number of its account. */
  readonly id: number;
  readonly ask: Ask;
  /** The import that it has seen last, and when. */
  seen: number;
  at: number;
  /** What came that is not of its account, or that came twice. */
  readonly wrong: string[];
}

/** Waits, applies what comes, and waits again, until all is over. */
async function follow(one: Follower, from: string, isOver: () => boolean): Promise<void> {
  for (let since = from; !isOver(); ) {
    const answer = await one.ask(since, { prefer: WAIT });
    since = answer.since;
    for (const { id, item } of answer.data) {
      const number = Number(item?.comment);
      if (id !== one.id || !(number > one.seen)) one.wrong.push(`${one.id}: ${id} ${item?.comment}`);
      else Object.assign(one, { seen: number, at: performance.now() });
    }
    if (answer.more) one.wrong.push(`${one.id}: there is more`);
  }
}

const residentMiB = ({ pid = 0 }: ChildProcess) => Math.round(memoryOf(pid) / BYTES_A_MEBIBYTE);

async function followOn(kind: StoreKind, size: DrillSize, report: (line: string) => void) {
  const { followers: howMany, imports } = ofSize(SIZES, size);
  const all = Array.from({ length: howMany / FOLLOWERS_AN_ACCOUNT }, (_, i) => i);
  const account = (i: number) => `follower-${i}`;
  const idOf = (i: number) => i * ID_SPACE + 1;
  // The lists are not empty, so that each change stands in the log.
  const lists = await DrillService.make({ kind, rows: Object.fromEntries(all.map((i) => [account(i), 1])) });
  const store = await openStore(lists.database_url, 'write');
  // All followers come from one address, which may have only some connections unless it is a proxy.
  const words = ['--rate-limit', '0', '--log-level', 'error', '--trust-proxy', '127.0.0.1'];
  const { child, url } = await lists.serve(...words);
  const agent = new Agent({ keepAlive: true });
  const askAs =
    (authorization: string): Ask =>
    async (since, headers) => {
      const how = { agent, headers: { ...headers, authorization } };
      const { status, body } = await ask(`${url}${LIST}/changes?since=${since}`, how);
      if (status !== 200) throw new Error(`${status} ${body}`);
      return JSON.parse(body) as ChangesAnswer;
    };
  const idleMiB = residentMiB(child);
  const followers = all.flatMap((i) =>
    Array.from({ length: FOLLOWERS_AN_ACCOUNT }, (): Follower => {
      return { id: idOf(i), ask: askAs(lists.tokenOf(account(i))), seen: -1, at: 0, wrong: [] };
    }),
  );
  let isOver = false;
  const following: Promise<unknown>[] = [];
  for (const one of followers) {
    const { since } = await one.ask('now');
    const fail = (error: unknown) => isOver || one.wrong.push(String(error));
    following.push(follow(one, since, () => isOver).catch(fail));
  }
  await sleep(PATIENCE_MS / 10);
  const waitingMiB = residentMiB(child);

  const tookMs: number[] = [];
  let unseen = 0;
  for (let n = 0; n < imports; n++) {
    const which = all.filter((i) => (i * 7 + n * 5) % Math.round(1 / SHARE) === 0);
    const ids = which.map(idOf);
    const concerned = followers.filter(({ id }) => ids.includes(id));
    const rows = which.map((i) => numberRow(account(i), idOf(i), { comment: String(n) }));
    await load(store, 'virtual_numbers', rows);
    const committed = performance.now();
    while (concerned.some(({ seen }) => seen < n) && performance.now() - committed < PATIENCE_MS)
      await sleep(PAUSE_MS / 10);
    for (const { seen, at } of concerned) {
      if (seen === n) tookMs.push(Math.max(0, at - committed));
      else unseen += 1;
    }
    await sleep(PAUSE_MS);
  }
  const afterMiB = residentMiB(child);
  isOver = true;
  await store.close();
  await lists.remove();
  await Promise.all(following);
  agent.destroy();

  // A machine with other work is no reason to fail: the short form only says how long it took.
  const late = size === 'short' ? 0 : tookMs.filter((ms) => ms > SOON_MS).length;
  const wrong = followers.flatMap((one) => one.wrong);
  tookMs.sort((a, b) => a - b);
  const [middle, slow, longest] = [0.5, 0.99, 1].map((share) => Math.round(quantile(tookMs, share)));
  const took = `median ${middle} ms, p99 ${slow} ms, longest ${longest} ms`;
  const memory = `${idleMiB} MiB before, ${waitingMiB} MiB with ${howMany} waiting, ${afterMiB} MiB after ${imports} imports`;
  report(`${kind.name}: ${took}; ${memory}`);
  const answers = tookMs.length + unseen;
  const first = wrong.length > 0 ? { note: wrong[0] ?? '' } : {};
  return [
    { did: `${kind.name}: a follower got its change`, count: answers, wrong: unseen, note: memory },
    { did: `${kind.name}: within a second of the commit`, count: tookMs.length, wrong: late, note: took },
    { did: `${kind.name}: it got nothing else`, count: answers, wrong: wrong.length, ...first },
  ] satisfies DrillResult[];
}

export const drill: Drill = {
  name: 'followers',
  proves: ["Each of thousands of followers gets its own changes within a second, and nobody else's."],
  async run(size, report) {
    const results: DrillResult[] = [];
    for (const kind of stores) results.push(...(await followOn(kind, size, report)));
    return results;
  },
};
