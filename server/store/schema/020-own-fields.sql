-- The operator's own fields: their declarations by list, and generic columns for the values of 16 of them.

-- for: sqlite, postgres
create table own_fields (
  list     text collate "C" primary key,
  declared text collate "C" not null
);
create table field_events (
  id     text collate "C" primary key,
  at     text collate "C" not null,
  event  text collate "C" not null,
  list   text collate "C" not null,
  name   text collate "C" not null,
  origin text collate "C" not null,
  actor  text collate "C" not null
);

-- for: sqlite
alter table virtual_numbers add column own_1 text;
alter table virtual_numbers add column own_1_folded text;
alter table virtual_numbers add column own_1_number integer;
alter table virtual_numbers add column own_2 text;
alter table virtual_numbers add column own_2_folded text;
alter table virtual_numbers add column own_2_number integer;
alter table virtual_numbers add column own_3 text;
alter table virtual_numbers add column own_3_folded text;
alter table virtual_numbers add column own_3_number integer;
alter table virtual_numbers add column own_4 text;
alter table virtual_numbers add column own_4_folded text;
alter table virtual_numbers add column own_4_number integer;
alter table virtual_numbers add column own_5 text;
alter table virtual_numbers add column own_5_folded text;
alter table virtual_numbers add column own_5_number integer;
alter table virtual_numbers add column own_6 text;
alter table virtual_numbers add column own_6_folded text;
alter table virtual_numbers add column own_6_number integer;
alter table virtual_numbers add column own_7 text;
alter table virtual_numbers add column own_7_folded text;
alter table virtual_numbers add column own_7_number integer;
alter table virtual_numbers add column own_8 text;
alter table virtual_numbers add column own_8_folded text;
alter table virtual_numbers add column own_8_number integer;
alter table virtual_numbers add column own_9 text;
alter table virtual_numbers add column own_9_folded text;
alter table virtual_numbers add column own_9_number integer;
alter table virtual_numbers add column own_10 text;
alter table virtual_numbers add column own_10_folded text;
alter table virtual_numbers add column own_10_number integer;
alter table virtual_numbers add column own_11 text;
alter table virtual_numbers add column own_11_folded text;
alter table virtual_numbers add column own_11_number integer;
alter table virtual_numbers add column own_12 text;
alter table virtual_numbers add column own_12_folded text;
alter table virtual_numbers add column own_12_number integer;
alter table virtual_numbers add column own_13 text;
alter table virtual_numbers add column own_13_folded text;
alter table virtual_numbers add column own_13_number integer;
alter table virtual_numbers add column own_14 text;
alter table virtual_numbers add column own_14_folded text;
alter table virtual_numbers add column own_14_number integer;
alter table virtual_numbers add column own_15 text;
alter table virtual_numbers add column own_15_folded text;
alter table virtual_numbers add column own_15_number integer;
alter table virtual_numbers add column own_16 text;
alter table virtual_numbers add column own_16_folded text;
alter table virtual_numbers add column own_16_number integer;
alter table additional_services add column own_1 text;
alter table additional_services add column own_1_folded text;
alter table additional_services add column own_1_number integer;
alter table additional_services add column own_2 text;
alter table additional_services add column own_2_folded text;
alter table additional_services add column own_2_number integer;
alter table additional_services add column own_3 text;
alter table additional_services add column own_3_folded text;
alter table additional_services add column own_3_number integer;
alter table additional_services add column own_4 text;
alter table additional_services add column own_4_folded text;
alter table additional_services add column own_4_number integer;
alter table additional_services add column own_5 text;
alter table additional_services add column own_5_folded text;
alter table additional_services add column own_5_number integer;
alter table additional_services add column own_6 text;
alter table additional_services add column own_6_folded text;
alter table additional_services add column own_6_number integer;
alter table additional_services add column own_7 text;
alter table additional_services add column own_7_folded text;
alter table additional_services add column own_7_number integer;
alter table additional_services add column own_8 text;
alter table additional_services add column own_8_folded text;
alter table additional_services add column own_8_number integer;
alter table additional_services add column own_9 text;
alter table additional_services add column own_9_folded text;
alter table additional_services add column own_9_number integer;
alter table additional_services add column own_10 text;
alter table additional_services add column own_10_folded text;
alter table additional_services add column own_10_number integer;
alter table additional_services add column own_11 text;
alter table additional_services add column own_11_folded text;
alter table additional_services add column own_11_number integer;
alter table additional_services add column own_12 text;
alter table additional_services add column own_12_folded text;
alter table additional_services add column own_12_number integer;
alter table additional_services add column own_13 text;
alter table additional_services add column own_13_folded text;
alter table additional_services add column own_13_number integer;
alter table additional_services add column own_14 text;
alter table additional_services add column own_14_folded text;
alter table additional_services add column own_14_number integer;
alter table additional_services add column own_15 text;
alter table additional_services add column own_15_folded text;
alter table additional_services add column own_15_number integer;
alter table additional_services add column own_16 text;
alter table additional_services add column own_16_folded text;
alter table additional_services add column own_16_number integer;

