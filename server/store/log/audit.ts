// The audit log: who did what to accounts and tokens, which imports there were, and from where. An entry is
// written in the transaction of what it records, so that there is never one without the other.

import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { Values } from '../conditions.ts';
import type { LoadSummary } from '../load-summary.ts';
import { inParts, insertRows, type Statement, separate, sql } from '../sql.ts';
import type { AccountMoves, Store } from '../store.ts';

export type ImportOrigin = 'command' | 'intake' | 'pull' | 'watch';

/** One `erased` was deleted before: what is recorded of it has no names any more. */
export type AccountEvent = 'created' | 'updated' | 'renamed' | 'disabled' | 'enabled' | 'deleted' | 'erased';

/**
 * What became of a token. One `ending` has a successor; `suspended` and `resumed` are those of an account
 * that is disabled and enabled; one `withdrawn` was never handed to anybody. `read` is the first use of an
 * account in a day by a token of an operator.
 */
export type TokenEvent =
  | 'created'
  | 'rotated'
  | 'first-used'
  | 'read'
  | 'ending'
  | 'revoked'
  | 'suspended'
  | 'resumed'
  | 'withdrawn'
  | 'deleted';

export const IMPORT_COUNTS = [
  'rows',
  'left_out',
  'inserted',
  'updated',
  'moved',
  'unchanged',
  'removed',
  'accounts_created',
] as const;
const IMPORT_COLUMNS = [
  'id',
  'finished_at',
  'list',
  'origin',
  'actor',
  'source',
  'mode',
  ...IMPORT_COUNTS,
  'changed',
];
export const TOKEN_EVENT_COLUMNS = ['id', 'at', 'event', 'token_id', 'account_id', 'name', 'origin', 'actor'];
const ACCOUNT_COLUMNS = ['id', 'at', 'event', 'account_id', 'name', 'currency', 'origin', 'actor'];
export const FEED_EVENT_COLUMNS = ['id', 'at', 'event', 'name', 'origin', 'actor'];
const MOVE_COLUMNS = ['import_id', 'from_account_id', 'to_account_id', 'items'];
/** The tables of the log, for a copy of a database. */
export const AUDIT_TABLES = [
  { name: 'imports', columns: IMPORT_COLUMNS },
  { name: 'import_moves', columns: MOVE_COLUMNS, keys: 3 },
  { name: 'account_events', columns: [...ACCOUNT_COLUMNS, 'renamed_to'] },
  { name: 'token_events', columns: TOKEN_EVENT_COLUMNS, isSeparate: true },
  { name: 'feed_events', columns: FEED_EVENT_COLUMNS },
] as const;
const MAX_SOURCE_CHARACTERS = 200;
const MOVES_AT_ONCE = 500;
/** Imports may come every minute: what is older is deleted by the next. */
const RETENTION_MILLISECONDS = 400 * 86_400_000;

/** Where an import came from. */
export interface ImportProvenance {
  readonly origin: ImportOrigin;
  /** Who: a user and machine, or the id of an operator's token. */
  readonly actor: string;
  /** The names of its files, or an address. */
  readonly source: string;
}

export type EventOrigin = Pick<ImportProvenance, 'origin' | 'actor'>;

export interface RecordedImport extends ImportProvenance, Omit<LoadSummary, 'absent' | 'examples'> {
  readonly list: string;
  /** What happens to items that exist: insert, update, replace or replace-all. */
  readonly mode: string;
  readonly rows: number;
  /** Rows that a mapping leaves out. */
  readonly left_out: number;
}

/** The person for whom this process runs, where that is not its user. */
let person: string | undefined;

export function actFor(name: string | undefined): void {
  person = name;
}

/** The user and machine of this process, and the person for whom it runs: `linecard (alice)@lists-1`. */
export function processActor(): string {
  let user: string;
  try {
    user = userInfo().username;
  } catch {
    // In a container the user often has no name.
    user = `uid ${process.getuid?.() ?? 'unknown'}`;
  }
  const isOther = person !== undefined && person !== user;
  return `${user}${isOther ? ` (${person})` : ''}@${hostname()}`;
}

/** How far the microseconds may be from the clock, which may be set while the process runs. */
const MAX_APART_MILLISECONDS = 1_000;
/** When the monotonic clock was 0, in milliseconds since 1970. */
let startedAt = performance.timeOrigin;

/** An id of an entry. It begins with the microseconds, which order the entries of one millisecond. */
export function newId(): string {
  const elapsed = performance.now();
  const now = Date.now();
  if (Math.abs(startedAt + elapsed - now) > MAX_APART_MILLISECONDS) startedAt = now - elapsed;
  const microseconds = Math.floor((startedAt + elapsed) * 1_000);
  return `${microseconds}-${randomUUID()}`;
}

