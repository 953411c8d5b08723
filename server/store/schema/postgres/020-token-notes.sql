-- What an operator writes about a token, for themselves.
alter table tokens add column note text collate "C" not null default '';
