// A process that has no descriptor left, since too many connections are open: it lives, answers those that
// it has, answers everybody when they have left, and has its descriptors back.

import { setTimeout as sleep } from 'node:timers/promises';
import { DrillService, LIST } from '../kit/drill-service.ts';
import { raw } from '../kit/load.ts';
import { descriptorsOf } from '../kit/process-facts.ts';
import { RawConnection } from '../kit/sockets.ts';
import { type Drill, ofSize, tallies } from './drill.ts';

const ROUNDS = { short: 1, long: 8 };
/** Few enough to use up, more than a service takes to start. */
const LIMIT = 96;
const CLIENTS = 200;
const WITHIN = ['sh', '-c', `ulimit -n ${LIMIT}; exec "$@"`, 'sh'];
const SETTLE_MS = 500;
const PATIENCE_MS = 20_000;
const ANSWERED_MS = 3_000;
const PATHS = [
  LIST,
  `${LIST}/facets`,
  `${LIST}?q=sales&sort_by=comment`,
  `${LIST}.csv`,
  `${LIST}.xlsx`,
  '/readyz',
];

/** The status on a connection that is open; `undefined` where it was not taken, or is closed. */
async function ask(client: RawConnection, path: string, token: string): Promise<number | undefined> {
  const answer = await Promise.race([client.ask(raw(path, token)), sleep(ANSWERED_MS)]);
  return answer?.status || undefined;
}

/** The status on a new connection, asked again until it is there. */
async function untilAnswered(port: number, path: string, token: string): Promise<number | undefined> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const client = await RawConnection.open(port);
    const status = await ask(client, path, token);
    client.close();
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
    'A process without a free descriptor lives: it answers requests on its open connections, or refuses them with 503, never with an internal error.',
    'When those connections have closed, it answers every request again, and has no more descriptors than before.',
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
        const clients = await Promise.all(Array.from({ length: CLIENTS }, () => RawConnection.open(port)));
        await sleep(SETTLE_MS);
        most = Math.max(most, Math.min(LIMIT, descriptorsOf(pid).length));
        const some = clients.filter((client, i) => i % 5 === 0 && !client.socket.destroyed);
        const statuses = await Promise.all(
          some.map((client, i) => ask(client, PATHS[i % PATHS.length] ?? LIST, token)),
        );
        for (const status of statuses) {
          const isFine = [undefined, 200, 429, 503].includes(status) && child.exitCode === null;
          amid.add(isFine ? undefined : `${status}: ${said.err.slice(-200)}`);
        }
        for (const client of clients) client.close();
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
