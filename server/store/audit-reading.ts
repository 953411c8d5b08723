// Reads the audit log: what was done, the oldest first, and the last import of each list.

import { IMPORT_COUNTS, type RecordedImport } from './audit.ts';
import { Values } from './conditions.ts';
import { objectsOf, type Statement, statement } from './sql.ts';
import type { Store } from './store.ts';

const IMPORT = ['finished_at', 'list', 'origin', 'actor', 'source', 'mode', ...IMPORT_COUNTS] as const;

export interface PastImport extends RecordedImport {
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
  /** `import`, `import moved`, or `account`, `token` or `webhook` and what became of it. */
  readonly event: string;
  readonly account_id: string | null;
  readonly token_id: string | null;
  readonly origin: string;
  readonly actor: string;
  /**
   * The name of a token; id and name of a webhook; name and currency of an account; of an import its list,
   * mode, counts and source; of items that it has moved their list, number and new account.
   */
  readonly details: Readonly<Record<string, string | number>>;
}

/** What the audit log is read from: where an entry is, what else is known of it, and whose it is. */
const LOGS: readonly {
  readonly from: string;
  /** Its id, time, event, account and token. */
  readonly entry: readonly [id: string, at: string, event: string, account_id: string, token_id: string];
  readonly details: readonly string[];
  readonly owners: readonly string[];
}[] = [
  {
    from: 'account_events',
    entry: ['id', 'at', "'account ' || event", 'account_id', 'null'],
    details: ['name', 'currency'],
    owners: ['account_id'],
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
    from: 'imports',
    entry: ['id', 'finished_at', "'import'", 'null', 'null'],
    details: ['list', 'source', 'mode', ...IMPORT_COUNTS],
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
}

/** An entry and its id, which orders the entries of one millisecond. */
type Identified = readonly [id: string, entry: AuditEntry];

/** What was done, the oldest first. */
export async function readAudit(
  store: Store,
  { since = '', account_id }: AuditChoice,
): Promise<AuditEntry[]> {
  const results = await store.read(
    ...LOGS.map(({ from, entry, details, owners }): Statement => {
      const values = new Values();
      const columns = [...entry, 'origin', 'actor', ...details].join(', ');
      const text = `select ${columns} from ${from} where ${entry[1]} >= ${values.bind(since)}`;
      if (account_id === undefined) return { text, values: values.list };
      const own = owners.map((column) => `${column} = ${values.bind(account_id)}`).join(' or ');
      return { text: `${text} and (${own || 'false'})`, values: values.list };
    }),
  );
  const all = results.flatMap((rows, i) =>
    rows.map(([id, at, event, account, token_id, origin, actor, ...values]): Identified => {
      const named = (LOGS[i]?.details ?? []).map((name, d) => [name, values[d]] as const);
      const details = Object.fromEntries(named.filter(([, value]) => value !== null));
      const entry = { at, event, account_id: account, token_id, origin, actor, details };
      return [String(id), entry as unknown as AuditEntry];
    }),
  );
  const byTime = ([a, { at }]: Identified, [b, { at: other }]: Identified) =>
    at === other ? (a < b ? -1 : 1) : at < other ? -1 : 1;
  return all.sort(byTime).map(([, entry]) => entry);
}
