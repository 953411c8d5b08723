-- The tokens of operators, which may write the lists over HTTP (intake). They are of no account, so they are not among the
-- tokens of customers.

-- for: sqlite-tokens, postgres
create table operator_tokens (
  -- Of the token, which itself is nowhere.
  hash         text collate "C" primary key,
  id           text collate "C" not null unique,
  name         text collate "C" not null,
  -- The accounts that it may write, as a JSON array in the order of their code points; null for all.
  accounts     text collate "C",
  created_at   text collate "C" not null,
  expires_at   text collate "C",
  revoked_at   text collate "C",
  last_used_at text collate "C"
);
