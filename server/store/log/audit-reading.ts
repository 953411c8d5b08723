// Reads the audit log: what was done, the oldest first, and the last import of each list.

import { Values } from '../conditions.ts';
import type { LoadSummary } from '../load-summary.ts';
import { objectsOf, type Statement, separate, statement } from '../sql.ts';
import type { Snapshot, Store } from '../store.ts';
import { IMPORT_COUNTS, type RecordedImport } from './audit.ts';
import { type IdSpan, spansOf, spansText } from './former-ids.ts';

const ENTRIES_AT_ONCE = 1_000;
const IMPORT = ['finished_at', 'list', 'origin', 'actor', 'source', 'mode', ...IMPORT_COUNTS] as const;

export interface PastImport extends Omit<RecordedImport, 'changed'> {
  readonly finished_at: string;
}

export async function lastImports(store: Store, lists: readonly string[]): Promise<PastImport[]> {
  const text = `select ${IMPORT.join(', ')} from imports where list = $1
    order by finished_at desc limit 1`;
  const results = await store.read(...lists.map((list) => statement(text, list)));
  return results.flatMap((rows) => objectsOf<PastImport>(IMPORT, rows));
}

export interface AuditEntry {
  readonly at: string;
  /** `import`, `import moved`, or `account`, `token`, `webhook`, `field` or `feed` and what became of it. */
  readonly event: string;
  readonly account_id: string | null;
  readonly token_id: string | null;
  readonly origin: string;
  readonly actor: string;
  /**
   * The name of a token or a feed; id and name of a webhook; list and name of a field; name and currency of
   * an account, and its new id if it was renamed; of an import its list, mode, counts, source and how many
   * items each column changed of; of items that it has moved their list, number and new account.
   */
  readonly details: Readonly<Record<string, string | number>> & { readonly changed?: LoadSummary['changed'] };
}

/** What the audit log is read from: where an entry is, what else is known of it, and whose it is. */
interface Log {
  readonly from: string;
  /** Its id, time, event, account and token. */
  readonly entry: readonly [id: string, at: string, event: string, account_id: string, token_id: string];
  readonly details: readonly string[];
  readonly owners: readonly string[];
}

const LOGS: readonly Log[] = [
  {
    from: 'account_events',
    entry: ['id', 'at', "'account ' || event", 'account_id', 'null'],
    details: ['name', 'currency', 'renamed_to'],
    // One that was renamed is of both ids.
    owners: ['account_id', 'coalesce(renamed_to, account_id)'],
  },
  {
    from: 'token_events',
    entry: ['id', 'at', "'token ' || event", 'account_id', 'token_id'],
    details: ['name'],
    owners: ['account_id'],
  },
  {
    from: 'webhook_events',
    entry: ['id', 'at', "'webhook ' || event", 'account_id', 'null'],
    details: ['webhook_id', 'name'],
    owners: ['account_id'],
  },
  {
    from: 'field_events',
    entry: ['id', 'at', "'field ' || event", 'null', 'null'],
    details: ['list', 'name'],
    owners: [],
  },
  {
    from: 'feed_events',
    entry: ['id', 'at', "'feed ' || event", 'null', 'null'],
    details: ['name'],
    owners: [],
  },
  {
    from: 'imports',
    entry: ['id', 'finished_at', "'import'", 'null', 'null'],
    details: ['list', 'source', 'mode', ...IMPORT_COUNTS, 'changed'],
    owners: [],
  },
  {
    from: 'import_moves join imports on id = import_id',
    // It follows its import.
    entry: ["id || '-' || from_account_id", 'finished_at', "'import moved'", 'from_account_id', 'null'],
    details: ['list', 'items', 'to_account_id'],
    owners: ['from_account_id', 'to_account_id'],
  },
];

export interface AuditChoice {
  /** A timestamp: nothing older. */
  readonly since?: string | undefined;
  /** Only what happened to this account and its tokens, and items that moved from it or to it. */
  readonly account_id?: string | undefined;
  /** Only what is about these accounts and no others. */
  readonly accounts?: readonly string[] | undefined;
  /** Nothing about tokens of operators. */
  readonly isOfCustomers?: true;
}

/** The choice by the ids that its accounts had, and when. */
interface ResolvedChoice {
  readonly since: string | undefined;
  readonly isOfCustomers: true | undefined;
  readonly own: readonly IdSpan[] | undefined;
  readonly among: readonly IdSpan[] | undefined;
}

