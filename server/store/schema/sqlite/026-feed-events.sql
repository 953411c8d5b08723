-- Feeds that were retired, by whom: an entry each of the audit log.
create table feed_events (
  id     text primary key,
  at     text not null,
  event  text not null,
  name   text not null,
  origin text not null,
  actor  text not null
) strict, without rowid;