/** The statements that record an import and what it moves, and delete what was recorded long ago. */
export function recordImport(one: RecordedImport, moves: readonly AccountMoves[] = []): Statement[] {
  const id = newId();
  const source = Array.from(one.source).slice(0, MAX_SOURCE_CHARACTERS).join('');
  const { list, origin, actor, mode } = one;
  const counts = IMPORT_COUNTS.map((name) => one[name]);
  const oldest = timestampOf(Date.now() - RETENTION_MILLISECONDS);
  return [
    insertRows('imports', IMPORT_COLUMNS, [
      [id, timestampOf(), list, origin, actor, source, mode, ...counts, JSON.stringify(one.changed)],
    ]),
    ...inParts(moves, MOVES_AT_ONCE).map((some) =>
      insertRows(
        'import_moves',
        MOVE_COLUMNS,
        some.map(({ from_account_id, to_account_id, items }) => [id, from_account_id, to_account_id, items]),
      ),
    ),
    sql`delete from import_moves where import_id in
      (select id from imports where list = ${list} and finished_at < ${oldest})`,
    sql`delete from imports where list = ${list} and finished_at < ${oldest}`,
  ];
}

/** That no account is below the account `$1`. */
export const NONE_BELOW = ' and not exists (select 1 from accounts as below where below.parent_id = $1)';

/** Which accounts an event is recorded of, if not of any that exists. */
const ACCOUNT_CONDITIONS: Readonly<Partial<Record<AccountEvent, string>>> = {
  disabled: ' and disabled_at is null',
  enabled: ' and disabled_at is not null',
  deleted: NONE_BELOW,
};

/** The user of a command. */
export const commandOrigin = (): EventOrigin => ({ origin: 'command', actor: processActor() });

/**
 * The statement that records what happens to an account that exists, with its name and currency: to run
 * before it is disabled, enabled or deleted, and after any other change.
 * @param revision records it only if the account has this one.
 */
export function recordAccount(
  event: AccountEvent,
  id: string,
  { origin, actor }: EventOrigin = commandOrigin(),
  revision?: string,
): Statement {
  const own = revision === undefined ? '' : ' and revision = $7';
  const text = `insert into account_events (${ACCOUNT_COLUMNS.join(', ')})
    select $2, $3, $4, id, name, currency, $5, $6 from accounts
    where id = $1${own}${ACCOUNT_CONDITIONS[event] ?? ''}`;
  const values = [id, newId(), timestampOf(), event, origin, actor];
  return { text, values: revision === undefined ? values : [...values, revision], isEntry: true };
}

export type TokenTable = 'tokens' | 'operator_tokens';

/** Which tokens an event happens to: one by its id, all of a customer's account, or several of either. */
export type TokenChoice =
  | { readonly table: TokenTable; readonly id: string }
  | { readonly account_id: string }
  | { readonly column: 'account_id' | 'id'; readonly among: readonly string[] };

/** Which tokens an event happens to, if not to all that are not revoked. */
const TOKEN_CONDITIONS: Readonly<Partial<Record<TokenEvent, string>>> = {
  suspended: ' and suspended_at is null',
  resumed: ' and suspended_at is not null',
};

/** The statement that records what happens to tokens that are not revoked. */
export function recordTokens(
  { dialect }: Pick<Store, 'dialect'>,
  event: TokenEvent,
  choice: TokenChoice,
  by: EventOrigin = commandOrigin(),
): Statement {
  const values = new Values();
  const table = 'table' in choice ? choice.table : 'tokens';
  const account = table === 'tokens' ? 'account_id' : 'null';
  // Each entry of many has an id of its own: that of the event and of the token.
  const [id, at, what, origin, actor] = [`${newId()}-`, timestampOf(), event, by.origin, by.actor].map(
    (value) => values.bind(value),
  );
  const chosen =
    'id' in choice
      ? `id = ${values.bind(choice.id)}`
      : 'among' in choice
        ? dialect.among(choice.column, values.bind(choice.among), 'text')
        : `account_id = ${values.bind(choice.account_id)}`;
  const text = `insert into token_events (${TOKEN_EVENT_COLUMNS.join(', ')})
    select ${id} || id, ${at}, ${what}, id, ${account}, name, ${origin}, ${actor}
    from ${table} where ${chosen} and revoked_at is null${TOKEN_CONDITIONS[event] ?? ''}`;
  return separate({ text, values: values.list, isEntry: true });
}

/** What is needed of a store to change tokens and accounts. */
export type ChangeStore = Pick<Store, 'dialect' | 'read' | 'write'>;

/** The same store for an emergency on a full disk: it writes no entries of the audit log. */
export function withoutEntries(store: Store): ChangeStore {
  return {
    dialect: store.dialect,
    read: (...statements) => store.read(...statements),
    async write(...statements) {
      const changes = statements.filter(({ isEntry }) => isEntry !== true);
      const counts = await store.write(...changes);
      return statements.map((one) => counts[changes.indexOf(one)] ?? 0);
    },
  };
}
