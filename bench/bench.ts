// `npm run bench`: one command, one table. Makes the data once, starts Linecard and the limit, and asks both in
// interleaved rounds: requests a second, latency, memory, and the ratios that count.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon, { type Request, type Result } from 'autocannon';
import { openStore } from '../server/open.ts';
import { createToken } from '../server/tokens.ts';
import { type BenchAccount, benchAccounts, writeNumbers } from './data.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'bench', 'data');
const PORT = 8181;
const KEEPING_PORT = 8182;
const LIMIT_PORT = 8183;
const ROUNDS = 3;
const SECONDS = Number(process.argv[2] ?? 4);
const CONNECTIONS = 32;
const REQUESTS_A_CONNECTION = 500;
const NUMBERS = '/api/v1/did/me';
/** The server has the first core for itself, the load the second. */
const SERVER_CORE = '0';
const LOAD_CORE = '1';

interface Job {
  readonly name: string;
  readonly about: string;
  readonly kind: BenchAccount['kind'];
  /** The goal, as a share of the limit or of J1. */
  readonly goal?: readonly [share: number, of: 'limit' | 'J1'];
  path(random: (below: number) => number): string;
  readonly etag?: true;
  /** Also asked of the one that keeps answers. */
  readonly kept?: true;
  /** The goal when it is asked again. */
  readonly goal_again?: readonly [share: number, of: 'limit' | 'J1'];
}

const SEARCHES = ['desk', 'team 3', '44 20', 'desk 12', 'sk 4', '2071', '9 te', '+442'];
const COUNTRIES = ['GB', 'DE', 'FR', 'US', 'SE', 'IE', 'AU', 'CA'];

const JOBS: readonly Job[] = [
  {
    name: 'J1',
    about: 'first page, small accounts',
    kind: 'small',
    goal: [0.4, 'limit'],
    goal_again: [0.75, 'limit'],
    kept: true,
    path: () => NUMBERS,
  },
  {
    name: 'J2',
    about: 'two countries by due date, page 3, 10,000 numbers',
    kind: 'ten_thousand',
    goal: [0.5, 'J1'],
    kept: true,
    path: (random) => {
      const codes = [COUNTRIES[random(4)], COUNTRIES[4 + random(4)]]
        .map((code) => `country_codes=${code}`)
        .join('&');
      return `${NUMBERS}?${codes}&sort_by=next_payment_at&sort_order=desc&page=3`;
    },
  },
  {
    name: 'J3',
    about: 'search, 10,000 numbers',
    kind: 'ten_thousand',
    path: (random) => `${NUMBERS}?q=${encodeURIComponent(SEARCHES[random(SEARCHES.length)] ?? '')}`,
  },
  {
    name: 'J4',
    about: 'page 1,000, 10,000 numbers',
    kind: 'ten_thousand',
    goal: [0.5, 'J1'],
    kept: true,
    path: () => `${NUMBERS}?page=1000`,
  },
  { name: 'J6', about: 'first page, 200,000 numbers', kind: 'huge', goal: [0.5, 'J1'], path: () => NUMBERS },
  {
    name: 'J7',
    about: 'J1 with If-None-Match',
    kind: 'small',
    goal_again: [0.75, 'limit'],
    kept: true,
    path: () => NUMBERS,
    etag: true,
  },
];

const tokens = new Map<string, string>();
const etags = new Map<string, string>();

function pinned(core: string): string[] {
  return spawnSync('taskset', ['--version']).status === 0 ? ['taskset', '-c', core] : [];
}

function start(core: string, ...words: string[]): ChildProcess {
  const [command = '', ...rest] = [...pinned(core), process.execPath, ...words];
  return spawn(command, rest, { stdio: ['ignore', 'ignore', 'inherit'], cwd: ROOT });
}

async function untilUp(url: string): Promise<void> {
  for (let i = 0; i < 100; i++) {
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch {
      await sleep(50);
    }
  }
  throw new Error(`${url} does not answer`);
}

/** The database, made once for each version of its schema: delete bench/data to make it anew. */
async function prepare(accounts: readonly BenchAccount[]): Promise<string> {
  mkdirSync(FOLDER, { recursive: true });
  const database = join(FOLDER, 'bench.db');
  const database_url = `sqlite:${database}`;
  if (!existsSync(database)) {
    const file = join(FOLDER, 'numbers.csv');
    writeNumbers(file, accounts);
    const words = ['server/main.ts', 'import', 'virtual-numbers', file, '--database-url', database_url];
    spawnSync(process.execPath, words, { stdio: 'inherit', cwd: ROOT });
  }
  const kept = join(FOLDER, 'tokens.json');
  if (!existsSync(kept)) {
    const store = await openStore(database_url, 'write');
    const made: [string, string][] = [];
    for (const { id } of accounts) made.push([id, (await createToken(store, id, 'bench'))?.token ?? '']);
    await store.close();
    writeFileSync(kept, JSON.stringify(made));
  }
  for (const [id, token] of JSON.parse(readFileSync(kept, 'utf8')) as [string, string][])
    tokens.set(id, token);
  return database_url;
}

