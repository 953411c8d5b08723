// Reads the audit log: what was done, the oldest first, and the last import of each list.

import { IMPORT_COUNTS, type RecordedImport } from './audit.ts';
import { Values } from './conditions.ts';
import type { Statement } from './sql.ts';
import type { ResultRow, Store } from './store.ts';

const IMPORT = ['finished_at', 'list', 'origin', 'actor', 'source', 'mode', ...IMPORT_COUNTS].join(', ');

/** An import of the past. */
export interface PastImport extends RecordedImport {
  readonly finished_at: string;
}

/** The last import of each list that has had one. */
export async function lastImports(store: Store, lists: readonly string[]): Promise<PastImport[]> {
  const results = await store.read(
    ...lists.map(
      (list): Statement => ({
        text: `select ${IMPORT} from imports where list = ${store.dialect.placeholder(1)} order by finished_at desc limit 1`,
        values: [list],
      }),
    ),
  );
  return results.flatMap((rows) => rows.map(importOf));
}

function importOf([finished_at, list, origin, actor, source, mode, ...counts]: ResultRow): PastImport {
  const numbers = Object.fromEntries(IMPORT_COUNTS.map((name, i) => [name, Number(counts[i])]));
  return { finished_at, list, origin, actor, source, mode, ...numbers } as unknown as PastImport;
}

/** One entry. */
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
  const select = (columns: string, from: string, at: string, ...owners: string[]): Statement => {
    const values = new Values(store.dialect);
    const text = `select ${columns} from ${from} where ${at} >= ${values.bind(since)}`;
    if (account_id === undefined) return { text, values: values.list };
    const own = owners.map((column) => `${column} = ${values.bind(account_id)}`).join(' or ');
    return { text: `${text} and (${own || 'false'})`, values: values.list };
  };
  const [accounts, tokens, webhooks, imports, moves] = await store.read(
    select('id, at, event, account_id, origin, actor, name, currency', 'account_events', 'at', 'account_id'),
    select('id, at, event, account_id, token_id, origin, actor, name', 'token_events', 'at', 'account_id'),
    select(
      'id, at, event, account_id, webhook_id, origin, actor, name',
      'webhook_events',
      'at',
      'account_id',
    ),
    select(`id, ${IMPORT}`, 'imports', 'finished_at'),
    select(
      'id, finished_at, from_account_id, origin, actor, list, items, to_account_id',
      'import_moves join imports on id = import_id',
      'finished_at',
      'from_account_id',
      'to_account_id',
    ),
  );
  const all = [
    ...accounts.map(accountEntry),
    ...tokens.map(tokenEntry),
    ...webhooks.map(webhookEntry),
    ...imports.map(importEntry),
    ...moves.map(moveEntry),
  ];
  const byTime = ([a, { at }]: Identified, [b, { at: other }]: Identified) =>
    at === other ? (a < b ? -1 : 1) : at < other ? -1 : 1;
  return all.sort(byTime).map(([, entry]) => entry);
}

function accountEntry([id, at, event, account_id, origin, actor, name, currency]: ResultRow): Identified {
  const details = { name, ...(currency === null ? {} : { currency }) };
  const entry = { at, event: `account ${event}`, account_id, token_id: null, origin, actor, details };
  return [String(id), entry as unknown as AuditEntry];
}

function tokenEntry([id, at, event, account_id, token_id, origin, actor, name]: ResultRow): Identified {
  const entry = { at, event: `token ${event}`, account_id, token_id, origin, actor, details: { name } };
  return [String(id), entry as unknown as AuditEntry];
}

function webhookEntry([id, at, event, account_id, webhook_id, origin, actor, name]: ResultRow): Identified {
  const details = { webhook_id, name };
  const entry = { at, event: `webhook ${event}`, account_id, token_id: null, origin, actor, details };
  return [String(id), entry as unknown as AuditEntry];
}

function importEntry([id, ...row]: ResultRow): Identified {
  const { finished_at: at, origin, actor, ...details } = importOf(row);
  return [String(id), { at, event: 'import', account_id: null, token_id: null, origin, actor, details }];
}

/** It follows its import. */
function moveEntry([id, at, account_id, origin, actor, list, items, to_account_id]: ResultRow): Identified {
  const details = { list, items: Number(items), to_account_id };
  const entry = { at, event: 'import moved', account_id, token_id: null, origin, actor, details };
  return [`${id}-${String(account_id)}`, entry as unknown as AuditEntry];
}
