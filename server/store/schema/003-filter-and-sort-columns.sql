-- Filters on when a number came onto the account, and an order by the state of its subscription. Both columns, and the
-- digits of numbers, which are compared without a leading `00` and without a trunk zero in brackets, are drawn anew from
-- the items behind this (migrations.ts).

-- for: sqlite
-- SQLite adds a column that is not null only with a default. No row keeps it: every statement names all columns.
alter table virtual_numbers add column subscription_status_folded text not null default '';
alter table virtual_numbers add column created_at text not null default '';

-- for: postgres
-- With a default for the rows that are there, so that none is written twice.
alter table virtual_numbers
  add column subscription_status_folded text collate "C" not null default '',
  add column created_at text collate "C" not null default '';
alter table virtual_numbers
  alter column subscription_status_folded drop default,
  alter column created_at drop default;
