-- Ids of accounts that were deleted, so that no import brings one back.

-- for: sqlite, postgres
create table deleted_accounts (
  id         text collate "C" primary key,
  deleted_at text collate "C" not null
);

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
    execute format('grant select, insert, update, delete on deleted_accounts, feeds to %I', pg_get_userbyid(grantee));
    execute format('grant update (name) on account_events, webhook_events to %I', pg_get_userbyid(grantee));
    execute format('grant update (name, actor) on token_events to %I', pg_get_userbyid(grantee));
    execute format('grant update (source) on imports to %I', pg_get_userbyid(grantee));
  end loop;
end $$;
