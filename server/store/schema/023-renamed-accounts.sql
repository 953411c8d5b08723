-- The id that an account got when it was renamed: of the id that it had, and in the audit log.

-- for: sqlite, postgres
alter table deleted_accounts add column renamed_to text collate "C";
alter table account_events add column renamed_to text collate "C";

-- for: postgres
-- Roles of an intake that were set up before get what `migrate` would give them.
do $$
declare
  grantee oid;
begin
  for grantee in
    select distinct acl.grantee from pg_class, aclexplode(relacl) as acl
    where pg_class.oid = 'imports'::regclass and acl.privilege_type = 'INSERT' and acl.grantee not in (0, relowner)
  loop
    execute format('grant insert (sequence, virtual_numbers, additional_services) on accounts to %I', pg_get_userbyid(grantee));
    execute format('grant update (account_id) on tokens, webhook_attempts to %I', pg_get_userbyid(grantee));
    execute format('grant update (accounts) on operator_tokens to %I', pg_get_userbyid(grantee));
  end loop;
end $$;
