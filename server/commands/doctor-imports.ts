// What `doctor` looks at in the store: the last import of each list, each feed, the log of changes, accounts
// that are disabled in part, and webhooks.

import { countEnding } from '../store/access/token-lists.ts';
import { feedStates } from '../store/imports/import-state.ts';
import type { ImportOrigin } from '../store/log/audit.ts';
import { lastImports } from '../store/log/audit-reading.ts';
import { readLogSizes, SMALL_ENTRIES } from '../store/log/change-log.ts';
import { sql } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { readVoidTimes } from '../store/stored-times.ts';
import { tables } from '../store/tables.ts';
import { signingKeys } from '../store/webhooks/webhook-secrets.ts';
import { listWebhooks, readDeliverers, type Webhook } from '../store/webhooks/webhooks.ts';
import { advice, adviceOf, type Finding, MAX_CLOCK_MILLISECONDS, ok, wrong } from './doctor-checks.ts';
import { count, counted, typed } from './print.ts';

const HOUR = 3_600_000;
/** A log of changes that is this many times as long as its list is one of an older version. */
const LARGE_LOG = 2;
const FEW_ENTRIES = 20_000;
const MAX_SHOWN_ACCOUNTS = 5;

/** What the mapping of an import said is no row. */
const leftOutText = ({ left_out }: { readonly left_out?: number | null }) =>
  left_out ? `, and ${counted(left_out, 'row')} left out` : '';

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
    const says = `The last import of ${name} was at ${last.finished_at}, of ${counted(last.rows, 'row')}${leftOutText(last)}.`;
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
  return (await readLogSizes(store)).map(({ list, entries, items, accounts }) => {
    const says = `The log of changes of ${list} has ${count(entries)} entries, for ${count(items)} items.`;
    if (entries <= Math.max(FEW_ENTRIES, LARGE_LOG * items, SMALL_ENTRIES * accounts))
      return ok('changes', says);
    const mend =
      'Imports shorten it, account by account, to at most one entry an item, or 2,000: it goes with the next that change them.';
    return advice('changes', says, mend);
  });
}

/** Accounts whose tokens are rejected although they are not disabled: a command was interrupted. */
export async function accountFindings(store: Store): Promise<Finding[]> {
  if (store.showsOneAccount) return [];
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

/** Whether tokens of customers end soon. */
export async function endingFindings(store: Store): Promise<Finding[]> {
  const ending = store.showsOneAccount ? 0 : await countEnding(store);
  if (ending === 0) return [];
  const says = `${counted(ending, 'token')} of customers end${ending === 1 ? 's' : ''} within 14 days.`;
  const mend = 'linecard-server token list --expiring 14d shows which; token rotate replaces one.';
  return [advice('tokens', says, mend)];
}

/** The feed of imports that a person runs: who runs one reads how it ended. */
const RUN_BY_HAND: ImportOrigin = 'command';
/** A feed is late when it takes this much longer than usual. */
const LATE_SHARE = 0.1;
const LATE_MILLISECONDS = 2 * HOUR;

/** Whether the last import of each feed was done, and whether the next is late. */
export async function feedFindings(store: Store): Promise<Finding[]> {
  const feeds = (await feedStates(store)).filter(({ feed }) => feed !== RUN_BY_HAND);
  return feeds.flatMap(({ list, feed, mode, done, failed, failures, intervalMs }) => {
    const name = `The feed ${feed} of ${list} (${mode})`;
    const mend = `linecard-server import runs --feed ${typed(feed)} shows the last, with --failed what went wrong.`;
    if (failures > 0 && failed !== undefined) {
      const times = failures === 1 ? 'once' : `${count(failures)} times in a row`;
      const says = `${name} has failed ${times}, the last time at ${failed.ended_at}: ${failed.first_fault}`;
      return [wrong('feeds', says, mend)];
    }
    if (!done?.ended_at || intervalMs === undefined) return [];
    const ageMs = Date.now() - Date.parse(done.ended_at);
    if (ageMs > intervalMs * (1 + LATE_SHARE) + LATE_MILLISECONDS)
      return [wrong('feeds', `${name} is late: the last was done at ${done.ended_at}.`, mend)];
    return [ok('feeds', `${name} was last done at ${done.ended_at}${leftOutText(done)}.`)];
  });
}

/** Times that were written while a clock was ahead. */
export async function timeFindings(store: Store): Promise<Finding[]> {
  if (store.showsOneAccount) return [];
  return (await readVoidTimes(store)).map(({ what, of, by, time, count: n }) => {
    const more = n === 1 ? '' : `, and so are ${count(n - 1)} more`;
    const says = `${what} ${of} is at ${time}, further ahead than it can be${more}. It was written by ${by}.`;
    return wrong('clock', says, 'It counts as absent. Set the clock of that machine by NTP.');
  });
}

const MAX_SHOWN_WEBHOOKS = 5;

/** `4fTq0Vb2LxYz of harbour-dental`, of the first few. */
function shownWebhooks(webhooks: readonly Webhook[]): string {
  const shown = webhooks.slice(0, MAX_SHOWN_WEBHOOKS).map(({ id, account_id }) => `${id} of ${account_id}`);
  return webhooks.length > shown.length ? `${shown.join(', ')} and others` : shown.join(', ');
}

function signingFindings(signing_key: readonly string[]): Finding[] {
  try {
    signingKeys(signing_key);
    return [];
  } catch (error) {
    return [adviceOf('webhooks', (error as Error).message)];
  }
}

/** Whether webhooks are delivered: a signing key, a deliverer that runs, none disabled by its receiver. */
export async function webhookFindings(store: Store, signing_key: readonly string[]): Promise<Finding[]> {
  if (store.showsOneAccount) return [];
  const webhooks = await listWebhooks(store);
  if (webhooks.length === 0) return [];
  const found = signingFindings(signing_key);
  const active = webhooks.filter(({ status }) => status === 'active');
  const deliverers = await readDeliverers(store);
  const none = 'No deliverer runs: nothing is sent to webhooks.';
  if (active.length > 0 && deliverers.length === 0)
    found.push(wrong('webhooks', none, 'Start linecard-server deliver.'));
  const advise = (some: readonly Webhook[], says: (shown: string) => string, mend: string) => {
    if (some.length > 0) found.push(advice('webhooks', says(shownWebhooks(some)), mend));
  };
  advise(
    webhooks.filter(({ status }) => status === 'disabled'),
    (shown) => `Their receivers have disabled ${shown}.`,
    'linecard-server webhook show ID says why; webhook enable ID goes on, webhook delete ID ends it.',
  );
  advise(
    webhooks.filter(({ reason }) => reason === 'restored'),
    (shown) => `Paused since the database was restored or copied: ${shown}.`,
    'If this database is the one that speaks to customers: linecard-server webhook enable ID for each.',
  );
  if (found.length > 0) return found;
  const many = active.length === 1 ? '1 webhook is' : `${count(active.length)} webhooks are`;
  const runs = deliverers.length === 1 ? 'a deliverer runs' : `${deliverers.length} deliverers run`;
  return [ok('webhooks', `${many} active, and ${runs}.`)];
}
