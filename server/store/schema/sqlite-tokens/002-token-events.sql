-- What became of tokens, by whom and from where. Each row is written in the transaction of what it records (audit.ts),
-- and none is ever changed.

create table token_events (
  id         text primary key,
  at         text not null,
  event      text not null,
  token_id   text not null,
  -- None for a token of an operator.
  account_id text,
  name       text not null,
  origin     text not null,
  actor      text not null
) strict, without rowid;

create index token_events_by_time on token_events (at);
