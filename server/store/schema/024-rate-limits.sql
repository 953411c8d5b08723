-- The requests a minute of a token that has a limit of its own; null for as many as the others.

-- for: sqlite-tokens, postgres
alter table tokens add column rate_limit integer;
alter table operator_tokens add column rate_limit integer;

-- Each scrape counts those that end soon: all of what that looks at is in the index.
create index tokens_by_end on tokens (expires_at, revoked_at, kind) where expires_at is not null;

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
    execute format('grant select (rate_limit) on tokens to %I', pg_get_userbyid(grantee));
  end loop;
end $$;
