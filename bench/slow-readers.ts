// What exports cost while they are read: one at full speed, then twenty at once by readers that take their
// time, while another account asks for pages. `node bench/slow-readers.ts [seconds]`. The data is made once.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { embedded, ROOT } from './deployment.ts';

const PORT = 8184;
const SECONDS = Number(process.argv[2] ?? 15);
const READERS = 20;
const BYTES_A_SECOND = 200_000;
const ROWS = 200_000;
const ROUNDS = 3;
const NUMBERS = '/api/v1/did/me';
const SETTLE_MILLISECONDS = 3_000;
const SAMPLE_MILLISECONDS = 50;
/** What any load leaves behind in the memory of a process is no fault of exports. */
const WARM_UP_PAGES = 5_000;
/** Between one page of the other account and the next. */
const PAGE_MILLISECONDS = 5;
const FORMS = [
  ['CSV', 'text/csv', 'identity'],
  ['NDJSON', 'application/x-ndjson', 'identity'],
  ['CSV, gzip', 'text/csv', 'gzip'],
  ['NDJSON, gzip', 'application/x-ndjson', 'gzip'],
] as const;

const { tokens, database_url } = await embedded();
const words = ['--database-url', database_url, '--port', String(PORT)];
const server = spawn(
  process.execPath,
  ['server/main.ts', 'serve', ...words, '--rate-limit', '0', '--log-level', 'error'],
  { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] },
);
process.on('exit', () => server.kill());
await once(server.stderr, 'data');

const mebibytes = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1_024;
const descriptors = () => readdirSync(`/proc/${server.pid}/fd`).length;

let most = 0;
setInterval(() => {
  most = Math.max(most, mebibytes());
}, SAMPLE_MILLISECONDS);

function headersOf(account: string, accept: string, coding: string): Record<string, string> {
  return { authorization: `Bearer ${tokens.get(account)}`, accept, 'accept-encoding': coding };
}

/** Reads an answer to its end as fast as it comes; gives milliseconds. */
async function fetched(account: string, accept: string, coding: string): Promise<number> {
  const began = performance.now();
  const outgoing = request({ port: PORT, path: NUMBERS, headers: headersOf(account, accept, coding) }).end();
  const [answer] = await once(outgoing, 'response');
  answer.resume();
  await once(answer, 'end');
  return performance.now() - began;
}

/** Reads a chunk, waits for as long as it should have taken, and so on until it is destroyed. */
function readSlowly(accept: string, coding: string): Socket {
  const socket = connect(PORT, '127.0.0.1');
  const headers = Object.entries(headersOf('huge-0', accept, coding)).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`GET ${NUMBERS} HTTP/1.1\r\nhost: bench\r\n${headers.join('')}\r\n`);
  socket.on('data', (chunk) => {
    socket.pause();
    setTimeout(() => socket.resume(), (chunk.length / BYTES_A_SECOND) * 1_000);
  });
  return socket;
}

/**
 * Asks for pages of a small account until the time is over; gives the 99th percentile of their milliseconds.
 */
async function pagesOfAnother(milliseconds: number): Promise<number> {
  const took: number[] = [];
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    took.push(await fetched('small-0-7', 'application/json', 'identity'));
    await sleep(PAGE_MILLISECONDS);
  }
  return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0;
}

function tell(what: string, more = '') {
  const figures = [most, most - idle].map((n) => `${Math.round(n)}`.padStart(8)).join('');
  console.log(`${what.padEnd(36)}${figures}${String(descriptors()).padStart(8)}  ${more}`);
}

for (let page = 0; page < WARM_UP_PAGES; page++) await fetched('small-0-7', 'application/json', 'identity');
await sleep(SETTLE_MILLISECONDS);
const idle = mebibytes();
console.log(
  `${'most MiB while'.padEnd(36)}${'of all'.padStart(8)}${'over'.padStart(8)}${'files'.padStart(8)}`,
);
most = idle;
tell('idle');
for (const [name, accept, coding] of FORMS) {
  most = 0;
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) took.push(await fetched('huge-0', accept, coding));
  const rate = (ROWS / Math.min(...took)) * 1_000;
  tell(`one export, ${name}`, `${Math.round(rate).toLocaleString('en')} rows/s`);
}
for (const [name, accept, coding] of FORMS) {
  most = 0;
  const readers = Array.from({ length: READERS }, () => readSlowly(accept, coding));
  const p99 = await pagesOfAnother(SECONDS * 1_000);
  tell(`${READERS} slow readers, ${name}`, `p99 of another account's page ${p99.toFixed(1)} ms`);
  for (const reader of readers) reader.destroy();
  await sleep(SETTLE_MILLISECONDS);
  most = mebibytes();
  tell('  after they went away');
}
process.exit();
