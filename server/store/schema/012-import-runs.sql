-- The runs of imports, those that were refused or failed and those that are running among them. With SQLite they are in the
-- file of the tokens, because they are written while an import holds the one write lock of the lists.

-- for: sqlite-tokens, postgres
create table import_runs (
  -- Begins with the microseconds at which it started.
  id               text   collate "C" primary key,
  list             text   collate "C" not null,
  -- What its sender calls it, or how it came in; insert, update, replace or replace-all.
  feed             text   collate "C" not null,
  mode             text   collate "C" not null,
  origin           text   collate "C" not null,
  actor            text   collate "C" not null,
  source           text   collate "C" not null,
  started_at       text   collate "C" not null,
  -- When it last reported progress; when it ended, and how: null while it is running.
  updated_at       text   collate "C" not null,
  ended_at         text   collate "C",
  outcome          text   collate "C",
  rows             bigint not null,
  inserted         bigint not null,
  updated          bigint not null,
  moved            bigint not null,
  unchanged        bigint not null,
  removed          bigint not null,
  accounts_created bigint not null,
  faults           bigint not null,
  first_fault      text   collate "C"
);

create index import_runs_by_feed on import_runs (list, feed, mode, id);
create index import_runs_running on import_runs (updated_at) where ended_at is null;

-- for: postgres
-- Roles that were set up before get what `migrate --intake-role` and `migrate --serving-role` would give them.
do $$
declare
  grantee oid;
begin
  for grantee in
    select acl.grantee from pg_class, aclexplode(relacl) as acl
    where pg_class.oid = 'imports'::regclass and acl.privilege_type = 'INSERT' and acl.grantee not in (0, relowner)
  loop
    execute format('grant select, insert, update, delete on import_runs to %I', pg_get_userbyid(grantee));
  end loop;
  for grantee in
    select acl.grantee from pg_class, aclexplode(relacl) as acl
    where pg_class.oid = 'imports'::regclass and acl.privilege_type = 'SELECT' and acl.grantee not in (0, relowner)
  loop
    execute format('grant select on import_runs to %I', pg_get_userbyid(grantee));
  end loop;
end $$;
