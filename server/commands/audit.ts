// `linecard-server audit`: shows changes to accounts, tokens and lists, by whom and from where.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { WrongUsage } from '../errors.ts';
import { mustBeKnown } from '../operations/logs.ts';
import type { Values } from '../settings/config.ts';
import { type AuditEntry, auditBatches, hasAudit } from '../store/log/audit-reading.ts';
import { pruneAudit } from '../store/log/erasure.ts';
import { type DatabaseSettings, withSnapshot, withStore } from './command.ts';
import { changedText } from './import.ts';
import { failed } from './operation.ts';
import { count, counted, mustConfirm, printRows, say } from './print.ts';

const COLUMNS = ['at', 'event', 'account', 'token', 'origin', 'actor', 'details'] as const;

const DAY_MILLISECONDS = 86_400_000;

type AuditSettings = DatabaseSettings &
  Pick<Values, 'since' | 'account' | 'json' | 'prune' | 'audit_days' | 'yes'>;

function detailsOf({ event, details }: AuditEntry): string {
  const { list, mode, rows, left_out, inserted, updated, moved, unchanged, removed, source } = details;
  if (event === 'import moved')
    return `${list}: ${count(Number(details['items']))} moved to ${details['to_account_id']}`;
  if (event !== 'import')
    return [
      ...['webhook_id', 'renamed_to'].map((one) => details[one]),
      list,
      details['name'],
      details['currency'],
    ]
      .filter(Boolean)
      .join(', ');
  const counts = [
    [inserted, 'inserted'],
    [updated, `updated${changedText(details.changed)}`],
    ...(moved ? ([[moved, 'of them moved between accounts']] as const) : []),
    [unchanged, 'unchanged'],
    [removed, 'removed'],
  ] as const;
  const leftOut = left_out ? [`${counted(Number(left_out), 'row')} left out`] : [];
  const read = [
    counted(Number(rows), 'row'),
    ...leftOut,
    ...counts.map(([n, what]) => `${count(Number(n))} ${what}`),
  ];
  return `${list} (${mode}): ${read.join(', ')}; ${source}`;
}

const shown = (entry: AuditEntry) => ({
  ...entry,
  account: entry.account_id,
  token: entry.token_id,
  details: detailsOf(entry),
});

async function prune({ audit_days, yes, since, account, json, ...database }: AuditSettings): Promise<void> {
  if (since !== undefined || account !== undefined || json)
    throw new WrongUsage('--prune deletes entries of all accounts: leave out --since, --account and --json.');
  const before = timestampOf(Date.now() - audit_days * DAY_MILLISECONDS);
  const day = before.slice(0, 'YYYY-MM-DD'.length);
  await mustConfirm(`Delete all entries before ${day}?`, yes, 'Nothing was deleted.');
  const deleted = await withStore(database, (store) => pruneAudit(store, before), 'change');
  say(`${counted(deleted, 'event')} before ${day} ${deleted === 1 ? 'was' : 'were'} deleted.`);
}

export async function runAudit(settings: AuditSettings): Promise<void> {
  if (settings.prune) return prune(settings);
  const { since, account, json, ...database } = settings;
  return withSnapshot(database, async (snapshot, store) => {
    const choice = { since, account_id: account };
    const isEmpty = !(await hasAudit(snapshot, choice));
    // Entries of a deleted account stay.
    if (isEmpty && account !== undefined) await failed(mustBeKnown(store, account));
    if (!json && isEmpty) return say('No events are recorded.');
    await printRows(json, COLUMNS, () => auditBatches(snapshot, choice), shown);
  });
}
