// The audit log: who did what to tokens, which imports there were, and from where. What records something is
// a statement for the transaction of what it records, so that there is never one without the other. It must
// not know how the log is shown.

import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { apart, type Statement, template } from './sql.ts';
import type { LoadSummary, ResultRow, Store } from './store.ts';

/** How an import came in. */
export type ImportOrigin = 'command' | 'intake' | 'pull' | 'watch';

/** What became of a token. One `ending` has a successor; one `withdrawn` was never handed to anybody. */
export type TokenEvent =
  | 'created'
  | 'rotated'
  | 'first-used'
  | 'ending'
  | 'revoked'
  | 'withdrawn'
  | 'deleted';

const IMPORT_COUNTS = ['rows', 'inserted', 'updated', 'unchanged', 'removed', 'accounts_created'] as const;
const IMPORT_COLUMNS = ['id', 'finished_at', 'list', 'origin', 'actor', 'source', 'mode', ...IMPORT_COUNTS];
const TOKEN_COLUMNS = ['id', 'at', 'event', 'token_id', 'account_id', 'name', 'origin', 'actor'];
/** The tables of the log, for what copies all of a database. */
export const AUDIT_TABLES = [
  { name: 'imports', columns: IMPORT_COLUMNS },
  { name: 'token_events', columns: TOKEN_COLUMNS, isApart: true },
] as const;
const MAX_SOURCE_CHARACTERS = 200;
/** Imports may come every minute: what is older is deleted by the next. */
const RETENTION_MILLISECONDS = 400 * 86_400_000;

/** Where an import came from. */
export interface ImportProvenance {
  readonly origin: ImportOrigin;
  /** Who: a user and machine, or the id of an operator's token. */
  readonly actor: string;
  /** Out of what: names of files, or an address. */
  readonly source: string;
}

export interface RecordedImport extends ImportProvenance, Omit<LoadSummary, 'absent'> {
  readonly list: string;
  /** What becomes of items that are there: insert, update, replace or replace-all. */
  readonly mode: string;
  readonly rows: number;
}

/** An import of the past. */
export interface PastImport extends RecordedImport {
  readonly finished_at: string;
}

/** The user and the machine that this process runs as. */
export function processActor(): string {
  let user: string;
  try {
    user = userInfo().username;
  } catch {
    // In a container the user often has a number and no name.
    user = `uid ${process.getuid?.() ?? 'unknown'}`;
  }
  return `${user}@${hostname()}`;
}

/** An id of an entry. It begins with the microseconds, which order the entries of one millisecond. */
function newId(): string {
  const microseconds = Math.floor((performance.timeOrigin + performance.now()) * 1_000);
  return `${microseconds}-${randomUUID()}`;
}

/** The statements that record an import, and delete what was recorded long ago. */
export function recordImport({ dialect }: Pick<Store, 'dialect'>, one: RecordedImport): Statement[] {
  const sql = template(dialect);
  const source = Array.from(one.source).slice(0, MAX_SOURCE_CHARACTERS).join('');
  const { list, origin, actor, mode, rows, inserted, updated, unchanged, removed, accounts_created } = one;
  return [
    sql`insert into imports (id, finished_at, list, origin, actor, source, mode,
        rows, inserted, updated, unchanged, removed, accounts_created)
      values (${newId()}, ${timestampOf()}, ${list}, ${origin}, ${actor}, ${source}, ${mode},
        ${rows}, ${inserted}, ${updated}, ${unchanged}, ${removed}, ${accounts_created})`,
    sql`delete from imports where list = ${list}
      and finished_at < ${timestampOf(Date.now() - RETENTION_MILLISECONDS)}`,
  ];
}

/** Which tokens something happens to, as the statement that does it names them. */
export type TokenChoice = { readonly id: string } | { readonly account_id: string };

/** The statement that records what becomes of tokens that are there and not revoked. */
export function recordTokens(
  { dialect }: Pick<Store, 'dialect'>,
  event: TokenEvent,
  choice: TokenChoice,
): Statement {
  const sql = template(dialect);
  const [at, actor] = [timestampOf(), processActor()];
  // An id of its own for each of many: that of the event and of the token.
  const id = `${newId()}-`;
  const record =
    'id' in choice
      ? sql`insert into token_events (id, at, event, token_id, account_id, name, origin, actor)
        select ${id} || id, ${at}, ${event}, id, account_id, name, 'command', ${actor}
        from tokens where id = ${choice.id} and revoked_at is null`
      : sql`insert into token_events (id, at, event, token_id, account_id, name, origin, actor)
        select ${id} || id, ${at}, ${event}, id, account_id, name, 'command', ${actor}
        from tokens where account_id = ${choice.account_id} and revoked_at is null`;
  return apart(record);
}