function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function requestsOf(job: Job, accounts: readonly BenchAccount[], seed: number): Request[] {
  const random = randomFrom(seed);
  const candidates = accounts.filter(({ kind }) => kind === job.kind);
  return Array.from({ length: REQUESTS_A_CONNECTION }, () => {
    const account = candidates[random(candidates.length)] as BenchAccount;
    const headers: Record<string, string> = { authorization: tokens.get(account.id) ?? '' };
    if (job.etag === true) headers['if-none-match'] = etags.get(account.id) ?? '';
    return { method: 'GET', path: job.path(random), headers };
  });
}

function load(port: number, job: Job, accounts: readonly BenchAccount[], round: number): Promise<Result> {
  let connection = 0;
  return new Promise((resolve, reject) => {
    autocannon(
      {
        url: `http://127.0.0.1:${port}`,
        connections: CONNECTIONS,
        duration: SECONDS,
        setupClient(client) {
          connection += 1;
          client.setRequests(requestsOf(job, accounts, round * 1_000 + connection));
        },
      },
      (error: Error | null, result) => (error === null ? resolve(result) : reject(error)),
    );
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function residentMebibytes({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024);
}

interface Figures {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

function figuresOf(results: readonly Result[]): Figures {
  return {
    rate: median(results.map((one) => one.requests.average)),
    p50: median(results.map((one) => one.latency.p50)),
    p99: median(results.map((one) => one.latency.p99)),
    failed: results.reduce((sum, one) => sum + one.errors + one.timeouts + one['4xx'] + one['5xx'], 0),
  };
}

const count = (n: number) => Math.round(n).toLocaleString('en').padStart(8);

const accounts = benchAccounts();
const database_url = await prepare(accounts);
spawnSync('taskset', ['-cp', LOAD_CORE, String(process.pid)]);
/** Two of us: one that keeps nothing between requests, and one as it is installed. */
function startLinecard(port: number, ...more: string[]): ChildProcess {
  const words = [
    '--database-url',
    database_url,
    '--port',
    String(port),
    '--rate-limit',
    '0',
    '--log-level',
    'error',
  ];
  return start(SERVER_CORE, 'server/main.ts', 'serve', ...words, ...more);
}
const fresh = startLinecard(PORT, '--keep', '0');
const keeping = startLinecard(KEEPING_PORT);
await untilUp(`http://127.0.0.1:${PORT}/readyz`);
await untilUp(`http://127.0.0.1:${KEEPING_PORT}/readyz`);
console.log(`idle: ${residentMebibytes(keeping)} MiB`);
for (const { id, kind } of accounts) {
  if (kind !== 'small') continue;
  const answer = await fetch(`http://127.0.0.1:${PORT}${NUMBERS}`, {
    headers: { authorization: tokens.get(id) ?? '' },
  });
  etags.set(id, answer.headers.get('etag') ?? '');
  writeFileSync(join(FOLDER, 'page.json'), await answer.text());
}
const limit = start(SERVER_CORE, 'bench/limit.ts', String(LIMIT_PORT), join(FOLDER, 'page.json'));
await untilUp(`http://127.0.0.1:${LIMIT_PORT}/`);

const rounds = new Map<string, Result[]>();
for (let round = 0; round < ROUNDS; round++) {
  const systems = [
    ['limit', LIMIT_PORT, JOBS[0] as Job],
    ...JOBS.filter(({ etag }) => etag === undefined).map((job) => [job.name, PORT, job] as const),
    ...JOBS.filter(({ kept }) => kept === true).map(
      (job) => [`${job.name} again`, KEEPING_PORT, job] as const,
    ),
  ] as const;
  for (const [name, port, job] of systems) {
    const results = rounds.get(name) ?? [];
    results.push(await load(port, job, accounts, round));
    rounds.set(name, results);
  }
}
console.log(
  `after the load: ${residentMebibytes(fresh)} MiB keeping nothing, ${residentMebibytes(keeping)} MiB as installed`,
);
fresh.kill();
keeping.kill();
limit.kill();

const figures = new Map([...rounds].map(([name, results]) => [name, figuresOf(results)]));
console.log('\njob        requests/s  p50 ms  p99 ms  of limit   of J1  goal');
for (const [name, { rate, p50, p99, failed }] of figures) {
  const job = JOBS.find((one) => one.name === name.replace(' again', ''));
  const again = name.endsWith(' again');
  const shares = {
    limit: rate / (figures.get('limit')?.rate ?? 1),
    J1: rate / (figures.get('J1')?.rate ?? 1),
  };
  const [goal, of] = (again ? job?.goal_again : job?.goal) ?? [];
  const verdict =
    goal === undefined || of === undefined
      ? ''
      : `${goal} of ${of}: ${shares[of] >= goal ? 'met' : 'MISSED'}`;
  const line = [
    name.padEnd(10),
    count(rate).padStart(10),
    String(p50).padStart(7),
    String(p99).padStart(7),
    shares.limit.toFixed(2).padStart(9),
    shares.J1.toFixed(2).padStart(7),
    ` ${verdict}${failed > 0 ? ` ${failed} FAILED` : ''}`,
    job === undefined ? ' bare node:http' : ` ${job.about}`,
  ];
  console.log(line.join(' '));
}
