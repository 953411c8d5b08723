-- What imports move from one account to another: how many items, counted in `updated` as well, and for each import between
-- which accounts. Written in the transaction of the import, like the rest of the audit log.

alter table imports add column moved integer not null default 0;

create table import_moves (
  import_id       text    not null,
  from_account_id text    not null,
  to_account_id   text    not null,
  items           integer not null,
  primary key (import_id, from_account_id, to_account_id)
) strict, without rowid;
