// SIGTERM under load, again and again: readiness goes first, no answer is cut, and the process ends with 0
// within ten seconds. With a drain no connection is reset either, neither open nor new.

import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DrillService, LIST } from '../kit/drill-service.ts';
import { ask, type Outcome } from '../kit/sockets.ts';
import { type Drill, ofSize, Tally, tallies } from './drill.ts';

const ROUNDS = { short: 2, long: 6, full: 12 };
const DRAINED_ROUNDS = { short: 2, long: 8, full: 20 };
const DRAIN_MS = 3_000;
const CLIENTS = 16;
/** Two clients each, so that none has too many exports running. */
const ACCOUNTS = Array.from({ length: CLIENTS / 2 }, (_, i) => `acme-${i}`);
const ROWS = 10_000;
const LOAD_MS = 400;
/** What was sent by then has reached the process when the signal does. */
const SENT_MS = 20;
const END_MS = 10_000;
const PATHS = [`${LIST}?page_size=1000`, LIST, `${LIST}/facets`, `${LIST}.ndjson`, `${LIST}?q=sales`];

/** Restarts with a drain: every request is answered until the port is closed. */
async function drained(lists: DrillService, tokens: readonly string[], rounds: number): Promise<Tally> {
  const tally = new Tally();
  for (let round = 0; round < rounds; round++) {
    const { url, child, ended } = await lists.serve('--rate-limit', '0', '--drain', `${DRAIN_MS / 1_000}s`);
    const agent = new Agent({ keepAlive: true });
    const clients = Array.from({ length: CLIENTS }, async (_, i) => {
      for (let n = 0; ; n++) {
        const headers = { authorization: tokens[i % tokens.length] ?? '' };
        const { outcome, status, code } = await ask(`${url}${PATHS[(i + n) % PATHS.length]}`, {
          agent,
          headers,
        });
        if (code === 'ECONNREFUSED') return;
        const isGood = outcome === 'whole' && status === 200;
        tally.add(isGood ? undefined : (code ?? `${status}, ${outcome}`));
      }
    });
    await sleep(LOAD_MS + round * 7);
    child.kill('SIGTERM');
    await Promise.all([...clients, ended]);
    agent.destroy();
  }
  return tally;
}

export const drill: Drill = {
  name: 'stopping',
  proves: [
    'After SIGTERM under load readiness fails first, no request that has reached the process is cut or refused, and it ends with 0 within ten seconds.',
    'With --drain no connection is reset and no request fails until the port is closed, in 20 restarts.',
  ],
  short: 'test/operations/workers.long.test.ts',

  async run(size, report) {
    const lists = await DrillService.make({ rows: Object.fromEntries(ACCOUNTS.map((id) => [id, ROWS])) });
    try {
      const { answers, ends, probes } = tallies('answers', 'ends', 'probes');
      const tokens = ACCOUNTS.map((id) => lists.tokenOf(id));
      let slowest = 0;
      for (let round = 0; round < ofSize(ROUNDS, size); round++) {
        const { url, child, ended } = await lists.serve('--rate-limit', '0');
        let isRunning = true;
        const clients = Array.from({ length: CLIENTS }, async (_, i) => {
          const sent: Outcome[] = [];
          const headers = { authorization: tokens[i % tokens.length] ?? '' };
          while (isRunning) {
            const one = await ask(`${url}${PATHS[(i + sent.length) % PATHS.length]}`, { headers });
            sent.push(one);
            if (one.outcome === 'none') await sleep(10);
          }
          return sent;
        });
        const probing = (async () => {
          const seen: Outcome[] = [];
          for (; isRunning; await sleep(20)) seen.push(await ask(`${url}/readyz`, {}));
          return seen;
        })();
        await sleep(LOAD_MS + round * 7);
        const signalled_at = performance.now();
        child.kill('SIGTERM');
        const { status, err } = await ended;
        const took = performance.now() - signalled_at;
        slowest = Math.max(slowest, took);
        isRunning = false;
        ends.add(
          status === 0 && took <= END_MS
            ? undefined
            : `${status} after ${Math.round(took)} ms: ${err.slice(-300)}`,
        );
        for (const { sent_at: at, outcome, status: answered } of (await Promise.all(clients)).flat()) {
          const isLate = at > signalled_at - SENT_MS;
          if (outcome === 'whole')
            answers.add(answered === 200 || (isLate && answered === 503) ? undefined : `${answered}`);
          else
            answers.add(
              outcome === 'part' || !isLate
                ? `${outcome}, sent ${Math.round(signalled_at - at)} ms before`
                : undefined,
            );
        }
        for (const { sent_at: at, status: ready } of await probing) {
          probes.add(
            at > signalled_at + SENT_MS && ready === 200
              ? `ready ${Math.round(at - signalled_at)} ms after it`
              : undefined,
          );
        }
        report(`ended after ${Math.round(took)} ms`);
      }
      const restarts = await drained(lists, tokens, ofSize(DRAINED_ROUNDS, size));
      return [
        restarts.result(
          'requests around a SIGTERM with --drain',
          'on persistent connections, until the port is closed',
        ),
        answers.result('requests around a SIGTERM', 'sent before it on connections of their own'),
        probes.result('looks at readiness'),
        ends.result('ends', `the slowest took ${(slowest / 1_000).toFixed(1)} s`),
      ];
    } finally {
      await lists.remove();
    }
  },
};
