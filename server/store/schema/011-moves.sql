-- What imports move from one account to another: how many items, counted in `updated` as well, and for each import between
-- which accounts. Written in the transaction of the import, like the rest of the audit log.

-- for: sqlite, postgres
alter table imports add column moved bigint not null default 0;

create table import_moves (
  import_id       text collate "C" not null,
  from_account_id text collate "C" not null,
  to_account_id   text collate "C" not null,
  items           bigint not null,
  primary key (import_id, from_account_id, to_account_id)
);

-- for: postgres
-- A role of intake that records imports already gets what `migrate --intake-role` would give it.
do $$
declare
  intake oid;
begin
  for intake in
    select grantee from pg_class, aclexplode(relacl)
    where pg_class.oid = 'imports'::regclass and privilege_type = 'INSERT' and grantee not in (0, relowner)
  loop
    execute format('grant select, insert, delete on import_moves to %I', pg_get_userbyid(intake));
  end loop;
end $$;
