// Load on one server for some seconds: 32 keep-alive connections, a list of requests gone through again and
// again. By wrk where the machine has it, since it can outrun bare node:http; else by autocannon, which
// cannot quite.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';
import { FOLDER } from './deployment.ts';
import { asLoad, CORES, pinned, type Running } from './running.ts';

const CONNECTIONS = 32;
/** As long as autocannon waits. */
const TIMEOUT = '10s';
const SCRIPT = join(import.meta.dirname, 'wrk.lua');
const REQUESTS_FILE = join(FOLDER, 'requests');

/** One request of a list: all are GET, and the same for every system. */
export interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What one system did in one round. */
export interface Round {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's processor for each request. */
  readonly processor: number;
  /** Answers of 400 and more, broken connections, time-outs. */
  readonly failed: number;
}

type Outcome = Omit<Round, 'processor'> & { readonly requests: number };

export const LOADS = ['wrk', 'autocannon'] as const;
export type Load = (typeof LOADS)[number];

/** The best that the machine has. */
export function loadAtHand(): Load {
  return spawnSync('wrk', ['--version']).error === undefined ? 'wrk' : 'autocannon';
}

function onTheWire({ path, headers }: Request): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nHost: linecard.example\r\n${lines.join('')}\r\n`;
}

async function byWrk(url: string, requests: readonly Request[], seconds: number): Promise<Outcome> {
  writeFileSync(REQUESTS_FILE, requests.map(onTheWire).join('\0'));
  const words = [
    'wrk',
    '-t',
    '1',
    '-c',
    String(CONNECTIONS),
    '-d',
    `${seconds}s`,
    '--timeout',
    TIMEOUT,
    '-s',
    SCRIPT,
  ];
  const [command, args] = pinned(CORES.load, ...words, url, '--', REQUESTS_FILE);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const figures = /^\{.*\}$/m.exec(said)?.[0];
  if (figures === undefined) throw new Error(`wrk gave no figures: ${said}`);
  return JSON.parse(figures) as Outcome;
}

async function byAutocannon(url: string, requests: readonly Request[], seconds: number): Promise<Outcome> {
  let connection = 0;
  const result = await asLoad(async () =>
    autocannon({
      url,
      connections: CONNECTIONS,
      duration: seconds,
      setupClient(client) {
        const share = requests.filter((_, i) => i % CONNECTIONS === connection);
        client.setRequests(share.map((one) => ({ method: 'GET' as const, ...one })));
        connection += 1;
      },
    }),
  );
  const { requests: answered, latency, errors, timeouts } = result;
  return {
    requests: answered.total,
    rate: answered.average,
    p50: latency.p50,
    p99: latency.p99,
    failed: errors + timeouts + result['4xx'] + result['5xx'],
  };
}

/** Asks a server for so long. */
export async function load(
  by: Load,
  server: Running,
  requests: readonly Request[],
  seconds: number,
): Promise<Round> {
  const before = server.processor_seconds;
  const { requests: count, ...round } = await (by === 'wrk' ? byWrk : byAutocannon)(
    server.url,
    requests,
    seconds,
  );
  return { ...round, processor: ((server.processor_seconds - before) * 1_000_000) / Math.max(1, count) };
}
