// What `doctor` looks at in the store: the last import of each list, each feed, the log of changes, and accounts
// that are disabled in part.

import { lastImports } from '../store/audit-reading.ts';
import { readLogSizes } from '../store/change-log.ts';
import { feedStates } from '../store/import-state.ts';
import { template } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';
import { advice, type Finding, MAX_CLOCK_MILLISECONDS, ok, wrong } from './doctor-checks.ts';
import { typed } from './print.ts';

const HOUR = 3_600_000;
/** A log of changes that is this many times as long as its list is one of an older version. */
const LARGE_LOG = 2;
const FEW_ENTRIES = 20_000;
const MAX_SHOWN_ACCOUNTS = 5;

/** When each list was last imported, and whether that is in the past, and not too far. */
export async function importFindings(store: Store, maxAgeMs: number): Promise<Finding[]> {
  const names = Object.values(tables).map(({ list }) => list.name);
  const imports = new Map((await lastImports(store, names)).map((one) => [one.list, one]));
  return names.map((name): Finding => {
    const last = imports.get(name);
    const words = name.replaceAll('_', '-');
    if (last === undefined)
      return advice('imports', `No import of ${name} is recorded.`, `linecard-server import ${words} FILE`);
    const ageMs = Date.now() - Date.parse(last.finished_at);
    const says = `The last import of ${name} was at ${last.finished_at}, of ${last.rows.toLocaleString('en')} rows.`;
    if (ageMs < -MAX_CLOCK_MILLISECONDS)
      return wrong('clock', `${says} That is to come.`, 'Set the clock of this machine by NTP.');
    if (ageMs <= maxAgeMs) return ok('imports', says);
    const mend = `It is more than ${Math.round(maxAgeMs / HOUR)} hours old (--import-age): look at what feeds it, and at linecard-server audit.`;
    return wrong('imports', says, mend);
  });
}

/** The sizes of the change logs, compared with their lists. */
export async function logFindings(store: Store): Promise<Finding[]> {
  if (store.showsOneAccount) return [];
  const amount = (n: number) => n.toLocaleString('en');
  return (await readLogSizes(store)).map(({ list, entries, items }) => {
    const says = `The log of changes of ${list} has ${amount(entries)} entries, for ${amount(items)} items.`;
    if (entries <= Math.max(FEW_ENTRIES, LARGE_LOG * items)) return ok('changes', says);
    const mend =
      'Imports shorten it, account by account, to at most one entry an item: it goes with the next that change them.';
    return advice('changes', says, mend);
  });
}

/** Accounts whose tokens are rejected although they are not disabled: a command was interrupted. */
export async function accountFindings(store: Store): Promise<Finding[]> {
  if (store.showsOneAccount) return [];
  const sql = template(store.dialect);
  const [rows] = await store.read(
    sql`select distinct account_id from tokens join accounts on accounts.id = tokens.account_id
      where suspended_at is not null and disabled_at is null order by account_id limit ${MAX_SHOWN_ACCOUNTS}`,
  );
  return rows.map(([id]) => {
    const account = typed(String(id));
    return advice(
      'accounts',
      `The tokens of ${String(id)} are rejected, but it is not marked as disabled: \`account disable\` was interrupted, or still waits for an import.`,
      `To complete it: linecard-server account disable ${account}. To accept the tokens: linecard-server account enable ${account}.`,
    );
  });
}

/** A feed is late when it takes this much longer than usual. */
const LATE_SHARE = 0.1;
const LATE_MILLISECONDS = 2 * HOUR;

/** Whether the last import of each feed was done, and whether the next is late. */
export async function feedFindings(store: Store): Promise<Finding[]> {
  return (await feedStates(store)).flatMap(({ list, feed, mode, done, failed, failures, intervalMs }) => {
    const name = `The feed ${feed} of ${list} (${mode})`;
    const mend = `linecard-server import runs --feed ${typed(feed)} shows the last, with --failed what went wrong.`;
    if (failures > 0 && failed !== undefined) {
      const times = failures === 1 ? 'once' : `${failures.toLocaleString('en')} times in a row`;
      return [
        wrong(
          'feeds',
          `${name} has failed ${times}, the last time at ${failed.ended_at}: ${failed.first_fault}`,
          mend,
        ),
      ];
    }
    if (!done?.ended_at || intervalMs === undefined) return [];
    const ageMs = Date.now() - Date.parse(done.ended_at);
    if (ageMs > intervalMs * (1 + LATE_SHARE) + LATE_MILLISECONDS)
      return [wrong('feeds', `${name} is late: the last was done at ${done.ended_at}.`, mend)];
    return [ok('feeds', `${name} was last done at ${done.ended_at}.`)];
  });
}