/** The statement that records what becomes of an operator's token that is there and not revoked. */
export function recordOperatorToken(
  { dialect }: Pick<Store, 'dialect'>,
  event: TokenEvent,
  token_id: string,
): Statement {
  return apart(
    template(dialect)`insert into token_events (id, at, event, token_id, account_id, name, origin, actor)
      select ${newId()}, ${timestampOf()}, ${event}, id, null, name, 'command', ${processActor()}
      from operator_tokens where id = ${token_id} and revoked_at is null`,
  );
}

/** A request that may be the first of a token. */
export interface FirstUse {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The address that it came from. */
  readonly peer: string;
}

/** The statement that records the first use of a token, to come before that use is written down. */
export function recordFirstUse(
  { dialect }: Pick<Store, 'dialect'>,
  token_id: string,
  { at, peer }: FirstUse,
): Statement {
  const record = template(
    dialect,
  )`insert into token_events (id, at, event, token_id, account_id, name, origin, actor)
    select ${newId()}, ${timestampOf(at)}, ${'first-used' satisfies TokenEvent}, id, account_id, name, 'request', ${peer}
    from tokens where id = ${token_id} and last_used_at is null`;
  return {
    ...apart(record),
    owner: { kind: 'token_id', value: token_id },
  };
}

/** The last import of each list that has had one. */
export async function lastImports(store: Store, lists: readonly string[]): Promise<PastImport[]> {
  const results = await store.read(
    ...lists.map(
      (list) => template(store.dialect)`select finished_at, list, origin, actor, source, mode,
          rows, inserted, updated, unchanged, removed, accounts_created
        from imports where list = ${list} order by finished_at desc limit 1`,
    ),
  );
  return results.flatMap((rows) => rows.map(importOf));
}

function importOf([finished_at, list, origin, actor, source, mode, ...counts]: ResultRow): PastImport {
  const numbers = Object.fromEntries(IMPORT_COUNTS.map((name, i) => [name, Number(counts[i])]));
  return { finished_at, list, origin, actor, source, mode, ...numbers } as unknown as PastImport;
}

/** One thing that was done. */
export interface AuditEntry {
  readonly at: string;
  /** `import`, or `token` and what became of it. */
  readonly event: string;
  readonly account_id: string | null;
  readonly token_id: string | null;
  readonly origin: string;
  readonly actor: string;
  /** The name of a token; of an import its list, mode, counts and source. */
  readonly details: Readonly<Record<string, string | number>>;
}

export interface AuditChoice {
  /** A timestamp: nothing older. */
  readonly since?: string | undefined;
  /** Only what happened to tokens of this account; imports are of no one account. */
  readonly account_id?: string | undefined;
}

/** What was done, the oldest first. */
export async function readAudit(
  store: Store,
  { since = '', account_id }: AuditChoice,
): Promise<AuditEntry[]> {
  const sql = template(store.dialect);
  const columns = 'at, event, account_id, token_id, origin, actor, name';
  const ofAccount = account_id === undefined ? '' : ` and account_id = ${store.dialect.placeholder(2)}`;
  const [events, imports] = await store.read(
    {
      text: `select ${columns} from token_events where at >= ${store.dialect.placeholder(1)}${ofAccount} order by at, id`,
      values: account_id === undefined ? [since] : [since, account_id],
    },
    sql`select finished_at, list, origin, actor, source, mode,
        rows, inserted, updated, unchanged, removed, accounts_created
      from imports where finished_at >= ${since} and ${account_id ?? ''} = '' order by finished_at, id`,
  );
  const all = [...events.map(tokenEntry), ...imports.map(importOf).map(importEntry)];
  return all.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function tokenEntry([at, event, account_id, token_id, origin, actor, name]: ResultRow): AuditEntry {
  const entry = { at, event: `token ${event}`, account_id, token_id, origin, actor, details: { name } };
  return entry as unknown as AuditEntry;
}

function importEntry({ finished_at, origin, actor, ...details }: PastImport): AuditEntry {
  return { at: finished_at, event: 'import', account_id: null, token_id: null, origin, actor, details };
}
