-- The runs of imports, those that were refused or failed and those that are running among them: here, because they are
-- written while an import holds the one write lock of the lists.

create table import_runs (
  -- Begins with the microseconds at which it started.
  id               text    primary key,
  list             text    not null,
  -- What its sender calls it, or how it came in; insert, update, replace or replace-all.
  feed             text    not null,
  mode             text    not null,
  origin           text    not null,
  actor            text    not null,
  source           text    not null,
  started_at       text    not null,
  -- When it last reported progress; when it ended, and how: null while it is running.
  updated_at       text    not null,
  ended_at         text,
  outcome          text,
  rows             integer not null,
  inserted         integer not null,
  updated          integer not null,
  moved            integer not null,
  unchanged        integer not null,
  removed          integer not null,
  accounts_created integer not null,
  faults           integer not null,
  first_fault      text
) strict, without rowid;

create index import_runs_by_feed on import_runs (list, feed, mode, id);
create index import_runs_running on import_runs (updated_at) where ended_at is null;
