// Roles that were set up before a step of the schema: after it each gets what `migrate` would give it.

import { type Client, escapeIdentifier } from 'pg';
import { NEEDED_RIGHTS } from './rights.ts';

const INSERT = 'insert on ';
/** By kind, the tables that its roles may insert into: by these a role is known. */
const KINDS = Object.values(NEEDED_RIGHTS).map((rights) => ({
  rights,
  inserted: rights.flatMap(([, what]) => (what.startsWith(INSERT) ? [what.slice(INSERT.length)] : [])),
}));

/** Who was given the right to insert into any of these tables, and into which they may. */
const ROLES = `select pg_get_userbyid(grantee) as name,
    array(select one from unnest($1::text[]) as one where has_table_privilege(grantee, one, 'insert')) as tables
  from (select distinct acl.grantee from pg_class, aclexplode(relacl) as acl
    where pg_class.oid = any ($1::text[]::regclass[]) and acl.privilege_type = 'INSERT'
      and acl.grantee not in (0, relowner)) as granted`;

/** In the transaction of the last step, as the owner of the tables. */
export async function grantNewRights(client: Client): Promise<void> {
  const every = new Set(KINDS.flatMap(({ inserted }) => inserted));
  const { rows } = await client.query<{ name: string; tables: string[] }>(ROLES, [[...every]]);
  for (const { name, tables } of rows) {
    // An intake may do what the role that serves may, and comes after it.
    const kind = KINDS.find(({ inserted }) => tables.every((table) => inserted.includes(table)));
    for (const [may, what] of kind?.rights ?? []) {
      const held = await client.query<{ may: boolean }>(`select (${may}) as may`, [name]);
      if (held.rows[0]?.may !== true) await client.query(`grant ${what} to ${escapeIdentifier(name)}`);
    }
  }
}
