// Ids of accounts that were deleted or have another id now, without anything else of them: an import that
// names one would bring the account back. They stay until an account gets the id, whatever the audit log has.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { type Statement, sql, statement } from '../sql.ts';
import type { Store } from '../store.ts';

export const DELETED_ACCOUNTS = {
  name: 'deleted_accounts',
  columns: ['id', 'deleted_at', 'renamed_to'],
} as const;

const record = (id: string, renamed_to: string | null): Statement =>
  sql`insert into deleted_accounts (id, deleted_at, renamed_to) values (${id}, ${timestampOf()}, ${renamed_to})
    on conflict (id) do update set deleted_at = excluded.deleted_at, renamed_to = excluded.renamed_to`;

/** The ids that the account had before are those of a deleted one as well. */
export const recordDeleted = (id: string): Statement[] => [
  record(id, null),
  sql`update deleted_accounts set deleted_at = ${timestampOf()}, renamed_to = null where renamed_to = ${id}`,
];

/** Each id that the account had before leads to the new one, which may be one of them. */
export const recordRenamed = (from: string, to: string): Statement[] => [
  forgetDeleted(to),
  sql`update deleted_accounts set renamed_to = ${to} where renamed_to = ${from}`,
  record(from, to),
];

/** Of an id that an account gets. */
export const forgetDeleted = (id: string): Statement => sql`delete from deleted_accounts where id = ${id}`;

/** Longer than any process answers by what it has read of a caller. */
const RESTS_MILLISECONDS = 10_000;

/**
 * A row if the account that had an id gave it up a moment ago: a process may still take its caller for the
 * account with this id.
 * @param next the account that may have it all the same, which had it before.
 */
export const isRestingStatement = (id: string, next: string): Statement =>
  sql`select id from deleted_accounts where id = ${id} and (renamed_to is null or renamed_to <> ${next})
    and deleted_at > ${timestampOf(Date.now() - RESTS_MILLISECONDS)}`;

export const deletedStatement: Statement = statement(
  'select id, deleted_at, renamed_to from deleted_accounts',
);

const DAY_CHARACTERS = 'YYYY-MM-DD'.length;

/** What became of an account that there is not, as after its id: `was deleted on 2026-11-02`. */
export function endText(deleted_at: string, renamed_to: string | null, shown = (id: string) => id): string {
  const what = renamed_to === null ? 'was deleted' : `was renamed to ${shown(renamed_to)}`;
  return `${what} on ${deleted_at.slice(0, DAY_CHARACTERS)}`;
}

/** The id that the account has now which had this one; `undefined` if it has none. */
export async function renamedTo(store: Pick<Store, 'read'>, id: string): Promise<string | undefined> {
  const [[row]] = await store.read(sql`select renamed_to from deleted_accounts where id = ${id}`);
  return typeof row?.[0] === 'string' ? row[0] : undefined;
}

/** That there is no account with the id, and what became of the one that had it. */
export async function absence(store: Pick<Store, 'read'>, id: string): Promise<string> {
  const [[row]] = await store.read(sql`select deleted_at, renamed_to from deleted_accounts where id = ${id}`);
  const end = row && ` It ${endText(...(row as [at: string, to: string | null]))}.`;
  return `There is no account ${id}.${end ?? ''}`;
}
