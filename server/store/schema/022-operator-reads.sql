-- What an operator's token that may read sees: what limits it, and what the roles that serve need to find it.

-- for: sqlite-tokens, postgres
-- The lists that it may see, as a JSON array; null for all.
alter table operator_tokens add column lists text collate "C";
alter table operator_tokens add column charges integer not null default 1;
-- The networks that it may be used from, as a JSON array of CIDRs; null for all.
alter table operator_tokens add column addresses text collate "C";

-- for: postgres
-- Roles that were set up before get what `migrate` would give them: a role that serves may insert into token_events and not
-- into imports. With row security it sees the token of the request, and with a token of all accounts all of them.
do $$
declare
  grantee oid;
  serving text;
  others record;
  condition text;
begin
  for grantee in
    select distinct acl.grantee from pg_class, aclexplode(relacl) as acl
    where pg_class.oid = 'token_events'::regclass and acl.privilege_type = 'INSERT' and acl.grantee not in (0, relowner)
      and not has_table_privilege(acl.grantee, 'imports', 'insert')
  loop
    execute format('grant select on operator_tokens to %I', pg_get_userbyid(grantee));
    execute format('grant update (last_used_at) on operator_tokens to %I', pg_get_userbyid(grantee));
  end loop;

  for others in
    select polname, string_agg(format('%I', pg_get_userbyid(role)), ', ') as roles
    from pg_policy, unnest(polroles) as role
    where polrelid = 'accounts'::regclass and polname in ('linecard_intake', 'linecard_deliver') group by polname
  loop
    execute format('create policy %I on operator_tokens for all to %s using (true) with check (true)',
      others.polname, others.roles);
  end loop;

  select string_agg(format('%I', pg_get_userbyid(role)), ', ') into serving
    from pg_policy, unnest(polroles) as role
    where polrelid = 'accounts'::regclass and polname = 'linecard_select';
  if serving is null then return; end if;
  alter table operator_tokens enable row level security;
  execute format('create policy linecard_select on operator_tokens for select to %s using (
    hash = current_setting(''linecard.token_hash'', true) or id = current_setting(''linecard.operator_id'', true))', serving);
  execute format('create policy linecard_update on operator_tokens for update to %s using (
    id = current_setting(''linecard.operator_id'', true))', serving);
  execute format('alter policy linecard_insert on token_events to %s with check (
    token_id = current_setting(''linecard.token_id'', true) or token_id = current_setting(''linecard.operator_id'', true))', serving);
  select pg_get_expr(polqual, polrelid) into condition
    from pg_policy where polrelid = 'accounts'::regclass and polname = 'linecard_select';
  if exists (select from deployment where name = 'distributed_by') then
    -- On Citus no policy may read another table.
    execute format('alter policy linecard_select on accounts using ((%s) or
      current_setting(''linecard.operator_id'', true) <> '''')', condition);
  else
    execute format('alter policy linecard_select on accounts using ((%s) or exists (
      select from operator_tokens where operator_tokens.id = current_setting(''linecard.operator_id'', true)
        and operator_tokens.accounts is null and operator_tokens.revoked_at is null
        and operator_tokens.may like ''%%"read"%%''))', condition);
  end if;
end $$;
