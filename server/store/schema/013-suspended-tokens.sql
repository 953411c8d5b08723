-- Tokens of an account that is disabled are refused by a column of their own: the account's row may be locked by an import
-- for as long as that takes.

-- for: sqlite-tokens, postgres
alter table tokens add column suspended_at text collate "C";
