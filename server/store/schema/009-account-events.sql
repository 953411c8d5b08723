-- What became of accounts: who made, changed, disabled, enabled and deleted them. Each row is written in the transaction of
-- what it records (audit.ts), and none is ever changed. Accounts that an import makes are counted with the import.

-- for: sqlite, postgres
create table account_events (
  id         text collate "C" primary key,
  at         text collate "C" not null,
  event      text collate "C" not null,
  account_id text collate "C" not null,
  -- As they are then, and of an account that is deleted as they were.
  name       text collate "C" not null,
  currency   text collate "C",
  origin     text collate "C" not null,
  actor      text collate "C" not null
);

create index account_events_by_time on account_events (at);

-- for: postgres
-- The step before this one has made the log of changes, and given the roles that serve what they need of it. A role of
-- intake that writes the lists already must write their log as well: it gets what `migrate --intake-role` would give it.
do $$
declare
  intake oid;
  name   text;
begin
  for intake in
    select grantee from pg_class, aclexplode(relacl)
    where pg_class.oid = 'virtual_numbers'::regclass and privilege_type = 'INSERT' and grantee not in (0, relowner)
  loop
    execute format('grant update (sequence) on accounts to %I', pg_get_userbyid(intake));
    foreach name in array array['revisions', 'change_logs', 'virtual_numbers_changes', 'additional_services_changes'] loop
      execute format('grant select, insert, update, delete on %I to %I', name, pg_get_userbyid(intake));
    end loop;
  end loop;
  for intake in
    select unnest(polroles) from pg_policy where polrelid = 'virtual_numbers'::regclass and polname = 'linecard_intake'
  loop
    foreach name in array array['revisions', 'change_logs', 'virtual_numbers_changes', 'additional_services_changes'] loop
      execute format('drop policy if exists linecard_intake on %I', name);
      execute format('create policy linecard_intake on %I for all to %I using (true) with check (true)', name, pg_get_userbyid(intake));
    end loop;
  end loop;
end $$;
