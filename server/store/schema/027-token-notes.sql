-- What whoever keeps a token wrote about it; empty for nothing.

-- for: sqlite-tokens, postgres
alter table tokens add column note text collate "C" not null default '';
alter table operator_tokens add column note text collate "C" not null default '';
