// A feed of flags over HTTP, five imports a second of 1,000 rows each, while customers read 200 pages a
// second: neither delays the other.

import { DrillService, ID_SPACE, LIST } from '../kit/drill-service.ts';
import { type LoadOutcome, loadFrom, raw } from '../kit/load.ts';
import { ndjson } from '../kit/rows.ts';
import type { StoreKind } from '../kit/service.ts';
import { type Drill, type DrillResult, type DrillSize, ofSize, onStores, Tally } from './drill.ts';

const MS = { short: 3_000, long: 60_000, full: 600_000 };
/** What is sent before that is not counted: the first requests start threads and connections. */
const FROM_MS = { short: 1_000, long: 5_000 };
const ACCOUNTS = { short: 10, long: 300 };
const ITEMS = { short: 200, long: 1_000 };
const IMPORTS_A_SECOND = 5;
const IMPORT_ROWS = 1_000;
const BODIES = 40;
const REQUESTS_A_SECOND = 200;
const CONNECTIONS = 400;
const IMPORT_P99_MS = 500;
const PAGE_P99_MS = 50;
/** Where pages alone take longer, the machine has other work, and neither times nor refusals are judged. */
const QUIET_P99_MS = 10;
const QUIET_MS = 2_000;

const PATCH = { method: 'PATCH', headers: 'Content-Type: application/x-ndjson\r\n' };

/** Flags of other items of many accounts in each body; that of an item changes whenever its turn comes. */
function bodiesOf(size: DrillSize): string[] {
  const [accounts, items] = [ofSize(ACCOUNTS, size), ofSize(ITEMS, size)];
  return Array.from({ length: BODIES }, (_, nth) => {
    const rows = Array.from({ length: IMPORT_ROWS }, (_row, i) => {
      const one = (nth % (BODIES / 2)) * IMPORT_ROWS + i;
      const account = one % accounts;
      return {
        account_id: `customer-${account}`,
        id: account * ID_SPACE + 1 + (Math.floor(one / accounts) % items),
        is_spammed: nth < BODIES / 2,
        spam_checked_at: '2026-11-20T03:00:00Z',
      };
    });
    return ndjson(rows);
  });
}

/** All must be answered 200, and the p99 in time; on a machine with other work, some may be refused. */
function outcomeOf(
  did: string,
  { statuses, p50, p99, slowest, unsent }: LoadOutcome,
  maxMs: number,
  isJudged: boolean,
): DrillResult {
  const tally = new Tally();
  const allowed = isJudged ? ['200'] : ['200', '503'];
  for (const [status, count] of Object.entries(statuses))
    tally.add(allowed.includes(status) ? undefined : `${count} of status ${status}`, count);
  const [median, late, longest] = [p50, p99, slowest].map((ms) => Math.round(ms));
  if (isJudged && unsent > 0) tally.add(`${unsent} could not be sent`);
  if (isJudged && p99 >= maxMs) tally.add(`a p99 of ${late} ms`);
  const note = `p50 ${median} ms, p99 ${late} ms, at most ${longest} ms${isJudged ? '' : ', not judged'}`;
  return tally.result(did, note);
}

async function onStore(
  kind: StoreKind,
  size: DrillSize,
  report: (line: string) => void,
): Promise<DrillResult[]> {
  const accounts = Array.from({ length: ofSize(ACCOUNTS, size) }, (_, i) => `customer-${i}`);
  const rows = Object.fromEntries(accounts.map((one) => [one, ofSize(ITEMS, size)]));
  const lists = await DrillService.make({ rows, kind });
  try {
    const token = await lists.mustDo('token', 'create', '--operator');
    const { url } = await lists.serve('--rate-limit', '0', '--log-level', 'warn');
    const intake = lists.start('intake', '--port', '0', '--rate-limit', '0', '--log-level', 'warn');
    const [, intakeUrl = ''] = await intake.says(/takes imports at (http:\S+)\/intake/);
    const [ms, from_ms] = [ofSize(MS, size), ofSize(FROM_MS, size)];
    const pagesOrder = {
      port: Number(new URL(url).port),
      requests: accounts.map((one, i) => raw(`${LIST}?page=${1 + (i % 3)}`, lists.tokenOf(one))),
      connections: CONNECTIONS,
      rate: REQUESTS_A_SECOND,
    };
    const quiet = await loadFrom({ ...pagesOrder, ms: QUIET_MS, from_ms: QUIET_MS / 2 });
    const isJudged = size !== 'short' && quiet.p99 < QUIET_P99_MS;
    const [imports, pages] = await Promise.all([
      loadFrom({
        port: Number(new URL(intakeUrl).port),
        requests: bodiesOf(size).map((body) =>
          raw('/intake/v1/virtual-numbers', `Bearer ${token}`, { ...PATCH, body }),
        ),
        connections: CONNECTIONS,
        rate: IMPORTS_A_SECOND,
        ms,
        from_ms,
      }),
      loadFrom({ ...pagesOrder, ms, from_ms }),
    ]);
    const results = [
      outcomeOf(`imports of ${IMPORT_ROWS} flags, on ${kind.name}`, imports, IMPORT_P99_MS, isJudged),
      outcomeOf(`pages next to them, on ${kind.name}`, pages, PAGE_P99_MS, isJudged),
    ];
    // Where the machine was never quiet, nothing of it is proved.
    const judged = new Tally();
    if (isJudged) judged.add();
    if (size !== 'short') results.push(judged.result(`times judged on a quiet machine, on ${kind.name}`));
    for (const { did, note } of results) if (note !== undefined) report(`${did}: ${note}`);
    return results;
  } finally {
    await lists.remove();
  }
}

export const drill: Drill = {
  name: 'flag-feed',
  proves: [
    'Five imports a second of 1,000 flags, next to 200 pages a second of 300 accounts of 1,000 numbers, for ten minutes: nothing fails, and the p99 stays under 500 ms for imports and under 50 ms for pages, on either store.',
  ],

  run: (size, report) => onStores(size, (kind) => onStore(kind, size, report)),
};
