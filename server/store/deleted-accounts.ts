// Ids of accounts that were deleted, without anything else of them: an import that names one would bring the
// account back. They stay until somebody creates the account again, whatever the audit log still has.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { type Statement, sql, statement } from './sql.ts';

export const DELETED_ACCOUNTS = { name: 'deleted_accounts', columns: ['id', 'deleted_at'] } as const;

export const recordDeleted = (id: string): Statement =>
  sql`insert into deleted_accounts (id, deleted_at) values (${id}, ${timestampOf()})
    on conflict (id) do update set deleted_at = excluded.deleted_at`;

/** Of an account that is created again. */
export const forgetDeleted = (id: string): Statement => sql`delete from deleted_accounts where id = ${id}`;

export const deletedStatement: Statement = statement('select id, deleted_at from deleted_accounts');
