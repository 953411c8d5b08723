-- The tokens of the embedded store, in a file of their own next to the database: they are made and revoked while an import
-- holds the write lock of the lists (docs/decisions/016-tokens-file.md). No foreign key reaches into another file: a token
-- is made for an account that exists, and is deleted before its account.

-- for: sqlite-tokens
create table tokens (
  -- Of the token, which itself is nowhere; the key, because every request looks one up.
  hash         text primary key,
  id           text not null unique,
  account_id   text not null,
  name         text not null,
  created_at   text not null,
  expires_at   text,
  revoked_at   text,
  last_used_at text
) strict, without rowid;

create index tokens_by_account on tokens (account_id);
