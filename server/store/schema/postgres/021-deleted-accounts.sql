-- Ids of accounts that were deleted, so that no import brings one back.
create table deleted_accounts (
  id         text collate "C" primary key,
  deleted_at text collate "C" not null
);