-- for: postgres
alter table virtual_numbers
  add column own_1 text collate "C", add column own_1_folded text collate "C", add column own_1_number bigint,
  add column own_2 text collate "C", add column own_2_folded text collate "C", add column own_2_number bigint,
  add column own_3 text collate "C", add column own_3_folded text collate "C", add column own_3_number bigint,
  add column own_4 text collate "C", add column own_4_folded text collate "C", add column own_4_number bigint,
  add column own_5 text collate "C", add column own_5_folded text collate "C", add column own_5_number bigint,
  add column own_6 text collate "C", add column own_6_folded text collate "C", add column own_6_number bigint,
  add column own_7 text collate "C", add column own_7_folded text collate "C", add column own_7_number bigint,
  add column own_8 text collate "C", add column own_8_folded text collate "C", add column own_8_number bigint,
  add column own_9 text collate "C", add column own_9_folded text collate "C", add column own_9_number bigint,
  add column own_10 text collate "C", add column own_10_folded text collate "C", add column own_10_number bigint,
  add column own_11 text collate "C", add column own_11_folded text collate "C", add column own_11_number bigint,
  add column own_12 text collate "C", add column own_12_folded text collate "C", add column own_12_number bigint,
  add column own_13 text collate "C", add column own_13_folded text collate "C", add column own_13_number bigint,
  add column own_14 text collate "C", add column own_14_folded text collate "C", add column own_14_number bigint,
  add column own_15 text collate "C", add column own_15_folded text collate "C", add column own_15_number bigint,
  add column own_16 text collate "C", add column own_16_folded text collate "C", add column own_16_number bigint;
alter table additional_services
  add column own_1 text collate "C", add column own_1_folded text collate "C", add column own_1_number bigint,
  add column own_2 text collate "C", add column own_2_folded text collate "C", add column own_2_number bigint,
  add column own_3 text collate "C", add column own_3_folded text collate "C", add column own_3_number bigint,
  add column own_4 text collate "C", add column own_4_folded text collate "C", add column own_4_number bigint,
  add column own_5 text collate "C", add column own_5_folded text collate "C", add column own_5_number bigint,
  add column own_6 text collate "C", add column own_6_folded text collate "C", add column own_6_number bigint,
  add column own_7 text collate "C", add column own_7_folded text collate "C", add column own_7_number bigint,
  add column own_8 text collate "C", add column own_8_folded text collate "C", add column own_8_number bigint,
  add column own_9 text collate "C", add column own_9_folded text collate "C", add column own_9_number bigint,
  add column own_10 text collate "C", add column own_10_folded text collate "C", add column own_10_number bigint,
  add column own_11 text collate "C", add column own_11_folded text collate "C", add column own_11_number bigint,
  add column own_12 text collate "C", add column own_12_folded text collate "C", add column own_12_number bigint,
  add column own_13 text collate "C", add column own_13_folded text collate "C", add column own_13_number bigint,
  add column own_14 text collate "C", add column own_14_folded text collate "C", add column own_14_number bigint,
  add column own_15 text collate "C", add column own_15_folded text collate "C", add column own_15_number bigint,
  add column own_16 text collate "C", add column own_16_folded text collate "C", add column own_16_number bigint;
-- Roles that were set up before get what `migrate` would give them: those that read a list its declarations, and those
-- that write imports may declare.
do $$
declare
  grantee oid;
begin
  for grantee in
    select distinct acl.grantee from pg_class, aclexplode(relacl) as acl
    where pg_class.oid = 'virtual_numbers'::regclass and acl.privilege_type = 'SELECT' and acl.grantee not in (0, relowner)
  loop
    execute format('grant select on own_fields to %I', pg_get_userbyid(grantee));
  end loop;
  for grantee in
    select distinct acl.grantee from pg_class, aclexplode(relacl) as acl
    where pg_class.oid = 'imports'::regclass and acl.privilege_type = 'INSERT' and acl.grantee not in (0, relowner)
  loop
    execute format('grant insert, update on own_fields to %I', pg_get_userbyid(grantee));
    execute format('grant select, insert on field_events to %I', pg_get_userbyid(grantee));
  end loop;
end $$;
