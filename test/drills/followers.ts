// Many customers who wait for changes (docs/generated/api.md, "Staying up to date"), while one import comes
// after the other: who gets what, and when, and what the server needs for it.

import type { ChildProcess } from 'node:child_process';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { insertAccount } from '../../server/store/accounts.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { createToken } from '../../server/store/tokens.ts';
import { hardRows } from '../kit/hard-rows.ts';
import type { ModelRow } from '../kit/model.ts';
import { memoryOf } from '../kit/process-facts.ts';
import { type Serving, serveProgram, stopProgram } from '../kit/program.ts';
import { load, type StoreKind, stores } from '../kit/service.ts';
import { type BySize, type Drill, type DrillResult, type DrillSize, ofSize } from './drill.ts';

const PATH = '/api/v1/did/me/changes';
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

const [ROW] = hardRows.virtual_numbers as unknown as [ModelRow];

interface ChangesAnswer {
  readonly data: readonly { readonly id: number; readonly item: { readonly comment: string } | null }[];
  readonly since: string;
  readonly more: boolean;
}

/** One customer's program: it waits, applies what comes, and waits again. */
class Follower {
  readonly id: number;
  readonly #ask: (since: string, headers: Record<string, string>) => Promise<ChangesAnswer>;
  #since = 'now';
  /** The import that it has seen last, and when. */
  seen = -1;
  at = 0;
  /** What came that is not of its account, or that came twice. */
  readonly wrong: string[] = [];
  #isStopped = false;

  constructor(id: number, ask: Follower['ask']) {
    this.id = id;
    this.#ask = ask;
  }

  get ask() {
    return this.#ask;
  }

  async begin(): Promise<void> {
    this.#since = (await this.#ask('now', {})).since;
  }

  async follow(): Promise<void> {
    while (!this.#isStopped) {
      const { data, since, more } = await this.#ask(this.#since, { prefer: WAIT });
      if (this.#isStopped) return;
      this.#since = since;
      for (const { id, item } of data) {
        const number = Number(item?.comment);
        if (id !== this.id || !(number > this.seen)) this.wrong.push(`${this.id}: ${id} ${item?.comment}`);
        else [this.seen, this.at] = [number, performance.now()];
      }
      if (more) this.wrong.push(`${this.id}: there is more`);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of answer.setEncoding('utf8')) body += chunk as string;
  return body;
}

/** A server in a process of its own. */
function serve(database_url: string): Promise<Serving> {
  const words = ['serve', '--rate-limit', '0', '--log-level', 'error'];
  // All followers come from one address, which may have only some connections unless it is a proxy.
  words.push('--trust-proxy', '127.0.0.1');
  return serveProgram([...words, '--database-url', database_url]);
}

const residentMiB = ({ pid = 0 }: ChildProcess) => Math.round(memoryOf(pid) / BYTES_A_MEBIBYTE);

/** Accounts with one number each, and a token of each. */
async function accountsIn(store: Store, count: number): Promise<{ id: string; token: string }[]> {
  const ids = Array.from({ length: count }, (_, i) => `follower-${i}`);
  await setImmediate();
  await store.write(...ids.map((id) => insertAccount(id)));
  const made: { id: string; token: string }[] = [];
  for (const id of ids) made.push({ id, token: (await createToken(store, id, 'follower'))?.token ?? '' });
  return made;
}

const middleOf = (all: readonly number[], share: number) =>
  Math.round(all.toSorted((a, b) => a - b)[Math.floor(share * (all.length - 1))] ?? 0);

async function followOn(kind: StoreKind, size: DrillSize, report: (line: string) => void) {
  const { followers: howMany, imports } = ofSize(SIZES, size);
  const database = await kind.make();
  const store = await openStore(database.url, 'write');
  const accounts = await accountsIn(store, howMany / FOLLOWERS_AN_ACCOUNT);
  const rowsOf = (which: readonly number[], comment: number) =>
    which.map((i) => ({ ...ROW, account_id: accounts[i]?.id ?? '', id: i + 1, comment: String(comment) }));
  const all = accounts.map((_, i) => i);
  // The lists are not empty, so that each change stands in the log.
  await load(store, 'virtual_numbers', rowsOf(all, -1));
  const server = await serve(database.url);
  const { child, url } = server;
  const agent = new Agent({ keepAlive: true });
  const ask = (token: string) => async (since: string, headers: Record<string, string>) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = { agent, headers: { ...headers, authorization: token } };
    request(`${url}${PATH}?since=${since}`, options).once('response', resolve).once('error', reject).end();
    const answer = await promise;
    const body = await bodyOf(answer);
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${body}`);
    return JSON.parse(body) as ChangesAnswer;
  };
  const idleMiB = residentMiB(child);
  const followers = accounts.flatMap(({ token }, i) =>
    Array.from({ length: FOLLOWERS_AN_ACCOUNT }, () => new Follower(i + 1, ask(token))),
  );
  for (const one of followers) await one.begin();
  const following = followers.map((one) =>
    one.follow().catch((error: unknown) => void one.wrong.push(String(error))),
  );
  await sleep(PATIENCE_MS / 10);
  const waitingMiB = residentMiB(child);

  const tookMs: number[] = [];
  let unseen = 0;
  for (let n = 0; n < imports; n++) {
    const which = all.filter((i) => (i * 7 + n * 5) % Math.round(1 / SHARE) === 0);
    const concerned = followers.filter(({ id }) => which.includes(id - 1));
    await load(store, 'virtual_numbers', rowsOf(which, n));
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
  for (const one of followers) one.stop();
  await Promise.all([...following, stopProgram(server)]);
  agent.destroy();
  await store.close();
  await database.remove();

  // A machine with other work is no reason to fail: the short form only says how long it took.
  const late = size === 'short' ? 0 : tookMs.filter((ms) => ms > SOON_MS).length;
  const wrong = followers.flatMap((one) => one.wrong);
  const took = `median ${middleOf(tookMs, 0.5)} ms, p99 ${middleOf(tookMs, 0.99)} ms, longest ${middleOf(tookMs, 1)} ms`;
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
  proves: ["Of thousands of followers, each gets its own changes within a second, and none of another's."],
  async run(size, report) {
    const results: DrillResult[] = [];
    for (const kind of stores) results.push(...(await followOn(kind, size, report)));
    return results;
  },
};
