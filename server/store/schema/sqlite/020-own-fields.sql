-- The operator's own fields: their declarations by list, and generic columns for the values of 16 of them.
create table own_fields (
  list     text primary key,
  declared text not null
) strict, without rowid;
create table field_events (
  id     text primary key,
  at     text not null,
  event  text not null,
  list   text not null,
  name   text not null,
  origin text not null,
  actor  text not null
) strict, without rowid;
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
