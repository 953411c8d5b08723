-- The account that an account is below. The limits of tokens are in the tokens file: sqlite-tokens/006-limits.sql.

alter table accounts add column parent_id text;
create index accounts_by_parent on accounts (parent_id, id) where parent_id is not null;
