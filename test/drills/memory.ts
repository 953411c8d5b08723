// The memory of a service under hostile clients, one kind after the other and all of them together:
// it must stay under what a container would give it.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MCP_PATH } from '../../api/contract/addresses.ts';
import { MAX_TEXT_CHARACTERS } from '../../api/contract/contract.ts';
import { timestampOf } from '../../api/contract/timestamp.ts';
import { SHOWN_ATTEMPTS } from '../../api/contract/webhooks.ts';
import { type BenchAccount, writeNumbers } from '../../bench/data.ts';
import { createAccount } from '../../server/store/access/accounts.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { newId } from '../../server/store/log/audit.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { recordAttempt } from '../../server/store/webhooks/webhook-records.ts';
import { Issuer } from '../kit/issuer.ts';
import { forgetMostMemory, memoryOf, withinMemory } from '../kit/process-facts.ts';
import { mustRun, type Serving, serveProgram, stopProgram } from '../kit/program.ts';
import type { StoreKind } from '../kit/service.ts';
import { type RawAnswer, RawConnection } from '../kit/sockets.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { Webhooks } from '../kit/webhooks.ts';
import {
  type BySize,
  type Drill,
  type DrillResult,
  type DrillSize,
  ofSize,
  onStores,
  Tally,
} from './drill.ts';

const PATH = '/api/v1/did/me';
const MEBIBYTE = 1_048_576;
/** What a container would give it, in MiB. */
const MAX_MIB = 512;
const WITHIN = withinMemory(MAX_MIB * MEBIBYTE);
/** As deploy/Containerfile sets it. */
const MALLOC = { MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '2097152' };
/** How memory is measured, as a sentence. */
const HOW_MEASURED =
  WITHIN.length === 0
    ? 'no cgroup can be made: memory is the most that the process has had resident'
    : `in a cgroup of ${MAX_MIB} MiB, resident`;
/** Whose access tokens are accepted, and the most accounts that one of them may name. */
const PUBLIC_URL = 'https://lists.example.com';
const NAMED_ACCOUNTS = 50;
/** The part of the filters that goes to accounts with indexes. */
const INDEXED_FILTERS = 0.1;

/** How much of each kind there is. */
const FULL = {
  huge: 200_000,
  /** Numbers of an account whose index takes nearly what all indexes may. */
  large: 95_000,
  medium: { accounts: 124, numbers: 12_000 },
  small: 100,
  longUrls: 2_500,
  filters: 60_000,
  pipelines: { sockets: 20, pages: 100 },
  unread: 500,
  exports: 500,
  waiting: 2_000,
  bodies: 500,
  /** Pages of items that are as long as they can be; the accounts that have such, and how many each. */
  longPages: { pages: 256, accounts: 32, items: 1_000 },
  /** Batches of calls about the webhooks of one account, sent with a few of its tokens. */
  batches: { posts: 120, tokens: 20, webhooks: 60 },
  accessTokens: 50_000,
  holdMs: 6_000,
};
type Amounts = Readonly<typeof FULL>;
const AMOUNTS: BySize<Amounts> = {
  short: {
    huge: 20_000,
    large: 10_000,
    medium: { accounts: 10, numbers: 1_500 },
    small: 20,
    longUrls: 300,
    filters: 1_500,
    pipelines: { sockets: 5, pages: 100 },
    unread: 40,
    exports: 40,
    waiting: 200,
    bodies: 40,
    longPages: { pages: 16, accounts: 4, items: 100 },
    batches: { posts: 8, tokens: 4, webhooks: 10 },
    accessTokens: 500,
    holdMs: 300,
  },
  long: {
    ...FULL,
    medium: { accounts: 50, numbers: 12_000 },
    longUrls: 1_000,
    filters: 6_000,
    accessTokens: 10_000,
    holdMs: 4_000,
  },
  full: FULL,
};

const smallAccount = (i: number) => `small-${i}`;

