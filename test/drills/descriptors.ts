// A process that has no descriptor left, since too many connections are open: it lives, answers those that
// it has, answers everybody when they have left, and has its descriptors back.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DrillService, LIST } from '../kit/drill-service.ts';
import { descriptorsOf } from '../kit/process-facts.ts';
import { type Drill, ofSize, tallies } from './drill.ts';

const ROUNDS = { short: 1, long: 8 };
/** Few enough to use up, more than a service takes to start. */
const LIMIT = 96;
const CLIENTS = 200;
const WITHIN = ['sh', '-c', `ulimit -n ${LIMIT}; exec "$@"`, 'sh'];
const SETTLE_MS = 500;
const PATIENCE_MS = 20_000;
const PATHS = [
  LIST,
  `${LIST}/facets`,
  `${LIST}?q=sales&sort_by=comment`,
  `${LIST}.csv`,
  `${LIST}.xlsx`,
  '/readyz',
];

interface Client {
  readonly socket: Socket;
  text: string;
  isClosed: boolean;
}

function open(port: number): Client {
  const client: Client = { socket: connect(port, '127.0.0.1'), text: '', isClosed: false };
  client.socket.setEncoding('latin1').on('data', (text: string) => {
    client.text += text;
  });
  client.socket.on('error', () => {});
  client.socket.on('close', () => {
    client.isClosed = true;
  });
  return client;
}

/** Asks on a connection that is open; `undefined` where it was not taken, or is closed. */
async function ask(client: Client, path: string, token: string): Promise<number | undefined> {
  client.text = '';
  client.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`);
  const until = performance.now() + 3_000;
  while (!client.isClosed && performance.now() < until) {
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(client.text)?.[1];
    if (status !== undefined) return Number(status);
    await sleep(5);
  }
  return undefined;
}

/** The status on a new connection, asked again until it is there. */
async function untilAnswered(port: number, path: string, token: string): Promise<number | undefined> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const client = open(port);
    const status = await ask(client, path, token);
    client.socket.destroy();
    if (status === 200 || performance.now() > until) return status;
    await sleep(50);
  }
}

async function untilFew(pid: number, few: number): Promise<number> {
  const until = performance.now() + PATIENCE_MS;
  while (descriptorsOf(pid).length > few && performance.now() < until) await sleep(100);
  return descriptorsOf(pid).length;
}

export const drill: Drill = {
  name: 'descriptors',
  proves: [
    'A process without a descriptor left lives: requests on the connections that it has are answered, or refused with 503, and none with an internal error.',
    'When those connections have closed it answers all again, and has no more descriptors than before.',
  ],

  async run(size, report) {
    const lists = await DrillService.make({ rows: { acme: 3_000 }, within: WITHIN });
    try {
      const { url, child, said } = await lists.serve('--rate-limit', '0', '--keep-alive', '60');
      const [pid, port, token] = [child.pid ?? 0, Number(new URL(url).port), lists.tokenOf('acme')];
      const { amid, after, descriptors, lines } = tallies('amid', 'after', 'descriptors', 'lines');
      let before = 0;
      let most = 0;
      for (let round = 0; round < ofSize(ROUNDS, size); round++) {
        // What is opened for the first request of a kind stays open, such as a thread's connections: the
        // first round finds a process that has nothing yet, the others one that has all.
        const clients = Array.from({ length: CLIENTS }, () => open(port));
        await Promise.all(clients.map(({ socket }) => once(socket, 'connect').catch(() => {})));
        await sleep(SETTLE_MS);
        most = Math.max(most, Math.min(LIMIT, descriptorsOf(pid).length));
        const some = clients.filter((client, i) => i % 5 === 0 && !client.isClosed);
        const statuses = await Promise.all(
          some.map((client, i) => ask(client, PATHS[i % PATHS.length] ?? LIST, token)),
        );
        for (const [i, status] of statuses.entries()) {
          const isFine = [undefined, 200, 429, 503].includes(status) && child.exitCode === null;
          amid.add(isFine ? undefined : `${status}: ${some[i]?.text.slice(0, 200)}`);
        }
        for (const { socket } of clients) socket.destroy();
        for (const path of PATHS) {
          const status = await untilAnswered(port, path, token);
          after.add(status === 200 ? undefined : `${path} was ${status}: ${said.err.slice(-500)}`);
        }
        await sleep(SETTLE_MS);
        if (round === 0) before = await untilFew(pid, LIMIT / 2);
        const now = await untilFew(pid, before);
        descriptors.add(now <= before ? undefined : `${now}, and ${before} after the first round`);
        report(`${most} of ${LIMIT} descriptors, then ${now}`);
      }
      // Full or not, it must not fill a disk with its complaints.
      lines.add(said.err.length < 2_000_000 ? undefined : `${said.err.length} bytes of log`);
      amid.add(most >= LIMIT - 2 ? undefined : `only ${most} descriptors were in use`);
      return [
        amid.result('requests without a descriptor left', `${most} of ${LIMIT} in use`),
        after.result('kinds of requests afterwards'),
        descriptors.result('looks at the descriptors afterwards'),
        lines.result('looks at the log', `${said.err.length} bytes`),
      ];
    } finally {
      await lists.remove();
    }
  },
};
