-- What was done, by whom and from where: every import with its counts. Each row is written in the transaction of what it
-- records (audit.ts), and none is ever changed. What became of tokens is with the tokens (schema/sqlite-tokens/).

create table imports (
  id               text    primary key,
  finished_at      text    not null,
  list             text    not null,
  -- How it came in: command, intake, pull or watch; who brought it, and out of which files or which address.
  origin           text    not null,
  actor            text    not null,
  source           text    not null,
  mode             text    not null,
  rows             integer not null,
  inserted         integer not null,
  updated          integer not null,
  unchanged        integer not null,
  removed          integer not null,
  accounts_created integer not null
) strict, without rowid;

create index imports_by_list on imports (list, finished_at);