function accountsOf({ huge, large, medium, small }: Amounts): BenchAccount[] {
  let first = 1;
  const account = (id: string, kind: BenchAccount['kind'], count: number): BenchAccount => {
    first += count;
    return { id, kind, first: first - count, numbers: count };
  };
  return [
    account('huge', 'huge', huge),
    account('large', 'huge', large),
    ...Array.from({ length: medium.accounts }, (_, i) =>
      account(`medium-${i}`, 'ten_thousand', medium.numbers),
    ),
    ...Array.from({ length: small }, (_, i) => account(smallAccount(i), 'small', 50)),
  ];
}

const longAccount = (i: number) => `long-${i}`;
/** Of characters of four bytes. */
const LONG_TEXT = '😀'.repeat(MAX_TEXT_CHARACTERS);

function longItems({ longPages: { accounts, items } }: Amounts): string {
  const rest = `${LONG_TEXT},${LONG_TEXT},active,active,monthly,2026-02-10T16:04:11Z`;
  const lines = Array.from(
    { length: accounts * items },
    (_, i) => `${longAccount(Math.floor(i / items))},${900_000_001 + i},+4420${80_000_000 + i},${rest}\n`,
  );
  return `account_id,id,did,comment,provider,status,subscription_status,frequency,created_at\n${lines.join('')}`;
}

/** Gives an account webhooks, each with all attempts that are retained; returns tokens of it. */
async function hookedTokens(store: Store, account_id: string, { batches }: Amounts): Promise<string[]> {
  await createAccount(store, account_id);
  const settings = { maxWebhooks: batches.webhooks, allow: [], keys: () => [Buffer.alloc(32)] };
  const webhooks = new Webhooks(store, settings, { origin: 'command', actor: 'drill' });
  for (let i = 0; i < batches.webhooks; i++) {
    const { id } = await webhooks.create(account_id, {
      url: `https://crm${i}.example.com/`,
      name: `CRM ${i}`,
    });
    for (let n = 0; n < SHOWN_ATTEMPTS; n++) {
      const about = { webhook_id: id, account_id, message_id: `msg_${i}_${n}`, type: 'webhook.test' };
      const outcome = { status: null, fault: 'x'.repeat(200), ms: 15_000, next_at: null };
      await store.write(...recordAttempt({ ...about, ...outcome, id: newId(), at: timestampOf() }));
    }
  }
  const made = Array.from({ length: batches.tokens }, () => createToken(store, account_id, 'drill'));
  return (await Promise.all(made)).map((one) => one?.token ?? '');
}

async function deploy(database: string, amounts: Amounts) {
  const folder = temporaryFolder();
  const accounts = accountsOf(amounts);
  const file = join(folder, 'numbers.csv');
  writeNumbers(file, accounts);
  await mustRun(['import', 'virtual-numbers', file, '--database-url', database]);
  writeFileSync(file, longItems(amounts));
  await mustRun(['import', 'virtual-numbers', file, '--database-url', database]);
  rmSync(folder, { recursive: true });
  const store = await openStore(database, 'write');
  const made: string[] = [];
  const long = Array.from({ length: amounts.longPages.accounts }, (_, i) => longAccount(i));
  for (const id of [...accounts.map((one) => one.id), ...long])
    made.push((await createToken(store, id, 'drill'))?.token ?? '');
  const hooked = await hookedTokens(store, 'hooked', amounts);
  await store.close();
  const [huge = '', ...tokens] = made.slice(0, accounts.length);
  const count = amounts.medium.accounts + 1;
  return {
    huge,
    /** Of the account with webhooks. */
    hooked,
    /** Of the accounts with long items. */
    long: made.slice(accounts.length),
    /** Of the large and the medium accounts, one each; of the small ones; and of all these. */
    medium: tokens.slice(0, count),
    small: tokens.slice(count),
    tokens,
  };
}
type Deployment = Awaited<ReturnType<typeof deploy>>;

