-- Ids of accounts that were deleted, so that no import brings one back.
create table deleted_accounts (
  id         text primary key,
  deleted_at text not null
) strict, without rowid;
