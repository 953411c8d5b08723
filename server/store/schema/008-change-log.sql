-- What has changed in the lists, for those who keep copies of them: which ids, never their values.
--
-- An account's `sequence` grows by one whenever its revision is renewed, in the same transaction. `revisions` holds the
-- revision that each sequence had before, and `…_changes` the ids whose items may be others since that sequence.
-- `change_logs` says what is known of the log of each list.

-- for: sqlite, postgres
alter table accounts add column sequence bigint not null default 0;

create table revisions (
  account_id text collate "C" not null,
  sequence   bigint not null,
  revision   text collate "C" not null,
  -- When the next sequence began.
  ended_at   text collate "C" not null,
  primary key (account_id, sequence)
);

create table change_logs (
  account_id text collate "C" not null,
  list       text collate "C" not null,
  -- The sequence of the newest entry, and how many entries there are.
  newest     bigint not null default 0,
  entries    bigint not null default 0,
  -- Entries up to this sequence are pruned.
  pruned     bigint not null default 0,
  -- The list was changed as a whole by this sequence, without an entry for each item.
  rebuilt    bigint not null default 0,
  -- By this sequence the list, which had been empty, got items, without an entry for each.
  filled     bigint not null default 0,
  primary key (account_id, list)
) with (fillfactor = 80);

create table virtual_numbers_changes (
  account_id text collate "C" not null,
  sequence   bigint not null,
  id         bigint not null,
  primary key (account_id, sequence, id)
);

create table additional_services_changes (
  account_id text collate "C" not null,
  sequence   bigint not null,
  id         bigint not null,
  primary key (account_id, sequence, id)
);

-- for: postgres
-- A role that serves already, with row security or without, goes on serving: it sees of these tables what it sees of
-- the lists. `migrate --serving-role` gives the same rights to others.
do $$
declare
  serving oid;
  name    text;
begin
  for serving in
    select grantee from pg_class, aclexplode(relacl)
    where pg_class.oid = 'virtual_numbers'::regclass and privilege_type = 'SELECT' and grantee not in (0, relowner)
  loop
    foreach name in array array['revisions', 'change_logs', 'virtual_numbers_changes', 'additional_services_changes'] loop
      execute format('grant select on %I to %I', name, pg_get_userbyid(serving));
    end loop;
  end loop;
  for serving in
    select unnest(polroles) from pg_policy where polrelid = 'virtual_numbers'::regclass and polname = 'linecard_select'
  loop
    foreach name in array array['revisions', 'change_logs', 'virtual_numbers_changes', 'additional_services_changes'] loop
      execute format('alter table %I enable row level security', name);
      execute format(
        'create policy linecard_select on %I for select to %I using (account_id = current_setting(''linecard.account_id'', true))',
        name, pg_get_userbyid(serving)
      );
    end loop;
  end loop;
end $$;