/** How many connections come from one address. */
const AN_ADDRESS = 250;
const addressOf = (i: number) =>
  `127.0.${1 + (Math.floor(i / AN_ADDRESS) >> 8)}.${1 + (Math.floor(i / AN_ADDRESS) & 255)}`;

const get = (token: string, target: string, more = '') =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n${more}\r\n`;

const BATCH = JSON.stringify(
  Array.from({ length: 100 }, (_, id) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'webhooks', arguments: {} },
  })),
);
const post = (token: string, target: string, body: string) =>
  get(
    token,
    target,
    `Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n`,
  ).replace('GET', 'POST') + body;

/** A deployment under hostile clients. */
class Attack {
  readonly at: Deployment;
  readonly amounts: Amounts;
  readonly issuer: Issuer;
  readonly #port: number;

  constructor(at: Deployment, port: number, { amounts, issuer }: { amounts: Amounts; issuer: Issuer }) {
    this.at = at;
    this.#port = port;
    this.amounts = amounts;
    this.issuer = issuer;
  }

  /** A token of these, each in its turn. */
  token(i: number, tokens: readonly string[] = this.at.tokens): string {
    return tokens[i % tokens.length] ?? '';
  }

  /** Sends requests over a few connections, by these tokens, one after the other. */
  async each(
    count: number,
    request: (i: number, token: string) => string | Promise<string>,
    tokens: readonly string[] = this.at.tokens,
  ): Promise<Tally> {
    const tally = new Tally();
    let next = 0;
    const walk = async (lane: number) => {
      const connection = await RawConnection.open(this.#port, addressOf(lane));
      for (let i = next++; i < count; i = next++) {
        const { status } = await connection.ask(await request(i, this.token(Math.floor(i / 7), tokens)));
        tally.add([200, 429, 503].includes(status) ? undefined : `${status}`);
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: 16 }, (_, lane) => walk(lane)));
    return tally;
  }

  /** The same, each over a connection of its own, all concurrently. */
  async together(count: number, from: number, request: (i: number) => string): Promise<Tally> {
    const tally = new Tally();
    const one = async (i: number) => {
      const { status } = await this.once(request(i), addressOf(from + i));
      tally.add([200, 429, 503].includes(status) ? undefined : `${status}`);
    };
    await Promise.all(Array.from({ length: count }, (_, i) => one(i)));
    return tally;
  }

  async once(request: string, from?: string): Promise<RawAnswer> {
    const connection = await RawConnection.open(this.#port, from);
    const answer = await connection.ask(request);
    connection.close();
    return answer;
  }

  /** Sends requests, each over a connection of its own, and reads nothing for a while. */
  async unread(
    count: number,
    from: number,
    request: (i: number) => string,
    faultOf: (one: RawConnection) => string | undefined = () => undefined,
  ): Promise<Tally> {
    const open: RawConnection[] = [];
    const one = async (i: number) => {
      const connection = await RawConnection.open(this.#port, addressOf(from + i));
      connection.socket.pause();
      connection.socket.write(request(i), 'latin1');
      open.push(connection);
    };
    for (let i = 0; i < count; i += 50) {
      await Promise.all(Array.from({ length: Math.min(50, count - i) }, (_, j) => one(i + j)));
    }
    const tally = new Tally();
    for (const connection of open) tally.add(faultOf(connection));
    await sleep(this.amounts.holdMs);
    for (const connection of open) connection.close();
    return tally;
  }

  /** Whether a well-behaved customer gets a page. */
  async isWell(): Promise<boolean> {
    return (await this.once(get(this.at.tokens.at(-1) ?? '', PATH), '127.200.0.1')).status === 200;
  }
}

const SORTS = 'comment next_payment_at monthly did country status provider created_at'.split(' ');
const ORDERS = ['_default', 'comment', 'did', 'created_at'];

interface Kind {
  readonly what: string;
  readonly attack: (one: Attack) => Promise<Tally>;
}

const KINDS: Readonly<Record<string, Kind>> = {
  longUrls: {
    what: 'long URLs, each another',
    attack(one) {
      const pad = 'a'.repeat(65_300);
      return one.each(one.amounts.longUrls, (i, token) =>
        get(token, `${PATH}?page_size=${1 + (i % 9)}&providers=x&providers=${i}${pad}`),
      );
    },
  },
  // Some of accounts whose lists have indexes in memory, most of small ones, which are answered immediately.
  filters: {
    what: 'different filters',
    async attack(one) {
      const few = Math.round(one.amounts.filters * INDEXED_FILTERS);
      const request = (i: number, token: string) =>
        get(
          token,
          `${PATH}?page_size=5&providers=x${i}&providers=Carrier%20${i % 9}%2C%20Inc&statuses=active&sort_by=${SORTS[i % SORTS.length]}`,
        );
      const tally = await one.each(few, request, one.at.medium);
      const rest = one.amounts.filters - few;
      return tally.with(await one.each(rest, (i, token) => request(few + i, token), one.at.small));
    },
  },
  pipelines: {
    what: 'connections with pipelined pages that are not read',
    attack(one) {
      const { sockets, pages } = one.amounts.pipelines;
      const text = get(one.at.huge, `${PATH}?page_size=1000`).repeat(pages);
      return one.unread(sockets, 0, () => text);
    },
  },
  unread: {
    what: 'connections with a large page each that is not read',
    attack: (one) =>
      one.unread(one.amounts.unread, 2_000, (i) =>
        get(one.token(i), `${PATH}?page_size=1000&page=${1 + (i % 5)}`),
      ),
  },
  exports: {
    what: 'exports that are not read on',
    attack(one) {
      const all = [one.at.huge, ...one.at.medium];
      return one.unread(one.amounts.exports, 3_000, (i) =>
        get(
          one.token(i, all),
          `${PATH}?sort_by=${i % 2 ? 'comment' : '_default'}`,
          `Accept: application/x-ndjson\r\n${i % 3 ? '' : 'Accept-Encoding: gzip\r\n'}`,
        ),
      );
    },
  },
  waiting: {
    what: 'requests that wait',
    async attack(one) {
      const target = `${PATH}?page_size=1`;
      const etags: (string | undefined)[] = [];
      for (const token of one.at.tokens) etags.push((await one.once(get(token, target))).etag);
      const waits = (i: number) => `If-None-Match: ${etags[i % etags.length]}\r\nPrefer: wait=55\r\n`;
      return one.unread(
        one.amounts.waiting,
        4_000,
        (i) => get(one.token(i), target, waits(i)),
        ({ socket }) => (socket.destroyed ? 'closed' : undefined),
      );
    },
  },
  bodies: {
    what: 'large bodies that lack their end',
    attack(one) {
      const head = 'Content-Type: application/json\r\nContent-Length: 1048576\r\n';
      const body = `{"statuses":["${'a'.repeat(1_048_500)}`;
      return one.unread(
        one.amounts.bodies,
        6_000,
        (i) => get(one.token(i), PATH, head).replace('GET', 'QUERY') + body,
      );
    },
  },
  batches: {
    what: 'batches of 100 calls of a tool, about many webhooks',
    attack(one) {
      return one.together(one.amounts.batches.posts, 10_000, (i) =>
        post(one.token(i, one.at.hooked), MCP_PATH, BATCH),
      );
    },
  },
  // As of a portal whose people have 50 accounts each: a cache is bounded by bytes, not by tokens.
  accessTokens: {
    what: `access tokens that name ${NAMED_ACCOUNTS} accounts, each another`,
    attack(one) {
      return one.each(one.amounts.accessTokens, async (i) => {
        const account_id = Array.from({ length: NAMED_ACCOUNTS }, (_, n) =>
          n === 0 ? smallAccount(0) : `${'account'.repeat(8)}-${i}-${n}`,
        );
        const token = await one.issuer.sign({ aud: PUBLIC_URL, sub: `portal ${i}`, account_id });
        return get(`Bearer ${token}`, `${PATH}?page_size=1`, `Linecard-Account: ${smallAccount(0)}\r\n`);
      });
    },
  },
  longPages: {
    what: 'pages of 1,000 items that are as long as they can be',
    attack(one) {
      const { long } = one.at;
      const order = (i: number) => ORDERS[Math.floor(i / long.length) % ORDERS.length];
      return one.together(one.amounts.longPages.pages, 8_000, (i) =>
        get(one.token(i, long), `${PATH}?page_size=1000&sort_by=${order(i)}`),
      );
    },
  },
};

