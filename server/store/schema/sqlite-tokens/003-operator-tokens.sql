-- The tokens of operators, which may write the lists over HTTP (intake). They are of no account, so they are not among the
-- tokens of customers.

create table operator_tokens (
  -- Of the token, which itself is nowhere.
  hash         text primary key,
  id           text not null unique,
  name         text not null,
  -- The accounts that it may write, as a JSON array in the order of their code points; null for all.
  accounts     text,
  created_at   text not null,
  expires_at   text,
  revoked_at   text,
  last_used_at text
) strict, without rowid;
