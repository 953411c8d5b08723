// A thousand clients that are slow, each in one of four ways, while one other reads its pages: the process
// closes each of the thousand in time, answers the other throughout, and has its descriptors back
// afterwards.

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DrillService, LIST } from '../kit/drill-service.ts';
import { clientsOf, descriptorsOf, memoryOf } from '../kit/process-facts.ts';
import { RawConnection } from '../kit/sockets.ts';
import { type Drill, type DrillResult, ofSize, Tally } from './drill.ts';

const CLIENTS = { short: 40, long: 1_000 };
const ROWS = 2_000;
/** Small pages, since there is room for few large ones; as many as may wait, more than any buffer holds. */
const [PAGE_SIZE, PAGES] = [60, 100];
/** How much later than it happens a closed connection is seen. */
const GRACE_MS = 300;
const LOOK_EVERY_MS = 200;
const PATIENCE_MS = 60_000;
/** At rest again: what was closed takes a turn of the event loop or two to be gone. */
const SETTLE_MS = 2_000;
const MEBIBYTE = 1_048_576;

/** The ways to be slow: what is sent, and within how many times ten seconds the connection is closed. */
const WAYS: readonly {
  readonly what: string;
  readonly share: number;
  bytes(authorization: string): string;
  /** Another byte now and then, so that the connection is never silent. */
  readonly drop?: string;
  readonly isUnread?: boolean;
}[] = [
  {
    what: 'headers that come byte by byte',
    share: 1,
    bytes: () => `GET ${LIST} HTTP/1.1\r\nHost: x\r\nX-Slow: `,
    drop: 'a',
  },
  {
    what: 'bodies that come byte by byte',
    share: 1,
    bytes: (authorization) =>
      `QUERY ${LIST} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"q":"`,
    drop: 'a',
  },
  { what: 'connections without a request', share: 1, bytes: () => '' },
  {
    what: 'pages that are requested and never read',
    share: 2,
    bytes: (authorization) =>
      `GET ${LIST}?page_size=${PAGE_SIZE} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`.repeat(PAGES),
    isUnread: true,
  },
];
const DROP_EVERY_MS = 500;

interface SlowClient {
  readonly way: (typeof WAYS)[number];
  readonly socket: Socket;
  readonly port: number;
  /** When the server had taken the connection, which may wait for that. */
  taken_at?: number;
  closed_after?: number;
}

async function begin(way: SlowClient['way'], port: number, authorization: string): Promise<SlowClient> {
  const { socket } = await RawConnection.open(port);
  if (way.isUnread) socket.pause();
  const client = { way, socket, port: socket.localPort ?? 0 };
  socket.write(way.bytes(authorization));
  if (way.drop !== undefined) {
    const drip = setInterval(() => socket.write(way.drop ?? ''), DROP_EVERY_MS);
    socket.once('close', () => clearInterval(drip));
  }
  return client;
}

export const drill: Drill = {
  name: 'slow-clients',
  proves: [
    'A client that sends its headers or body byte by byte, or nothing at all, is closed within 10 seconds; one that does not read its answers within 20.',
    'Meanwhile every page of another client is answered, and afterwards the process has as many descriptors as before.',
  ],
  short: 'test/api/sockets.test.ts',

  async run(size, report) {
    const lists = await DrillService.make({ rows: { slow: ROWS, other: 20 }, comment: 'x'.repeat(500) });
    try {
      const { url, child } = await lists.serve('--rate-limit', '0', '--trust-proxy', '127.0.0.1');
      const pid = child.pid ?? 0;
      const port = Number(new URL(url).port);
      const pages = new Tally();
      let isOver = false;
      const other = lists.readPages(url, 'other', pages, () => isOver);
      await sleep(SETTLE_MS);
      const before = descriptorsOf(pid).length;
      const authorization = `Authorization: ${lists.tokenOf('slow')}\r\n`;
      const slow: SlowClient[] = [];
      for (let i = 0; i < ofSize(CLIENTS, size); i++) {
        slow.push(await begin(WAYS[i % WAYS.length] as SlowClient['way'], port, authorization));
      }
      report(`${slow.length} clients are connected`);
      let most = 0;
      const end = performance.now() + PATIENCE_MS;
      while (slow.some((client) => client.closed_after === undefined) && performance.now() < end) {
        await sleep(LOOK_EVERY_MS);
        most = Math.max(most, memoryOf(pid));
        const held = clientsOf(pid, port);
        const now = performance.now();
        for (const client of slow) {
          if (held.has(client.port)) client.taken_at ??= now;
          else if (client.taken_at !== undefined) client.closed_after ??= now - client.taken_at;
        }
      }
      isOver = true;
      await other;
      for (const { socket } of slow) socket.destroy();
      await sleep(SETTLE_MS);
      const results = resultsOf(slow);
      const descriptors = new Tally();
      const after = descriptorsOf(pid).length;
      descriptors.add(after <= before ? undefined : `${before} before, ${after} afterwards`);
      return [
        ...results,
        pages.result('pages of another client meanwhile', `at most ${Math.round(most / MEBIBYTE)} MiB`),
        descriptors.result('descriptors compared', `${before} before, ${after} afterwards`),
      ];
    } finally {
      await lists.remove();
    }
  },
};

function resultsOf(slow: readonly SlowClient[]): DrillResult[] {
  return WAYS.map((way) => {
    const tally = new Tally();
    let latest = 0;
    for (const { closed_after } of slow.filter((client) => client.way === way)) {
      latest = Math.max(latest, closed_after ?? Number.POSITIVE_INFINITY);
      const limit = way.share * 10_000 + GRACE_MS;
      tally.add(
        closed_after !== undefined && closed_after <= limit
          ? undefined
          : `closed after ${closed_after?.toFixed(0) ?? 'never'} ms`,
      );
    }
    return tally.result(way.what, `the last was closed after ${(latest / 1_000).toFixed(1)} s`);
  });
}
