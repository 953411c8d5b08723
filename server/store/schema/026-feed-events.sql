-- Feeds that were retired, by whom: an entry each of the audit log.

-- for: sqlite, postgres
create table feed_events (
  id     text collate "C" primary key,
  at     text collate "C" not null,
  event  text collate "C" not null,
  name   text collate "C" not null,
  origin text collate "C" not null,
  actor  text collate "C" not null
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
    execute format('grant select, insert on feed_events to %I', pg_get_userbyid(grantee));
  end loop;
end $$;
