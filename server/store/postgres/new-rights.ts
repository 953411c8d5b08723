// Roles that were set up before a step of the schema: after it each gets what `migrate` would give it.

import { type Client, escapeIdentifier } from 'pg';
import { NEEDED_RIGHTS, type RoleKind } from './rights.ts';

/** By kind: what the roles of that kind alone may insert into, and what they may not. */
const MARKS: Readonly<Record<RoleKind, readonly [table: string, other: string]>> = {
  serving: ['token_events', 'imports'],
  intake: ['imports', 'webhook_attempts'],
  deliver: ['webhook_attempts', 'imports'],
};

const ROLES = `select distinct pg_get_userbyid(acl.grantee) as name from pg_class, aclexplode(relacl) as acl
  where pg_class.oid = $1::regclass and acl.privilege_type = 'INSERT' and acl.grantee not in (0, relowner)
    and not has_table_privilege(acl.grantee, $2, 'insert')`;

/** In the transaction of the last step, as the owner of the tables. */
export async function grantNewRights(client: Client): Promise<void> {
  for (const [kind, marks] of Object.entries(MARKS) as [RoleKind, readonly string[]][]) {
    const { rows } = await client.query<{ name: string }>(ROLES, [...marks]);
    for (const { name } of rows)
      for (const [may, what] of NEEDED_RIGHTS[kind]) {
        const held = await client.query<{ may: boolean }>(`select (${may}) as may`, [name]);
        if (held.rows[0]?.may !== true) await client.query(`grant ${what} to ${escapeIdentifier(name)}`);
      }
  }
}
