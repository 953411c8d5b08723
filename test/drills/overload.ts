// Four times as much as the service can do: of what it can do it still does four fifths, and refuses the
// rest in words that say when to come again.

import { DrillService, LIST } from '../kit/drill-service.ts';
import { type LoadOrder, type LoadOutcome, loadFrom, raw } from '../kit/load.ts';
import { type Drill, type DrillResult, type DrillSize, ofSize, Tally } from './drill.ts';

const PEAK_MS = { short: 300, long: 5_000 };
/** Longer than work waits in a queue, so that both ends of the queue are seen. */
const OVERLOAD_MS = { short: 500, long: 12_000, full: 25_000 };
const SETTLE_MS = { short: 100, long: 11_000 };
const TIMES = 4;
const GOODPUT = 0.8;
const ACCOUNTS = { short: 2, long: 20 };
const ROWS = { short: 2_500, long: 20_000 };
/** How many a second are at least assumed, where a busy machine has answered none. */
const SLOWEST_PEAK = 5;
const MOST_CONNECTIONS = 2_000;
/** What a queue holds at most; and what is left of the work when a request may have begun at its end. */
const SLOWEST_MS = 12_000;

interface Work {
  readonly what: string;
  /** How many connections reach the peak. */
  readonly connections: number;
  paths(i: number): string;
  /**
   * So much of it can be done that one process cannot send four times as much: four times the connections.
   */
  readonly isQuick?: boolean;
}

const WORKS: readonly Work[] = [
  { what: 'pages', connections: 32, paths: (i) => `${LIST}?page_size=${10 + (i % 5)}`, isQuick: true },
  { what: 'facets', connections: 8, paths: (i) => `${LIST}/facets?q=${100 + i}` },
  { what: 'searches', connections: 8, paths: (i) => `${LIST}?q=${100 + i}&sort_by=comment` },
];

const answered = ({ statuses }: LoadOutcome) => statuses['200'] ?? 0;

function addOutcome(tally: Tally, { statuses, without_retry, slowest }: LoadOutcome): void {
  for (const [status, count] of Object.entries(statuses)) {
    const isGood = ['200', '429', '503'].includes(status);
    tally.add(isGood ? undefined : `${count} times status ${status}`, count);
  }
  tally.add('a refusal without Retry-After', without_retry);
  tally.add(slowest < SLOWEST_MS ? undefined : `an answer took ${Math.round(slowest)} ms`);
}

async function overload(
  size: DrillSize,
  work: Work,
  order: Pick<LoadOrder, 'port' | 'requests'>,
): Promise<DrillResult[]> {
  const { what, connections, isQuick } = work;
  const peak = await loadFrom({
    ...order,
    connections,
    ms: ofSize(PEAK_MS, size),
    from_ms: ofSize(PEAK_MS, size) / 3,
  });
  const rate = Math.max(SLOWEST_PEAK, answered(peak) / ((ofSize(PEAK_MS, size) * 2) / 3 / 1_000));
  const settle = isQuick ? SETTLE_MS.short : ofSize(SETTLE_MS, size);
  const ms = isQuick ? Math.min(ofSize(OVERLOAD_MS, size), 6_000) : ofSize(OVERLOAD_MS, size);
  const over = await loadFrom({
    ...order,
    ms,
    from_ms: settle,
    ...(isQuick
      ? { connections: TIMES * connections }
      : { connections: MOST_CONNECTIONS, rate: TIMES * rate }),
  });
  const share = answered(over) / ((ms - settle) / 1_000) / rate;
  const requests = new Tally();
  addOutcome(requests, over);
  const goodput = new Tally();
  // The short form runs with other tests, which take what they take.
  goodput.add(size === 'short' || share >= GOODPUT ? undefined : `${Math.round(share * 100)} % of the peak`);
  const said = `${Math.round(share * 100)} % of the peak of ${Math.round(rate)} a second; p99 ${Math.round(over.p99)} ms; ${JSON.stringify(over.statuses)}`;
  return [
    requests.result(`${what} at four times capacity`),
    goodput.result(`looks at the goodput of ${what}`, said),
  ];
}

export const drill: Drill = {
  name: 'overload',
  proves: [
    'At four times capacity the goodput stays at 80 % of the peak; all other requests get 429 or 503 with Retry-After, and no connection is reset.',
  ],

  async run(size, report) {
    const accounts = Array.from({ length: ofSize(ACCOUNTS, size) }, (_, i) => `customer-${i}`);
    const lists = await DrillService.make({
      rows: Object.fromEntries(accounts.map((one) => [one, ofSize(ROWS, size)])),
    });
    try {
      const { url } = await lists.serve(
        '--rate-limit',
        '0',
        '--cache',
        '0',
        '--indexes',
        '0',
        '--log-level',
        'warn',
      );
      const port = Number(new URL(url).port);
      const results: DrillResult[] = [];
      for (const work of WORKS) {
        const requests = Array.from({ length: 500 }, (_, i) =>
          raw(work.paths(i), lists.tokenOf(accounts[(i * 7) % accounts.length] ?? '')),
        );
        results.push(...(await overload(size, work, { port, requests })));
        report(results.at(-1)?.note ?? work.what);
      }
      return results;
    } finally {
      await lists.remove();
    }
  },
};
