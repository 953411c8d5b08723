-- What became of accounts: who made, changed, disabled, enabled and deleted them. Each row is written in the transaction of
-- what it records (audit.ts), and none is ever changed. Accounts that an import makes are counted with the import.

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
