-- Filters on when a number came onto the account, and an order by the state of its subscription. Both columns, and the
-- digits of numbers, which are compared without a leading `00` and without a trunk zero in brackets, are drawn anew from
-- the items behind this (migrations.ts).

-- SQLite adds a column that is not null only with a default. No row keeps it: every statement names all columns.
alter table virtual_numbers add column subscription_status_folded text not null default '';
alter table virtual_numbers add column created_at text not null default '';
