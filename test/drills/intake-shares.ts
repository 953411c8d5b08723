// What one caller may take of an intake: rows that cost the most of what reads them, and bodies that come
// slowly over all the connections that there are, while another sender imports.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { DrillService } from '../kit/drill-service.ts';
import { longestIteration, probeOn } from '../kit/iteration-probe.ts';
import type { StoreKind } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';
import { type Drill, type DrillResult, type DrillSize, ofSize, onStores, Tally } from './drill.ts';

const MAX_MS = 20;
/** How often each row is sent; what counts is the least, since a machine may have other work. */
const TIMES = { short: 1, long: 5 };
const LONG = { short: 20_000, long: 300_000 };
/** As many as there were places of all, and how fast they come. */
const SLOW_BODIES = 64;
const [DROP, DROP_EVERY_MS] = ['x'.repeat(600), 500];
const SHARE = 16;
/** How long slow bodies are watched: all of them have ended by the end of the long form. */
const WATCH_MS = { short: 1_000, long: 45_000 };
const PATH = '/intake/v1/virtual-numbers';

const COLUMNS = ['account_id', 'id', 'did', 'comment', 'monthly', 'created_at', 'is_spammed'];
const MAPPING = {
  currency: '€',
  dates: ['DD.MM.YYYY HH:mm'],
  columns: Object.fromEntries(COLUMNS.map((name) => [name, name])),
};
/** What comes again and again in a text that is too long. */
const PARTS = [' ', '€', '1', '1.', '1,', '_', '+', '2026-01-01 ', '\u00a0', 'a='];

interface Place {
  readonly url: string;
  readonly probe: string;
  readonly size: DrillSize;
  /** The name of its store. */
  readonly store: string;
}

async function send(url: string, token: string, body: string | Uint8Array, more = {}): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv', ...more };
  const answer = await fetch(url, { method: 'PATCH', headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

/** Rows with texts that are longer than any column, and many rows with faults. */
function* worst(size: DrillSize): Generator<readonly [what: string, csv: string]> {
  const head = `${COLUMNS.join()}\n`;
  for (const part of PARTS) {
    const text = `1${part.repeat(ofSize(LONG, size) / part.length)}€x`;
    for (const column of COLUMNS)
      yield [
        `${JSON.stringify(part)} in ${column}`,
        `${head}${COLUMNS.map((one) => (one === column ? `"${text}"` : '1')).join()}\n`,
      ];
  }
  yield ['many short rows', head + `${COLUMNS.map(() => 'x').join()}\n`.repeat(4_000)];
}

async function rows({ url, probe, size, store }: Place, token: string): Promise<DrillResult> {
  const tally = new Tally();
  let most = { ms: 0, what: 'nothing' };
  for (const [what, csv] of worst(size)) {
    let least = Number.POSITIVE_INFINITY;
    let status = 0;
    for (let i = 0; i < ofSize(TIMES, size) && least > MAX_MS; i++) {
      await longestIteration(probe);
      const more = { 'content-encoding': 'gzip' };
      status = await send(`${url}${PATH}?mapping=worst`, token, gzipSync(csv), more);
      least = Math.min(least, await longestIteration(probe));
    }
    if (least > most.ms) most = { ms: least, what };
    if (status !== 422) tally.add(`${what}: ${status}`);
    else tally.add(size !== 'short' && least > MAX_MS ? `${what}: ${least.toFixed(1)} ms` : undefined);
  }
  const note = `the most expensive takes ${most.ms.toFixed(0)} ms: ${most.what}`;
  return tally.result(`rows that are too long or wrong, on ${store}`, note);
}

/** One body that comes slowly, and the status that it ends with; 0 where it has not yet. */
function slowBody(port: number, token: string, statuses: number[], i: number): () => void {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  statuses[i] = 0;
  socket.on('error', () => {});
  socket.once('data', (answer: string) => {
    statuses[i] = Number(answer.slice(9, 12));
    socket.destroy();
  });
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n\r\n`,
  );
  const drip = setInterval(() => socket.writable && socket.write(DROP), DROP_EVERY_MS);
  socket.once('close', () => clearInterval(drip));
  return () => socket.destroy();
}

async function slow({ url, size, store }: Place, greedy: string, other: string): Promise<DrillResult[]> {
  const [bodies, imports] = [new Tally(), new Tally()];
  const statuses: number[] = [];
  const port = Number(new URL(url).port);
  const closes = Array.from({ length: SLOW_BODIES }, (_, i) => slowBody(port, greedy, statuses, i));
  const end = performance.now() + ofSize(WATCH_MS, size);
  const row = 'account_id,id,is_spammed\nquiet,1,true\n';
  while (performance.now() < end) {
    const status = await send(url + PATH, other, row);
    imports.add(status === 200 ? undefined : `an import was ${status}`);
    await sleep(100);
  }
  const refusals = () => statuses.filter((status) => status === 429).length;
  // On a busy machine the last is refused later than the imports are watched.
  await until('all but a share are refused', () => refusals() >= SLOW_BODIES - SHARE).catch(() => {});
  const refused = refusals();
  const late = statuses.filter((status) => status === 408).length;
  bodies.add(refused === SLOW_BODIES - SHARE ? undefined : `${refused} were refused`, SLOW_BODIES - SHARE);
  if (size !== 'short') bodies.add(late === SHARE ? undefined : `${late} ended with 408`, SHARE);
  for (const close of closes) close();
  return [
    bodies.result(`slow bodies of one token, on ${store}`, `${refused} are 429 and ${late} are 408`),
    imports.result(`imports of another meanwhile, on ${store}`),
  ];
}

async function onStore(
  kind: StoreKind,
  size: DrillSize,
  report: (line: string) => void,
): Promise<DrillResult[]> {
  const folder = temporaryFolder();
  const probe = join(folder, 'probe');
  writeFileSync(join(folder, 'worst.json'), JSON.stringify(MAPPING));
  const lists = await DrillService.make({ rows: { quiet: 1 }, environment: probeOn(probe), kind });
  try {
    const [greedy, other] = [
      await lists.mustDo('token', 'create', '--operator'),
      await lists.mustDo('token', 'create', '--operator'),
    ];
    const words = ['--port', '0', '--rate-limit', '0', '--log-level', 'error', '--mappings', folder];
    const intake = lists.start('intake', ...words);
    const [, url = ''] = await intake.says(/takes imports at (http:\S+)\/intake/);
    const place = { url, probe, size, store: kind.name };
    const results = [await rows(place, greedy), ...(await slow(place, greedy, other))];
    for (const { did, note } of results) report(`${did}: ${note ?? 'well'}`);
    intake.child.kill('SIGTERM');
    await once(intake.child, 'exit');
    return results;
  } finally {
    await lists.remove();
  }
}

export const drill: Drill = {
  name: 'intake-shares',
  proves: [
    'No row that an intake is sent holds its request thread for more than 20 milliseconds, however long its texts are, on either store.',
    'Of 64 bodies of one token that come at 1.2 kB a second, 48 are refused with 429 and the others end with 408; the imports of another token go on meanwhile.',
  ],

  run: (size, report) => onStores(size, (kind) => onStore(kind, size, report)),
};
