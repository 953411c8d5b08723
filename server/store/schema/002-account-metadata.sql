-- What an account says of itself: the currency of its charges, whether it is disabled, and when anything of it
-- last changed.

-- for: sqlite, postgres
alter table accounts add column currency text collate "C";
alter table accounts add column disabled_at text collate "C";
alter table accounts add column updated_at text collate "C";

update accounts set updated_at = created_at;