/** A token that is bound to accounts sees nothing of others that had the same ids before. */
async function resolved(
  snapshot: Snapshot,
  { since, account_id, accounts, isOfCustomers }: AuditChoice,
): Promise<ResolvedChoice> {
  const read = async (one: Statement) => (await snapshot.read(one))[0];
  const own = account_id === undefined ? undefined : await spansOf(read, account_id, 'all');
  const among: IdSpan[] = [];
  for (const id of accounts ?? []) among.push(...(await spansOf(read, id, 'last')));
  return { since, isOfCustomers, own, among: accounts && among };
}

/** An entry and its id, which orders the entries of one millisecond. */
type Identified = readonly [id: string, entry: AuditEntry];

/** The chosen entries of one log: by default their id, time, event, account, token, and so on. */
function chosen(
  log: Log,
  { since = '', own, among, isOfCustomers }: ResolvedChoice,
  more: string,
  columns = [...log.entry, 'origin', 'actor', ...log.details].join(', '),
): Statement {
  const values = new Values();
  const by = (spans: readonly IdSpan[]) =>
    log.owners.map((column) => `(${spansText(spans, values, column, log.entry[1])})`);
  const conditions = [
    `${log.entry[1]} >= ${values.bind(since)}`,
    ...(own === undefined ? [] : [by(own).join(' or ') || 'false']),
    ...(among === undefined ? [] : [by(among).join(' and ') || 'false']),
    ...(isOfCustomers && log.from === 'token_events' ? [`account_id is not null and event <> 'read'`] : []),
  ];
  const where = conditions.map((one) => `(${one})`).join(' and ');
  // Some of them are with the tokens.
  return separate({ text: `select ${columns} from ${log.from} where ${where} ${more}`, values: values.list });
}

/** How many entries there are. */
export async function countAudit(snapshot: Snapshot, choice: AuditChoice): Promise<number> {
  const all = await resolved(snapshot, choice);
  const results = await snapshot.read(...LOGS.map((log) => chosen(log, all, '', 'count(*)')));
  return results.reduce((sum, rows) => sum + Number(rows[0]?.[0]), 0);
}

/** Whether anything was done. */
export async function hasAudit(snapshot: Snapshot, choice: AuditChoice): Promise<boolean> {
  const all = await resolved(snapshot, choice);
  const results = await snapshot.read(...LOGS.map((log) => chosen(log, all, 'limit 1')));
  return results.some((rows) => rows.length > 0);
}

/** The entries of one log, the oldest first. */
async function* entriesOf(snapshot: Snapshot, log: Log, choice: ResolvedChoice): AsyncGenerator<Identified> {
  for await (const rows of snapshot.rows(chosen(log, choice, 'order by 2, 1')))
    for (const [id, at, event, account_id, token_id, origin, actor, ...values] of rows) {
      const named = log.details.map((name, i) => [name, values[i]] as const);
      const known = named.filter(([, value]) => value !== null);
      const details = Object.fromEntries(
        known.map(([name, value]) => [name, name === 'changed' ? JSON.parse(String(value)) : value]),
      );
      const entry = { at, event, account_id, token_id, origin, actor, details };
      yield [String(id), entry as AuditEntry];
    }
}

const isBefore = ([a, { at }]: Identified, [b, { at: other }]: Identified): boolean =>
  at === other ? a < b : at < other;

/** What was done, the oldest first, some at a time: the logs are read next to each other, and merged. */
export async function* auditBatches(
  snapshot: Snapshot,
  choice: AuditChoice,
): AsyncGenerator<readonly AuditEntry[]> {
  const all = await resolved(snapshot, choice);
  const logs = LOGS.map((log) => entriesOf(snapshot, log, all));
  const next: (Identified | undefined)[] = [];
  const following = async (log: (typeof logs)[number] | undefined) => {
    const step = await log?.next();
    return step === undefined || step.done ? undefined : step.value;
  };
  for (const log of logs) next.push(await following(log));
  for (let batch: AuditEntry[] = []; ; ) {
    const first = next.reduce((a, b) => (a === undefined || (b !== undefined && isBefore(b, a)) ? b : a));
    if (first !== undefined) batch.push(first[1]);
    if (batch.length === ENTRIES_AT_ONCE || first === undefined) {
      yield batch;
      batch = [];
    }
    if (first === undefined) return;
    const i = next.indexOf(first);
    next[i] = await following(logs[i]);
  }
}