const isAlive = ({ child }: Serving) => child.exitCode === null && child.signalCode === null;
const mebibytesOf = ({ child }: Serving, which?: 'most') =>
  Math.round(memoryOf(child.pid ?? 0, which) / MEBIBYTE);

/** Runs kinds, together, and says how much memory there was. */
async function measure(
  kinds: readonly Kind[],
  attack: Attack,
  server: Serving,
  did: string,
): Promise<DrillResult> {
  forgetMostMemory(server.child.pid ?? 0);
  const tallies = await Promise.all(kinds.map((kind) => kind.attack(attack)));
  const tally = tallies.reduce((all, one) => all.with(one), new Tally());
  const peak = mebibytesOf(server, 'most');
  if (!isAlive(server)) tally.add(`the process ended: ${server.said.all.slice(-200)}`);
  else if (peak > MAX_MIB) tally.add(`${peak} MiB`);
  else if (!(await attack.isWell())) tally.add('a page was not answered afterwards');
  return tally.result(did, `${peak} MiB at most, ${mebibytesOf(server)} afterwards`);
}

async function drillOn(
  kind: StoreKind,
  size: DrillSize,
  report: (line: string) => void,
): Promise<DrillResult[]> {
  const database = await kind.make();
  const amounts = ofSize(AMOUNTS, size);
  const issuer = await Issuer.open();
  const only = process.env['DRILL_KINDS']?.split(',');
  const kinds = Object.entries(KINDS).flatMap(([name, one]) => ((only?.includes(name) ?? true) ? [one] : []));
  try {
    const at = await deploy(database.url, amounts);
    const env = { ...MALLOC, LINECARD_DATABASE_URL: database.url };
    const words = ['serve', '--jwt-issuer', issuer.url, '--public-url', PUBLIC_URL];
    const server = await serveProgram(words, { env, within: WITHIN });
    const attack = new Attack(at, Number(new URL(server.url).port), { amounts, issuer });
    const results: DrillResult[] = [];
    try {
      report(`${kind.name}: ${mebibytesOf(server)} MiB at the start, ${HOW_MEASURED}`);
      // What a kind by itself takes differs little between the stores.
      for (const one of size === 'full' || kind.name === 'SQLite' ? kinds : []) {
        results.push(await measure([one], attack, server, `${kind.name}: ${one.what}`));
        report(JSON.stringify(results.at(-1)));
        if (!isAlive(server)) return results;
      }
      results.push(await measure(kinds, attack, server, `${kind.name}: all of them together`));
      report(JSON.stringify(results.at(-1)));
      await sleep(amounts.holdMs);
      report(`${kind.name}: ${mebibytesOf(server)} MiB at the end`);
    } finally {
      await stopProgram(server);
    }
    return results;
  } finally {
    issuer.close();
    await database.remove();
  }
}

export const drill: Drill = {
  name: 'memory',
  // Memory is measured with much; there each of these limits is tested with little.
  short: 'test/api/hostile-clients.long.test.ts',
  proves: [
    `The memory of a service stays under ${MAX_MIB} MiB, whatever its clients send, hold back or leave unread, one after the other and together.`,
  ],
  run: (size, report) => onStores(size, (kind) => drillOn(kind, size, report)),
};
