-- What has changed in the lists, for those who keep copies of them: which ids, never their values.
--
-- An account's `sequence` grows by one whenever its revision is renewed, in the same transaction. `revisions` holds the
-- revision that each sequence had before, and `…_changes` the ids whose items may be others since that sequence.
-- `change_logs` says what is known of the log of each list.

alter table accounts add column sequence integer not null default 0;

create table revisions (
  account_id text    not null,
  sequence   integer not null,
  revision   text    not null,
  -- When the next sequence began.
  ended_at   text    not null,
  primary key (account_id, sequence)
) strict, without rowid;

create table change_logs (
  account_id text    not null,
  list       text    not null,
  -- The sequence of the newest entry, and how many entries there are.
  newest     integer not null default 0,
  entries    integer not null default 0,
  -- Entries up to this sequence are pruned.
  pruned     integer not null default 0,
  -- The list was changed as a whole by this sequence, without an entry for each item.
  rebuilt    integer not null default 0,
  -- By this sequence the list, which had been empty, got items, without an entry for each.
  filled     integer not null default 0,
  primary key (account_id, list)
) strict, without rowid;

create table virtual_numbers_changes (
  account_id text    not null,
  sequence   integer not null,
  id         integer not null,
  primary key (account_id, sequence, id)
) strict, without rowid;

create table additional_services_changes (
  account_id text    not null,
  sequence   integer not null,
  id         integer not null,
  primary key (account_id, sequence, id)
) strict, without rowid;
