-- What became of accounts: who made, changed, disabled, enabled and deleted them. Each row is written in the transaction of
-- what it records (audit.ts), and none is ever changed. Accounts that an import makes are counted with the import.

create table account_events (
  id         text primary key,
  at         text not null,
  event      text not null,
  account_id text not null,
  -- As they are then, and of an account that is deleted as they were.
  name       text not null,
  currency   text,
  origin     text not null,
  actor      text not null
) strict, without rowid;

create index account_events_by_time on account_events (at);
